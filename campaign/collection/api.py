from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from ninja import Field, Path, Query, Router, Schema

from campaign.api.auth import PUBLIC
from campaign.api.fields import Text
from campaign.api.paging import Page, Paging, page_of
from campaign.api.paths import TASK, TaskPath
from campaign.collection.exports import docno_file, topic_file
from campaign.collection.selectors.documents import require_document_reader, task_documents
from campaign.formats.topics.read import TopicFormat
from campaign.formats.topics.write import FILES
from campaign.models import Document, Topic
from campaign.permissions import get_or_404, get_task_or_404

router = Router(tags=["Tasks"])
TEXT: dict[str, Any] = {"schema": {"type": "string"}}
TOPIC_FILE = {"responses": {200: {"content": {file.content_type: TEXT for file in FILES.values()}}}}
DOCNO_FILE = {"responses": {200: {"content": {"application/gzip": TEXT}}}}


class SubtopicOut(Schema):
    number: str
    text: str


class TopicOut(Schema):
    number: str = Field(description="Text, also where it looks like a number.")
    title: str
    description: str
    narrative: str
    subtopics: list[SubtopicOut]


class DocumentOut(Schema):
    docno: str
    title: str
    has_text: bool


class DocumentDetail(DocumentOut):
    text: str


class DocumentFilter(Paging):
    search: Text = Field("", max_length=200, description="The start of a docno or a piece of a title.")


@router.get(f"{TASK}/topics", response=Page[TopicOut], summary="List a task's topics", **PUBLIC)
def list_topics(request: HttpRequest, path: Path[TaskPath], paging: Query[Paging]) -> Page[TopicOut]:
    """In the order of the topic file, with all their text."""
    task = get_task_or_404(request.user, path.campaign, path.task)
    topics = task.topics.prefetch_related("subtopics").order_by("position")
    return page_of(request, topics, paging, topic_out)


@router.get(f"{TASK}/topic-files/{{file_format}}", summary="Download a topic file", openapi_extra=TOPIC_FILE, **PUBLIC)
def download_topics(request: HttpRequest, path: Path[TaskPath], file_format: TopicFormat) -> HttpResponse:
    """All topics as trec (SGML), xml, tsv (without subtopics) or jsonl."""
    return topic_file(get_task_or_404(request.user, path.campaign, path.task), FILES[file_format])


@router.get(f"{TASK}/docnos", summary="Download the list of document numbers", openapi_extra=DOCNO_FILE)
def download_docnos(request: HttpRequest, path: Path[TaskPath]) -> StreamingHttpResponse:
    """One on each line, as gzip: what the check of runs knows. For organisers, assessors and members of teams that take part."""
    task = get_task_or_404(request.user, path.campaign, path.task)
    require_document_reader(request.user, task.campaign)
    if task.collection_id is None:
        raise Http404
    return docno_file(task)


@router.get(f"{TASK}/documents", response=Page[DocumentOut], summary="List a task's documents")
def list_documents(request: HttpRequest, path: Path[TaskPath], wanted: Query[DocumentFilter]) -> Page[DocumentOut]:
    """For organisers, assessors and members of teams that take part."""
    task = get_task_or_404(request.user, path.campaign, path.task)
    require_document_reader(request.user, task.campaign)
    return page_of(request, task_documents(task, wanted.search.strip()), wanted, _document)


@router.get(f"{TASK}/documents/{{path:docno}}", response=DocumentDetail, summary="Read a document")
def read_document(request: HttpRequest, path: Path[TaskPath], docno: str) -> DocumentDetail:
    """For organisers, assessors and members of teams that take part. A docno may hold slashes."""
    task = get_task_or_404(request.user, path.campaign, path.task)
    require_document_reader(request.user, task.campaign)
    document = get_or_404(Document.objects.filter(collection=task.collection_id), docno=docno)
    return DocumentDetail(**_document(document).model_dump(), text=document.text)


def topic_out(topic: Topic) -> TopicOut:
    return TopicOut(
        number=topic.number,
        title=topic.title,
        description=topic.description,
        narrative=topic.narrative,
        subtopics=[SubtopicOut(number=sub.number, text=sub.text) for sub in topic.subtopics.all()],
    )


def _document(document: Document) -> DocumentOut:
    return DocumentOut(docno=document.docno, title=document.title, has_text=document.has_text)
