"""One act of an assessor is one row, written once; in whichever order the acts arrive, the last one by time is current."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils import timezone

from campaign.models import User
from judging.models import Assignment, Judgment
from judging.selectors.desk import last_judgments
from judging.services.act_rules import ActRules
from judging.services.claims import claims_settle, close_or_reopen
from pooling.services.growth import topic_lock

STATED = ("docno", "verdict", "grade", "note", "details")
"""The fields by which two judgments of one document differ."""


@dataclass(frozen=True, slots=True)
class Act:
    """What an assessor did to one document, as a browser or a script sends it.

    `answers` are read by the task's judging mode, which decides what of them is stored.
    """

    uuid: UUID
    docno: str
    verdict: str = Judgment.GRADED
    grade: int | None = None
    answers: Mapping[str, Any] = field(default_factory=dict)
    note: str = ""
    shown_at: datetime | None = None
    judged_at: datetime | None = None
    active_ms: int | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of one act: its row, or why it is refused."""

    judgment: Judgment | None = None
    refusal: ValidationError | None = None
    is_new: bool = False


def judgment_record(*, assessor: User, assignment: Assignment, uuid: UUID, docno: str, **values: Any) -> Judgment:
    """Store one act (`values` as in `Act`); the same UUID twice gives the first row again."""
    return _record_one(assessor, assignment, Act(uuid, docno, **values))


def judgment_record_from_page(*, assessor: User, assignment: Assignment, act: Act) -> Judgment:
    """Store an act that a page without scripts sent, whose UUID is the page's.

    The browser's Back button brings the page back with the UUID that it had: another answer is another judgment.
    """
    judgment = _record_one(assessor, assignment, act)
    sent = _checked(act, assignment, ActRules(assignment, [act.docno]), timezone.now())
    if judgment.is_current and all(getattr(judgment, name) == getattr(sent, name) for name in STATED):
        return judgment
    return _record_one(assessor, assignment, replace(act, uuid=uuid4()))


def judgments_record(*, assessor: User, assignment: Assignment, acts: Sequence[Act]) -> list[Outcome]:
    """Store acts of one assignment, with one outcome each, in their order: a refused act holds up none of the others.

    An act that is older than the current judgment is stored but does not replace it.
    """
    if assignment.assessor_id != assessor.pk:
        raise ValidationError(f"Topic {assignment.topic.number} is assigned to another assessor.")
    try:
        with transaction.atomic():
            return _record(assignment, acts)
    except IntegrityError:
        # The same UUIDs arrived twice at once: the second request finds the rows of the first.
        with transaction.atomic():
            return _record(assignment, acts)


def judgment_undo(*, assessor: User, assignment: Assignment) -> Judgment | None:
    """Take back the assessor's last current judgment; None when there is nothing to take back."""
    last = last_judgments(assignment, 1).first()
    if last is None:
        return None
    return judgment_record(
        assessor=assessor, assignment=assignment, uuid=uuid4(), docno=last.docno, verdict=Judgment.WITHDRAWN
    )


def _record_one(assessor: User, assignment: Assignment, act: Act) -> Judgment:
    [outcome] = judgments_record(assessor=assessor, assignment=assignment, acts=[act])
    if outcome.judgment is None:
        raise outcome.refusal or ValidationError("This judgment was not recorded.")
    return outcome.judgment


def _record(assignment: Assignment, acts: Sequence[Act]) -> list[Outcome]:
    if assignment.pool.grows:
        topic_lock(assignment.topic_id)
    # All assignments of this assessor to the topic, in all pools, share one current row per document.
    shared = list(
        Assignment.objects.select_for_update(of=("self",))
        .select_related("pool__task", "topic")
        .filter(topic=assignment.topic_id, assessor=assignment.assessor_id, pass_number=assignment.pass_number)
        .order_by("pk")
    )
    batch = _Batch(assignment, acts)
    outcomes = [batch.add(act) for act in acts]
    batch.write()
    if batch.new:
        claims_settle(assignment, [judgment.docno for judgment in batch.new])
        close_or_reopen(shared)
    return outcomes


class _Batch:
    """The rows that a batch finds and adds, so that a batch of any size costs a handful of queries."""

    def __init__(self, assignment: Assignment, acts: Sequence[Act]) -> None:
        docnos = {act.docno for act in acts}
        self.assignment = assignment
        self.rules = ActRules(assignment, docnos)
        self.now = timezone.now()
        self.known = {one.uuid: one for one in Judgment.objects.filter(uuid__in=[act.uuid for act in acts])}
        current = Judgment.objects.filter(
            topic=assignment.topic_id,
            assessor=assignment.assessor_id,
            pass_number=assignment.pass_number,
            docno__in=docnos,
            is_current=True,
        )
        self.current = {one.docno: one for one in current}
        self.replaced: list[int] = []
        self.new: list[Judgment] = []

    def add(self, act: Act) -> Outcome:
        known = self.known.get(act.uuid)
        try:
            if known is None:
                return Outcome(judgment=self._add_new(act), is_new=True)
            if known.assignment_id != self.assignment.pk:
                raise ValidationError("Its identifier belongs to another assignment. Judge the document again.")
        except ValidationError as refusal:
            return Outcome(refusal=refusal)
        return Outcome(judgment=known)

    def _add_new(self, act: Act) -> Judgment:
        judgment = _checked(act, self.assignment, self.rules, self.now)
        before = self.current.get(judgment.docno)
        if before is not None and before.judged_at > judgment.judged_at:
            judgment.is_current = False
        else:
            self._replace(before)
            self.current[judgment.docno] = judgment
        self.known[judgment.uuid] = judgment
        self.new.append(judgment)
        return judgment

    def _replace(self, before: Judgment | None) -> None:
        if before is None:
            return
        before.is_current = False
        if before.pk is not None:
            self.replaced.append(before.pk)

    def write(self) -> None:
        if self.replaced:
            Judgment.objects.filter(pk__in=self.replaced).update(is_current=False)
        Judgment.objects.bulk_create(self.new)


def _checked(act: Act, assignment: Assignment, rules: ActRules, now: datetime) -> Judgment:
    """The row for an act, not saved; ValidationError if the act cannot be stored."""
    judgment = Judgment(
        uuid=act.uuid,
        assignment=assignment,
        topic_id=assignment.topic_id,
        assessor_id=assignment.assessor_id,
        pass_number=assignment.pass_number,
        docno=act.docno,
        verdict=act.verdict,
        grade=act.grade,
        note=act.note,
        shown_at=act.shown_at,
        # A clock that runs ahead must not make a judgment that no later one can replace.
        judged_at=min(act.judged_at or now, now),
        active_ms=act.active_ms,
    )
    rules.check(judgment, act.answers)
    return judgment
