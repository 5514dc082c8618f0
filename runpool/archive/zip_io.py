"""The zip itself: written entry by entry with its checksums; read without trusting anything that it says of itself."""

import hashlib
import re
import stat
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from typing import IO, BinaryIO

from django.template.defaultfilters import filesizeformat

from campaign.formats.kinds import KINDS, kind_of
from campaign.text import limits

CHUNK = 1 << 20
FIXED_TIME = (1980, 1, 1, 0, 0, 0)
MOST_ENTRIES = 200_000
MOST_DIRECTORY_BYTES = 200 * MOST_ENTRIES
LONGEST_PATH = 400
MOST_RATIO, RATIO_FLOOR = 400, 16 << 20
LONGEST_LINE, LARGEST_WHOLE = limits.BYTES_OF_ROW, 128 << 20
"""Of a row, and of a file that is read as a whole: a few megabytes of zip unpack to any number of them."""
LEFTOVER = re.compile(
    r"__MACOSX/.*|(?:.*/)?(?:\._[^/]*|\.DS_Store|\.localized|\.directory|(?:eh)?thumbs(?:_vista)?\.db|desktop\.ini"
    r"|\.apdisk|\.VolumeIcon\.icns|Icon\r|\.~lock\.[^/]*#|~\$[^/]*|\.(?:nfs|fuse_hidden)[^/]*"
    r"|(?:\.(?:Spotlight-V100|Trashes|fseventsd|TemporaryItems|AppleDouble|DocumentRevisions-V100)"
    r"|\$RECYCLE\.BIN|System Volume Information|@eaDir|#recycle)/.*)",
    re.IGNORECASE | re.DOTALL,
)
"""What Mac, Windows, Office, LibreOffice and file servers leave in folders, and in zips of them. Nothing of it is unpacked."""
TOP = ("./", ".\\")
MOST_FOLDERS = 8
SAFE_PATH = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]*(/[A-Za-z0-9_][A-Za-z0-9._-]*)*")
ENTRY, END, END_SIZE, MOST_COMMENT = b"PK\x01\x02", b"PK\x05\x06", 22, 65_535
ZIP64_END, ZIP64_SIZE, ZIP64_LOCATOR, LOCATOR_SIZE = b"PK\x06\x06", 56, b"PK\x06\x07", 20
BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    NotImplementedError,
    RuntimeError,
    ValueError,
    OverflowError,
    OSError,
)
"""What a zip raises that is damaged or was made to do harm."""


class ArchiveError(ValueError):
    """Why an archive is not taken, and what to do about it."""

    def __init__(self, code: str, message: str, remedy: str) -> None:
        super().__init__(f"{message} {remedy}")
        self.code, self.message, self.remedy = code, message, remedy


@dataclass(frozen=True, slots=True)
class Entry:
    path: str
    size: int
    sha256: str


class ArchiveWriter:
    """Writes a zip in one pass; of each entry only its path, size and checksum are kept."""

    def __init__(self, out: BinaryIO) -> None:
        self._zip = zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, allowZip64=True, compresslevel=6)
        self.entries: dict[str, Entry] = {}

    def add(self, path: str, content: Iterable[bytes], *, is_packed: bool = False) -> Entry:
        info = zipfile.ZipInfo(path, FIXED_TIME)
        info.compress_type = zipfile.ZIP_STORED if is_packed else zipfile.ZIP_DEFLATED
        info.external_attr = 0o644 << 16
        digest, size = hashlib.sha256(), 0
        with self._zip.open(info, "w", force_zip64=True) as out:
            for piece in content:
                digest.update(piece)
                size += len(piece)
                out.write(piece)
        entry = Entry(path, size, digest.hexdigest())
        self.entries[path] = entry
        return entry

    def close(self) -> None:
        self._zip.close()


