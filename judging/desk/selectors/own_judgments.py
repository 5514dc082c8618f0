"""The documents of one assignment as its assessor filters and searches them: own grades, flags and notes only."""

from collections.abc import Mapping
from dataclasses import dataclass

from campaign.models import Document
from campaign.models.fields import Bytewise
from campaign.text.tokens import folded
from judging.judgments.selectors.own_documents import Item, items
from judging.models import Assignment, Judgment

ALL, UNJUDGED, CANNOT_JUDGE, FLAGGED, NOTED = "all", "unjudged", "cannot_judge", "flagged", "noted"
GRADE = "grade-"
"""Followed by the grade."""


@dataclass(frozen=True, slots=True)
class Line:
    """A document in the list; `title` is "" where it has none."""

    item: Item
    title: str
    grade_in_words: str

    def holds(self, words: list[str]) -> bool:
        """Whether title, docno and note together hold each of the words, in any case and form."""
        text = folded(f"{self.item.docno}\n{self.title}\n{self.item.note}")
        return all(word in text for word in words)


def filters_of(assignment: Assignment) -> dict[str, str]:
    """What the list can show, with its name for people; the grades are those of the task's scale."""
    grades = {
        f"{GRADE}{grade.value}": f"{grade.value} {grade.label}"
        for grade in assignment.pool.task.grades.order_by("value")
    }
    return {
        ALL: "all documents",
        UNJUDGED: "without a judgment",
        **grades,
        CANNOT_JUDGE: "cannot judge",
        FLAGGED: "flagged",
        NOTED: "with a note",
    }


def own_lines(assignment: Assignment, shown: str, text: str) -> list[Line]:
    """The documents that the filter shows and that hold every word of the text, in judging order."""
    chosen = [item for item in items(assignment) if _passes(item, shown)]
    titles = _titles(assignment) if chosen else {}
    names = {grade.value: grade.label for grade in assignment.pool.task.grades.all()}
    lines = [Line(item, titles.get(item.docno, ""), _in_words(item, names)) for item in chosen]
    words = folded(text).split()
    return [line for line in lines if line.holds(words)] if words else lines


def _passes(item: Item, shown: str) -> bool:
    if shown.startswith(GRADE):
        return item.verdict == Judgment.GRADED and str(item.grade) == shown.removeprefix(GRADE)
    return {
        UNJUDGED: not item.is_judged,
        CANNOT_JUDGE: item.verdict == Judgment.CANNOT_JUDGE,
        FLAGGED: item.flagged,
        NOTED: bool(item.note),
    }.get(shown, True)


def _in_words(item: Item, names: Mapping[int, str]) -> str:
    if not item.is_judged:
        return "no judgment"
    return "cannot judge" if item.grade is None else f"{item.grade} {names.get(item.grade, '')}".strip()


def _titles(assignment: Assignment) -> dict[str, str]:
    pooled = assignment.pool.entries.filter(topic=assignment.topic_id).values(key=Bytewise("docno"))
    documents = Document.objects.filter(collection=assignment.pool.task.collection_id, docno__in=pooled)
    return dict(documents.exclude(title="").values_list("docno", "title"))
