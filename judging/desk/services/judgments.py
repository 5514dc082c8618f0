"""One act of an assessor is one row, written once; in whichever order the acts arrive, the last one by time is current."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import datetime
from typing import Any, Final
from uuid import UUID, uuid4

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.db.models import Q

from campaign.database import clock
from campaign.models import User
from campaign.permissions import held_campaign_or_404
from campaign.web.daily_limits import MadeAgain
from judging.checkouts.selectors import is_finished_by_counts
from judging.checkouts.services import claims_settle, close_or_reopen
from judging.desk.services.act_rules import ActRules
from judging.judgments.selectors.assigned_documents import drawn_entries_of, entries_of
from judging.judgments.selectors.own_documents import gone_meanwhile, undoable, why_not_judging
from judging.judgments.services import replace_current, write_current
from judging.models import Assignment, Judgment
from pooling.services.growth import topic_lock

STATED: Final = ("docno", "verdict", "grade", "note", "details", "reason", "flagged")
"""The fields by which two judgments of one document differ."""
MOST_JUDGED_AGAIN_A_DAY = 50_000
"""By one assessor: each changed judgment stays. A first judgment of a document has no limit."""


@dataclass(frozen=True, slots=True)
class Act:
    """What an assessor did to one document, as a browser or a script sends it.

    `answers` are read by the task's judging mode, which decides what of them is stored. `undoes`: an earlier act on the same
    document, whose taking back restores what was there before it; the rest of the act then says nothing. `is_placed`: of a file
    that holds what a hidden repeat repeats; whoever read it has compared both.
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
    away_ms: int | None = None
    reason: str = ""
    flagged: bool = False
    undoes: UUID | None = None
    input_method: str = ""
    position: int | None = None
    extent: str = ""
    text_sha256: str = ""
    topic_sha256: str = ""
    guidelines_sha256: str = ""
    is_placed: bool = False


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
    if judgment.is_current and says_the_same(act, judgment):
        return judgment
    return _record_one(assessor, assignment, replace(act, uuid=uuid4()))


def says_the_same(act: Act, stored: Judgment) -> bool:
    """Whether the act would be stored with what this judgment states; ValidationError where it could not be stored today."""
    assignment = stored.assignment
    sent = _checked(act, assignment, ActRules(assignment, [act.docno], entries_of(assignment)), clock.now())
    return all(getattr(stored, name) == getattr(sent, name) for name in STATED)


def as_stored(assignment: Assignment, acts: Sequence[Act]) -> list[Judgment | None]:
    """The rows of acts if they took nothing back, not saved; None for one that could not be stored today."""
    entries = drawn_entries_of(assignment) if all(act.is_placed for act in acts) else entries_of(assignment)
    rules, now = ActRules(assignment, {act.docno for act in acts}, entries), clock.now()
    rows: list[Judgment | None] = []
    for act in acts:
        try:
            rows.append(_checked(act, assignment, rules, now))
        except ValidationError:  # the scale or the subtopics have changed since
            rows.append(None)
    return rows


def judgments_record(
    *, assessor: User, assignment: Assignment, acts: Sequence[Act], is_limited: bool = True
) -> list[Outcome]:
    """Store acts of one assignment, with one outcome each, in their order: a refused act holds up none of the others.

    An act that is older than the current judgment is stored but does not replace it. `is_limited`: by what the assessor may
    change within a day.
    """
    if assignment.assessor_id != assessor.pk:
        raise ValidationError(f"Topic {assignment.topic.number} is assigned to another assessor.")
    try:
        with transaction.atomic():
            return _record(assignment, acts, is_limited)
    except IntegrityError:
        # The same UUIDs arrived twice at once: the second request finds the rows of the first.
        with transaction.atomic():
            return _record(assignment, acts, is_limited)


def judgments_try(*, assessor: User, assignment: Assignment, acts: Sequence[Act]) -> list[Outcome]:
    """The outcomes that `judgments_record` would have now without a limit. Nothing is stored."""
    batch = _Batch(assignment, acts)
    return [batch.add(act) for act in acts]


def judgment_undo(*, assessor: User, assignment: Assignment, input_method: str = Judgment.FORM) -> Judgment | None:
    """Take back the assessor's last judgment, so that the one before it counts again; None when there is nothing to take back."""
    last = undoable(assignment).first()
    if last is None:
        return None
    return judgment_record(
        assessor=assessor,
        assignment=assignment,
        uuid=uuid4(),
        docno=last.docno,
        undoes=last.uuid,
        input_method=input_method,
    )


