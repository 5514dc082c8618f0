"""The index of a collection's document numbers, which the checks of runs look into: a file in storage, made when needed.

Its name holds the version of the collection's documents and that of the hashing. So
an outdated index is never used, even if it was not deleted.
"""

import logging
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import polars as pl
from django.core.files.storage import default_storage
from django.db.models import F

from campaign.formats.docno_hashes import DocnoHashes, hashing_key
from campaign.models import Collection, Document
from campaign.queue.jobs import enqueue
from campaign.storage.interface import files

INDEX_DOCNOS = "index docnos"
"""Done by campaign/collection/jobs.py."""
FOLDER = "docnos"
AT_ONCE = 50_000
TRUSTED_SECONDS = 600
_found_intact: dict[Path, tuple[tuple[int, int], float]] = {}
logger = logging.getLogger(__name__)


def documents_changed(collection_id: int) -> None:
    """Call it in the transaction that adds documents to a collection, deletes some or changes their texts."""
    Collection.objects.filter(pk=collection_id).update(documents_version=F("documents_version") + 1)
    enqueue(INDEX_DOCNOS, collection_id=collection_id)


def docno_index(collection_id: int) -> DocnoHashes:
    """The index of the documents as they are now; it is made if it is not there."""
    while True:
        name = _name(collection_id)
        index = _opened(name)
        if index is not None:
            return index
        made = DocnoHashes.of(_docnos(collection_id))
        if _name(collection_id) == name:  # otherwise documents came in meanwhile
            with files().written_whole(name) as out:
                made.write(out)
            _clear(collection_id, name)
            return made


def _name(collection_id: int) -> str:
    version = Collection.objects.values_list("documents_version", flat=True).get(pk=collection_id)
    return f"{FOLDER}/{_prefix(collection_id)}{version}-{hashing_key()}"


def _prefix(collection_id: int) -> str:
    return f"{collection_id}-"


def _docnos(collection_id: int) -> Iterator[pl.Series]:
    docnos = Document.objects.filter(collection=collection_id).order_by().values_list("docno", flat=True)
    remaining = docnos.iterator(chunk_size=AT_ONCE)
    while batch := list(islice(remaining, AT_ONCE)):
        yield pl.Series(batch, dtype=pl.String)


def _opened(name: str) -> DocnoHashes | None:
    """The index if it is there, complete and unchanged; this is a cache, so what is damaged is just made anew."""
    try:
        path = files().local_path(name)
        index = DocnoHashes.mapped(path)
        if index is not None and _is_intact(path, index):
            return index
    except FileNotFoundError:
        return None
    logger.warning("the index of docnos %s is damaged: it is made anew", name)
    return None


def _is_intact(path: Path, index: DocnoHashes) -> bool:
    """Remembered for a while in each process, since it reads the whole file: 0.1 s for ten million documents."""
    facts, now = path.stat(), time.monotonic()
    file = (facts.st_ino, facts.st_mtime_ns)
    known, at = _found_intact.get(path, (None, 0.0))
    if known == file and now - at < TRUSTED_SECONDS:
        return True
    if not index.is_intact():
        return False
    _found_intact[path] = (file, now)
    return True


def _clear(collection_id: int, kept: str) -> None:
    """Delete the collection's earlier indexes."""
    for name in default_storage.listdir(FOLDER)[1]:
        if name.startswith(_prefix(collection_id)) and f"{FOLDER}/{name}" != kept:
            default_storage.delete(f"{FOLDER}/{name}")
