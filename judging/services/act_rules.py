"""What an act must be to be written down; read once for a batch of acts of one assignment."""

from collections.abc import Iterable

from django.core.exceptions import ValidationError

from judging.models import Assignment, Judgment
from pooling.models import PoolEntry

LONGEST_NOTE = 4000
DAY_MS = 86_400_000


class ActRules:
    def __init__(self, assignment: Assignment, docnos: Iterable[str]) -> None:
        task = assignment.pool.task
        self.topic = assignment.topic
        self.pooled = set(
            PoolEntry.objects.filter(
                pool=assignment.pool_id, topic=assignment.topic_id, docno__in=set(docnos)
            ).values_list("docno", flat=True)
        )
        self.scale = set(task.grades.values_list("value", flat=True))
        numbers = self.topic.subtopics.values_list("number", flat=True)
        self.subtopics = list(numbers) if task.has_subtopics else []

    def check(self, act: Judgment) -> None:
        """Raise ValidationError with what to do, or make the act ready to be stored."""
        if act.docno not in self.pooled:
            raise ValidationError(
                f"Document {act.docno} is not in the pool of topic {self.topic.number}. Reload the desk and judge on."
            )
        if act.verdict not in Judgment.VERDICTS:
            raise ValidationError(f"“{act.verdict}” is no verdict: use {', '.join(Judgment.VERDICTS)}.")
        if len(act.note) > LONGEST_NOTE:
            raise ValidationError(f"The note has {len(act.note)} characters; shorten it to {LONGEST_NOTE}.")
        if act.verdict == Judgment.GRADED:
            self._check_grade(act)
            self._check_subtopics(act)
        else:
            act.subtopic_grades = {}
        if act.active_ms is not None and not 0 <= act.active_ms <= DAY_MS:
            act.active_ms = None  # A stop-watch gone wrong is no reason to refuse a grade.
        act.clean_fields(exclude=["assignment", "topic", "assessor", "shown_at", "active_ms"])

    def _check_grade(self, act: Judgment) -> None:
        if act.grade not in self.scale:
            raise ValidationError(f"Grade {act.grade} is not on the task's scale: use {self._steps}.")

    def _check_subtopics(self, act: Judgment) -> None:
        unknown = sorted(set(act.subtopic_grades) - set(self.subtopics))
        if unknown:
            raise ValidationError(f"Topic {self.topic.number} has no subtopic {', '.join(unknown)}. Reload the desk.")
        for number, grade in act.subtopic_grades.items():
            if grade not in self.scale:
                raise ValidationError(f"Grade {grade} of subtopic {number} is not on the scale: use {self._steps}.")
        # A document that is not relevant covers no subtopic, whatever was ticked before the grade.
        act.subtopic_grades = {
            number: act.subtopic_grades.get(number, 0) if act.grade else 0 for number in self.subtopics
        }

    @property
    def _steps(self) -> str:
        return ", ".join(map(str, sorted(self.scale)))
