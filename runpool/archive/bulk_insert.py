"""Rows that come with the moments at which they were written: Django would put the moment of now in their place."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeVar

from django.db import DEFAULT_DB_ALIAS, connection
from django.db.models import Model, QuerySet

from campaign.models.fields import SkeletonField
from campaign.models.row_states import KeepsStates, states_keep

AT_ONCE, BYTES_AT_ONCE = 1000, 8 << 20
Row = TypeVar("Row")


def batches(rows: Iterable[tuple[Row, int]], most: int = AT_ONCE) -> Iterator[list[Row]]:
    """At most so many rows at once, each with the bytes of its line; fewer where the lines are long: they are held in memory.

    >>> list(batches([("a", 1), ("b", BYTES_AT_ONCE), ("c", 1), ("d", 1), ("e", 1)], most=2))
    [['a', 'b'], ['c', 'd'], ['e']]
    >>> list(batches([("a", BYTES_AT_ONCE + 1), ("b", 1)], most=2))
    [['a'], ['b']]
    """
    batch, size = list[Row](), 0
    for row, length in rows:
        batch.append(row)
        size += length
        if len(batch) == most or size > BYTES_AT_ONCE:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def rows_insert(instances: Sequence[Model]) -> list[int]:
    """Insert rows of one model as they are, and return their primary keys in the same order."""
    if not instances:
        return []
    model = type(instances[0])
    columns: list[Any] = [column for column in model._meta.local_concrete_fields if not column.primary_key]
    for column in columns:
        if isinstance(column, SkeletonField):
            for instance in instances:
                setattr(instance, column.attname, column.look(instance))
    most = min(AT_ONCE, connection.ops.bulk_batch_size(columns, list(instances)))
    rows: QuerySet[Model] = QuerySet(model)
    keys: list[int] = []
    for start in range(0, len(instances), most):
        made = rows._insert(  # type: ignore[attr-defined]  # what bulk_create calls, which overwrites moments
            list(instances[start : start + most]),
            fields=columns,
            returning_fields=[model._meta.pk],
            using=DEFAULT_DB_ALIAS,
            raw=True,
        )
        keys += [key for (key, *_) in made]
    if issubclass(model, KeepsStates):
        states_keep(model, keys)
    return keys
