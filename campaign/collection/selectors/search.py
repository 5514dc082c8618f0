"""Searching the texts of a collection by an index that was made before."""

import mmap
from dataclasses import dataclass
from functools import lru_cache

from django.core.files.storage import default_storage
from django.db.models import QuerySet
from django.db.models.functions import Substr

from campaign.collection.search.indexing import TextIndex
from campaign.collection.search.ranking import best_keys
from campaign.collection.search.snippets import Part, marked, snippet
from campaign.collection.search.stored import read_index
from campaign.collection.search.text import stemmed_words
from campaign.models import Collection, Document, Job, SearchIndex, job_key
from campaign.storage.reading import open_verified

INDEX_TEXTS = "index texts"
"""Done by campaign/collection/jobs.py."""
RESULTS = 20
SNIPPED_FROM = 20_000
"""Characters of a text in which its snippet is looked for."""
LOADED = 2


@dataclass(frozen=True, slots=True)
class Hit:
    docno: str
    title: list[Part]
    snippet: list[Part]
    has_text: bool


@dataclass(frozen=True, slots=True)
class Hits:
    """The best documents, and how many hold a word of the query."""

    best: list[Hit]
    matching: int


def ready_index(collection: Collection) -> SearchIndex | None:
    """The index of the texts as they are now, if it was made and its file is there."""
    index = SearchIndex.objects.filter(collection=collection, version=collection.documents_version).first()
    return index if index is not None and default_storage.exists(str(index.file.name)) else None


def last_indexing(collection: Collection) -> Job | None:
    key = job_key({"collection_id": collection.pk, "version": collection.documents_version})
    return Job.objects.filter(name=INDEX_TEXTS, key=key).order_by("-pk").first()


def search_texts(index: SearchIndex, query: str) -> Hits:
    """The best documents for the words of the query; DamagedFileError if the index is not what was stored."""
    terms = stemmed_words(query)
    keys, matching = best_keys(_loaded(str(index.file.name)), terms, RESULTS)
    rows = _documents(index.collection_id).in_bulk(keys)
    return Hits([_hit(rows[key], frozenset(terms)) for key in keys if key in rows], matching)


def document_named(collection: Collection, query: str) -> Hit | None:
    """The document whose number the query is."""
    document = _documents(collection.pk).filter(docno=query).first()
    return None if document is None else _hit(document, frozenset())


def _documents(collection_id: int) -> "QuerySet[Document]":
    documents = Document.objects.filter(collection=collection_id).defer("text")
    return documents.annotate(start=Substr("text", 1, SNIPPED_FROM))


def _hit(document: Document, terms: frozenset[str]) -> Hit:
    start = document.start  # type: ignore[attr-defined]
    return Hit(document.docno, marked(document.title, terms), snippet(start, terms), document.has_text)


@lru_cache(maxsize=LOADED)
def _loaded(name: str) -> TextIndex:
    """Mapped, not read: processes that search the same texts share the memory. The name follows from the content."""
    with open_verified(name, found_by="a search of texts") as file:
        return read_index(memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)))
