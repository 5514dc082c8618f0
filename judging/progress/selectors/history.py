"""The judgments of a task one by one, and the whole history of a document: for organisers."""

from dataclasses import dataclass

from django.db.models import Q, QuerySet

from campaign.models import Document, Task, Topic
from judging.models import Assignment, Judgment

FLAGGED, NOTED = "flagged", "noted"
SHOWN = {
    Judgment.GRADED: "graded",
    Judgment.CANNOT_JUDGE: "cannot judge",
    Judgment.DRAFT: "noted, not judged",
    FLAGGED: "flagged",
    NOTED: "with a note",
}


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which judgments are listed.

    `assignment`: the key of one, of whose assessor, topic and pass they are. `word`: part of the docno or of the note.
    `before`: only acts with a smaller key.
    """

    assignment: int | None = None
    grade: int | None = None
    shown: str = ""
    word: str = ""
    before: int | None = None


def listed_judgments(task: Task, wanted: Wanted) -> "QuerySet[Judgment]":
    """Those that count, the last to arrive first. Taken-back ones are in the history of their document."""
    rows = Judgment.objects.of_task(task.pk).filter(is_current=True).exclude(verdict=Judgment.WITHDRAWN)
    if wanted.assignment is not None:
        rows = rows.filter(_of_assignment(task, wanted.assignment))
    if wanted.grade is not None:
        rows = rows.filter(grade=wanted.grade)
    if wanted.shown:
        rows = rows.filter(_shown(wanted.shown))
    if wanted.word:
        rows = rows.filter(Q(docno__icontains=wanted.word) | Q(note__icontains=wanted.word))
    if wanted.before is not None:
        rows = rows.filter(pk__lt=wanted.before)
    return rows.select_related("topic", "assessor", "assignment").order_by("-pk")


def _of_assignment(task: Task, key: int) -> Q:
    """What its assessor judged of the topic in this pass, through other pools as well; nothing for one of another task."""
    found = Assignment.objects.filter(pool__task=task, pk=key).values("topic", "assessor", "pass_number").first()
    return Q(**found) if found else Q(pk__in=[])


def _shown(shown: str) -> Q:
    if shown == FLAGGED:
        return Q(flagged=True)
    return ~Q(note="") if shown == NOTED else Q(verdict=shown)


def acts_on(topic: Topic, docno: str) -> "QuerySet[Judgment]":
    """Every act of everybody on the document for this topic, in the order of arrival."""
    acts = Judgment.objects.filter(topic=topic, docno=docno)
    return acts.select_related("topic", "assessor", "assignment__pool").order_by("pk")


def document_of(task: Task, docno: str) -> Document | None:
    return Document.objects.filter(collection=task.collection_id, docno=docno).first()


def titles_of(task: Task, docnos: list[str]) -> dict[str, str]:
    found = Document.objects.filter(collection=task.collection_id, docno__in=docnos)
    return dict(found.values_list("docno", "title"))
