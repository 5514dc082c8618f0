"""What one assessor sees: own documents in judging order, own grades. Nothing about runs, ranks or other assessors."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db.models import Exists, F, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce

from campaign.formats.document_links import document_link
from campaign.models import Document, Task, User
from campaign.permissions import is_assessor
from judging.models import Assignment, Judgment
from judging.modes.declaration import JudgedTopic, Step, SubtopicText
from judging.selectors.versions import text_version
from pooling.models import DuplicateSearch, PoolEntry, Twin
from pooling.selectors.duplicates import handling_of, near_identical, stood_for

JUDGED = Judgment.JUDGED
DOCUMENTS_AT_ONCE = 20
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
    return JudgedTopic(topic.number, steps, tuple(SubtopicText(one.number, one.text) for one in subtopics))


def pool_entries(assignment: Assignment) -> "QuerySet[PoolEntry]":
    """The pool entries that the assignment is about, in judging order.

    Within one pass a document is judged once: what another assessor has graded in the same pass (of an earlier pool,
    or before a topic was handed over) is left out, unless this assessor has judged it as well. Who handed it over keeps
    what they judged. So is a near-identical
    document that another one stands for; where classes are judged together, each is at the place of its first document.
    """
    current = Judgment.objects.filter(
        topic=assignment.topic_id, pass_number=assignment.pass_number, docno=OuterRef("docno"), is_current=True
    )
    by_others = current.filter(verdict=Judgment.GRADED).exclude(assessor=assignment.assessor_id)
    own = current.filter(assessor=assignment.assessor_id, verdict__in=JUDGED)
    entries = PoolEntry.objects.filter(pool=assignment.pool_id, topic=assignment.topic_id)
    handling = handling_of(assignment.pool_id)
    if handling == DuplicateSearch.ONE:
        led = stood_for([assignment.pool_id]).filter(topic=assignment.topic_id, docno=OuterRef("docno"))
        entries = entries.filter(Exists(own) | ~Exists(led))
    if handling == DuplicateSearch.TOGETHER:
        found = Twin.objects.filter(pool=assignment.pool_id, topic=assignment.topic_id, docno=OuterRef("docno"))
        place = Coalesce(Subquery(found.order_by().values("place")[:1]), F("position"))
        entries = entries.order_by(place, "position")
    else:
        entries = entries.order_by("position")
    if assignment.is_handed_over:
        return entries.filter(Exists(own))
    return entries.filter(Exists(own) | ~Exists(by_others))


def unjudged(assignment: Assignment) -> "QuerySet[PoolEntry]":
    own = own_current(assignment).filter(docno=OuterRef("docno"), verdict__in=JUDGED)
    return pool_entries(assignment).filter(~Exists(own))


def own_current(assignment: Assignment) -> "QuerySet[Judgment]":
    return Judgment.objects.filter(
        topic=assignment.topic_id,
        assessor=assignment.assessor_id,
        pass_number=assignment.pass_number,
        is_current=True,
    )


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
    taken_back = own.filter(undoes=OuterRef("uuid"))
    # Desks of earlier versions took everything back that was said of the document.
    wiped = own.filter(
        verdict=Judgment.WITHDRAWN, undoes=None, docno=OuterRef("docno"), judged_at__gte=OuterRef("judged_at")
    )
    standing = own.filter(~Exists(taken_back), ~Exists(wiped), verdict__in=JUDGED, undoes=None)
    return _of_this_pool(standing, assignment)


def _of_this_pool(judgments: "QuerySet[Judgment]", assignment: Assignment) -> "QuerySet[Judgment]":
    entries = PoolEntry.objects.filter(pool=assignment.pool_id, topic=assignment.topic_id, docno=OuterRef("docno"))
    return judgments.filter(Exists(entries)).order_by("-judged_at", "-pk")


def documents(assignment: Assignment, docnos: list[str]) -> list[dict[str, Any]]:
    """Texts of documents of this assignment's pool and topic, in the order asked for; others are left out."""
    pooled = set(
        PoolEntry.objects.filter(
            pool=assignment.pool_id, topic=assignment.topic_id, docno__in=docnos[:DOCUMENTS_AT_ONCE]
        ).values_list("docno", flat=True)
    )
    texts: dict[str, dict[str, Any]] = {
        row["docno"]: {**row, "sha256": text_version(row)}
        for row in Document.objects.filter(
            collection=assignment.pool.task.collection_id, docno__in=pooled, has_text=True
        ).values("docno", "title", "text", "has_text")
    }
    alike = _alike(assignment, pooled)
    return [
        {**(texts.get(docno) or _without_text(assignment.pool.task, docno)), "alike": alike.get(docno, [])}
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
    link = document_link(task.document_link, docno, settings.DOCUMENT_HOSTS)
    return {"docno": docno, "title": "", "text": "", "has_text": False, "link": link}


def why_not_judging(assignment: Assignment) -> str:
    """Why the assessor may not judge any more, though the assignment is there; "" while they may."""
    campaign = assignment.pool.task.campaign
    if is_assessor(assignment.assessor, campaign):
        return ""
    return (
        f"You are no assessor of {campaign} any more: nothing was noted. What you judged before is kept; ask the organisers "
        "if this is a mistake."
    )


def assignments_of(user: User, task: Task | None = None) -> "QuerySet[Assignment]":
    own = Assignment.objects.filter(assessor=user).select_related("pool__task__campaign", "topic", "assessor")
    return own if task is None else own.filter(pool__task=task)
