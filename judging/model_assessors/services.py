"""Model assessors: made by organisers, with a token that may post their grades and do nothing else to the task."""

import secrets
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.http import Http404
from django.utils import timezone

from campaign.accounts.selectors import token_hash
from campaign.collection.selectors.missing_keys import missing_in
from campaign.formats.near_keys import OF_COLLECTION, OF_TASK, FirstHints
from campaign.log.audit import audit
from campaign.models import Document, Task, Topic, User
from campaign.permissions import held_campaign_or_404, locked_organised_task_or_404
from campaign.web.daily_limits import MadeAgain, require_few_changes
from judging.judgments.services import replace_current, write_current
from judging.model_assessors.selectors import MAKER_ORGANISES
from judging.models import ModelAssessor, ModelJudgment
from pooling.models import PoolEntry

MOST_MODEL_ASSESSORS = 200
"""Of a task; each has a token and grades of its own."""
MOST_GRADED_AGAIN_A_DAY = 500_000
"""By one model assessor: each changed grade stays. A first grade of a document has no limit."""
TOKEN_WORKS = timedelta(days=366)
DELETED = "The task or its campaign was deleted meanwhile: nothing was stored."
REVOKED = (
    "The token was revoked or renewed meanwhile, or who made it organises the campaign no more: nothing was stored. Ask the "
    "organisers for another one."
)


@dataclass(frozen=True, slots=True)
class ModelGrade:
    """What a model assessor says of one document; `grade` None: it cannot judge it."""

    uuid: UUID
    topic: str
    docno: str
    grade: int | None
    prompt_sha256: str


@dataclass(frozen=True, slots=True)
class ModelOutcome:
    """The row of one grade, or why it is refused."""

    judgment: ModelJudgment | None = None
    refusal: str = ""


@transaction.atomic
def model_assessor_create(*, actor: User, task: Task, **values: str) -> tuple[ModelAssessor, str]:
    """A model assessor and the text of its token, which is returned here only."""
    task = locked_organised_task_or_404(actor, task)  # of two that are made at once one waits here
    assessor = ModelAssessor(task=task, created_by=actor, **{name: value.strip() for name, value in values.items()})
    text = _set_token(assessor)
    assessor.full_clean()
    if ModelAssessor.objects.filter(task=task).count() >= MOST_MODEL_ASSESSORS:
        raise ValidationError(f"A task has at most {MOST_MODEL_ASSESSORS} model assessors.")
    assessor.save()
    facts = {"name": assessor.name, "version": assessor.version, "prompt_sha256": assessor.prompt_sha256}
    audit(actor, "create model assessor", assessor, campaign=task.campaign, **facts)
    return assessor, text


@transaction.atomic
def model_token_renew(*, actor: User, assessor: ModelAssessor) -> str:
    """Another token, whose text is returned here only; the one before it never works again."""
    locked_organised_task_or_404(actor, assessor.task)
    text = _set_token(assessor)
    assessor.revoked_at, assessor.token_by = None, actor
    assessor.save(update_fields=["token_start", "token_sha256", "token_expires_at", "revoked_at", "token_by"])
    require_few_changes(actor)
    audit(actor, "renew token of model assessor", assessor, campaign=assessor.task.campaign, name=str(assessor))
    return text


@transaction.atomic
def model_assessor_revoke(*, actor: User, assessor: ModelAssessor) -> None:
    """Its token is refused from now on; its grades stay. Twice changes nothing."""
    locked_organised_task_or_404(actor, assessor.task)
    now = timezone.now()
    if ModelAssessor.objects.filter(pk=assessor.pk, revoked_at=None).update(revoked_at=now):
        audit(actor, "revoke model assessor", assessor, campaign=assessor.task.campaign, name=str(assessor))


def model_grades_record(*, assessor: ModelAssessor, grades: Sequence[ModelGrade]) -> list[ModelOutcome]:
    """Store grades, with one outcome each, in their order; the last one of a document is current."""
    try:
        with transaction.atomic():
            return _record(assessor, grades)
    except IntegrityError:
        # Another model assessor sent the same UUIDs at the same moment: now its rows are found.
        with transaction.atomic():
            return _record(assessor, grades)


def _record(assessor: ModelAssessor, grades: Sequence[ModelGrade]) -> list[ModelOutcome]:
    with suppress(Http404):  # a deleted one is told below
        held_campaign_or_404(assessor.task.campaign)  # nobody closes or archives it meanwhile
    now = ModelAssessor.objects.select_for_update(no_key=True).get(pk=assessor.pk)
    works = ModelAssessor.objects.filter(MAKER_ORGANISES, pk=assessor.pk, revoked_at=None)
    if now.token_sha256 != assessor.token_sha256 or not works.exists():
        return [ModelOutcome(refusal=REVOKED) for _ in grades]
    task = Task.objects.filter(pk=assessor.task_id, campaign__deleted_at=None).select_related("campaign").first()
    if task is None or task.campaign.why_closed:
        return [ModelOutcome(refusal=DELETED if task is None else task.campaign.why_closed) for _ in grades]
    batch = _Batch(assessor, grades)
    outcomes = [batch.add(grade) for grade in grades]
    write_current(ModelJudgment, batch.before, batch.new)
    batch.again.count()
    return outcomes


