"""The history of judgments: which act counted when, and which acts came since something was counted.

Whoever records acts of an assignment holds its row, so keys of one assignment become visible in their order. Of two assignments
they need not: what somebody has seen is therefore told by the last act of each.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from datetime import date, datetime
from typing import Any, NamedTuple

from django.db.models import Case, F, OuterRef, Q, QuerySet, Subquery, When

from campaign.models import Task
from campaign.web.asking_once import once
from judging.models import Assignment, Judgment

Heads = tuple[tuple[int, int], ...]
"""The last act of each assignment that has one: (assignment, act), ascending."""
Pass = tuple[int, int]
"""A topic's key and the number of a pass."""
ASSIGNMENTS_AT_ONCE = 200


class Said(NamedTuple):
    """What counts of an act: `grade` is None where it is none."""

    is_judged: bool
    grade: int | None
    active_ms: int | None
    is_flagged: bool
    has_note: bool
    day: date


ByAssessor = dict[int, Said]
Judgments = dict[Pass, dict[str, ByAssessor]]
"""By topic and pass, by docno, by assessor: what counts. What was taken back is left out."""


class Row(NamedTuple):
    topic: int
    pass_number: int
    docno: str
    assessor: int
    assignment: int
    act: int
    judged_at: datetime
    verdict: str
    grade: int | None
    active_ms: int | None
    is_flagged: bool
    has_note: bool


def heads_by_topic(task: Task | int, topics: Collection[int] | None = None) -> dict[int, Heads]:
    """The `Heads` of each topic with acts, by the topic's key; of all topics of the task, or of `topics`.

    The queries read one act of each assignment, however many there are.
    """
    if topics is None:
        of_task = task.pk if isinstance(task, Task) else task
        return once((heads_by_topic, of_task), lambda: _heads(Assignment.objects.filter(pool__task=of_task)))
    return _heads(Assignment.objects.filter(pool__task=task, topic__in=topics))


def _heads(assignments: "QuerySet[Assignment]") -> dict[int, Heads]:
    found: dict[int, list[tuple[int, int]]] = defaultdict(list)
    rows = with_last_act(assignments).order_by("pk").values_list("topic_id", "pk", "last")
    for topic, assignment, last in rows:
        if last is not None:
            found[topic].append((assignment, last))
    return {topic: tuple(heads) for topic, heads in found.items()}


def with_last_act(assignments: "QuerySet[Assignment]") -> "QuerySet[Any]":
    """Each with `last`, the key of its last act; None without any.

    Of the acts of assignments up to this one the last is its own, if it has any. Only the index of both columns has them in this
    order. Of those of this assignment alone PostgreSQL may look for the last by going back through the acts of all, and reads the
    whole table where it was made long ago.
    """
    up_to = Judgment.objects.filter(assignment__lte=OuterRef("pk")).order_by("-assignment_id", "-pk")
    own = up_to.annotate(own=Case(When(assignment=OuterRef("pk"), then=F("pk")))).values("own")
    return assignments.annotate(last=Subquery(own[:1]))


def documents_since(earlier: Mapping[int, Heads], later: Mapping[int, Heads]) -> dict[int, set[str]]:
    """By topic, the documents of acts that came after the earlier heads, up to the later ones."""
    before = {assignment: act for heads in earlier.values() for assignment, act in heads}
    moved = [
        (assignment, before.get(assignment, 0), act)
        for heads in later.values()
        for assignment, act in heads
        if act > before.get(assignment, 0)
    ]
    found: dict[int, set[str]] = defaultdict(set)
    for start in range(0, len(moved), ASSIGNMENTS_AT_ONCE):
        condition = Q()
        for assignment, after, until in moved[start : start + ASSIGNMENTS_AT_ONCE]:
            condition |= Q(assignment=assignment, pk__gt=after, pk__lte=until)
        for topic, docno in Judgment.objects.filter(condition).order_by().values_list("topic_id", "docno"):
            found[topic].add(docno)
    return found


def history(documents: Mapping[int, Collection[str]]) -> list[Row]:
    """All acts on these documents by topic, those of later moments as well."""
    docnos = {docno for some in documents.values() for docno in some}
    acts = Judgment.objects.filter(topic__in=list(documents), docno__in=docnos)
    return [row for row in rows_of(acts) if row.docno in documents[row.topic]]


def rows_of(acts: "QuerySet[Judgment]") -> Iterable[Row]:
    noted = acts.order_by().annotate(has_note=~Q(note=""))
    columns = ["topic_id", "pass_number", "docno", "assessor_id", "assignment_id", "pk", "judged_at"]
    columns += ["verdict", "grade", "active_ms", "flagged", "has_note"]
    return (Row(*row) for row in noted.values_list(*columns).iterator(chunk_size=10_000))


def standing(rows: Iterable[Row], heads: Iterable[Heads] | None = None) -> Judgments:
    """What counts of these acts, up to these heads: of each assessor, pass and document the last act by time, then by arrival.

    This is the rule by which `is_current` is set, so that every earlier state can be read again.
    """
    until = None if heads is None else {assignment: act for some in heads for assignment, act in some}
    last: dict[tuple[int, int, str, int], Row] = {}
    for row in rows:
        if until is not None and row.act > until.get(row.assignment, 0):
            continue
        key = row.topic, row.pass_number, row.docno, row.assessor
        held = last.get(key)
        if held is None or (held.judged_at, held.act) < (row.judged_at, row.act):
            last[key] = row
    found: Judgments = defaultdict(lambda: defaultdict(dict))
    for row in last.values():
        if row.verdict != Judgment.WITHDRAWN or row.is_flagged or row.has_note:
            found[row.topic, row.pass_number][row.docno][row.assessor] = said(row)
    return found


def said(row: Row) -> Said:
    is_judged = row.verdict in Judgment.JUDGED
    return Said(is_judged, row.grade, row.active_ms, row.is_flagged, row.has_note, row.judged_at.date())


def judgments_up_to(topics: Collection[int], heads: Mapping[int, Heads]) -> Judgments:
    """What counted in these topics at these heads, though acts may come while it is read."""
    current = Judgment.objects.filter(topic__in=topics, is_current=True)
    found = standing(rows_of(current))
    task = Assignment.objects.filter(topic__in=topics).values_list("pool__task", flat=True).first()
    since = documents_since(heads, heads_by_topic(task, topics)) if task is not None else {}
    if since:
        then = standing(history(since), heads.values())
        for one in list(found):
            for docno in since.get(one[0], ()):
                found[one].pop(docno, None)
        for one, by_document in then.items():
            found[one] |= by_document
    return found
