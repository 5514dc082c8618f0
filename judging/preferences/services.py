"""Who compares which documents, the answers to pairs, and the release of the orders that they say."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from io import BytesIO
from uuid import UUID

from django.core.exceptions import PermissionDenied, ValidationError
from django.db import IntegrityError, transaction
from django.utils import timezone

from campaign.log.audit import audit
from campaign.models import Task, User
from campaign.models.fields import length_problem
from campaign.permissions import (
    held_campaign_or_404,
    held_organised_campaign_or_404,
    is_assessor,
    locked_organised_task_or_404,
)
from campaign.storage import store
from campaign.text import limits
from campaign.web.daily_limits import MadeAgain, require_few_changes, require_few_rows
from judging.events import preferences_released
from judging.judgments.selectors.own_documents import gone_meanwhile
from judging.models import Judgment, PreferenceAct, PreferenceAssignment, PreferenceOrder, Qrels
from judging.preferences.files import write_order
from judging.preferences.selectors import Candidate, Standing, candidates, standing_of, standings_of, tournament_of

SEEDS = 2**53
DAY_MS = 86_400_000
MOST_ORDERS_A_DAY = 100
"""Of a task: each keeps its file, and has all runs scored."""
MOST_COMPARED_AGAIN_A_DAY = 10_000
"""By one assessor: each answer that was changed or taken back stays."""


@dataclass(frozen=True, slots=True)
class Answered:
    """What an assessor answered to one pair, as a browser or a script sends it; `undoes` takes an earlier answer back."""

    uuid: UUID
    left: str = ""
    right: str = ""
    answer: str = ""
    undoes: UUID | None = None
    note: str = ""
    shown_at: datetime | None = None
    answered_at: datetime | None = None
    active_ms: int | None = None
    away_ms: int | None = None
    input_method: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of one act: its row, or why it is refused."""

    act: PreferenceAct | None = None
    refusal: ValidationError | None = None


@transaction.atomic
def preferences_start(
    *,
    actor: User,
    qrels: Qrels,
    topics: Sequence[str],
    assessors: Sequence[User],
    best: int | None = None,
    control_percent: int = 10,
) -> list[PreferenceAssignment]:
    """Have the documents of the best grade of these topics compared: the largest topics first, each to who has fewest pairs."""
    campaign = qrels.task.campaign
    held_organised_campaign_or_404(actor, campaign)
    # NO KEY: rows that refer to the qrels, such as orders and scores, can be added meanwhile.
    Qrels.objects.select_for_update(of=("self",), no_key=True).get(pk=qrels.pk)
    for assessor in assessors:
        if not is_assessor(assessor, campaign):
            raise ValidationError(
                f"{assessor} is not an assessor of {campaign}. Invite them on the campaign's people page."
            )
    if not assessors or not topics:
        raise ValidationError("Choose at least one topic and one assessor.")
    free = {one.topic.number: one for one in candidates(qrels)}
    if unknown := [number for number in topics if number not in free]:
        raise ValidationError(
            f"Topic {', '.join(unknown)} of {qrels} is compared already, or has no relevant document. Leave it out."
        )
    loads = dict.fromkeys(assessors, 0)
    created = []
    for chosen in sorted((free[number] for number in dict.fromkeys(topics)), key=lambda one: -one.bound):
        assessor = min(loads, key=lambda one: loads[one])
        loads[assessor] += chosen.bound
        created.append(_assign(actor, qrels, chosen, assessor, best, control_percent))
    return created


def _assign(
    actor: User, qrels: Qrels, chosen: Candidate, assessor: User, best: int | None, control_percent: int
) -> PreferenceAssignment:
    assignment = PreferenceAssignment(
        qrels=qrels,
        topic=chosen.topic,
        assessor=assessor,
        grade=chosen.grade,
        documents=list(chosen.documents),
        best=best,
        control_percent=control_percent,
        seed=secrets.randbelow(SEEDS),
        assigned_by=actor,
    )
    if tournament_of(assignment).state({}).is_finished:
        assignment.finished_at = timezone.now()
    assignment.full_clean()
    assignment.save()
    facts = {"topic": chosen.topic.number, "assessor": assessor.username, "qrels": qrels.version}
    audit(actor, "assigned preferences", assignment, campaign=qrels.task.campaign, **facts)
    return assignment


