"""What the name of a stored file promises, and what is there."""

import errno
import hashlib
import re
from pathlib import PurePath
from typing import Any

from django.core.files.base import File
from django.core.files.storage import default_storage

from campaign.storage.interface import CHUNK, StoredFiles, files

SHA256 = re.compile(r"[0-9a-f]{64}")


def sha256_in(name: str) -> str:
    """The checksum that the name promises."""
    found = SHA256.fullmatch(PurePath(name).stem)
    if found is None:
        raise ValueError(f"{name} is not named by its content.")
    return found.group()


def open_intact(name: str) -> "File[Any] | None":
    """The stored file at its beginning, read once for its checksum; None if it is not there, is closed or holds other bytes."""
    for _ in range(2):  # once more where a copy of this machine was wrong, and not the file itself
        try:
            file = default_storage.open(name)
        except (FileNotFoundError, PermissionError):
            return None
        if _read(file) == sha256_in(name):
            file.seek(0)
            return file
        file.close()
        if not files().drop_copy(name):
            return None
    return None


def found_sha256(name: str, place: StoredFiles | None = None) -> str:
    """The checksum of what is stored under the name; empty if nothing is, or if the disk cannot read it. Copies do not count.

    `place`: another one than the site's own.
    """
    try:
        with (place or files()).open_stored(name) as file:
            return _read(file)
    except (FileNotFoundError, PermissionError):
        return ""


def is_intact(name: str, place: StoredFiles | None = None) -> bool:
    return found_sha256(name, place) == sha256_in(name)


def is_closed(name: str) -> bool:
    """Whether the file is there, and the user who runs the site may not read it, as after a copy by root."""
    try:
        files().open_stored(name).close()
    except PermissionError:
        return True
    except FileNotFoundError:
        return False
    return False


def _read(file: "File[Any]") -> str:
    digest = hashlib.sha256()
    try:
        for chunk in iter(lambda: file.read(CHUNK), b""):
            digest.update(chunk)
    except OSError as problem:
        if problem.errno != errno.EIO:  # a bad sector
            raise
        return ""
    return digest.hexdigest()
