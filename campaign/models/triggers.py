"""Triggers by which the database itself refuses a second write, as an operation of migrations.

SQLite changes a table by making it anew, and its triggers go with the old one: a migration that alters a guarded table must end
with this operation again. A test looks at every guarded table after all migrations.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.operations.base import Operation
from django.db.models import Model

FUNCTION = """
CREATE OR REPLACE FUNCTION runpool_refuse_second_write() RETURNS trigger AS $$
BEGIN
  IF TG_OP = 'UPDATE' AND to_jsonb(NEW) - TG_ARGV = to_jsonb(OLD) - TG_ARGV THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION '% is written once: % refused', TG_TABLE_NAME, TG_OP USING ERRCODE = 'integrity_constraint_violation';
END
$$ LANGUAGE plpgsql
"""


class RefuseSecondWrite(Operation):
    """Adds triggers against a second write (see `written_once`). `changeable`: the columns that may be set later."""

    reversible = True

    def __init__(self, model_name: str, changeable: Sequence[str] = (), may_be_deleted: bool = False) -> None:
        self.model_name = model_name
        self.changeable = changeable
        self.may_be_deleted = may_be_deleted

    def state_forwards(self, app_label: str, state: Any) -> None:
        """Triggers are no part of the models' state."""

    def database_forwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: Any, to_state: Any
    ) -> None:
        model = to_state.apps.get_model(app_label, self.model_name)
        if self.allow_migrate_model(schema_editor.connection.alias, model):
            self._execute(schema_editor, self._statements(model, schema_editor.connection.vendor, create=True))

    def database_backwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: Any, to_state: Any
    ) -> None:
        model = to_state.apps.get_model(app_label, self.model_name)
        if self.allow_migrate_model(schema_editor.connection.alias, model):
            self._execute(schema_editor, self._statements(model, schema_editor.connection.vendor, create=False))

    def describe(self) -> str:
        return f"Refuse a second write of {self.model_name} in the database"

    @property
    def migration_name_fragment(self) -> str:
        return f"{self.model_name}_is_written_once"

    @staticmethod
    def _execute(schema_editor: BaseDatabaseSchemaEditor, statements: Iterable[str]) -> None:
        for statement in statements:
            schema_editor.execute(statement, params=None)

    def _statements(self, model: type[Model], vendor: str, *, create: bool) -> Iterator[str]:
        table = model._meta.db_table
        # What PostgreSQL calls TRUNCATE, SQLite lacks; its REPLACE deletes a row without firing the trigger for DELETE.
        third = ("TRUNCATE", "emptied") if vendor == "postgresql" else ("INSERT", "replaced")
        for event, what in (("UPDATE", "changed"), ("DELETE", "deleted"), third):
            name = f"{table}_never_{what}"
            yield f'DROP TRIGGER IF EXISTS "{name}"' + (f' ON "{table}"' if vendor == "postgresql" else "")
            if create and not (event in {"DELETE", "TRUNCATE"} and self.may_be_deleted):
                make = self._for_postgresql if vendor == "postgresql" else self._for_sqlite
                yield from make(model, event, name)

    def _for_postgresql(self, model: type[Model], event: str, name: str) -> Iterator[str]:
        columns = ", ".join(f"'{column}'" for column in self.changeable)
        yield FUNCTION
        yield (
            f'CREATE TRIGGER "{name}" BEFORE {event} ON "{model._meta.db_table}" '
            f"FOR EACH {'STATEMENT' if event == 'TRUNCATE' else 'ROW'} "
            f"EXECUTE FUNCTION runpool_refuse_second_write({columns})"
        )

    def _for_sqlite(self, model: type[Model], event: str, name: str) -> Iterator[str]:
        table, key = model._meta.db_table, model._meta.pk.column
        fixed = [f'"{field.column}"' for field in model._meta.local_fields if field.column not in self.changeable]
        of_columns = f" OF {', '.join(fixed)}" if event == "UPDATE" else ""
        when = f' WHEN EXISTS (SELECT 1 FROM "{table}" WHERE "{key}" = NEW."{key}")' if event == "INSERT" else ""  # noqa: S608 - names of our own tables
        message = f"{table} is written once: {'REPLACE' if event == 'INSERT' else event} refused"
        yield (
            f'CREATE TRIGGER "{name}" BEFORE {event}{of_columns} ON "{table}"{when} '
            f"BEGIN SELECT RAISE(ABORT, '{message}'); END"
        )
