"""Whether processes of the version before can go on working after a migration: they know neither new columns nor new names.

New tables, new columns that may be empty or that the database fills, wider columns and indexes do them no harm. Everything
else is a problem, also what this rule cannot judge (statements in SQL or Python): whoever writes it names the reason why it
does no harm.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from django.db.migrations import operations as kinds
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState
from django.db.models import NOT_PROVIDED, Field, ManyToManyField

from campaign.models.triggers import RefuseSecondWrite

HARMLESS = (
    kinds.AddIndex,
    kinds.RemoveIndex,
    kinds.RenameIndex,
    kinds.RemoveConstraint,
    kinds.AlterModelOptions,
    kinds.AlterModelManagers,
    kinds.AlterModelTableComment,
)


@dataclass(frozen=True, slots=True)
class Tables:
    """Of one app, by the lower-case names of models: those that the version before does not know, and those written once."""

    created: set[str] = field(default_factory=set)
    guarded: set[str] = field(default_factory=set)


def problems_of(operation: Operation, app: str, before: ProjectState, tables: Tables) -> Iterator[str]:
    """`before`: the models when the operation begins."""
    if isinstance(operation, kinds.SeparateDatabaseAndState):
        for part in operation.database_operations:
            yield from problems_of(part, app, before, tables)
    elif isinstance(operation, kinds.CreateModel):
        tables.created.add(operation.name.lower())
    elif _model_of(operation) not in tables.created and not isinstance(operation, HARMLESS):
        problem = _problem(operation, app, before, tables)
        if problem:
            yield f"{operation.describe()}: {problem}"


def _model_of(operation: Operation) -> str:
    """Of an operation on a whole model, the model's name is `name`."""
    return str(getattr(operation, "model_name", None) or getattr(operation, "name", None) or "").lower()


def _problem(operation: Operation, app: str, before: ProjectState, tables: Tables) -> str:
    if isinstance(operation, kinds.AddField):
        return _problem_of_new_column(operation.field)
    if isinstance(operation, kinds.AlterField):
        old = before.models[app, operation.model_name_lower].fields[operation.name]
        return _problem_of_change(old, operation.field)
    if isinstance(operation, RefuseSecondWrite) and _model_of(operation) in tables.guarded:
        return ""  # SQLite loses the triggers of a table that changes
    return "processes of the version before cannot work with it, or this rule cannot tell"


def _problem_of_new_column(new: "Field[Any, Any]") -> str:
    if isinstance(new, ManyToManyField) or new.null or new.db_default is not NOT_PROVIDED:
        return ""
    return "rows of the version before lack the column: let it be empty (null) or give it a db_default"


def _problem_of_change(old: "Field[Any, Any]", new: "Field[Any, Any]") -> str:
    if old.null and not new.null:
        return "the version before writes rows without a value"
    if type(old) is not type(new) or old.db_column != new.db_column:
        return "the column becomes another"
    if new.unique and not old.unique:
        return "the version before may write a value twice"
    if new.max_length is not None and (old.max_length is None or new.max_length < old.max_length):
        return "the column becomes narrower"
    return ""