def _record_one(assessor: User, assignment: Assignment, act: Act) -> Judgment:
    [outcome] = judgments_record(assessor=assessor, assignment=assignment, acts=[act])
    if outcome.judgment is None:
        raise outcome.refusal or ValidationError("This judgment was not recorded.")
    return outcome.judgment


def _record(assignment: Assignment, acts: Sequence[Act], is_limited: bool) -> list[Outcome]:
    # Nobody closes or archives the campaign meanwhile, or takes the role of the assessor away.
    assignment.pool.task.campaign = held_campaign_or_404(assignment.pool.task.campaign)
    if problem := why_not_judging(assignment):
        return [Outcome(refusal=ValidationError(problem)) for _ in acts]
    if assignment.pool.grows:
        topic_lock(assignment.topic_id)
    held = list(
        Assignment.objects.select_for_update(of=("self",))
        .select_related("pool__task", "topic")
        .filter(_own(assignment) | _others(assignment), topic=assignment.topic_id)
        .order_by("pk")
    )
    now = next((row for row in held if row.pk == assignment.pk), None)
    if now is None or now.pool.task.deleted_at is not None:
        return [Outcome(refusal=ValidationError(gone_meanwhile(assignment.topic, now))) for _ in acts]
    assignment.handed_over_at = now.handed_over_at  # it was read before the lock
    again = MadeAgain(assignment.assessor, "changed judgment", MOST_JUDGED_AGAIN_A_DAY) if is_limited else None
    batch = _Batch(assignment, acts, again)
    outcomes = [batch.add(act) for act in acts]
    write_current(Judgment, batch.before, batch.new)
    if again is not None:
        again.count()
    if batch.new:
        claims_settle(assignment, [judgment.docno for judgment in batch.new])
        close_or_reopen(held, is_finished_by_counts)
    return outcomes


def _own(assignment: Assignment) -> Q:
    """All assignments of this assessor to the topic, in all pools: they share one current row per document.

    A hidden repeat is of what was judged before it.
    """
    return Q(assessor=assignment.assessor_id) & (Q(pass_number=assignment.pass_number) | Q(is_repeat=True))


def _others(assignment: Assignment) -> Q:
    """Those of others in the same pass, who need not judge what is graded here: a late act closes or reopens theirs.

    Other parts of the topic share no document with this one; of a pool that grows the job that chooses closes all.
    """
    own_pool = Q(pool=assignment.pool_id)
    if not assignment.pool.grows:
        own_pool &= ~Q(parts=assignment.parts, part=assignment.part)
    return Q(pass_number=assignment.pass_number, handed_over_at=None) & ~own_pool


