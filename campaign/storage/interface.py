"""What the site needs of the place where its files lie: `disk` has it for a folder, `bucket` for a bucket."""

import errno
from abc import abstractmethod
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, TypeGuard, cast

from django.core.files.base import File
from django.core.files.storage import Storage, default_storage

CHUNK = 1 << 20
UNFINISHED = ".unfinished-"
"""How the names of files begin that are still being written, or were when their process died."""
ONLY_READ_OR_LOST = frozenset({errno.EROFS, errno.ESTALE})
"""A disk that the system lets only be read after an error, and a server of files that lost the folder."""
INCOMING = "incoming"
"""The folder of uploads that are arriving."""


class StorageAwayError(ConnectionError):
    """The place of the files does not answer, or refuses. It says nothing of the files: none of them counts as missing.

    The text is for users. `reason` is for operators, and holds no key.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(
            "The storage of files does not answer now, and nothing was stored. Wait a minute, then do it again; "
            "if this stays, tell the operators of the site."
        )
        self.reason = reason


class StorageRefusedError(StorageAwayError):
    """The place answers, and says no: to these keys, or to what they ask. It will say so again."""


def storage_is_away(problem: BaseException | None) -> bool:
    """Whether the place does not answer, or is closed to the site: of another user, or on a disk that can only be read."""
    return isinstance(problem, (StorageAwayError, PermissionError)) or is_lost(problem)


def is_lost(problem: BaseException | None) -> TypeGuard[OSError]:
    """Whether all of the disk can only be read, or is gone: no fault of the one file."""
    return isinstance(problem, OSError) and problem.errno in ONLY_READ_OR_LOST


@dataclass(frozen=True, slots=True)
class Facts:
    """`age`: seconds since the file was stored or last asked for by the same bytes, by the clock of the place itself.

    `version`: of a bucket, what it calls these bytes: another word after each change.
    """

    name: str
    size: int
    age: float
    version: str = ""


class StoredFiles(Storage):
    """Names follow from the content, so what is saved under a name that exists are the same bytes."""

    def get_available_name(self, name: str, max_length: int | None = None) -> str:
        return name

    @abstractmethod
    def open_stored(self, name: str) -> "File[Any]":
        """Open what lies in the place itself, for one pass; `open` may give a copy of it on this machine."""

    @abstractmethod
    def drop_copy(self, name: str) -> bool:
        """Give up this machine's copy of a file, which `open` then makes anew; False where there are no copies."""

    @abstractmethod
    def local_path(self, name: str) -> Path:
        """A path on this machine with the content of the file, to be mapped into memory at once."""

    @abstractmethod
    def written_whole(self, name: str) -> AbstractContextManager[BinaryIO]:
        """Write a file, also one that exists: it appears when all of it is there."""

    @abstractmethod
    def facts(self, name: str) -> Facts:
        """Size and age of a file; FileNotFoundError if there is none."""

    @abstractmethod
    def listed(self, without: frozenset[str] = frozenset()) -> Iterator[Facts]:
        """All files, but for those in these folders."""

    @abstractmethod
    def make_young(self, name: str) -> None:
        """Let the age of a file begin anew; FileNotFoundError if there is none."""

    @abstractmethod
    def move(self, name: str, new: str) -> None:
        """Give a file another name."""

    @abstractmethod
    def locked_names(self, *, alone: bool = False) -> AbstractContextManager[None]:
        """Whoever stores files shares the lock; whoever takes names away holds it alone, and then looks at the file again."""

    @abstractmethod
    def remove_unfinished(self, older_than: float) -> int:
        """Remove uploads and writes that dead processes left half-done so many seconds ago; return how many."""

    @abstractmethod
    def folders(self) -> list[Path]:
        """The folders of this machine in which files lie that are not copies."""

    def signed_address(self, name: str, *, seconds: int, disposition: str, content_type: str) -> str:
        """An address at which whoever has it may download the file for so long; a folder has none."""
        return ""

    @abstractmethod
    def require_answer(self) -> None:
        """Raise OSError where nothing can be stored or read now."""


def files() -> StoredFiles:
    """The site's storage."""
    return cast(StoredFiles, default_storage)


def locked_names(*, alone: bool = False) -> AbstractContextManager[None]:
    return files().locked_names(alone=alone)