@transaction.atomic
def preferences_take_back(*, actor: User, assignment: PreferenceAssignment) -> None:
    """Delete an assignment in which nothing was compared yet; one with answers stays."""
    held_organised_campaign_or_404(actor, assignment.qrels.task.campaign)
    locked = PreferenceAssignment.objects.select_for_update(of=("self",)).filter(pk=assignment.pk).first()
    if locked is None:
        return
    if locked.acts.exists():
        raise ValidationError(
            f"{assignment.assessor} has compared documents of topic {assignment.topic.number}, and answers are kept. "
            "Other assessors can compare it by a later version of the qrels."
        )
    facts = {"topic": assignment.topic.number, "assessor": assignment.assessor.username}
    require_few_changes(actor)
    audit(actor, "took back preferences", locked, campaign=assignment.qrels.task.campaign, **facts)
    locked.delete()


def why_not_comparing(assignment: PreferenceAssignment) -> str:
    """Why the assessor may not compare any more, though the assignment is there; "" while they may."""
    campaign = assignment.qrels.task.campaign
    if campaign.why_closed:
        return f"{campaign.why_closed} Nothing was stored. What you answered before is kept."
    if is_assessor(assignment.assessor, campaign):
        return ""
    return (
        f"You are no assessor of {campaign} any more: nothing was stored. What you answered before is kept; ask the "
        "organisers if this is a mistake."
    )


def require_comparing(assignment: PreferenceAssignment) -> None:
    """A 403 with the reason for whoever may not compare any more."""
    if problem := why_not_comparing(assignment):
        raise PermissionDenied(problem)


def preferences_record(*, assessor: User, assignment: PreferenceAssignment, sent: Sequence[Answered]) -> list[Outcome]:
    """Store answers, with one outcome each, in their order: a refused one holds up none of the others."""
    if assignment.assessor_id != assessor.pk:
        raise ValidationError(f"Topic {assignment.topic.number} is compared by another assessor.")
    try:
        with transaction.atomic():
            return _record(assignment, sent)
    except IntegrityError:
        # The same UUIDs arrived twice at once: the second request finds the rows of the first.
        with transaction.atomic():
            return _record(assignment, sent)


def _record(assignment: PreferenceAssignment, sent: Sequence[Answered]) -> list[Outcome]:
    # Nobody closes or archives the campaign meanwhile, or takes the role of the assessor away.
    assignment.qrels.task.campaign = held_campaign_or_404(assignment.qrels.task.campaign)
    rows = PreferenceAssignment.objects.select_for_update(of=("self",)).select_related("qrels__task")
    locked = rows.filter(pk=assignment.pk).first()
    if locked is None or locked.qrels.task.deleted_at is not None:
        return [Outcome(refusal=ValidationError(gone_meanwhile(assignment.topic, locked))) for _ in sent]
    if problem := why_not_comparing(assignment):
        return [Outcome(refusal=ValidationError(problem)) for _ in sent]
    batch = _Batch(assignment, sent)
    outcomes = [batch.add(one) for one in sent]
    PreferenceAct.objects.bulk_create(batch.new)
    batch.again.count()
    if batch.new:
        is_finished = batch.standing.state.is_finished
        if is_finished != (locked.finished_at is not None):
            locked.finished_at = timezone.now() if is_finished else None
            locked.save(update_fields=["finished_at"])
    return outcomes


