"""Stored files in a folder of this machine: there whole or not at all, and a lock for those who take names away."""

import errno
import fcntl
import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import IO, Any, BinaryIO, cast

from django.conf import settings
from django.core.files.base import File
from django.core.files.storage import FileSystemStorage, default_storage

from campaign.storage.interface import CHUNK, INCOMING, UNFINISHED, Facts, StorageAwayError, StoredFiles


class WholeFiles(FileSystemStorage, StoredFiles):
    """Writes beside under another name, syncs, and renames: a full disk or a dead process leaves no part under a final name."""

    def get_available_name(self, name: str, max_length: int | None = None) -> str:
        return StoredFiles.get_available_name(self, name, max_length)

    def open(self, name: str, mode: str = "rb") -> "File[Any]":
        """A folder or a pipe under the name is no stored file: the one cannot be read, the other would be waited for."""
        path = self.local_path(name)
        if path.exists() and not path.is_file():
            raise FileNotFoundError(errno.ENOENT, "no file lies there", str(path))
        return super().open(name, mode)

    def _save(self, name: str, content: "File[Any]") -> str:
        path = self.local_path(name)
        upload = getattr(content, "temporary_file_path", None)
        if upload is None or not _moved(Path(upload()), path):
            with written_at_once(path) as out:
                for chunk in content.chunks(CHUNK):
                    out.write(chunk)
        return name

    def open_stored(self, name: str) -> "File[Any]":
        return self.open(name)

    def drop_copy(self, name: str) -> bool:
        return False

    def local_path(self, name: str) -> Path:
        return Path(self.path(name))

    def written_whole(self, name: str) -> AbstractContextManager[BinaryIO]:
        return written_at_once(self.local_path(name))

    def facts(self, name: str) -> Facts:
        there = self.local_path(name).stat()
        return Facts(name, there.st_size, time.time() - there.st_mtime)

    def listed(self, without: frozenset[str] = frozenset()) -> Iterator[Facts]:
        folder = Path(self.location)
        for path, folders, names in os.walk(folder):
            if Path(path) == folder:
                folders[:] = [name for name in folders if name not in without]
            for name in names:
                if not name.startswith("."):
                    try:
                        yield self.facts(str((Path(path) / name).relative_to(folder)))
                    except FileNotFoundError:  # taken away since it was listed
                        continue

    def make_young(self, name: str) -> None:
        os.utime(self.local_path(name))

    def move(self, name: str, new: str) -> None:
        make_folder(self.local_path(new).parent)
        os.replace(self.local_path(name), self.local_path(new))

    @contextmanager
    def locked_names(self, *, alone: bool = False) -> Iterator[None]:
        with locked_folder(Path(self.location), alone=alone):
            yield

    def remove_unfinished(self, older_than: float) -> int:
        folder = Path(self.location)
        return remove_old([*(folder / INCOMING).glob("*"), *folder.rglob(f"{UNFINISHED}*")], older_than)

    def folders(self) -> list[Path]:
        folder = Path(self.location)
        make_folder(folder)
        return [folder]

    def require_answer(self) -> None:
        if not self.base_location:
            raise StorageAwayError("MEDIA_ROOT is empty: files would be stored in the folder of the program.")
        folder = Path(self.location)
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as probe:
            probe.write(b"probe")
        for below in folder.iterdir():
            if below.is_dir() and not os.access(below, os.R_OK | os.W_OK | os.X_OK):
                raise StorageAwayError(
                    f"The folder {below} must not be read and written by the user who runs the site."
                )


def place(name: str) -> Path:
    return Path(default_storage.path(name))


@contextmanager
def written_at_once(path: Path, *, replace: bool = True) -> Iterator[BinaryIO]:
    """Write a file that appears under its name when it is complete and on the disk; nothing is left if that fails.

    Without `replace`, FileExistsError for a file that came to that name meanwhile, which stays.
    """
    make_folder(path.parent)
    beside = tempfile.NamedTemporaryFile(dir=path.parent, prefix=UNFINISHED, delete=False)  # noqa: SIM115 - closed below
    try:
        with beside:
            yield cast(BinaryIO, beside)
            beside.flush()
            os.fsync(beside.fileno())
        if not replace:
            path.touch(exist_ok=False)  # a link would do this in one step, but some disks have none
        _rename(Path(beside.name), path)
    except BaseException:
        Path(beside.name).unlink(missing_ok=True)
        raise


def make_folder(folder: Path) -> None:
    """Make the folder and those above it, for the site's own user only: `mkdir` gives its mode to the last one alone."""
    if folder.exists():
        return
    make_folder(folder.parent)
    folder.mkdir(mode=settings.FILE_UPLOAD_DIRECTORY_PERMISSIONS, exist_ok=True)


@contextmanager
def locked_folder(folder: Path, *, alone: bool) -> Iterator[None]:
    make_folder(folder)
    with (folder / ".lock").open("ab") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX if alone else fcntl.LOCK_SH)
        yield


def is_locked_at_once(file: IO[bytes]) -> bool:
    """Whether nobody else holds this lock, which is held now until the file is closed."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def remove_old(paths: list[Path], seconds: float) -> int:
    """Remove those of these files that nobody has written to for so long; return how many."""
    removed = 0
    for path in paths:
        try:
            if path.is_file() and path.stat().st_mtime < time.time() - seconds:
                path.unlink()
                removed += 1
        except FileNotFoundError:  # gone, or moved to its place
            continue
    return removed


def _moved(upload: Path, path: Path) -> bool:
    """Give a temporary upload its name; False if it lies on another disk."""
    make_folder(path.parent)
    with upload.open("rb") as file:
        os.fsync(file.fileno())
    upload.chmod(settings.FILE_UPLOAD_PERMISSIONS)
    try:
        _rename(upload, path)
    except OSError as problem:
        if problem.errno != errno.EXDEV:
            raise
        return False
    return True


def _rename(old: Path, new: Path) -> None:
    os.replace(old, new)
    folder = os.open(new.parent, os.O_RDONLY)
    try:
        os.fsync(folder)  # the name itself reaches the disk
    finally:
        os.close(folder)
