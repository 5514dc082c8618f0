"""The storage's folder on disk: files that are there whole or not at all, and a lock for those who take names away."""

import errno
import fcntl
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, cast

from django.conf import settings
from django.core.files.base import File
from django.core.files.storage import FileSystemStorage, default_storage

CHUNK = 1 << 20
UNFINISHED = ".unfinished-"
"""How the names of files begin that are still being written, or were when their process died."""


class WholeFiles(FileSystemStorage):
    """Writes beside under another name, syncs, and renames: a full disk or a dead process leaves no part under a final name."""

    def get_available_name(self, name: str, max_length: int | None = None) -> str:
        """The name itself: names follow from the content, so that what is there already are the same bytes."""
        return name

    def _save(self, name: str, content: "File[Any]") -> str:
        path = Path(self.path(name))
        upload = getattr(content, "temporary_file_path", None)
        if upload is None or not _moved(Path(upload()), path):
            with written_at_once(path) as out:
                for chunk in content.chunks(CHUNK):
                    out.write(chunk)
        return name


def place(name: str) -> Path:
    return Path(default_storage.path(name))


@contextmanager
def written_at_once(path: Path) -> Iterator[BinaryIO]:
    """Write a file that appears under its name when it is complete and on the disk; nothing is left if that fails."""
    make_folder(path.parent)
    beside = tempfile.NamedTemporaryFile(dir=path.parent, prefix=UNFINISHED, delete=False)  # noqa: SIM115 - closed below
    try:
        with beside:
            yield cast(BinaryIO, beside)
            beside.flush()
            os.fsync(beside.fileno())
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
def locked_names(*, alone: bool = False) -> Iterator[None]:
    """Whoever stores files shares the lock; whoever takes names away holds it alone, and then looks at the file again."""
    folder = place(".")
    make_folder(folder)
    with (folder / ".lock").open("ab") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX if alone else fcntl.LOCK_SH)
        yield


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
