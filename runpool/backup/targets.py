"""Where backups lie: parts named by their content and a manifest for each backup, in a folder or in a bucket."""

import contextlib
import errno
import fcntl
import hashlib
import os
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from enum import Enum
from pathlib import Path

from campaign.storage.interface import StorageAwayError
from campaign.storage.room import is_disk_full
from runpool.backup.sealing import MARK, Seal, SealError

CHUNK = 1 << 20
PARTS, MANIFESTS, LOCK, UNFINISHED = "parts", "backups", ".lock", ".unfinished-"
OR_ANOTHER_PLACE = "or name another place: one place holds either encrypted backups of one key or plain ones."
AT_WORK = "Another backup is being made into this place. Wait until it has ended."


class TargetError(Exception):
    """The target or what lies in it cannot be used; the text says what to do."""


class State(Enum):
    """Of a part: a damaged one has another size or other content than its backup says."""

    ABSENT = "absent"
    DAMAGED = "damaged"
    WHOLE = "whole"


class Target(ABC):
    """`seal`: encrypts and decrypts what is stored; None: it lies there as it is. A subclass says what a place can do."""

    def __init__(self, seal: Seal | None = None) -> None:
        self.seal = seal

    @abstractmethod
    def make(self) -> None:
        """Make the place ready to be written to."""

    @abstractmethod
    def alone(self) -> contextlib.AbstractContextManager[None]:
        """Keep others from writing into the same target meanwhile."""

    @abstractmethod
    def size(self, name: str) -> int | None:
        """The bytes of what lies under this name, as `parts/ab/abcd`; None if nothing does."""

    @abstractmethod
    def write(self, name: str, chunks: Iterable[bytes], before_it_is_named: Callable[[], None]) -> None:
        """Write it whole or not at all; `before_it_is_named` may still refuse it by an exception."""

    @abstractmethod
    def read(self, name: str) -> Iterator[bytes]:
        """Its bytes; FileNotFoundError or another OSError where there are none."""

    @abstractmethod
    def names(self, folder: str) -> list[str]:
        """What lies below the folder, also what is half-written."""

    @abstractmethod
    def remove(self, name: str) -> None:
        """Remove it if it is there."""

    def state(self, sha256: str, size: int, *, read: bool) -> State:
        """Compare a part with the `size` of its content in bytes, and, if it is to be `read`, its content with its checksum."""
        stored = self.size(self._part(sha256))
        if stored is None:
            return State.ABSENT
        if stored != (self.seal.sealed_size(size) if self.seal else size):
            return State.DAMAGED
        if read:
            try:
                for _ in self.get(sha256):
                    pass
            except TargetError as problem:
                if isinstance(problem.__cause__, StorageAwayError):
                    raise
                return State.DAMAGED
        return State.WHOLE

    def put(self, sha256: str, chunks: Iterable[bytes]) -> None:
        """Store a part under the checksum of its content; it is there whole or not at all."""
        digest = hashlib.sha256()

        def counted() -> Iterator[bytes]:
            for chunk in chunks:
                digest.update(chunk)
                yield chunk

        def require() -> None:
            if digest.hexdigest() != sha256:
                raise TargetError(f"{sha256}: the bytes are not those of this checksum")

        self.write(self._part(sha256), self._sealed(sha256, counted()), require)

    def get(self, sha256: str) -> Iterator[bytes]:
        """Yield a part's content; TargetError at its end if it is not that of its checksum, or earlier if it cannot be read."""
        digest = hashlib.sha256()
        try:
            for chunk in self._opened(sha256, self.read(self._part(sha256))):
                digest.update(chunk)
                yield chunk
        except FileNotFoundError as problem:
            raise TargetError(
                f"The part {sha256} of the backup is missing: {self}/{self._part(sha256)} is not there. Use an earlier backup, "
                "or a copy of this one."
            ) from problem
        except (OSError, SealError) as problem:
            raise TargetError(f"The part {sha256} of the backup cannot be read: {reason_of(problem)}.") from problem
        if digest.hexdigest() != sha256:
            raise TargetError(
                f"The part {sha256} of the backup is damaged. Use an earlier backup, or a copy of this one."
            )

    def put_manifest(self, name: str, content: bytes) -> None:
        self.write(f"{MANIFESTS}/{name}", self._sealed(name, iter([content])), lambda: None)

    def get_manifest(self, name: str) -> bytes:
        try:
            return b"".join(self._opened(name, self.read(f"{MANIFESTS}/{name}")))
        except FileNotFoundError as problem:
            raise TargetError(f"There is no backup {name} here. See: manage.py backup FOLDER --list") from problem
        except (OSError, SealError) as problem:
            raise TargetError(f"The backup {name} cannot be read: {reason_of(problem)}.") from problem

    def require_same_key(self) -> None:
        """TargetError unless the newest backup here was made with the same key, or without one as this."""
        with_other_keys = 0
        for name in reversed(self.manifests()):
            content = b"".join(self.read(f"{MANIFESTS}/{name}"))
            is_sealed = content.startswith(MARK)
            if not is_sealed and not content.startswith(b"{"):
                continue  # it is damaged, and tells nothing
            if is_sealed and self.seal is None:
                raise TargetError(f"The backups here are encrypted. Give their key file with --key, {OR_ANOTHER_PLACE}")
            if not is_sealed and self.seal is not None:
                raise TargetError(f"The backups here are not encrypted. Leave out --key, {OR_ANOTHER_PLACE}")
            if self.seal is None:
                return
            try:
                self.get_manifest(name)
            except TargetError:
                with_other_keys += 1
                continue
            return
        if with_other_keys:
            raise TargetError(f"This key opens no backup here. Give the key file of the others, {OR_ANOTHER_PLACE}")

    def manifests(self) -> list[str]:
        """The names of the backups, the oldest first."""
        found = (name.rpartition("/")[2] for name in self.names(MANIFESTS))
        return sorted(name for name in found if not name.startswith("."))

    def remove_manifest(self, name: str) -> None:
        self.remove(f"{MANIFESTS}/{name}")

    def remove_unfinished(self) -> list[str]:
        """Remove what backups that were cut off left half-written; return the names. Only for who is `alone`: no other writes."""
        found = [name for folder in (PARTS, MANIFESTS) for name in self.names(folder)]
        unfinished = sorted(name for name in found if name.rpartition("/")[2].startswith(UNFINISHED))
        for name in unfinished:
            self.remove(name)
        return unfinished

    def remove_parts_but(self, kept: Iterable[str]) -> int:
        """Remove the parts that no backup names, and what was left half-written; return how many."""
        named = {self._part(sha256) for sha256 in kept}
        found = [name for name in self.names(PARTS) if name not in named]
        for name in found:
            self.remove(name)
        return len(found)

    def _part(self, sha256: str) -> str:
        name = self.seal.name(sha256) if self.seal else sha256
        return f"{PARTS}/{name[:2]}/{name}"

    def _sealed(self, name: str, chunks: Iterator[bytes]) -> Iterator[bytes]:
        return self.seal.sealed(name, chunks) if self.seal else chunks

    def _opened(self, name: str, chunks: Iterator[bytes]) -> Iterator[bytes]:
        return self.seal.opened(name, chunks) if self.seal else chunks


