"""What one assessor sees: own documents in judging order, own grades. Nothing about runs, ranks or other assessors."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Exists, F, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone

from campaign.collection.selectors.displays import display_of
from campaign.collection.selectors.versions import display_version
from campaign.models import Document, Task, Topic, User
from campaign.permissions import is_assessor
from judging.core.modes.declaration import JudgedTopic, Step, SubtopicText
from judging.judgments.selectors.assigned_documents import among, entries_of
from judging.models import Assignment, Judgment
from pooling.models import DuplicateSearch, PoolEntry, Twin
from pooling.selectors.duplicates import handling_of, near_identical, stood_for

JUDGED = Judgment.JUDGED
DOCUMENTS_AT_ONCE = 20
REPEATED_AFTER = timedelta(days=1)
ALIKE_SHOWN = 5
"""Near-identical documents that are named beside one."""


@dataclass(frozen=True, slots=True)
class Item:
    """One document of an assignment and what its assessor entered last; `verdict` is "" where that is not a judgment."""

    docno: str
    verdict: str = ""
    grade: int | None = None
    note: str = ""
    details: dict[str, Any] = field(default_factory=dict)
    reason: str = ""
    flagged: bool = False
    at: datetime | None = None

    @property
    def is_judged(self) -> bool:
        return self.verdict in JUDGED

    @property
    def in_words(self) -> str:
        """The docno and the assessor's own grade, as it is named beside a near-identical document."""
        if not self.is_judged:
            return f"{self.docno} (not judged yet)"
        return f"{self.docno} ({'you could not judge it' if self.grade is None else f'you judged it {self.grade}'})"


def judged_topic(assignment: Assignment) -> JudgedTopic:
    """The topic as its judging mode sees it: with the task's scale, and with subtopics if the mode needs them."""
    task, topic = assignment.pool.task, assignment.topic
    steps = tuple(Step(grade.value, grade.label, grade.key, grade.definition) for grade in task.grades.all())
    subtopics = topic.subtopics.all() if task.mode.needs_subtopics else ()
    return JudgedTopic(
        topic.number,
        steps,
        tuple(SubtopicText(one.number, one.text) for one in subtopics),
        grade_first=task.subtopics_after_grade,
        own_keys=frozenset(assignment.assessor.desk_keys.values()),
    )


def pool_entries(assignment: Assignment) -> "QuerySet[PoolEntry]":
    """The pool entries that the assignment is about, in judging order.

    Within one pass a document is judged once: what another assessor has graded in the same pass (of an earlier pool,
    or before a topic was handed over) is left out, unless this assessor has judged it as well. Who handed it over keeps
    what they judged. So is a near-identical
    document that another one stands for; where classes are judged together, each is at the place of its first document.
    """
    own, entries = _judged(own_current(assignment)), entries_of(assignment)
    handling = handling_of(assignment.pool_id)
    if handling == DuplicateSearch.ONE:
        led = stood_for([assignment.pool_id]).filter(topic=assignment.topic_id)
        entries = entries.filter(among(own) | ~among(led))
    if handling == DuplicateSearch.TOGETHER:
        found = Twin.objects.filter(pool=assignment.pool_id, topic=assignment.topic_id, docno=OuterRef("docno"))
        place = Coalesce(Subquery(found.order_by().values("place")[:1]), F("position"))
        entries = entries.order_by(place, "position")
    if assignment.is_handed_over:
        return entries.filter(among(own))
    by_others = current_of_pass(assignment).filter(verdict=Judgment.GRADED).exclude(assessor=assignment.assessor_id)
    return entries.filter(among(own) | ~among(by_others))


def unjudged(assignment: Assignment) -> "QuerySet[PoolEntry]":
    return pool_entries(assignment).filter(~among(_judged(own_current(assignment))))


def _judged(judgments: "QuerySet[Judgment]") -> "QuerySet[Judgment]":
    return judgments.filter(verdict__in=JUDGED)


def current_of_pass(assignment: Assignment) -> "QuerySet[Judgment]":
    return Judgment.objects.filter(topic=assignment.topic_id, pass_number=assignment.pass_number, is_current=True)


def own_current(assignment: Assignment) -> "QuerySet[Judgment]":
    return current_of_pass(assignment).filter(assessor=assignment.assessor_id)


def items(assignment: Assignment) -> list[Item]:
    """All documents of the assignment; of a pool that grows those that the assessor has judged or holds."""
    own = {judgment.docno: judgment for judgment in own_current(assignment)}
    docnos = list(pool_entries(assignment).values_list("docno", flat=True))
    if assignment.pool.grows:
        held = set(assignment.claims.values_list("docno", flat=True))
        judged = {docno for docno, judgment in own.items() if judgment.verdict in JUDGED}
        docnos = [docno for docno in docnos if docno in judged or docno in held]
    return [item_of(docno, own.get(docno)) for docno in docnos]


def item_of(docno: str, judgment: Judgment | None) -> Item:
    if judgment is None:
        return Item(docno)
    return Item(
        docno,
        verdict=judgment.verdict if judgment.verdict in JUDGED else "",
        grade=judgment.grade,
        note=judgment.note,
        details=judgment.details,
        reason=judgment.reason,
        flagged=judgment.flagged,
        at=judgment.judged_at,
    )


