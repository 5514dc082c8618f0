"""Where backups lie: a folder with parts named by their content, and a manifest for each backup."""

import contextlib
import fcntl
import hashlib
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from campaign.backup.sealing import Seal, SealError

CHUNK = 1 << 20
PARTS, MANIFESTS, LOCK, UNFINISHED = "parts", "backups", ".lock", ".unfinished-"


class TargetError(Exception):
    """The target or what lies in it cannot be used; the text says what to do."""


class Folder:
    """`seal`: encrypts and decrypts what is stored; None: it lies there as it is."""

    def __init__(self, path: Path, seal: Seal | None = None) -> None:
        self.path, self.seal = path, seal

    def make(self) -> None:
        for folder in (self.path, self.path / PARTS, self.path / MANIFESTS):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)

    @contextlib.contextmanager
    def alone(self) -> Iterator[None]:
        """Keep others from writing into the same target meanwhile."""
        with (self.path / LOCK).open("ab") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as problem:
                raise TargetError(
                    "Another backup is being made into this folder. Wait until it has ended."
                ) from problem
            yield

    def has(self, sha256: str) -> bool:
        return self._part(sha256).is_file()

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

        self._write(self._part(sha256), self._sealed(sha256, counted()), before_it_is_named=require)

    def get(self, sha256: str) -> Iterator[bytes]:
        """Yield a part's content; TargetError at its end if it is not that of its checksum, or earlier if it cannot be read."""
        digest = hashlib.sha256()
        try:
            with self._part(sha256).open("rb") as file:
                for chunk in self._opened(sha256, iter(lambda: file.read(CHUNK), b"")):
                    digest.update(chunk)
                    yield chunk
        except (OSError, SealError) as problem:
            raise TargetError(f"The part {sha256} of the backup cannot be read: {problem}.") from problem
        if digest.hexdigest() != sha256:
            raise TargetError(
                f"The part {sha256} of the backup is damaged. Use an earlier backup, or a copy of this one."
            )

    def put_manifest(self, name: str, content: bytes) -> None:
        self._write(self.path / MANIFESTS / name, self._sealed(name, iter([content])))

    def get_manifest(self, name: str) -> bytes:
        try:
            with (self.path / MANIFESTS / name).open("rb") as file:
                return b"".join(self._opened(name, iter(lambda: file.read(CHUNK), b"")))
        except FileNotFoundError as problem:
            raise TargetError(f"There is no backup {name} here. See: manage.py backup FOLDER --list") from problem
        except (OSError, SealError) as problem:
            raise TargetError(f"The backup {name} cannot be read: {problem}.") from problem

    def manifests(self) -> list[str]:
        """The names of the backups, the oldest first."""
        folder = self.path / MANIFESTS
        if not folder.is_dir():
            raise TargetError(f"{self.path} holds no backups: it has no folder “{MANIFESTS}”.")
        return sorted(path.name for path in folder.iterdir() if not path.name.startswith("."))

    def remove_manifest(self, name: str) -> None:
        (self.path / MANIFESTS / name).unlink(missing_ok=True)

    def remove_parts_but(self, kept: Iterable[str]) -> int:
        """Remove the parts that no backup names, and what was left half-written; return how many."""
        names = {self._part(sha256).name for sha256 in kept}
        found = [path for path in (self.path / PARTS).rglob("*") if path.is_file() and path.name not in names]
        for path in found:
            path.unlink()
        return len(found)

    def _part(self, sha256: str) -> Path:
        name = self.seal.name(sha256) if self.seal else sha256
        return self.path / PARTS / name[:2] / name

    def _sealed(self, name: str, chunks: Iterator[bytes]) -> Iterator[bytes]:
        return self.seal.sealed(name, chunks) if self.seal else chunks

    def _opened(self, name: str, chunks: Iterator[bytes]) -> Iterator[bytes]:
        return self.seal.opened(name, chunks) if self.seal else chunks

    @staticmethod
    def _write(path: Path, chunks: Iterable[bytes], before_it_is_named: Callable[[], None] | None = None) -> None:
        path.parent.mkdir(mode=0o700, exist_ok=True)
        beside = tempfile.NamedTemporaryFile(dir=path.parent, prefix=UNFINISHED, delete=False)  # noqa: SIM115 - closed below
        try:
            with beside:
                for chunk in chunks:
                    beside.write(chunk)
                beside.flush()
                os.fsync(beside.fileno())
            if before_it_is_named is not None:
                before_it_is_named()
            Path(beside.name).replace(path)
        except BaseException:
            Path(beside.name).unlink(missing_ok=True)
            raise
