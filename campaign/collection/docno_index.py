"""The index of a collection's document numbers, which the checks of runs look into: a file in storage, made when needed.

Its name holds the version of the collection's documents and that of the hashing. So
an outdated index is never used, even if it was not deleted.
"""

import os
import tempfile
import time
from collections.abc import Callable, Iterator
from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import BinaryIO, cast

import polars as pl
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db.models import F

from campaign.formats.docno_hashes import DocnoHashes, hashing_key
from campaign.models import Collection, Document
from campaign.tasking import enqueue

INDEX_DOCNOS = "index docnos"
FOLDER = "docnos"
AT_ONCE = 50_000
ABANDONED_AFTER_SECONDS = 3600


def documents_changed(collection_id: int) -> None:
    """Call it in the transaction that adds documents to a collection or deletes some."""
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
            _keep(name, made)
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


def _path(name: str) -> Path | None:
    """Return the path of the file; None if the storage is no file system."""
    try:
        return Path(default_storage.path(name))
    except NotImplementedError:
        return None


def _opened(name: str) -> DocnoHashes | None:
    path = _path(name)
    try:
        if path is not None:
            return DocnoHashes.mapped(path)
        with default_storage.open(name) as file:
            return DocnoHashes.read(file.read())
    except FileNotFoundError:
        return None


def _keep(name: str, index: DocnoHashes) -> None:
    path = _path(name)
    if path is None:
        content = BytesIO()
        index.write(content)
        if default_storage.exists(name):
            default_storage.delete(name)
        default_storage.save(name, ContentFile(content.getvalue()))
    else:
        _write_at_once(path, index.write)


def _write_at_once(path: Path, write: Callable[[BinaryIO], None]) -> None:
    """Write the file atomically: no reader sees a part of it, even if this process is killed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False) as out:
        try:
            write(cast(BinaryIO, out))
            out.flush()
            os.fsync(out.fileno())
            os.replace(out.name, path)
        except BaseException:
            os.unlink(out.name)
            raise


def _clear(collection_id: int, kept: str) -> None:
    """Delete the collection's earlier indexes, and what a killed process left half-written."""
    folder = _path(FOLDER)
    prefix = _prefix(collection_id)
    for name in default_storage.listdir(FOLDER)[1]:
        if name.startswith(prefix) and f"{FOLDER}/{name}" != kept:
            default_storage.delete(f"{FOLDER}/{name}")
        elif folder is not None and name.startswith(f".{prefix}"):
            _delete_abandoned(folder / name)


def _delete_abandoned(path: Path) -> None:
    try:
        if path.stat().st_mtime < time.time() - ABANDONED_AFTER_SECONDS:
            path.unlink()
    except FileNotFoundError:  # another worker was quicker
        return
