"""What a version of the qrels, or one that is about to be released, has otherwise than the version before it."""

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from campaign.models import Visitor
from campaign.text.natural_order import natural_order
from campaign.web.cache import kept
from judging.core.qrels_changes import changes_by_topic, grades_in_both, table_of_grades
from judging.models import Qrels
from judging.qrels.selectors.releases import released_table


@dataclass(frozen=True, slots=True)
class Difference:
    """`grades`: the columns of `rows`, None for no line; a row: old grade, (pairs, whether the grade is the same) per column.

    `topics`: those that differ, in natural order, each with the pairs added, gone and changed.
    """

    version: int
    added: int
    gone: int
    changed: int
    same: int
    grades: tuple[int | None, ...]
    rows: tuple[tuple[int | None, tuple[tuple[int, bool], ...]], ...]
    topics: tuple[tuple[str, int, int, int], ...]


def version_before(user: Visitor, qrels: Qrels) -> Qrels | None:
    """The newest version of the same set before this one that the user may see."""
    same_set = Qrels.objects.visible_to(user).filter(task=qrels.task_id, set_name=qrels.set_name)
    return same_set.filter(version__lt=qrels.version).first()


def released_difference(before: Qrels, qrels: Qrels) -> Difference:
    """Kept: neither version changes."""
    key = f"judging:difference:{before.pk}:{before.sha256}:{qrels.pk}:{qrels.sha256}"
    return kept(key, lambda: difference_to(before, released_table(qrels, "overall")))


def difference_to(before: Qrels, table: pl.DataFrame) -> Difference:
    """What `table` (topic, docno, grade) has otherwise than the version `before`."""
    both = grades_in_both(released_table(before, "overall"), table)
    counts = table_of_grades(both)
    by_topic = changes_by_topic(both)
    added, gone, changed = (int(by_topic[name].sum()) for name in ("added", "gone", "changed"))
    grades = _in_order([grade for pair in counts for grade in pair])
    return Difference(
        version=before.version,
        added=added,
        gone=gone,
        changed=changed,
        same=both.height - added - gone - changed,
        grades=grades,
        rows=tuple((old, tuple((counts.get((old, new), 0), old == new) for new in grades)) for old in grades),
        topics=tuple(sorted(by_topic.iter_rows(), key=lambda row: natural_order(row[0]))),
    )


def _in_order(grades: Sequence[int | None]) -> tuple[int | None, ...]:
    """Ascending, no line first."""
    return tuple(sorted(set(grades), key=lambda grade: (grade is not None, grade or 0)))
