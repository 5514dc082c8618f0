"""What organisers should look at: grades given very quickly, the same again and again, repeats graded otherwise than before."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from statistics import median

from django.db.models import OuterRef, QuerySet, Subquery

from campaign.models import Grade, Task, User
from campaign.text.plurals import number_of
from judging.models import Judgment

LATEST = 5_000
"""Judgments of the desk that are looked at: those of the last days, and few to read."""
LEAST_SECONDS, FEWEST_TIMED = 2.0, 20
SAME_IN_A_ROW = 30
FEWEST_REPEATS, MOST_CHANGED = 5, 1 / 3
"""From so many hidden repeats on a third that got another grade than before is told."""
CHANGED_SHOWN = 10


@dataclass(frozen=True, slots=True)
class Changed:
    """A hidden repeat that the assessor graded otherwise than before."""

    topic: str
    docno: str
    before: int
    again: int


@dataclass(frozen=True, slots=True)
class Alarm:
    """`said`: what was found. `remedy`: what to do. `changed`: the first of the repeats, of an alarm about these."""

    assessor: User
    said: str
    remedy: str
    changed: tuple[Changed, ...] = ()


def judging_alarms(task: Task, grades: Iterable[Grade]) -> list[Alarm]:
    """What the latest judgments of the desk give reason to look at, by assessor; what came in by a file is left out."""
    graded = Judgment.objects.of_task(task.pk).filter(verdict=Judgment.GRADED)
    timed = graded.filter(active_ms__isnull=False).order_by("-pk")
    by_assessor: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for assessor, grade, active_ms in timed.values_list("assessor_id", "grade", "active_ms")[:LATEST]:
        by_assessor[assessor].append((grade or 0, active_ms or 0))
    repeats, labels = _repeats(graded), {grade.value: grade.label for grade in grades}
    found = {key: list(_found(by_assessor[key], repeats.get(key, []), labels)) for key in {*by_assessor, *repeats}}
    named = {key: alarms for key, alarms in found.items() if alarms}
    assessors = User.objects.in_bulk(named) if named else {}
    in_order = sorted(assessors.items(), key=lambda item: str(item[1]))
    return [Alarm(assessor, *alarm) for key, assessor in in_order for alarm in named[key]]


def _found(
    latest: Sequence[tuple[int, int]], repeats: Sequence[Changed], labels: dict[int, str]
) -> Iterator[tuple[str, str, tuple[Changed, ...]]]:
    seconds = median(active for _, active in latest) / 1000 if latest else LEAST_SECONDS
    if len(latest) >= FEWEST_TIMED and seconds < LEAST_SECONDS:
        said = f"takes {seconds:.1f} s a document (median of the latest {number_of(len(latest), 'judgment')})."
        yield said, "Read some of these documents yourself; ask whether the texts are shown and read.", ()
    times, grade = longest_row([grade for grade, _ in latest])
    if times >= SAME_IN_A_ROW:
        said = f"gave the same grade, {grade} {labels.get(grade, '')}".rstrip() + f", {times} times in a row."
        yield said, "Where the pool holds no such stretch, have some of it judged by a second assessor.", ()
    changed = [one for one in repeats if one.before != one.again]
    if len(repeats) >= FEWEST_REPEATS and len(changed) >= MOST_CHANGED * len(repeats):
        said = f"graded {len(changed)} of {number_of(len(repeats), 'hidden repeat')} otherwise than before."
        remedy = "Go through these documents together, and say in the guidelines what decides them."
        yield said, remedy, tuple(changed[:CHANGED_SHOWN])


def longest_row(grades: Sequence[int]) -> tuple[int, int]:
    """How many times the same grade stands in a row at most, and which; (0, 0) of none.

    >>> longest_row([1, 0, 0, 2, 2, 2, 0]), longest_row([])
    ((3, 2), (0, 0))
    """
    rows = [(sum(1 for _ in same), grade) for grade, same in groupby(grades)]
    return max(rows, default=(0, 0), key=lambda row: row[0])


def _repeats(graded: "QuerySet[Judgment]") -> dict[int, list[Changed]]:
    """By assessor, the hidden repeats with a grade, and the grade of the newest judgment before."""
    same = {name: OuterRef(name) for name in ("topic", "docno", "assessor")}
    before = Judgment.objects.filter(
        **same, assignment__is_repeat=False, verdict=Judgment.GRADED, is_current=True
    ).order_by("-pass_number")
    rows = (
        graded.filter(assignment__is_repeat=True, is_current=True)
        .annotate(before=Subquery(before.values("grade")[:1]))
        .order_by("pk")
    )
    found: dict[int, list[Changed]] = defaultdict(list)
    for assessor, topic, docno, first, again in rows.exclude(before=None).values_list(
        "assessor_id", "topic__number", "docno", "before", "grade"
    ):
        found[assessor].append(Changed(topic, docno, first, again or 0))
    return found
