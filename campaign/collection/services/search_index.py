"""The index of a collection's texts: made by a job when somebody searches them, made anew when documents came or went."""

import tempfile
from collections.abc import Callable, Iterator

from django.core.files.base import File
from django.db import transaction
from django.db.models.functions import Substr

from campaign.collection.search.indexing import build_text_index
from campaign.collection.search.stored import write_index
from campaign.collection.search.text import indexed_words
from campaign.collection.selectors.search import INDEX_TEXTS, last_indexing, ready_index
from campaign.models import Collection, Document, Job, SearchIndex, User
from campaign.queue.jobs import enqueue
from campaign.storage import store
from campaign.text.plurals import number_of
from campaign.web.daily_limits import require_few_changes

MOST_DOCUMENTS, MOST_CHARACTERS = 1_000_000, 1 << 30
CHARACTERS_OF_A_TEXT = 1_000_000
AT_ONCE = 100
Report = Callable[[int, int, str], None]


class TooMuchTextError(ValueError):
    """The index would not fit: the message says what to do instead."""


@transaction.atomic
def texts_index_request(collection: Collection, *, again_for: User | None = None) -> Job:
    """Return the job that indexes the texts as they are now, asking for one where there is none.

    `again_for`: who asks for another after a failure.
    """
    job = last_indexing(collection)
    has_failed = job is not None and job.state == Job.FAILED
    if has_failed and again_for is not None:
        require_few_changes(again_for)
    if job is None or job.state == Job.DONE or (has_failed and again_for is not None):
        return enqueue(INDEX_TEXTS, collection_id=collection.pk, version=collection.documents_version)
    return job


def search_index_remove(index: SearchIndex) -> None:
    """Remove an index that an earlier version of the program made, unless it was made anew meanwhile."""
    SearchIndex.objects.filter(pk=index.pk, sha256=index.sha256).delete()


def texts_index(*, collection_id: int, version: int, report: Report) -> None:
    """Index the texts if they are still of this version; TooMuchTextError beyond what a search here can bear."""
    collection = Collection.objects.filter(pk=collection_id, documents_version=version).first()
    if collection is None or ready_index(collection) is not None:
        return
    total = collection.text_count
    if total > MOST_DOCUMENTS:
        raise TooMuchTextError(_too_much(number_of(total, "text")))
    index = build_text_index(_texts(collection_id, total, report), indexed_words)
    with tempfile.TemporaryFile() as file:
        write_index(index, file)
        file.seek(0)
        stored = store(File(file), folder="search")
    with transaction.atomic():
        if Collection.objects.select_for_update().filter(pk=collection_id, documents_version=version).exists():
            SearchIndex.objects.update_or_create(
                collection_id=collection_id,
                defaults={
                    "version": version,
                    "documents": len(index.keys),
                    "file": stored.name,
                    "sha256": stored.sha256,
                },
            )


def _texts(collection_id: int, total: int, report: Report) -> Iterator[tuple[int, str]]:
    """Key and text of each document; no cursor stays open, and of a giant text the beginning must do."""
    texts = Document.objects.filter(collection=collection_id, has_text=True).order_by("pk")
    rows = texts.annotate(start=Substr("text", 1, CHARACTERS_OF_A_TEXT)).values_list("pk", "title", "start")
    last, done, characters = 0, 0, 0
    while batch := list(rows.filter(pk__gt=last)[:AT_ONCE]):
        for key, title, text in batch:
            characters += len(title) + len(text)
            yield key, f"{title}\n{text}"
        if characters > MOST_CHARACTERS:
            raise TooMuchTextError(_too_much(f"texts of {characters:,} characters and more"))
        last, done = batch[-1][0], done + len(batch)
        report(done, total, "texts indexed")


def _too_much(found: str) -> str:
    return (
        f"This collection has {found}, more than can be searched here. Search it with a system of your own, and enter the "
        "numbers of the documents that you find."
    )
