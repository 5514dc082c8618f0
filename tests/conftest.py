import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import pytest
from django.db import transaction
from django.db.backends.base.operations import BaseDatabaseOperations
from django.db.backends.postgresql import base as postgresql
from django.db.backends.sqlite3 import base as sqlite
from hypothesis import settings

from tests.draws import LONG, USUAL
from tests.factories import Cast, make_cast

# No deadline for a single example: on a loaded machine any of them may be slow.
settings.register_profile("ci", deadline=None, max_examples=USUAL)
settings.register_profile("long", deadline=None, max_examples=LONG)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))

MadeOnce = Callable[[Callable[[], Any]], AbstractContextManager[Any]]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark tests that need a database: only these run again on another database."""
    for item in items:
        fixtures = {"db", "transactional_db"} & set(getattr(item, "fixturenames", ()))
        if fixtures or item.get_closest_marker("django_db"):
            item.add_marker(pytest.mark.database)


@pytest.fixture(scope="session", autouse=True)
def flush_what_is_written_once() -> Iterator[None]:
    """A flush between tests empties every table, which the triggers of the database refuse: they are off meanwhile."""
    with pytest.MonkeyPatch.context() as patch:
        for operations, triggers_off in (
            (sqlite.DatabaseOperations, _sqlite_triggers_off),
            (postgresql.DatabaseOperations, _postgresql_triggers_off),
        ):
            patch.setattr(operations, "sql_flush", _flush_with(operations.sql_flush, triggers_off))
        yield


def _flush_with(flush: Any, triggers_off: Any) -> Any:
    def sql_flush(self: BaseDatabaseOperations, style: Any, tables: Any, **options: Any) -> list[str]:
        with self.connection.cursor() as cursor:
            off, on = triggers_off(cursor)
        return [*off, *flush(self, style, tables, **options), *on]

    return sql_flush


def _sqlite_triggers_off(cursor: Any) -> tuple[list[str], list[str]]:
    cursor.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
    triggers = cursor.fetchall()
    return [f'DROP TRIGGER "{name}"' for name, _ in triggers], [sql for _, sql in triggers]


def _postgresql_triggers_off(cursor: Any) -> tuple[list[str], list[str]]:
    cursor.execute("SELECT DISTINCT tgrelid::regclass::text FROM pg_trigger WHERE NOT tgisinternal")
    tables = [table for (table,) in cursor.fetchall()]
    return tuple([f"ALTER TABLE {table} {what} TRIGGER USER" for table in tables] for what in ("DISABLE", "ENABLE"))


@pytest.fixture
def cast(db: None) -> Cast:
    return make_cast()


@pytest.fixture(scope="module")
def made_once(django_db_setup: None, django_db_blocker: Any) -> MadeOnce:
    """Rows for all tests of a module: made in a transaction around them, in which each test has its own savepoint."""

    @contextmanager
    def make(maker: Callable[[], Any]) -> Iterator[Any]:
        with django_db_blocker.unblock(), transaction.atomic():
            yield maker()
            transaction.set_rollback(True)

    return make
