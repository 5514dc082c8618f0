from collections.abc import Iterator

from django.core.exceptions import PermissionDenied
from django.db.models import Q, QuerySet

from campaign.collection.docno_index import docno_index
from campaign.formats.runs.rules import KnownDocnos
from campaign.models import Campaign, Collection, Document, Task, Visitor
from campaign.permissions import is_assessor, is_organiser, is_participant

DOCNOS_AT_ONCE = 50_000
STAGING = "staging:"
"""Prefix of the slug of a collection that an import is still filling; with the colon it is no valid slug."""


def known_docnos(task: Task) -> KnownDocnos | None:
    """Return the docnos that a run of the task may hold; None where all are allowed or the task has no collection."""
    if task.docno_policy == Task.ANY or task.collection_id is None:
        return None
    return docno_index(task.collection_id)


def docnos(task: Task) -> frozenset[str] | None:
    """Return the docnos of the task's collection as a plain set, for reading line by line; else like `known_docnos`."""
    if task.docno_policy == Task.ANY or task.collection_id is None:
        return None
    return frozenset(Document.objects.filter(collection=task.collection_id).values_list("docno", flat=True))


def docno_batches(task: Task) -> Iterator[list[str]]:
    """Yield the docnos of the task's collection, sorted; no cursor stays open for as long as the reader takes."""
    documents = Document.objects.filter(collection=task.collection_id).order_by("docno").values_list("docno", flat=True)
    batch = list(documents[:DOCNOS_AT_ONCE])
    while batch:
        yield batch
        batch = list(documents.filter(docno__gt=batch[-1])[:DOCNOS_AT_ONCE])


def task_documents(task: Task, search: str = "") -> QuerySet[Document]:
    """Return the task's documents without their texts, which a list does not show.

    `search`: the start of a docno or a piece of a title.
    """
    documents = Document.objects.filter(collection=task.collection_id).defer("text").order_by("pk")
    if search:
        documents = documents.filter(Q(docno__startswith=search) | Q(title__icontains=search))
    return documents


def campaign_collections(campaign: Campaign) -> QuerySet[Collection]:
    return campaign.collections.exclude(slug__startswith=STAGING)


def may_read_documents(user: Visitor, campaign: Campaign) -> bool:
    return is_organiser(user, campaign) or is_assessor(user, campaign) or is_participant(user, campaign)


def require_document_reader(user: Visitor, campaign: Campaign) -> None:
    if not may_read_documents(user, campaign):
        raise PermissionDenied(
            "Documents are shown to organisers, assessors and the members of registered teams. "
            "Register a team for the campaign to read them."
        )


def tasks_with(document: Document) -> list[Task]:
    """The tasks that share the document."""
    return list(Task.objects.filter(collection=document.collection_id).select_related("campaign").order_by("pk"))
