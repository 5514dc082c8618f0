"""What organisers should look at: grades given very quickly, the same again and again, repeats graded otherwise than before."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import chain
from statistics import median
from typing import NamedTuple

from django.core.cache import caches
from django.db.models import BooleanField, ExpressionWrapper, OuterRef, Q, Subquery
from django.utils import timezone

from campaign.models import Grade, Task, User
from campaign.navigation import Step, Todo
from campaign.text.plurals import number_of
from judging.core.grade_rows import rare_rows
from judging.models import Assignment, Judgment
from pooling.models import Pool

DAYS, LATEST = 14, 50_000
"""What was judged in so many days is looked at, in the latest acts of the task: few enough to read for a page."""
LEAST_SECONDS, FEWEST_TIMED = 2.0, 20
SAME_IN_A_ROW, RARE = 30, 0.001
"""A row is at least so long, and this rare among all rows of the assessor: who reads the page again and again sees many."""
FEWEST_REPEATS, MOST_CHANGED = 5, 1 / 3
"""From so many hidden repeats on a third that got another grade than before is told."""
CHANGED_SHOWN = 10
KEPT = 60
"""Seconds for which the number of alarms is kept for home and task page."""

Graded = Sequence[tuple[int, int]]
"""Grade and active time in ms of each document, in the order in which they were first graded."""


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
    """What the judgments of the last days at the desk give reason to look at, by assessor; what came in by a file is left out.

    A document counts once for each assessor and pass, whatever else they stored of it: with the grade that counts now, at the
    place and with the time of the first grade.
    """
    by_assessor = _graded(task)
    repeats, labels = _repeats(task), {grade.value: grade.label for grade in grades}
    # Their documents come by how likely they are relevant: the same grade at the end tells nothing.
    growing = {pool.pk for pool in Pool.objects.filter(task=task) if pool.grows}
    found = {
        key: list(_found(by_assessor.get(key, {}), repeats.get(key, []), labels, growing))
        for key in {*by_assessor, *repeats}
    }
    named = {key: alarms for key, alarms in found.items() if alarms}
    assessors = User.objects.in_bulk(named) if named else {}
    in_order = sorted(assessors.items(), key=lambda item: str(item[1]))
    return [Alarm(assessor, *alarm) for key, assessor in in_order for alarm in named[key]]


def alarms_to_read(user: User, tasks: Sequence[Task]) -> Iterator[Todo]:
    """How many alarms each of these tasks has, until its phase is Scores; a minute old at most. The user organises them."""
    at_work = [task for task in tasks if task.phase not in (Task.SCORES, Task.PUBLISHED)]
    kept: dict[str, int] = caches["bulk"].get_many([_key(task) for task in at_work])
    unknown = [task for task in at_work if _key(task) not in kept]
    if unknown:
        kept |= _counts(unknown)
    for task in at_work:
        if count := kept[_key(task)]:
            alarms = number_of(count, "alarm")
            step = Step(f"Read {alarms}", f"{task.url('judging_progress')}#alarms")
            yield Todo(task, f"{alarms} about how documents are judged", step)


def _counts(tasks: Sequence[Task]) -> dict[str, int]:
    assigned = Assignment.objects.filter(pool__task__in=tasks).order_by().values_list("pool__task", flat=True)
    judged = set(assigned.distinct())
    counts = {_key(task): len(judging_alarms(task, ())) if task.pk in judged else 0 for task in tasks}
    caches["bulk"].set_many(counts, timeout=KEPT)
    return counts


def _key(task: Task) -> str:
    return f"judging:alarms:{task.pk}"


def release_caution(task: Task) -> str:
    """What organisers are told before they release qrels; "" where there are no alarms.

    A release of the newest pool takes the judgments of earlier ones too, so alarms of all pools are told.
    """
    count = len(judging_alarms(task, ()))
    said = f"{number_of(count, 'alarm')} about this task on the page Judging: read {'it' if count == 1 else 'them'}"
    return f"{said} before you release qrels." if count else ""


class TopicPass(NamedTuple):
    """What an assessor judges one document after the other: a topic of a pool in one pass."""

    pool: int
    topic: str
    pass_number: int


def _graded(task: Task) -> dict[int, dict[TopicPass, list[tuple[int, int]]]]:
    """By assessor and topic, the documents first graded at the desk in the last days; one graded earlier is left out."""
    is_first = ExpressionWrapper(Q(previous=None), output_field=BooleanField())
    since = timezone.now() - timedelta(days=DAYS)
    acts = Judgment.objects.of_task(task.pk).filter(judged_at__gte=since).annotate(is_first=is_first).order_by("-pk")
    columns = ("topic__number", "pass_number", "assessor_id", "docno", "assignment__pool_id")
    rows = acts.values_list(*columns, "grade", "active_ms", "is_current", "is_first")[:LATEST]
    begins: dict[tuple[str, int, int, str], bool] = {}
    firsts: dict[tuple[str, int, int, str], tuple[int, int | None]] = {}
    counts: dict[tuple[str, int, int, str], int] = {}
    for topic, pass_number, assessor, docno, pool, grade, active_ms, is_current, is_first_act in reversed(rows):
        key = (topic, pass_number, assessor, docno)
        if begins.setdefault(key, is_first_act) and grade is not None:
            firsts.setdefault(key, (pool, active_ms))
            if is_current:
                counts[key] = grade
    found: dict[int, dict[TopicPass, list[tuple[int, int]]]] = defaultdict(lambda: defaultdict(list))
    for key, (pool, active_ms) in firsts.items():
        if key in counts and active_ms is not None:
            topic, pass_number, assessor, _ = key
            found[assessor][TopicPass(pool, topic, pass_number)].append((counts[key], active_ms))
    return found


def _found(
    judged: Mapping[TopicPass, Graded], repeats: Sequence[Changed], labels: dict[int, str], growing: Collection[int]
) -> Iterator[tuple[str, str, tuple[Changed, ...]]]:
    times = [active_ms for _, active_ms in chain.from_iterable(judged.values())]
    seconds = round(median(times) / 1000, 1) if len(times) >= FEWEST_TIMED else LEAST_SECONDS
    if seconds < LEAST_SECONDS:
        said = f"takes {seconds:.1f} s a document (median of {number_of(len(times), 'document')} in {DAYS} days)."
        yield said, "Read some of these documents yourself; ask whether the texts are shown and read.", ()
    grades = {place: [grade for grade, _ in rows] for place, rows in judged.items() if place.pool not in growing}
    for row in rare_rows(grades, at_least=SAME_IN_A_ROW, rarity=RARE):
        named = f"{row.grade} {labels.get(row.grade, '')}".rstrip()
        said = (
            f"gave the same grade, {named}, to {row.length} documents in a row in topic {row.topic.topic}. They gave it "
            f"to {row.share:.0%} of the documents there: by chance, so long a row is unlikely."
        )
        yield said, "Read some of these documents yourself, or have the whole topic judged by a second assessor.", ()
    changed = [one for one in repeats if one.before != one.again]
    if len(repeats) >= FEWEST_REPEATS and len(changed) >= MOST_CHANGED * len(repeats):
        said = f"gave {len(changed)} of {number_of(len(repeats), 'hidden repeat')} another grade than before."
        remedy = "Read these documents with the assessor, and add to the guidelines how to grade such documents."
        yield said, remedy, tuple(changed[:CHANGED_SHOWN])


def _repeats(task: Task) -> dict[int, list[Changed]]:
    """By assessor, the graded documents of hidden repeats that are finished, and the grade of the newest judgment before.

    One that is still being judged is left out: who is told of it then judges the rest otherwise.
    """
    graded = Judgment.objects.of_task(task.pk).filter(verdict=Judgment.GRADED, is_current=True)
    same = {name: OuterRef(name) for name in ("topic", "docno", "assessor")}
    before = Judgment.objects.filter(
        **same, assignment__is_repeat=False, verdict=Judgment.GRADED, is_current=True
    ).order_by("-pass_number")
    rows = (
        graded.filter(assignment__is_repeat=True, assignment__finished_at__isnull=False)
        .annotate(before=Subquery(before.values("grade")[:1]))
        .order_by("pk")
    )
    found: dict[int, list[Changed]] = defaultdict(list)
    for assessor, topic, docno, first, again in rows.exclude(before=None).values_list(
        "assessor_id", "topic__number", "docno", "before", "grade"
    ):
        found[assessor].append(Changed(topic, docno, first, again or 0))
    return found