OF_PLACES = {
    errno.EISDIR: "is a folder, where a file belongs. Move it away",
    errno.EEXIST: "is no folder, where one belongs. Move it away",
    errno.ENOTDIR: "lies below something that is no folder. Move that away",
    errno.EACCES: "must not be read or written by this user. Give it to the user that runs the site",
    errno.EROFS: "lies on a disk that can only be read. Make it writable, or name another place",
    errno.ESTALE: "lies on a disk of another machine that is lost. Mount it anew",
}
"""What is wrong with a path, and what to do, by the error that the system names."""


def reason_of(problem: Exception) -> str:
    """For operators: a place that is away says more to them than to users."""
    if is_disk_full(problem):
        return "The disk is full. Make room, and start this again: it goes on where it was cut off"
    if isinstance(problem, OSError) and problem.filename:
        place = problem.filename2 or problem.filename
        if problem.errno in OF_PLACES:
            return f"{place} {OF_PLACES[problem.errno]}, and start this again"
        said = f"{problem.strerror}".rstrip(".").lower()
        return f"{place} cannot be read or written: {said}. See that it is there and its disk is sound, and start this again"
    return str(getattr(problem, "reason", problem)).rstrip(".")


class Folder(Target):
    def __init__(self, path: Path, seal: Seal | None = None) -> None:
        super().__init__(seal)
        self.path = path

    def __str__(self) -> str:
        return str(self.path)

    def make(self) -> None:
        for folder in (self.path, self.path / PARTS, self.path / MANIFESTS):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)

    @contextlib.contextmanager
    def alone(self) -> Iterator[None]:
        with self._file(LOCK).open("ab") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as problem:
                raise TargetError(AT_WORK) from problem
            yield

    def size(self, name: str) -> int | None:
        path = self._file(name)
        return path.stat().st_size if path.exists() else None

    def _file(self, name: str) -> Path:
        """The path of a file that is there or can be made. A pipe would be waited for without end."""
        path = self.path / name
        if path.exists() and not path.is_file():
            raise TargetError(f"{path} is no file, where one belongs. Move it away, and start this again.")
        return path

    def write(self, name: str, chunks: Iterable[bytes], before_it_is_named: Callable[[], None]) -> None:
        path = self._file(name)
        path.parent.mkdir(mode=0o700, exist_ok=True)
        beside = tempfile.NamedTemporaryFile(dir=path.parent, prefix=UNFINISHED, delete=False)  # noqa: SIM115 - closed below
        try:
            with beside:
                for chunk in chunks:
                    beside.write(chunk)
                beside.flush()
                os.fsync(beside.fileno())
            before_it_is_named()
            Path(beside.name).replace(path)
        except BaseException:
            Path(beside.name).unlink(missing_ok=True)
            raise

    def read(self, name: str) -> Iterator[bytes]:
        with self._file(name).open("rb") as file:
            yield from iter(lambda: file.read(CHUNK), b"")

    def names(self, folder: str) -> list[str]:
        if folder == MANIFESTS and not (self.path / folder).is_dir():
            raise TargetError(f"{self.path} holds no backups: it has no folder “{MANIFESTS}”.")
        found = (path for path in (self.path / folder).rglob("*") if path.is_file())
        return [path.relative_to(self.path).as_posix() for path in found]

    def remove(self, name: str) -> None:
        (self.path / name).unlink(missing_ok=True)
