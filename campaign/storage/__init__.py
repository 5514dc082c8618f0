"""Files by content: an uploaded file is stored once under its SHA-256, which is its receipt as well.

`interface`: what a place of files can do. `disk`: a folder as such a place. `bucket`: a bucket as one, with `s3`, which asks it,
`copies` on this machine, and `locks` for all machines. `reading`: the bytes that a name promises, or an error. `downloads`: the
answer to who downloads a file. `quarantine`: what was found damaged. `room`: free space. `inventory`: what the database names,
what is there.
"""

import hashlib
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from typing import BinaryIO

from django.core.files.base import File
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import TemporaryUploadedFile
from django.db import transaction
from django.template.defaultfilters import filesizeformat

from campaign.storage.checksums import is_closed, is_intact
from campaign.storage.interface import CHUNK, files, locked_names
from campaign.storage.owners import leave_first_file
from campaign.storage.quarantine import forget_damage, set_aside


class FileTooLargeError(ValueError):
    def __init__(self, limit: int) -> None:
        super().__init__(f"The file is larger than {filesizeformat(limit)}. Compress it with gzip or split it.")


@dataclass(frozen=True, slots=True)
class StoredFile:
    name: str
    size: int
    sha256: str


def store(source: "BinaryIO | File[bytes]", *, folder: str, suffix: str = "", limit: int | None = None) -> StoredFile:
    """Stream `source` into storage while hashing; equal bytes are kept once. A damaged file of the same bytes is restored."""
    if isinstance(source, TemporaryUploadedFile):  # on disk already: its storage moves it, nothing is written twice
        return _keep(source, folder, suffix, *_copy(source.chunks(CHUNK), None, limit))
    chunks = source.chunks(CHUNK) if isinstance(source, File) else iter(lambda: source.read(CHUNK), b"")
    with tempfile.SpooledTemporaryFile(max_size=8 * CHUNK) as copy:
        return _keep(File(copy), folder, suffix, *_copy(chunks, copy, limit))


def _keep(content: "File[bytes]", folder: str, suffix: str, sha256: str, size: int) -> StoredFile:
    name = f"{folder}/{sha256[:2]}/{sha256}{suffix}"
    if default_storage.exists(name) and not is_intact(name):
        set_aside(name, found_by="a further copy that came in")
    with locked_names():  # a file that is about to be named by a row is not cleaned away
        if default_storage.exists(name) and not is_closed(name):
            files().make_young(name)
        else:
            content.seek(0)
            default_storage.save(name, content)
            forget_damage(name)
            transaction.on_commit(leave_first_file)
    return StoredFile(name=name, size=size, sha256=sha256)


def _copy(
    chunks: Iterable[bytes], target: tempfile.SpooledTemporaryFile[bytes] | None, limit: int | None
) -> tuple[str, int]:
    digest, size = hashlib.sha256(), 0
    for chunk in chunks:
        size += len(chunk)
        if limit is not None and size > limit:
            raise FileTooLargeError(limit)
        digest.update(chunk)
        if target is not None:
            target.write(chunk)
    return digest.hexdigest(), size
