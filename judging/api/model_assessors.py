"""What the token of a model assessor may do: read topics and documents of its task, and post its grades. Nothing else."""

import math
from typing import Any, cast
from uuid import UUID

from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest
from ninja import Field, Query, Router, Schema
from ninja.errors import Throttled
from ninja.security.http import HttpAuthBase

from campaign.api.bodies import Body
from campaign.api.errors import Unauthenticated
from campaign.api.fields import Text
from campaign.api.limits import WRONG_TOKENS, MinuteLimit
from campaign.api.paging import Page, Paging, page_of
from campaign.collection.api.reading import TopicOut, topic_out
from campaign.log.audit import ARCHIVED
from campaign.models import ApiToken
from campaign.permissions import get_or_404
from judging.api.shapes import ACTS_AT_ONCE, Docno, Grade, ResultOut, result_out
from judging.judgments.selectors.own_documents import DOCUMENTS_AT_ONCE
from judging.model_assessors.selectors import document_texts, documents_for_model, working_model_assessor
from judging.model_assessors.services import ModelGrade, model_grades_record
from judging.models import ModelAssessor

ROOT = "/model-assessor"
NEEDED = (
    "This needs the token of a model assessor, which an organiser of the task makes on the page “Model assessors”. It is "
    "mistyped, expired or revoked, who made it organises the campaign no more, or it is none of these; tokens of users are not "
    "taken here."
)
router = Router(tags=["Model assessors"])


class ModelToken(HttpAuthBase):
    """A token of its own kind: it is no user's, and no other operation takes it."""

    openapi_scheme = "bearer"
    scope = ApiToken.READ

    def __call__(self, request: HttpRequest) -> ModelAssessor:
        request.user = AnonymousUser()
        scheme, _, text = request.headers.get("Authorization", "").strip().partition(" ")
        assessor = working_model_assessor(text.strip()) if scheme.lower() == "bearer" else None
        if assessor is None and text and not WRONG_TOKENS.allow_request(request):
            raise Throttled(wait=math.ceil(WRONG_TOKENS.wait()))
        if assessor is None:
            raise Unauthenticated(NEEDED)
        if assessor.task.campaign.archived_at is not None:
            raise PermissionDenied(ARCHIVED)
        return assessor


class PostingModelToken(ModelToken):
    scope = ApiToken.SUBMIT


class ModelLimit(MinuteLimit):
    def sender(self, request: HttpRequest) -> tuple[str, bool]:
        return f"model-{_assessor(request).pk}", True


READS = ModelLimit("read", setting="API_READS_PER_MINUTE", anonymous_setting="API_READS_PER_MINUTE")
GRADES = ModelLimit("write", setting="API_WRITES_PER_MINUTE", anonymous_setting="API_WRITES_PER_MINUTE", cost=1)
READING: dict[str, Any] = {"auth": ModelToken(), "throttle": READS}
POSTING: dict[str, Any] = {"auth": PostingModelToken(), "throttle": GRADES}


class GradeOfScale(Schema):
    value: int
    label: str
    definition: str


class ModelAssessorOut(Schema):
    name: str
    version: str
    prompt_sha256: str
    campaign: str
    task: str
    grades: list[GradeOfScale] = Field(description="The scale: grades that it may post.")


class WantedDocuments(Schema):
    topic: Text = Field(min_length=1, max_length=200, description="The number of the topic.")
    ungraded: bool = Field(True, description="Only those that this model assessor has not graded.")
    after: Text = Field("", max_length=200, description="Only docnos after this one.")
    limit: int = Field(DOCUMENTS_AT_ONCE, ge=1, le=ACTS_AT_ONCE, description="How many at most.")


class DocumentForModelOut(Schema):
    docno: str
    title: str
    text: str
    has_text: bool


class DocumentsForModel(Schema):
    documents: list[DocumentForModelOut]
    left: int = Field(description="How many there are, these included.")


class ModelGradeIn(Body):
    uuid: UUID = Field(description="Made by the program, one for each grade; sent again it names the same grade.")
    topic: Text = Field(min_length=1, max_length=200)
    docno: Docno
    grade: Grade | None = Field(description="One of the task's grades; null: it cannot judge.")
    prompt_sha256: Text = Field(max_length=64, description="Of the prompt that was used: that of this version.")


class ModelGradesIn(Body):
    grades: list[ModelGradeIn] = Field(min_length=1, max_length=ACTS_AT_ONCE)


class ModelGradesOut(Schema):
    results: list[ResultOut] = Field(description="One for each grade, in their order.")


@router.get(ROOT, response=ModelAssessorOut, summary="Who this model assessor is", **READING)
def read_model_assessor(request: HttpRequest) -> ModelAssessorOut:
    """The model assessor whose token asks, its task, and the grades that it may post."""
    assessor = _assessor(request)
    task = assessor.task
    return ModelAssessorOut(
        name=assessor.name,
        version=assessor.version,
        prompt_sha256=assessor.prompt_sha256,
        campaign=task.campaign.slug,
        task=task.slug,
        grades=[GradeOfScale(value=g.value, label=g.label, definition=g.definition) for g in task.grades.all()],
    )


@router.get(f"{ROOT}/topics", response=Page[TopicOut], summary="List the topics to grade", **READING)
def list_model_topics(request: HttpRequest, paging: Query[Paging]) -> Page[TopicOut]:
    """The topics of the model assessor's task, in the order of the topic file, with all their text."""
    topics = _assessor(request).task.topics.prefetch_related("subtopics").order_by("position")
    return page_of(request, topics, paging, topic_out)


@router.get(f"{ROOT}/documents", response=DocumentsForModel, summary="List documents to grade", **READING)
def list_model_documents(request: HttpRequest, wanted: Query[WantedDocuments]) -> DocumentsForModel:
    """Documents of a topic in the task's newest pool, with their texts, by docno.

    Of a pool that is a sample also those that could have been drawn, since scores from model grades need all of them.
    """
    assessor = _assessor(request)
    topic = get_or_404(assessor.task.topics.all(), number=wanted.topic)
    docnos = documents_for_model(assessor, topic, ungraded=wanted.ungraded)
    docnos = [docno for docno in docnos if docno > wanted.after]
    texts = document_texts(assessor.task, docnos[: wanted.limit])
    documents = [
        DocumentForModelOut(docno=one.docno, title=one.title, text=one.text, has_text=one.has_text) for one in texts
    ]
    return DocumentsForModel(documents=documents, left=len(docnos))


@router.post(f"{ROOT}/grades", response=ModelGradesOut, summary="Post model grades", **POSTING)
def post_model_grades(request: HttpRequest, sent: ModelGradesIn) -> ModelGradesOut:
    """Store grades of the model assessor, each with a result of its own. They never become judgments or qrels.

    A grade that is sent again under its UUID is not stored twice; a new UUID for the same document replaces its grade.
    """
    assessor = _assessor(request)
    GRADES.require_for(request, len(sent.grades))
    grades = [ModelGrade(one.uuid, one.topic, one.docno, one.grade, one.prompt_sha256) for one in sent.grades]
    outcomes = model_grades_record(assessor=assessor, grades=grades)
    results = [result_out(one.uuid, outcome.refusal) for one, outcome in zip(grades, outcomes, strict=True)]
    return ModelGradesOut(results=results)


def _assessor(request: HttpRequest) -> ModelAssessor:
    return cast(ModelAssessor, request.auth)  # type: ignore[attr-defined]  # set by the framework