class ArchiveReader:
    """The entries of a zip whose names are safe, each of them once. Anything else is an ArchiveError.

    A zip that was unpacked and packed again is read as the one that it was: without entries of folders, without leftovers, and
    without a folder in which all of it lies. Whether the files are the same is for their checksums to say.
    """

    def __init__(self, file: BinaryIO) -> None:
        _require_readable_directory(file)
        try:
            self._zip = zipfile.ZipFile(file)
        except BROKEN as problem:
            raise _cut() from problem
        self._infos: dict[str, zipfile.ZipInfo] = {}
        folded: set[str] = set()
        for path, info in _packed_once(self._zip.infolist()):
            _require_safe(path, info)
            if path.casefold() in folded:
                raise _changed(f"The file {_shown(path)} is there twice.")
            folded.add(path.casefold())
            self._infos[path] = info

    @property
    def paths(self) -> set[str]:
        return set(self._infos)

    def size(self, path: str) -> int:
        return self._infos[path].file_size

    def chunks(self, path: str, most: int) -> Iterator[bytes]:
        """The bytes of an entry; ArchiveError as soon as they are more than `most`, or far more than they are packed."""
        info, size = self._infos[path], 0
        with self.open(path) as source:
            while piece := self._piece(source, path):
                size += len(piece)
                if size > most:
                    raise _changed(f"The file {path} is longer than the archive says.")
                if size > RATIO_FLOOR and size > MOST_RATIO * max(1, info.compress_size):
                    raise _bomb(path)
                yield piece

    def bytes_of(self, path: str, most: int) -> bytes:
        """All bytes of an entry, held once; ArchiveError for more than any file has that is read as a whole."""
        if most > LARGEST_WHOLE:
            raise too_large(f"The file {path} is larger than {filesizeformat(LARGEST_WHOLE)}.")
        whole = BytesIO()
        for piece in self.chunks(path, most):
            whole.write(piece)
        return whole.getvalue()

    def lines(self, path: str) -> Iterator[bytes]:
        begun = BytesIO()
        for piece in self.chunks(path, self.size(path)):
            first, *others = piece.split(b"\n")
            begun.write(first)
            if begun.tell() > LONGEST_LINE:
                raise too_large(f"A line of {path} is longer than {filesizeformat(LONGEST_LINE)}.")
            if others:
                yield begun.getvalue()
                begun = BytesIO()
                begun.write(others.pop())
                yield from others
        if begun.tell():
            yield begun.getvalue()

    def open(self, path: str) -> IO[bytes]:
        with _unpacked(path):
            return self._zip.open(self._infos[path])

    def _piece(self, source: IO[bytes], path: str) -> bytes:
        with _unpacked(path):
            return source.read(CHUNK)

    def total(self) -> int:
        return sum(info.file_size for info in self._infos.values())


@contextmanager
def _unpacked(path: str) -> Iterator[None]:
    try:
        yield
    except BROKEN as problem:
        raise _changed(f"The file {path} cannot be unpacked.") from problem


def require_sums(reader: ArchiveReader, entries: Iterable[Entry], report: Callable[[int], None]) -> None:
    """Read every file once; ArchiveError at the first that is not what the manifest says."""
    done = 0
    for entry in entries:
        digest, size = hashlib.sha256(), 0
        for piece in reader.chunks(entry.path, entry.size):
            digest.update(piece)
            size += len(piece)
            done += len(piece)
            report(done)
        if (size, digest.hexdigest()) != (entry.size, entry.sha256):
            raise _changed(f"The file {entry.path} is not the one that was archived: its SHA-256 is another.")


def _packed_once(infos: Iterable[zipfile.ZipInfo]) -> list[tuple[str, zipfile.ZipInfo]]:
    """Each file with its path as it was before somebody packed the content again."""
    named = []
    for info in infos:
        if info.filename in TOP:
            continue
        path = info.filename.replace("\\", "/").removeprefix("./")  # as PowerShell 5 and bsdtar write it
        _require_inside(path, info)
        if not path.endswith("/"):
            named.append((path, info))
    kept = [(path, info) for path, info in named if not LEFTOVER.fullmatch(path)]
    for _ in range(MOST_FOLDERS):
        tops = {path.partition("/")[:2] for path, _ in kept}
        if len(tops) != 1 or any(not slash for _, slash in tops):
            break
        kept = [(path.partition("/")[2], info) for path, info in kept]
    return kept


def _require_inside(path: str, info: zipfile.ZipInfo) -> None:
    """ArchiveError for what is never an accident: a name that leads out of the archive, or an entry that is no file."""
    steps = path.removesuffix("/").split("/")
    if info.orig_filename != info.filename or {"", ".", ".."}.intersection(steps) or ":" in path:
        message = f"The archive holds a file under the name {_shown(info.orig_filename)}, which leads elsewhere."
        raise _unsafe(message)
    kind = stat.S_IFMT(info.external_attr >> 16)
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR) or (kind == stat.S_IFDIR) > path.endswith("/"):
        raise _unsafe(f"The archive holds {_shown(path)}, which is a link or a device instead of a file.")
    if path.endswith("/") and info.file_size:
        raise _unsafe(f"The archive holds {_shown(path)}, which has the name of a folder and the content of a file.")


