"""What an act must be to be stored; read once for a batch of acts of one assignment."""

from collections.abc import Iterable

from django.core.exceptions import ValidationError

from campaign import lengths
from campaign.models.fields import length_problem
from judging.models import Assignment, Judgment
from judging.modes.declaration import Answers, RefusedActError
from judging.modes.registry import judging_mode
from judging.selectors.desk import judged_topic
from pooling.models import PoolEntry

DAY_MS = 86_400_000


class ActRules:
    def __init__(self, assignment: Assignment, docnos: Iterable[str]) -> None:
        self.mode = judging_mode(assignment.pool.task.judging_mode)
        self.topic = judged_topic(assignment)
        self.pooled = set(
            PoolEntry.objects.filter(
                pool=assignment.pool_id, topic=assignment.topic_id, docno__in=set(docnos)
            ).values_list("docno", flat=True)
        )

    def check(self, act: Judgment, answers: Answers) -> None:
        """Raise ValidationError with what to do, or make the act ready to be stored."""
        if act.docno not in self.pooled:
            raise ValidationError(
                f"Document {act.docno} is not in the pool of topic {self.topic.number}. Reload the desk and judge on."
            )
        if act.verdict not in Judgment.VERDICTS:
            raise ValidationError(f"“{act.verdict}” is no verdict: use {', '.join(Judgment.VERDICTS)}.")
        if problem := length_problem(act.note, lengths.JUDGMENT_NOTE):
            raise ValidationError(f"The note is too long. {problem}")
        if act.verdict == Judgment.GRADED:
            self._check_by_mode(act, answers)
        else:
            act.grade = None
        if act.active_ms is not None and not 0 <= act.active_ms <= DAY_MS:
            act.active_ms = None  # A wrong measurement of time is no reason to refuse a grade.
        act.clean_fields(exclude=["assignment", "topic", "assessor", "shown_at", "active_ms"])

    def _check_by_mode(self, act: Judgment, answers: Answers) -> None:
        if foreign := sorted(name for name, value in answers.items() if value and name not in self.mode.answers):
            raise ValidationError(f"The judging mode {self.mode.name} takes no {', '.join(foreign)}: leave it out.")
        try:
            checked = self.mode.check(act.grade, answers, self.topic)
        except RefusedActError as refusal:
            raise ValidationError(str(refusal)) from refusal
        act.grade, act.details = checked.grade, dict(checked.details)
