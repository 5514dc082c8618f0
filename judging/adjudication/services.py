"""Decisions about documents on which assessors disagree: rows of their own, which leave every judgment as it is."""

from collections.abc import Iterable
from uuid import UUID

from django.core.exceptions import ValidationError
from django.db import transaction

from campaign.log.audit import audit
from campaign.models import Task, Topic, User
from campaign.models.fields import length_problem
from campaign.permissions import locked_organised_campaign_or_404
from campaign.text import limits
from campaign.web.daily_limits import MadeAgain
from judging.adjudication.selectors.disagreements import Dispute, dispute
from judging.models import Adjudication

CHANGED = "Document {docno} was judged again meanwhile. Look at the judgments as they are now, and decide then."
MOST_DECIDED_AGAIN_A_DAY = 20_000
"""By one person: a first decision about a document has no limit."""
DECIDED = "Somebody else has decided about document {docno} meanwhile. Look at that decision first."


@transaction.atomic
def adjudication_record(
    *,
    actor: User,
    task: Task,
    topic: Topic,
    docno: str,
    uuid: UUID,
    grade: int | None,
    note: str = "",
    seen: Iterable[UUID],
    previous: UUID | None = None,
) -> Adjudication:
    """Store what was decided; without a grade: that nobody can judge the document. The same UUID twice gives the first row.

    `seen`: the judgments that the adjudicator saw, and `previous`: the decision that stood, if any. Where others stand now,
    the decision is refused, so that nobody decides about what they did not see.
    """
    if problem := length_problem(note, limits.JUDGMENT_NOTE):
        raise ValidationError(f"The note is too long. {problem}")
    verdict = Adjudication.CANNOT_JUDGE if grade is None else Adjudication.GRADED
    _lock(actor, task, topic)
    known = Adjudication.objects.filter(uuid=uuid).first()
    if known is not None:
        return _same(known, (topic.pk, docno, actor.pk, verdict, grade, note))
    found = _dispute(task, topic, docno)
    if set(found.seen) != set(seen):
        raise ValidationError(CHANGED.format(docno=docno))
    if not found.is_judged_twice:
        raise ValidationError(f"Document {docno} has fewer than two judgments by now. Take the decision back instead.")
    _require_seen(found, previous)
    if grade is not None and not task.grades.filter(value=grade).exists():
        scale = ", ".join(map(str, task.grades.order_by("value").values_list("value", flat=True)))
        raise ValidationError(f"Grade {grade} is not on the task's scale: use {scale}.")
    return _add(actor, found, uuid, verdict, grade, note)


@transaction.atomic
def adjudication_withdraw(
    *, actor: User, task: Task, topic: Topic, docno: str, uuid: UUID, previous: UUID | None
) -> Adjudication:
    """Take back the decision that stands, so that the document waits for another; the same UUID twice gives the first row.

    `previous`: the decision that the adjudicator saw. Another one that stands now is not taken back.
    """
    _lock(actor, task, topic)
    known = Adjudication.objects.filter(uuid=uuid).first()
    if known is not None:
        return _same(known, (topic.pk, docno, actor.pk, Adjudication.WITHDRAWN, None, ""))
    found = _dispute(task, topic, docno)
    _require_seen(found, previous)
    if found.decision is None:
        raise ValidationError(f"No decision about document {docno} stands: there is nothing to take back.")
    return _add(actor, found, uuid, Adjudication.WITHDRAWN, None, "")


def _require_seen(found: Dispute, previous: UUID | None) -> None:
    if (found.decision.uuid if found.decision else None) != previous:
        raise ValidationError(DECIDED.format(docno=found.docno))


def _lock(actor: User, task: Task, topic: Topic) -> None:
    """Decisions about a topic are made one after the other."""
    # The campaign first: a release holds it, and waits for decisions whose audit would wait for the campaign.
    locked_organised_campaign_or_404(actor, task.campaign)
    # NO KEY: judgments can be stored meanwhile.
    Topic.objects.select_for_update(no_key=True).get(pk=topic.pk, task=task)


def _dispute(task: Task, topic: Topic, docno: str) -> Dispute:
    found = dispute(task, topic, docno)
    if found is None:
        raise ValidationError(f"Document {docno} was not judged by two assessors for topic {topic.number}.")
    return found


def _same(known: Adjudication, sent: tuple[object, ...]) -> Adjudication:
    """`sent`: what a replay must say again, in the order of the columns here."""
    stored = (known.topic_id, known.docno, known.adjudicator_id, known.verdict, known.grade, known.note)
    if stored != sent:
        raise ValidationError(f"This was sent before with another content. Reload the page of {sent[1]}, then decide.")
    return known


def _add(actor: User, found: Dispute, uuid: UUID, verdict: str, grade: int | None, note: str) -> Adjudication:
    standing = Adjudication.objects.filter(topic=found.topic, docno=found.docno, is_current=True)
    previous = standing.values_list("uuid", flat=True).first()
    if previous is not None:
        again = MadeAgain(actor, "changed decision", MOST_DECIDED_AGAIN_A_DAY)
        again.add()
        again.count()
    standing.update(is_current=False)
    made = Adjudication.objects.create(
        uuid=uuid,
        topic=found.topic,
        docno=found.docno,
        adjudicator=actor,
        verdict=verdict,
        grade=grade,
        note=note,
        judgments=[str(one) for one in found.seen],
        previous=previous,
    )
    campaign = found.topic.task.campaign
    audit(actor, "adjudicated", made, campaign=campaign, topic=found.topic.number, docno=found.docno, grade=grade)
    return made