class _Batch:
    """The rows that a batch finds and adds, so that a batch of any size costs a handful of queries."""

    def __init__(self, assignment: Assignment, acts: Sequence[Act], again: MadeAgain | None = None) -> None:
        docnos = {act.docno for act in acts}
        self.assignment, self.again = assignment, again
        are_placed = all(act.is_placed for act in acts)
        self.rules = ActRules(
            assignment, docnos, drawn_entries_of(assignment) if are_placed else entries_of(assignment)
        )
        self.now = clock.now()
        named = [uuid for act in acts for uuid in (act.uuid, act.undoes) if uuid is not None]
        self.known = {one.uuid: one for one in Judgment.objects.filter(uuid__in=named)}
        self.before = list(
            Judgment.objects.filter(
                topic=assignment.topic_id,
                assessor=assignment.assessor_id,
                pass_number=assignment.pass_number,
                docno__in=docnos,
                is_current=True,
            )
        )
        self.current = {one.docno: one for one in self.before}
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
        self._require_in_time(act)
        undone = self._undone(act)
        if undone is None:
            judgment = _checked(replace(act, undoes=None), self.assignment, self.rules, self.now)
            self._follow_clock(judgment)
        else:
            judgment = self._restored(act, undone)
        before = self.current.get(judgment.docno)
        if before is not None and self.again is not None:
            self.again.add()
        judgment.previous = None if before is None else before.uuid
        if before is not None and before.judged_at > judgment.judged_at:
            judgment.is_current = False
        else:
            replace_current(self.current, judgment.docno, judgment)
        self.known[judgment.uuid] = judgment
        self.new.append(judgment)
        return judgment

    def _follow_clock(self, judgment: Judgment) -> None:
        """If the clock was set back since the current act, the order of arrival tells of what is done until then."""
        before = self.current.get(judgment.docno)
        if before is not None and before.judged_at > self.now:
            judgment.judged_at = before.judged_at

    def _require_in_time(self, act: Act) -> None:
        """What was judged before a hand-over counts, however late it arrives."""
        end = self.assignment.handed_over_at
        if end is not None and (act.judged_at or self.now) > end:
            raise ValidationError(
                f"Topic {self.assignment.topic.number} was handed over to another assessor on {end:%d %b %Y, %H:%M} UTC: "
                "what is judged later does not count. What you judged before is kept."
            )

    def _undone(self, act: Act) -> Judgment | None:
        """The act of this assessor that is taken back; None where none is, or where it never arrived."""
        undone = None if act.undoes is None else self.known.get(act.undoes)
        if undone is None or undone.docno != act.docno:
            return None
        own = (self.assignment.assessor_id, self.assignment.topic_id, self.assignment.pass_number)
        return undone if (undone.assessor_id, undone.topic_id, undone.pass_number) == own else None

    def _restored(self, act: Act, undone: Judgment) -> Judgment:
        """The judgment to store for an act that takes `undone` back: what counts without it, up to the moment of the act.

        That is what stood before `undone`, or what the assessor said between it and this act. Where nothing stands the document
        is not judged, and the note and answers of `undone` stay. By a slow clock the moment of the act may lie before `undone`.
        """
        self.rules.require_pooled(act.docno)
        judgment = _row(act, self.assignment, self.now)
        judgment.judged_at = max(judgment.judged_at, undone.judged_at)
        self._follow_clock(judgment)
        acts = self._acts_until(judgment.judged_at, undone)
        before = _standing_without(undone, acts)
        is_judged = before is not None and before.verdict in Judgment.JUDGED
        source = before if before is not None and (is_judged or before is acts[-1]) else undone
        for name in ("note", "details", "flagged"):
            setattr(judgment, name, getattr(source, name))
        judgment.verdict = source.verdict if is_judged else Judgment.WITHDRAWN
        judgment.grade = source.grade if is_judged else None
        judgment.reason = source.reason if is_judged else ""
        self.rules.tidy(judgment)
        return judgment

    def _acts_until(self, moment: datetime, undone: Judgment) -> list[Judgment]:
        """This act and all of its assessor on its document in the pass until the moment; of equal moments by arrival."""
        own = {name: getattr(undone, name) for name in ("assessor_id", "topic_id", "pass_number", "docno")}
        stored = Judgment.objects.filter(**own).order_by("pk")
        acts = [*stored, *(one for one in self.new if one.docno == undone.docno)]
        return sorted((one for one in acts if one.judged_at <= moment), key=lambda one: one.judged_at)


def _standing_without(undone: Judgment, acts: Sequence[Judgment]) -> Judgment | None:
    """The act that counts without this one; None where nothing was said before it.

    `acts`: all that its assessor did to the document in the pass until it is taken back, in the order of their moments. What was
    said since, on another device, stays: the last act has it. Of what was said before, the last counts that was not taken back
    itself, however late it arrived.
    """
    taken_back = {one.undoes for one in acts}
    place = [one.uuid for one in acts].index(undone.uuid)
    if any(one.undoes is None and one.uuid not in taken_back for one in acts[place + 1 :]):
        return acts[-1]
    return next((one for one in reversed(acts[:place]) if one.uuid not in taken_back), None)


def _checked(act: Act, assignment: Assignment, rules: ActRules, now: datetime) -> Judgment:
    """The row for an act, not saved; ValidationError if the act cannot be stored."""
    judgment = _row(act, assignment, now)
    rules.check(judgment, act.answers)
    return judgment


def _row(act: Act, assignment: Assignment, now: datetime) -> Judgment:
    own = ("answers", "judged_at", "is_placed")
    sent = {each.name: getattr(act, each.name) for each in fields(act) if each.name not in own}
    return Judgment(
        **sent,
        assignment=assignment,
        topic_id=assignment.topic_id,
        assessor_id=assignment.assessor_id,
        pass_number=assignment.pass_number,
        # A clock that runs ahead must not make a judgment that no later one can replace.
        judged_at=min(act.judged_at or now, now),
    )