def _set_token(assessor: ModelAssessor) -> str:
    text = f"rpm_{secrets.token_urlsafe(32)}"
    assessor.token_start, assessor.token_sha256 = text[:9], token_hash(text)
    assessor.token_expires_at = timezone.now() + TOKEN_WORKS
    return text


class _Batch:
    """What a batch of grades needs to know, read by a handful of queries whatever its size."""

    def __init__(self, assessor: ModelAssessor, grades: Sequence[ModelGrade]) -> None:
        self.assessor = assessor
        self.again = MadeAgain(assessor, "changed grade", MOST_GRADED_AGAIN_A_DAY)
        numbers, docnos = {one.topic for one in grades}, {one.docno for one in grades}
        self.topics: dict[str, Topic] = {one.number: one for one in assessor.task.topics.filter(number__in=numbers)}
        self.scale = set(assessor.task.grades.values_list("value", flat=True))
        pooled = PoolEntry.objects.filter(pool__task=assessor.task_id, topic__number__in=numbers, docno__in=docnos)
        self.pooled = set(pooled.order_by().values_list("topic__number", "docno"))
        self.held, self.hints = Document.objects.filter(collection=assessor.task.collection_id), FirstHints()
        in_collection = self.held.filter(docno__in=docnos).values_list("docno", flat=True)
        self.in_collection = set(in_collection) if assessor.task.collection_id else set()
        self.known = {one.uuid: one for one in _rows().filter(uuid__in=[one.uuid for one in grades])}
        current = _rows().filter(model_assessor=assessor, is_current=True, topic__number__in=numbers, docno__in=docnos)
        self.before = list(current)
        self.current = {(one.topic.number, one.docno): one for one in self.before}
        self.new: list[ModelJudgment] = []

    def add(self, sent: ModelGrade) -> ModelOutcome:
        known = self.known.get(sent.uuid)
        if known is not None:
            return self._sent_again(sent, known)
        if problem := self._problem(sent):
            return ModelOutcome(refusal=problem)
        if (sent.topic, sent.docno) in self.current:
            try:
                self.again.add()
            except ValidationError as reached:
                return ModelOutcome(refusal=reached.messages[0])
        judgment = ModelJudgment(
            uuid=sent.uuid,
            model_assessor=self.assessor,
            topic=self.topics[sent.topic],
            docno=sent.docno,
            verdict=ModelJudgment.CANNOT_JUDGE if sent.grade is None else ModelJudgment.GRADED,
            grade=sent.grade,
            name=self.assessor.name,
            version=self.assessor.version,
            prompt_sha256=self.assessor.prompt_sha256,
        )
        replace_current(self.current, (sent.topic, sent.docno), judgment)
        self.known[sent.uuid] = judgment
        self.new.append(judgment)
        return ModelOutcome(judgment=judgment)

    def _sent_again(self, sent: ModelGrade, known: ModelJudgment) -> ModelOutcome:
        if known.model_assessor_id != self.assessor.pk:
            return ModelOutcome(refusal="This UUID is taken. Send the grade under a new one.")
        if (known.topic.number, known.docno, known.grade) == (sent.topic, sent.docno, sent.grade):
            return ModelOutcome(judgment=known)
        return ModelOutcome(
            refusal=f"This UUID is that of a stored grade of {known.docno} ({known}). Send another under a new UUID."
        )

    def _problem(self, sent: ModelGrade) -> str:
        if sent.prompt_sha256 != self.assessor.prompt_sha256:
            return f"{self.assessor} was declared with another prompt. Ask the organisers for another version of it."
        if sent.topic not in self.topics:
            near = self.hints.hint(sent.topic, missing_in(self.assessor.task.topics.all(), "number"), OF_TASK)
            return f"The task has no topic {sent.topic}. Read the list of topics.{near}"
        if (sent.topic, sent.docno) not in self.pooled and sent.docno not in self.in_collection:
            near = self.hints.hint(sent.docno, missing_in(self.held, "docno"), OF_COLLECTION)
            return (
                f"Document {sent.docno} is neither in a pool of topic {sent.topic} nor in the task's collection.{near}"
            )
        if sent.grade is not None and sent.grade not in self.scale:
            grades = ", ".join(str(value) for value in sorted(self.scale))
            return f"{sent.grade} is no grade of this task: use {grades}, or null where it cannot be judged."
        return ""


def _rows() -> QuerySet[ModelJudgment]:
    return ModelJudgment.objects.select_related("topic")
