"""Stored files whose bytes are not those of their name: set aside, reported in a row, restored when the bytes come again."""

import logging
from pathlib import PurePath

from django.core.files.storage import default_storage
from django.db import IntegrityError, transaction
from django.utils import timezone

from campaign.models import DamagedFile
from campaign.storage.checksums import found_sha256, is_closed, is_intact, sha256_in
from campaign.storage.consistent_read import reads_only
from campaign.storage.interface import files, locked_names

FOLDER = "quarantine"
FOUND = "the stored file %s is damaged or missing, found by %s"
logger = logging.getLogger(__name__)


class DamagedFileError(Exception):
    """A stored file is missing or damaged. Nothing is computed from it or sent to anybody."""

    def __init__(self, damaged: DamagedFile) -> None:
        what = "is damaged and was set aside" if damaged.moved_to else "is missing or damaged, or cannot be read"
        super().__init__(
            f"The stored file {damaged.name} {what}: nothing is computed from it. "
            "Send the same file again, or have the operators of the site restore it from their backup."
        )


def set_aside(name: str, *, found_by: str) -> DamagedFile | None:
    """Move a damaged file away from its name and report it, or report a missing one; None if it is whole after all.

    The file is read once more while nobody can give it another content: it may have been restored since it was read.
    """
    if reads_only():  # whoever reads it next sets it aside
        if is_intact(name):
            return None
        logger.error(FOUND, name, found_by)
        return DamagedFile(name=name, found_by=found_by)
    with locked_names(alone=True):
        found = found_sha256(name)
        if found == sha256_in(name):
            return None
        # One that only cannot be read may be whole, and all of them are where root has restored a site: they stay.
        moved_to = _move_away(name) if default_storage.exists(name) and not is_closed(name) else ""
    # Without the lock: in SQLite, who stores within a transaction would wait for it, and this for the transaction.
    damaged = _report(name, found_by=found_by, found_sha256=found, moved_to=moved_to)
    if is_intact(name):  # the bytes came in again before the report was there
        forget_damage(name)
        return None
    return damaged


def forget_damage(name: str) -> None:
    """The bytes of this name are there again."""
    if DamagedFile.objects.filter(name=name, restored_at=None).update(restored_at=timezone.now()):
        logger.warning("the stored file %s is restored", name)


def _move_away(name: str) -> str:
    moved_to = f"{FOLDER}/{timezone.now():%Y%m%dT%H%M%S%f}-{PurePath(name).name}"
    files().move(name, moved_to)
    return moved_to


def _report(name: str, **facts: str) -> DamagedFile:
    while True:
        damaged = DamagedFile.objects.filter(name=name, restored_at=None).first()
        if damaged is not None:
            if facts["moved_to"]:  # damaged once more since somebody put it back by hand
                DamagedFile.objects.filter(pk=damaged.pk).update(**facts)
            return damaged
        try:
            with transaction.atomic():
                damaged = DamagedFile.objects.create(name=name, **facts)
        except IntegrityError:  # somebody else reported it at this moment
            continue
        logger.error(FOUND, name, facts["found_by"])
        return damaged