def last_judgments(assignment: Assignment, count: int = 8) -> "QuerySet[Judgment]":
    """The assessor's own current judgments of documents of this pool, the newest first."""
    return _of_this_pool(own_current(assignment).filter(verdict__in=JUDGED), assignment)[:count]


def undoable(assignment: Assignment) -> "QuerySet[Judgment]":
    """The assessor's own judgments of documents of this pool that were not taken back, the newest first."""
    own = Judgment.objects.filter(
        topic=assignment.topic_id, assessor=assignment.assessor_id, pass_number=assignment.pass_number
    )
    taken_back = own.exclude(undoes=None).order_by().values("undoes")
    standing = own.filter(~Q(uuid__in=taken_back), verdict__in=JUDGED, undoes=None)
    # An act of a script may take everything back that was said of the document. The desk leaves no such act, and a
    # condition that is costly by its estimate makes PostgreSQL compile the query, for longer than it takes.
    wiping = own.filter(verdict=Judgment.WITHDRAWN, undoes=None)
    if wiping.exists():
        standing = standing.exclude(
            Exists(wiping.filter(docno=OuterRef("docno"), judged_at__gte=OuterRef("judged_at")))
        )
    return _of_this_pool(standing, assignment)


def _of_this_pool(judgments: "QuerySet[Judgment]", assignment: Assignment) -> "QuerySet[Judgment]":
    return judgments.filter(among(entries_of(assignment))).order_by("-judged_at", "-pk")


def documents(assignment: Assignment, docnos: list[str]) -> list[dict[str, Any]]:
    """Texts of documents of this assignment's pool and topic, in the order asked for; others are left out."""
    pooled = set(entries_of(assignment).filter(docno__in=docnos[:DOCUMENTS_AT_ONCE]).values_list("docno", flat=True))
    task = assignment.pool.task
    texts: dict[str, dict[str, Any]] = {
        row["docno"]: {**display, "sha256": display_version(display, row["text"])}
        for row in Document.objects.filter(collection=task.collection_id, docno__in=pooled, has_text=True).values()
        for display in [display_of(task, row)]
    }
    alike = _alike(assignment, pooled)
    return [
        {**(texts.get(docno) or _without_text(task, docno)), "alike": alike.get(docno, [])}
        for docno in dict.fromkeys(docnos)
        if docno in pooled
    ]


def _alike(assignment: Assignment, docnos: set[str]) -> dict[str, list[str]]:
    """The near-identical documents of each of these that the assessor has as well, where they are judged together."""
    if handling_of(assignment.pool_id) != DuplicateSearch.TOGETHER:
        return {}
    found = near_identical(assignment.pool_id, assignment.topic_id, docnos)
    own = {item.docno for item in items(assignment)} if found else set()
    return {docno: [other for other in others if other in own][:ALIKE_SHOWN] for docno, others in found.items()}


def _without_text(task: Task, docno: str) -> dict[str, Any]:
    return {**display_of(task, {"docno": docno, "title": "", "text": "", "has_text": False}), "sha256": ""}


def why_not_judging(assignment: Assignment) -> str:
    """Why the assessor may not judge any more, though the assignment is there; "" while they may."""
    closed = assignment.pool.task.campaign.why_closed
    if closed:
        return f"{closed} Nothing was stored. What you judged before is kept."
    return why_no_assessor(assignment)


def why_no_assessor(assignment: Assignment) -> str:
    """Why the assessor may not even see their judgments any more; "" while they may."""
    campaign = assignment.pool.task.campaign
    if is_assessor(assignment.assessor, campaign):
        return ""
    return (
        f"You are no assessor of {campaign} any more: nothing was stored. What you judged before is kept; ask the organisers "
        "if this is a mistake."
    )


def gone_meanwhile(topic: Topic, found: object | None) -> str:
    """Why nothing is noted of a topic. `found`: its assignment, which then is of a deleted task; None where it is gone."""
    what = f"Topic {topic.number} was taken back" if found is None else "The task was deleted"
    return f"{what} meanwhile: nothing was stored. Ask the organisers why."


def assignments_of(user: User, task: Task | None = None) -> "QuerySet[Assignment]":
    """Hidden repeats are among them from `REPEATED_AFTER` on after what they repeat was finished."""
    finished = Assignment.objects.filter(
        pool=OuterRef("pool"),
        topic=OuterRef("topic"),
        assessor=OuterRef("assessor"),
        parts=OuterRef("parts"),
        part=OuterRef("part"),
        is_repeat=False,
        finished_at__lte=timezone.now() - REPEATED_AFTER,
    )
    own = Assignment.objects.filter(Q(is_repeat=False) | Exists(finished), assessor=user)
    own = own.select_related("pool__task__campaign", "topic", "assessor")
    return own if task is None else own.filter(pool__task=task)


def is_own(user: User) -> Q:
    """Condition on judgments: the person made it, in an assignment that they know of.

    What came in by a file for a repeat that is still hidden would tell them of it.
    """
    return Q(assessor=user, assignment__in=assignments_of(user).order_by().values("pk"))


def judgments_visible_to(user: User, task: Task, *, organises: bool) -> "QuerySet[Judgment]":
    """A list for programs: assessors see their own judgments, organisers those of the task."""
    of_task = Judgment.objects.of_task(task.pk).select_related("topic", "assessor")
    return of_task if organises else of_task.filter(is_own(user))
