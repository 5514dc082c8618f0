"""What one assessor sees: own documents in judging order, own grades. Nothing about runs, ranks or other assessors."""

from dataclasses import dataclass, field
from typing import Any

from django.db.models import Exists, OuterRef, QuerySet

from campaign.models import Document, Task, User
from judging.models import Assignment, Judgment
from judging.modes.declaration import JudgedTopic, Step, SubtopicText
from pooling.models import PoolEntry

JUDGED = [Judgment.GRADED, Judgment.CANNOT_JUDGE]
DOCUMENTS_AT_ONCE = 20


@dataclass(frozen=True, slots=True)
class Item:
    """One document of an assignment and the assessor's own current judgment of it; `verdict` is "" when there is none."""

    docno: str
    verdict: str = ""
    grade: int | None = None
    note: str = ""
    details: dict[str, Any] = field(default_factory=dict)

    @property
    def is_judged(self) -> bool:
        return self.verdict in JUDGED


def judged_topic(assignment: Assignment) -> JudgedTopic:
    """The topic as its judging mode sees it: with the task's scale, and with subtopics if the mode needs them."""
    task, topic = assignment.pool.task, assignment.topic
    steps = tuple(Step(grade.value, grade.label, grade.key, grade.definition) for grade in task.grades.all())
    subtopics = topic.subtopics.all() if task.mode.needs_subtopics else ()
    return JudgedTopic(topic.number, steps, tuple(SubtopicText(one.number, one.text) for one in subtopics))


def pool_entries(assignment: Assignment) -> "QuerySet[PoolEntry]":
    """The pool entries that the assignment is about, in judging order.

    Within one pass a document is judged once: what another assessor has graded in the same pass (of an earlier pool,
    or before a topic was handed over) is left out, unless this assessor has judged it as well.
    """
    current = Judgment.objects.filter(
        topic=assignment.topic_id, pass_number=assignment.pass_number, docno=OuterRef("docno"), is_current=True
    )
    by_others = current.filter(verdict=Judgment.GRADED).exclude(assessor=assignment.assessor_id)
    own = current.filter(assessor=assignment.assessor_id, verdict__in=JUDGED)
    entries = PoolEntry.objects.filter(pool=assignment.pool_id, topic=assignment.topic_id)
    return entries.filter(Exists(own) | ~Exists(by_others)).order_by("position")


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
    own = {judgment.docno: judgment for judgment in own_current(assignment).filter(verdict__in=JUDGED)}
    return [_item(docno, own.get(docno)) for docno in pool_entries(assignment).values_list("docno", flat=True)]


def _item(docno: str, judgment: Judgment | None) -> Item:
    if judgment is None:
        return Item(docno)
    return Item(docno, judgment.verdict, judgment.grade, judgment.note, judgment.details)


def last_judgments(assignment: Assignment, count: int = 8) -> "QuerySet[Judgment]":
    """The assessor's own current judgments of documents of this pool, the newest first."""
    entries = PoolEntry.objects.filter(pool=assignment.pool_id, topic=assignment.topic_id, docno=OuterRef("docno"))
    return own_current(assignment).filter(Exists(entries), verdict__in=JUDGED).order_by("-judged_at", "-pk")[:count]


def documents(assignment: Assignment, docnos: list[str]) -> list[dict[str, Any]]:
    """Texts of documents of this assignment's pool and topic, in the order asked for; others are left out."""
    pooled = set(
        PoolEntry.objects.filter(
            pool=assignment.pool_id, topic=assignment.topic_id, docno__in=docnos[:DOCUMENTS_AT_ONCE]
        ).values_list("docno", flat=True)
    )
    texts: dict[str, dict[str, Any]] = {
        row["docno"]: dict(row)
        for row in Document.objects.filter(
            collection=assignment.pool.task.collection_id, docno__in=pooled, has_text=True
        ).values("docno", "title", "text", "has_text")
    }
    without = {"title": "", "text": "", "has_text": False}
    return [texts.get(docno, {"docno": docno, **without}) for docno in dict.fromkeys(docnos) if docno in pooled]


def assignments_of(user: User, task: Task | None = None) -> "QuerySet[Assignment]":
    own = Assignment.objects.filter(assessor=user).select_related("pool__task__campaign", "topic", "assessor")
    return own if task is None else own.filter(pool__task=task)
