"""New judgments, each of which takes the place of the current one of its document."""

from collections.abc import Iterable, MutableMapping, Sequence
from typing import TypeVar

from judging.models import Judgment, ModelJudgment

Row = TypeVar("Row", Judgment, ModelJudgment)
Key = TypeVar("Key", str, tuple[str, str])


def replace_current(current: MutableMapping[Key, Row], key: Key, new: Row) -> None:
    """Put a row that is not stored yet in the place of the current one."""
    if before := current.get(key):
        before.is_current = False
    current[key] = new


def write_current(table: type[Row], before: Iterable[Row], new: Sequence[Row]) -> None:
    """Store the new rows, and that those of `before` which they replace are no longer current: two queries for any number."""
    if replaced := [row.pk for row in before if not row.is_current]:
        table._default_manager.filter(pk__in=replaced).update(is_current=False)
    table._default_manager.bulk_create(new)
