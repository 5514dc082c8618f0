"""The one way to read a stored file: its bytes are those that its name promises, or nothing is read at all."""

import hashlib
from typing import Any

from django.core.files.base import File
from django.core.files.storage import default_storage

from campaign.storage.checksums import open_intact, sha256_in
from campaign.storage.interface import StorageAwayError
from campaign.storage.quarantine import DamagedFileError, set_aside


def open_verified(name: str, *, found_by: str) -> "File[Any]":
    """Open a stored file after one pass over it for its checksum; DamagedFileError if it is not what was stored.

    `found_by` says in a few words who reads, for the operators.
    """
    while True:
        file = open_intact(name)
        if file is not None:
            return file
        damaged = set_aside(name, found_by=found_by)
        if damaged is not None:
            raise DamagedFileError(damaged)
        # otherwise a further copy came in meanwhile


def verified_bytes(name: str, *, found_by: str) -> bytes:
    """The content of a stored file that fits into memory, read once; DamagedFileError if it is not what was stored."""
    try:
        with default_storage.open(name) as file:
            content: bytes = file.read()
    except StorageAwayError:
        raise
    except OSError:  # found out by the slower way
        content = b""
    if hashlib.sha256(content).hexdigest() == sha256_in(name):
        return content
    with open_verified(name, found_by=found_by) as file:
        return bytes(file.read())
