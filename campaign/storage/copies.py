"""Copies of a bucket's files on this machine: a cache, bounded in size, which any process may empty at any time."""

import os
import shutil
import time
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from typing import BinaryIO, NamedTuple

from django.core.files.storage import FileSystemStorage

from campaign.storage.disk import make_folder, remove_old, written_at_once
from campaign.storage.interface import UNFINISHED

JUST_USED_SECONDS = 5.0
"""So long after its use a copy is never removed: somebody has its path and is about to open it."""
DAY_SECONDS = 24 * 3600.0
UNUSED_SECONDS = 7 * DAY_SECONDS
KEPT_SHARE, WRITTEN_SHARE = 0.9, 0.02
"""Of the limit: what stays when copies are removed, and how much this process writes until it looks again."""


class _Copy(NamedTuple):
    used_at: float
    size: int
    path: Path


class Copies:
    """`limit`: bytes on the disk. `reserve`: bytes of the disk that copies leave free."""

    def __init__(self, folder: Path, *, limit: int, reserve: int) -> None:
        self.folder, self._limit, self._reserve = folder, limit, reserve
        self._written = limit  # so that the first copy of a process looks at what is there

    def path(self, name: str) -> Path:
        return Path(FileSystemStorage(self.folder).path(name))

    def opened(self, name: str) -> BinaryIO | None:
        """The copy, if there is one."""
        path = self.path(name)
        try:
            file = path.open("rb")
        except FileNotFoundError:
            return None
        _note_use(path)
        return file

    def found(self, name: str) -> Path | None:
        """The path of the copy, if there is one: to be opened at once."""
        path = self.path(name)
        with suppress(FileNotFoundError):
            _note_use(path)
            return path
        return None

    def written(self, name: str, size: int) -> AbstractContextManager[BinaryIO]:
        """Write a copy of about this size; others make room for it."""
        self._make_room(size)
        return written_at_once(self.path(name))

    def drop(self, name: str) -> bool:
        path = self.path(name)
        was_there = path.exists()
        path.unlink(missing_ok=True)
        return was_there

    def is_due(self) -> bool:
        """Whether nobody has removed what is unused on this machine for a day; who asks is expected to do it."""
        mark = self.folder / ".looked-at"
        if mark.exists() and mark.stat().st_mtime > time.time() - DAY_SECONDS:
            return False
        make_folder(self.folder)
        mark.touch()
        return True

    def remove_unused(self) -> int:
        """Remove copies that nobody has used for days, and what was half-written; return how many of the latter."""
        now = time.time()
        for copy in self._all():
            if copy.used_at < now - UNUSED_SECONDS:
                copy.path.unlink(missing_ok=True)
        return remove_old(list(self.folder.rglob(f"{UNFINISHED}*")), DAY_SECONDS)

    def _make_room(self, size: int) -> None:
        """Look at all copies only now and then: there may be a hundred thousand."""
        self._written += size
        make_folder(self.folder)
        lacking = size + self._reserve - shutil.disk_usage(self.folder).free
        if self._written > self._limit * WRITTEN_SHARE or lacking > 0:
            self._written = 0
            self._remove_longest_unused(size, lacking)

    def _remove_longest_unused(self, size: int, lacking: int) -> None:
        copies = sorted(self._all())
        excess = max(sum(copy.size for copy in copies) + size - self._limit * KEPT_SHARE, lacking)
        just_used = time.time() - JUST_USED_SECONDS
        for copy in copies:
            if excess <= 0 or copy.used_at > just_used:
                return
            copy.path.unlink(missing_ok=True)
            excess -= copy.size

    def _all(self) -> list[_Copy]:
        found = []
        for path, _, names in os.walk(self.folder):
            for name in names:
                if name.startswith(".") and not name.startswith(UNFINISHED):
                    continue
                with suppress(FileNotFoundError):  # another process removed it
                    there = (Path(path) / name).stat()
                    found.append(_Copy(there.st_atime, there.st_blocks * 512, Path(path) / name))
        return found


def _note_use(path: Path) -> None:
    """As the time of the last access, which the system itself may not keep; the time of the last change stays."""
    os.utime(path, ns=(time.time_ns(), path.stat().st_mtime_ns))
