import sys
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from django.core.exceptions import PermissionDenied
from django.db.models import Q, QuerySet

from campaign.collection.docno_index import docno_index
from campaign.formats.runs.rules import KnownDocnos
from campaign.models import Campaign, Collection, Document, Registration, Role, Task, Visitor
from campaign.permissions import is_assessor, is_organiser, is_participant

DOCNOS_AT_ONCE = 50_000
MOST_TITLES_SEARCHED = 100_000
SURROGATES = range(0xD800, 0xE000)
"""Numbers of no character: what stands after the one before them comes after them."""
STAGING = "staging:"
"""Prefix of the slug of a collection that an import is still filling; with the colon it is no valid slug."""


def known_docnos(task: Task) -> KnownDocnos | None:
    """Return the docnos that a run of the task may hold; None where all are allowed or the task has no collection."""
    if task.docno_policy == Task.ANY or task.collection_id is None:
        return None
    return docno_index(task.collection_id)


def docnos(task: Task) -> set[str] | None:
    """Return the docnos of the task's collection as a plain set, for reading line by line; else like `known_docnos`."""
    if task.docno_policy == Task.ANY or task.collection_id is None:
        return None
    return set(Document.objects.filter(collection=task.collection_id).values_list("docno", flat=True))


def docno_batches(task: Task) -> Iterator[list[str]]:
    """Yield the docnos of the task's collection, sorted; no cursor stays open for as long as the reader takes."""
    documents = Document.objects.filter(collection=task.collection_id).order_by("docno").values_list("docno", flat=True)
    batch = list(documents[:DOCNOS_AT_ONCE])
    while batch:
        yield batch
        batch = list(documents.filter(docno__gt=batch[-1])[:DOCNOS_AT_ONCE])


@dataclass(frozen=True, slots=True)
class DocumentPage:
    """`after`: the docno after which the next page begins, empty on the last. `count`: of the whole list, where it is stored."""

    documents: list[Document]
    after: str
    count: int | None


def listed_documents(task: Task, *, search: str = "", after: str = "", leave_out: int = 0, limit: int) -> DocumentPage:
    """A page of the task's documents by docno, without their texts; it takes as long for any number of documents.

    `search`: the start of a docno or, where `titles_are_searched`, a piece of a title. `leave_out`: of those after `after`.
    """
    documents = Document.objects.filter(collection=task.collection_id).defer("text").order_by("docno")
    if search:
        wanted = begins_with(search)
        documents = documents.filter(wanted | _in_title(search) if titles_are_searched(task) else wanted)
    if after:
        documents = documents.filter(docno__gt=after)
    rows = list(documents[leave_out : leave_out + limit + 1])
    count = None if search else document_count(task)
    return DocumentPage(rows[:limit], rows[limit - 1].docno if len(rows) > limit else "", count)


def document_count(task: Task) -> int:
    return task.collection.document_count if task.collection else 0


def titles_are_searched(task: Task) -> bool:
    """No index finds a piece of a title: all of them are read, which a page cannot wait for in a large collection."""
    return document_count(task) <= MOST_TITLES_SEARCHED


def _in_title(piece: str) -> Q:
    """Titles of files may be composed or decomposed (é as one character or two); what is typed may be so as well."""
    found = Q(title__icontains=piece)
    for form in ("NFC", "NFD"):
        found |= Q(title__icontains=unicodedata.normalize(form, piece))
    return found


def begins_with(prefix: str) -> Q:
    """As a range, which an index serves in every database: docnos stand in the order of their characters' numbers."""
    after = prefix.rstrip(chr(sys.maxunicode))
    if not after:
        return Q(docno__gte=prefix)
    following = ord(after[-1]) + 1
    if following in SURROGATES:
        following = SURROGATES.stop
    return Q(docno__gte=prefix, docno__lt=after[:-1] + chr(following))


def campaign_collections(campaign: Campaign) -> QuerySet[Collection]:
    return campaign.collections.exclude(slug__startswith=STAGING)


def may_read_documents(user: Visitor, campaign: Campaign) -> bool:
    return is_organiser(user, campaign) or is_assessor(user, campaign) or is_participant(user, campaign)


def campaigns_with_readable_documents(user: Visitor) -> QuerySet[Campaign]:
    """Those in which `may_read_documents` holds, for a query over many campaigns."""
    campaigns: QuerySet[Campaign] = Campaign.objects.all()
    if user.is_superuser:
        return campaigns
    if not user.is_authenticated:
        return campaigns.none()
    teams = Registration.objects.approved().filter(team__memberships__user=user).values("campaign")
    return campaigns.filter(Q(pk__in=Role.objects.filter(user=user).values("campaign")) | Q(pk__in=teams))


def require_document_reader(user: Visitor, campaign: Campaign) -> None:
    if not may_read_documents(user, campaign):
        raise PermissionDenied(
            "Documents are shown to organisers, assessors and the members of registered teams. "
            "Register a team for the campaign to read them."
        )


def tasks_with(document: Document) -> list[Task]:
    """The tasks that share the document."""
    return list(Task.objects.filter(collection=document.collection_id).select_related("campaign").order_by("pk"))
