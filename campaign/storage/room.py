"""Room on the disks: how much is free, when uploads are refused, and what a full disk looks like."""

import errno
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import DatabaseError

from campaign.storage.interface import StorageAwayError, files, is_lost

FULL = frozenset({errno.ENOSPC, errno.EDQUOT})
FULL_FOR_SQLITE = frozenset({"SQLITE_FULL", "SQLITE_IOERR_SHMSIZE"})
"""The second: not even the file beside the database, through which its readers work together, could be made."""
NO_ROOM_CODE = "no_room"
NO_UPLOADS = "The site has nearly no room left and takes no files now. Tell its operators, and come again later."
NO_ROOM = "The site has no room for this file now. It was not stored: tell the operators of the site, and send it again later."


class DiskFullError(OSError):
    """A disk has no room left, or the site has used up its share of it."""

    def __init__(self) -> None:
        super().__init__(errno.ENOSPC, "the disk is full")


class NoRoomError(ValidationError):
    """An upload is refused: the disk is full, or nearly."""

    def __init__(self) -> None:
        super().__init__({"file": ValidationError(NO_ROOM, code=NO_ROOM_CODE)})


def free_bytes() -> int:
    """What is free on the disk of stored files, if they lie on one, or on that of the data folder, whichever is less."""
    return min(shutil.disk_usage(folder).free for folder in (*files().folders(), Path(settings.DATA_DIR)))


def has_room(size: int = 0) -> bool:
    """Whether so many bytes may come in: the rest is kept for checks, scores, judgments and the database."""
    free = free_bytes()
    return bool(free and free - size >= settings.FREE_SPACE_MINIMUM)


@contextmanager
def disk_full_named() -> Iterator[None]:
    """Raise DiskFullError in place of what files and databases raise when there is no room.

    A disk that takes nothing, since it can only be read, is a storage that is away: StorageAwayError.
    """
    try:
        yield
    except (OSError, DatabaseError) as problem:
        if is_disk_full(problem):
            raise DiskFullError from problem
        if is_lost(problem):
            place = problem.filename2 or problem.filename or "The disk of the files"
            raise StorageAwayError(
                f"{place} takes no files: {problem.strerror}. Mount it anew, to be written."
            ) from problem
        raise


@contextmanager
def taking_in() -> Iterator[None]:
    """Store a file that somebody sends; NoRoomError if it does not fit."""
    if not has_room():
        raise NoRoomError
    try:
        with disk_full_named():
            yield
    except DiskFullError as problem:
        raise NoRoomError from problem


def is_disk_full(problem: BaseException | None) -> bool:
    """Whether this is the error of a full disk, from the system, SQLite or PostgreSQL."""
    while problem is not None:
        if isinstance(problem, OSError) and problem.errno in FULL:
            return True
        if getattr(problem, "sqlstate", "") == "53100" or getattr(problem, "sqlite_errorname", "") in FULL_FOR_SQLITE:
            return True
        problem = problem.__cause__
    return False
