from datetime import datetime
from typing import Any, Literal

from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from ninja import Field, Path, Query, Router, Schema

from campaign.api.auth import PUBLIC
from campaign.api.fields import Text, one_of
from campaign.api.paging import Page, Paging, next_address, page_of
from campaign.api.paths import TASK, TaskPath
from campaign.collection.exports import docno_file, document_file, topic_file
from campaign.collection.selectors.corrections import errata_of
from campaign.collection.selectors.documents import (
    MOST_TITLES_SEARCHED,
    listed_documents,
    may_read_documents,
    require_document_reader,
)
from campaign.collection.selectors.errata import errata_shown
from campaign.collection.selectors.texts import may_download_texts, require_texts_downloader
from campaign.formats.document_files import DOCUMENT_FILES
from campaign.formats.topics.read import TopicFormat
from campaign.formats.topics.write import FILES
from campaign.models import Correction, Document, Topic
from campaign.permissions import get_or_404, get_task_or_404

router = Router(tags=["Tasks"])
MOST_LEFT_OUT = 10_000
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
    search: Text = Field(
        "",
        max_length=200,
        description=f"The start of a docno; in collections of up to {MOST_TITLES_SEARCHED:,} documents also a piece of a title.",
    )
    after: Text = Field("", max_length=200, description="Only documents whose docno comes after this one.")
    offset: int = Field(
        0, ge=0, le=MOST_LEFT_OUT, description="How many to leave out before; `after` leads on from there at any depth."
    )


class DocumentList(Schema):
    items: list[DocumentOut]
    count: int | None = Field(description="How many there are in all; null where a search is asked for.")
    next: str | None = Field(description="The address of the next page; null on the last.")


@router.get(f"{TASK}/topics", response=Page[TopicOut], summary="List a task's topics", **PUBLIC)
def list_topics(request: HttpRequest, path: Path[TaskPath], paging: Query[Paging]) -> Page[TopicOut]:
    """In the order of the topic file, with all their text."""
    task = get_task_or_404(request.user, path.campaign, path.task)
    topics = task.topics.prefetch_related("subtopics").order_by("position")
    return page_of(request, topics, paging, topic_out)


@router.get(f"{TASK}/topics/{{topic:number}}", response=TopicOut, summary="Read a topic", **PUBLIC)
def read_topic(request: HttpRequest, path: Path[TaskPath], number: str) -> TopicOut:
    """By its number, with all its text."""
    task = get_task_or_404(request.user, path.campaign, path.task)
    return topic_out(get_or_404(task.topics.prefetch_related("subtopics"), number=number))


@router.get(f"{TASK}/topic-files/{{file_format}}", summary="Download a topic file", openapi_extra=TOPIC_FILE, **PUBLIC)
def download_topics(request: HttpRequest, path: Path[TaskPath], file_format: TopicFormat) -> HttpResponse:
    """All topics as trec (SGML), xml, tsv (without subtopics) or jsonl."""
    return topic_file(get_task_or_404(request.user, path.campaign, path.task), FILES[file_format])


@router.get(f"{TASK}/docnos", summary="Download the list of document numbers", openapi_extra=DOCNO_FILE, **PUBLIC)
def download_docnos(request: HttpRequest, path: Path[TaskPath]) -> StreamingHttpResponse:
    """One on each line, as gzip: what the check of runs knows. For organisers, assessors and members of teams that take part.

    Also for those to whom the task gives the texts (`texts_for`).
    """
    task = get_task_or_404(request.user, path.campaign, path.task)
    if not may_download_texts(request.user, task):
        require_document_reader(request.user, task.campaign)
    if task.collection_id is None:
        raise Http404
    return docno_file(task)


@router.get(
    f"{TASK}/document-files/{{file_format}}", summary="Download all documents", openapi_extra=DOCNO_FILE, **PUBLIC
)
def download_documents(
    request: HttpRequest, path: Path[TaskPath], file_format: Literal["jsonl", "trec"]
) -> StreamingHttpResponse:
    """All texts as gzip. For those to whom the task gives them (`texts_for`), which may be organisers only."""
    task = get_task_or_404(request.user, path.campaign, path.task)
    require_texts_downloader(request.user, task)
    if task.collection_id is None:
        raise Http404
    return document_file(task, task.collection_id, DOCUMENT_FILES[file_format])


@router.get(f"{TASK}/documents", response=DocumentList, summary="List a task's documents")
def list_documents(request: HttpRequest, path: Path[TaskPath], wanted: Query[DocumentFilter]) -> DocumentList:
    """By docno, without texts. For organisers, assessors and members of teams that take part."""
    task = get_task_or_404(request.user, path.campaign, path.task)
    require_document_reader(request.user, task.campaign)
    search = wanted.search.strip()
    page = listed_documents(task, search=search, after=wanted.after, leave_out=wanted.offset, limit=wanted.limit)
    following = next_address(request, limit=wanted.limit, offset=0, after=page.after) if page.after else None
    return DocumentList(items=[_document(document) for document in page.documents], count=page.count, next=following)


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


class Change(Schema):
    part: str
    same: str = Field(description="What did not change before this place, cut where it is long.")
    gone: str
    new: str


class ErratumOut(Schema):
    number: int = Field(description="Counts the errata of the task.")
    kind: str = one_of(Correction.KINDS)
    key: str = Field(description="Topic number, docno or grade; empty for the guidelines.")
    version: int | None = Field(description="Of the text since then, from 2; null where no text changed.")
    at: datetime
    note: str
    changes: list[Change] = Field(description="Empty for documents, except to those who may read them.")


@router.get(f"{TASK}/errata", response=Page[ErratumOut], summary="List a task's errata", **PUBLIC)
def list_errata(request: HttpRequest, path: Path[TaskPath], paging: Query[Paging]) -> Page[ErratumOut]:
    """Corrections of texts that others may have seen, and topics that left or came back into scoring; the newest first."""
    task = get_task_or_404(request.user, path.campaign, path.task)
    reads = may_read_documents(request.user, task.campaign)

    def out(correction: Correction) -> ErratumOut:
        [shown] = errata_shown(task, [correction], reads_documents=reads, organises=False)
        same = {name: getattr(correction, name) for name in ("number", "kind", "key", "at", "note")}
        changes = [
            Change(part=part.label, same=piece.same, gone=piece.gone, new=piece.new)
            for part in shown.parts
            for piece in part.pieces
        ]
        return ErratumOut(**same, version=correction.version if correction.is_of_text else None, changes=changes)

    return page_of(request, errata_of(task), paging, out)