class _Batch:
    def __init__(self, assignment: PreferenceAssignment, sent: Sequence[Answered]) -> None:
        self.assignment = assignment
        self.again = MadeAgain(assignment.assessor, "changed comparison", MOST_COMPARED_AGAIN_A_DAY)
        self.now = timezone.now()
        self.acts = list(assignment.acts.order_by("pk"))
        self.standing = Standing(assignment, self.acts)
        self.known = {one.uuid: one for one in PreferenceAct.objects.filter(uuid__in=[one.uuid for one in sent])}
        self.known |= {one.uuid: one for one in self.acts}
        self.new: list[PreferenceAct] = []

    def add(self, sent: Answered) -> Outcome:
        known = self.known.get(sent.uuid)
        try:
            if known is None:
                return Outcome(act=self._add_new(sent))
            self._require_same(known, sent)
        except ValidationError as refusal:
            return Outcome(refusal=refusal)
        return Outcome(act=known)

    def _require_same(self, known: PreferenceAct, sent: Answered) -> None:
        """A replay is answered by its first row, but it must say the same."""
        if known.assignment_id != self.assignment.pk:
            raise ValidationError("Its identifier belongs to another topic. Compare the pair again.")
        said = (known.undoes,) if known.undoes else (known.undoes, known.left, known.right, known.answer)
        says = (sent.undoes,) if sent.undoes else (sent.undoes, sent.left, sent.right, sent.answer)
        if said != says:
            raise ValidationError("Its identifier was sent before with another answer. Compare the pair again.")

    def _add_new(self, sent: Answered) -> PreferenceAct:
        act = self._withdrawal(sent) if sent.undoes else self._answer(sent)
        if problem := length_problem(act.note, limits.JUDGMENT_NOTE):
            raise ValidationError(f"The note is too long. {problem}")
        before = self.standing.counting.get((act.left, act.right))
        if before is not None or sent.undoes:
            self.again.add()
        act.previous = before.uuid if before else None
        self.known[act.uuid] = act
        self.new.append(act)
        self.acts.append(act)
        self.standing = Standing(self.assignment, self.acts)
        return act

    def _withdrawal(self, sent: Answered) -> PreferenceAct:
        undone = self.known.get(sent.undoes) if sent.undoes else None
        if undone is None or undone.assignment_id != self.assignment.pk or undone.answer == PreferenceAct.WITHDRAWN:
            raise ValidationError("There is no such answer to take back. Reload the page.")
        if (sent.left, sent.right, sent.answer) not in (("", "", ""), (undone.left, undone.right, "")):
            raise ValidationError(
                "What takes an answer back holds no answer of its own: leave it empty, and send the new answer after it."
            )
        act = self._row(sent)
        act.left, act.right, act.is_repeat = undone.left, undone.right, undone.is_repeat
        act.answer = PreferenceAct.WITHDRAWN
        return act

    def _answer(self, sent: Answered) -> PreferenceAct:
        pair = (sent.left, sent.right)
        if sent.answer not in (PreferenceAct.LEFT, PreferenceAct.RIGHT, PreferenceAct.EQUAL):
            raise ValidationError(f"“{sent.answer}” is no answer: use left, right or equal.")
        if not self.standing.tournament.allows(pair, self.standing.answers):
            raise ValidationError(
                f"{sent.left} and {sent.right} are not compared so in topic {self.assignment.topic.number}. "
                "Reload the page and go on."
            )
        act = self._row(sent)
        act.is_repeat = pair != self.standing.tournament.sides(*pair)
        return act

    def _row(self, sent: Answered) -> PreferenceAct:
        values = {each.name: getattr(sent, each.name) for each in fields(sent)}
        # A wrong measurement is no reason to refuse an answer: what cannot be true is left out.
        for name in ("active_ms", "away_ms"):
            values[name] = values[name] if values[name] is not None and 0 <= values[name] <= DAY_MS else None
        if values["input_method"] not in Judgment.INPUTS:
            values["input_method"] = ""
        values["answered_at"] = min(sent.answered_at or self.now, self.now)
        return PreferenceAct(**values, assignment=self.assignment)


@transaction.atomic
def preference_order_release(*, actor: User, task: Task, qrels: Qrels, note: str = "") -> PreferenceOrder:
    """Release the orders of the topics that are compared to the end as the task's next version; the others are left out."""
    locked = locked_organised_task_or_404(actor, task)
    orders_of_task = PreferenceOrder.objects.filter(task=locked)
    what = "orders of documents of this task"
    require_few_rows(orders_of_task, "released_at", {"released_by": actor}, MOST_ORDERS_A_DAY, what)
    finished = [one for one in standings_of(qrels) if one.state.levels is not None and one.state.is_finished]
    if not finished:
        raise ValidationError("No topic is compared to the end yet: there is no order to release.")
    orders = {one.assignment.topic.number: one.state.levels or () for one in finished}
    stored = store(BytesIO(write_order(orders)), folder="preferences", suffix=".txt")
    latest = locked.preference_orders.order_by("-version").first()
    if latest is not None and (latest.sha256, latest.qrels_id) == (stored.sha256, qrels.pk):
        raise ValidationError(f"Nothing has changed since {latest}: this would be the same order.")
    order = PreferenceOrder(
        task=locked,
        version=latest.version + 1 if latest else 1,
        qrels=qrels,
        file=stored.name,
        sha256=stored.sha256,
        topics=sorted((one.facts() for one in finished), key=lambda facts: str(facts["topic"]).encode()),
        document_count=sum(len(one.assignment.documents) for one in finished),
        note=note,
        released_by=actor,
    )
    order.full_clean()
    order.save()
    audit(actor, "released", order, campaign=locked.campaign, version=order.version, sha256=order.sha256)
    preferences_released.send(sender=PreferenceOrder, order=order)
    return order


def preference_undo(
    *, assessor: User, assignment: PreferenceAssignment, uuid: UUID, input_method: str = Judgment.FORM
) -> PreferenceAct | None:
    """Take back the last answer; None when there is nothing to take back."""
    last = standing_of(assignment).last
    if last is None:
        return None
    sent = Answered(uuid, undoes=last.uuid, input_method=input_method)
    [outcome] = preferences_record(assessor=assessor, assignment=assignment, sent=[sent])
    if outcome.refusal is not None:
        raise outcome.refusal
    return outcome.act