def _require_safe(path: str, info: zipfile.ZipInfo) -> None:
    if any(step.startswith(".") for step in path.split("/")):
        raise _unsafe(f"The archive holds a hidden file, {_shown(path)}.", "Take it out: archives have none.")
    if len(path) > LONGEST_PATH or not SAFE_PATH.fullmatch(path):
        message = (
            f"The archive holds a file under the name {_shown(path)}, with characters that no file of an archive has."
        )
        raise _unsafe(message, "Pack the content of the archive alone, with its names as they were.")
    if info.flag_bits & 1:
        raise ArchiveError("encrypted", f"The file {path} is encrypted.", "Send the archive as it was made.")
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise ArchiveError(
            "packed_otherwise", f"The file {path} is packed by another method.", "Send it as it was made."
        )
    if info.file_size > RATIO_FLOOR and info.file_size > MOST_RATIO * max(1, info.compress_size):
        raise _bomb(path)


def _require_readable_directory(file: BinaryIO) -> None:
    """The list of entries is read into memory as a whole: it must not be larger than that of any archive can be."""
    file.seek(0, 2)
    size = file.tell()
    start = max(0, size - END_SIZE - MOST_COMMENT)
    file.seek(start)
    tail = file.read()
    at = tail.rfind(END)
    if at < 0 or len(tail) < at + END_SIZE:
        file.seek(0)
        raise _other_kind(kind) if (kind := kind_of(file)) else _cut()
    directory, end = struct.unpack("<I", tail[at + 12 : at + 16])[0], start + at
    zip64 = _zip64_directory(file, end)
    if zip64 is None and directory == 0xFFFFFFFF:
        raise _cut()
    directory, end = zip64 or (directory, end)
    if directory > min(end, MOST_DIRECTORY_BYTES) or _listed(file, end - directory, directory) > MOST_ENTRIES:
        raise ArchiveError("too_many_files", "The archive lists more files than an archive can hold.", "Get it again.")
    file.seek(0)


def _listed(file: BinaryIO, start: int, size: int) -> int:
    """At most so many entries: each begins with these bytes, whatever number the end of the zip says."""
    file.seek(start)
    return file.read(size).count(ENTRY)


def _zip64_directory(file: BinaryIO, end: int) -> tuple[int, int] | None:
    """Bytes of the list of entries, and where it ends, by a second record of both, which counts wherever there is one."""
    at = end - LOCATOR_SIZE - ZIP64_SIZE
    if at < 0:
        return None
    file.seek(at)
    record, locator = file.read(ZIP64_SIZE), file.read(LOCATOR_SIZE)
    if not locator.startswith(ZIP64_LOCATOR):
        return None
    said = struct.unpack("<Q", locator[8:16])[0]
    if said > at or not record.startswith(ZIP64_END):
        raise _cut()
    if said < at:
        message = f"Something stands before the zip: its list of files ends {at - said:,} bytes later than it says."
        raise ArchiveError("changed", message, "Send the zip alone: download it again and compare its SHA-256.")
    return int(struct.unpack("<Q", record[40:48])[0]), at


def _unsafe(message: str, remedy: str = "No archive of Runpool does: get it from its source again.") -> ArchiveError:
    return ArchiveError("unsafe_path", message, remedy)


def _other_kind(kind: str) -> ArchiveError:
    return ArchiveError("other_kind", f"This is no zip: it looks like {KINDS[kind].what}.", KINDS[kind].where)


def _cut() -> ArchiveError:
    message = "This is no zip, or it is cut: its end is missing."
    return ArchiveError("cut", message, "Download the archive again, compare its SHA-256, and send it again.")


def _changed(message: str) -> ArchiveError:
    return ArchiveError("changed", message, "The archive was changed or damaged: get it from its source again.")


def too_large(message: str) -> ArchiveError:
    """Of what may be sound: earlier versions made such archives."""
    remedy = (
        "This version restores no such archive. Make it again where the campaign is: its tasks one by one, or without the texts "
        "of documents, whichever is shorter."
    )
    return ArchiveError("too_large", message, remedy)


def _bomb(path: str) -> ArchiveError:
    message = f"The file {path} unpacks to more than {MOST_RATIO} times its size."
    return ArchiveError("ratio", message, "No archive of Runpool does: it is not taken.")


def _shown(name: str) -> str:
    return ascii(name[:100])
