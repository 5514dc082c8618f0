"""What an act must be to be stored; read once for a batch of acts of one assignment."""

from collections.abc import Iterable
from functools import cached_property

from django.core.exceptions import ValidationError

from campaign.collection.selectors.missing_keys import missing_in
from campaign.collection.selectors.versions import guidelines_version, is_sha256, topic_version
from campaign.formats.near_keys import OF_POOL, FirstHints
from campaign.models import Task
from campaign.models.fields import length_problem
from campaign.text import limits
from judging.core.modes.declaration import Answers, Details, RefusedActError
from judging.core.modes.registry import judging_mode
from judging.judgments.selectors.assigned_documents import Entries
from judging.judgments.selectors.own_documents import judged_topic
from judging.models import Assignment, Judgment

DAY_MS = 86_400_000
MEASURED = {"active_ms": DAY_MS, "away_ms": DAY_MS, "position": 10_000_000}
"""What browsers measure of an act, with the most that can be true."""


class ActRules:
    """`entries`: those of the pool that may be judged."""

    def __init__(self, assignment: Assignment, docnos: Iterable[str], entries: Entries) -> None:
        self.task = assignment.pool.task
        self.mode = judging_mode(self.task.judging_mode)
        self.assignment = assignment
        self.topic = judged_topic(assignment)
        self.hints = FirstHints()
        self.entries = entries
        self.pooled = set(entries.filter(docno__in=set(docnos)).values_list("docno", flat=True))

    @cached_property
    def versions(self) -> dict[str, str]:
        """The checksums of topic and guidelines as they are now, for acts that do not say which texts the assessor read.

        Acts of the desk say it, and need no queries for this.
        """
        topic, task = self.assignment.topic, self.task
        return {"topic_sha256": topic_version(topic), "guidelines_sha256": guidelines_version(task)}

    def check(self, act: Judgment, answers: Answers) -> None:
        """Raise ValidationError with what to do, or make the act ready to be stored."""
        self.require_pooled(act.docno)
        if act.verdict not in Judgment.VERDICTS:
            raise ValidationError(f"“{act.verdict}” is no verdict: use {', '.join(Judgment.VERDICTS)}.")
        if problem := length_problem(act.note, limits.JUDGMENT_NOTE):
            raise ValidationError(f"The note is too long. {problem}")
        if act.verdict == Judgment.GRADED:
            self._check_by_mode(act, answers)
        else:
            act.grade = None
            act.details = dict(self._kept(answers)) if act.verdict != Judgment.CANNOT_JUDGE else {}
        act.reason = act.reason if act.verdict == Judgment.CANNOT_JUDGE else ""
        self.tidy(act)
        act.clean_fields(exclude=["assignment", "topic", "assessor", "shown_at", *MEASURED])

    def require_pooled(self, docno: str) -> None:
        if docno not in self.pooled:
            where = "in the pool" if self.assignment.is_whole else "among your documents"
            near = self.hints.hint(docno, missing_in(self.entries, "docno"), OF_POOL)
            raise ValidationError(
                f"Document {docno} is not {where} of topic {self.topic.number}. Reload the desk and judge on.{near}"
            )

    def tidy(self, act: Judgment) -> None:
        """A wrong measurement is no reason to refuse a grade: what cannot be true is left out."""
        for name, most in MEASURED.items():
            value = getattr(act, name)
            if value is not None and not 0 <= value <= most:
                setattr(act, name, None)
        for name in ("text_sha256", "topic_sha256", "guidelines_sha256"):
            if not is_sha256(getattr(act, name)):
                setattr(act, name, "" if name == "text_sha256" else self.versions[name])
        for name, known in (("input_method", Judgment.INPUTS), ("extent", Judgment.EXTENTS)):
            if getattr(act, name) not in known:
                setattr(act, name, "")

    def _kept(self, answers: Answers) -> Details:
        try:
            return self.mode.keep(answers, self.topic)
        except RefusedActError as refusal:
            raise ValidationError(str(refusal)) from refusal

    def _check_by_mode(self, act: Judgment, answers: Answers) -> None:
        if foreign := sorted(name for name, value in answers.items() if value and name not in self.mode.answers):
            raise ValidationError(f"The judging mode {self.mode.name} takes no {', '.join(foreign)}: leave it out.")
        try:
            checked = self.mode.check(act.grade, answers, self.topic)
        except RefusedActError as refusal:
            raise ValidationError(str(refusal)) from refusal
        if self.task.contradictions == Task.STOP and (problem := self.mode.contradiction(checked, self.topic)):
            raise ValidationError(f"{problem} Correct one of the two.")
        act.grade, act.details = checked.grade, dict(checked.details)
