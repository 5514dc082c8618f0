"""Untrusted byte streams, plain or gzip, as numbered lines under limits. Python 3.9 or newer."""

from __future__ import annotations

import json
import re
import sys
import zlib
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import BinaryIO

from campaign.formats.encodings import HEAD, UTF8_MARK, LineDecoder, as_utf8
from campaign.formats.problems import EXCERPT_LENGTH, ProblemLog, Severity

MIB = 1 << 20
CHUNK = MIB
GZIP_PIECE = 1 << 14
"""Bytes that are unpacked at once: where a gzip file ends within them, and another follows, the rest is copied."""
MOST_MEMBERS = 1_000_000
"""Each takes as long however little it holds. bgzip makes 263,172 of the longest text that is read, 16 GB."""
RATIO_FLOOR = 8 * MIB  # below this size no compression ratio is suspicious

GZIP_MAGIC = b"\x1f\x8b"
FOREIGN_MAGIC = (
    (b"PK\x03\x04", "a zip archive"),
    (b"PK\x05\x06", "an empty zip archive"),
    (b"BZh", "a bzip2 file"),
    (b"\xfd7zXZ\x00", "an xz file"),
    (b"\x28\xb5\x2f\xfd", "a zstd file"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (b"Rar!", "a rar archive"),
    (b"%PDF", "a PDF document"),
    (b"\x1f\x9d", "a file packed with compress"),
    (b"\x04\x22\x4d\x18", "an lz4 file"),
    (b"\xd0\xcf\x11\xe0", "an office document"),
    (b"\x89PNG", "a picture"),
    (b"\xff\xd8\xff", "a picture"),
    (b"LZIP\x01", "an lzip file"),
    (b"{\\rtf", "a document of a word processor (RTF)"),
    (b"ARROW1\0\0", "an Arrow table"),
    (b"\x93NUMPY", "an array of NumPy"),
    (b"\x89HDF\r\n", "an HDF5 file"),
    (b"SQLite format 3\0", "an SQLite database"),
    (b"\xd9\xd9\xf7", "a CBOR file"),
    (b"\x83cCAR", "a CBOR file of TREC CAR"),
)
FOREIGN_WORDS = (
    (re.compile(rb"GIF8[79]a[^\0-\x08]{,6}[\0-\x08]"), "a picture"),
    (re.compile(rb"PAR1[\0-\x08\x0e-\x1f]"), "a Parquet table"),
)
"""Words that may begin a topic, and what shows that they do not."""
LFS_POINTER = b"version https://git-lfs.github.com/spec/"
"""What a repository holds in place of a large file."""
NO_LINE_ENDS = ("\u2028".encode(), "\u2029".encode(), "\x85".encode(), b"\x0b", b"\x0c")
END_OF_DOS = b"\x1a"
MOST_ENDS = 1 << 16
MOST_ERRORS = 100_000
"""Each takes 10 microseconds: a file of millions of wrong lines would take half a minute to say what its first lines say."""
OFFICE_NAMES = (b"[Content_Types].xml", b"mimetypeapplication/vnd.oasis")
"""The first file in the zip that a newer office document is."""


OF_ENCODINGS = frozenset({"byte_order_mark", "not_utf8", "encoding_declared", "encoding_other", "utf16"})
"""Problems that do not end the reading."""


class _GzipError(Exception):
    """`problem`: code, message and remedy."""

    def __init__(self, code: str, message: str, remedy: str) -> None:
        super().__init__(message)
        self.problem = code, message, remedy


@dataclass(frozen=True)
class Limits:
    """Limits in bytes for the file as sent, its unpacked text, a line, and a record of lines; `max_ratio`: of text to file.

    `max_lines`: of readers that build a row of each line, which takes many times the bytes of a short one.
    """

    max_bytes: int = 512 * MIB
    max_text_bytes: int = 2048 * MIB
    max_ratio: int = 250
    max_line: int = MIB
    max_record: int = 32 * MIB
    max_lines: int = sys.maxsize


def text_chunks(source: BinaryIO, limits: Limits, problems: ProblemLog, encoding: str = "") -> Iterator[bytes]:
    """Yield the text of a plain or gzip stream as bytes; stop early, with an error in `problems`, at bad data or a limit.

    `encoding`: one of `ENCODINGS`, in which the text is; it comes as UTF-8, and so does what shows UTF-16 or UTF-32.

    >>> from io import BytesIO
    >>> problems = ProblemLog()
    >>> list(text_chunks(BytesIO(b"PK\\x03\\x04, and so on"), Limits(), problems))
    []
    >>> problems.shown[0].message
    'This is a zip archive.'
    """
    raw = _capped(_with_whole_head(_read_chunks(source)), limits.max_bytes, "file", problems)
    head = next(raw, b"")
    whole = chain([head], raw)
    if head.startswith(GZIP_MAGIC):
        body = _with_whole_head(_unzipped(whole, limits, problems))
    else:
        body = _capped(whole, limits.max_text_bytes, "text", problems)
    head = next(body, b"")
    foreign = _foreign_kind(head)
    if head.startswith(LFS_POINTER):
        message = "This is a pointer of Git LFS, and not the file that it stands for."
        problems.add("archive", message, "Get the file with: git lfs pull. Then send it.")
    elif foreign:
        problems.add("archive", f"This is {foreign}.", "Send the text file itself, plain or compressed with gzip.")
    elif head:
        text = _without_end_of_dos(as_utf8(chain([head], body), encoding, problems))
        yield from _without_endless_line(_capped(text, limits.max_text_bytes, "text", problems), limits, problems)


def _read_chunks(source: BinaryIO) -> Iterator[bytes]:
    while chunk := source.read(CHUNK):
        yield chunk


def _with_whole_head(chunks: Iterator[bytes]) -> Iterator[bytes]:
    # The kind of file and its encoding show in the head: it is read whole, even if the stream gives little at a time.
    head = b""
    while len(head) < HEAD and (piece := next(chunks, b"")):
        head += piece
    yield head
    yield from chunks


def _without_end_of_dos(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """The text without the signs at its end, and without line ends behind the first of them."""
    held = b""
    for chunk in chunks:
        whole = held + chunk
        text = whole.rstrip(END_OF_DOS + b"\r\n")
        signs = whole.find(END_OF_DOS, len(text))
        text = whole if signs < 0 else whole[:signs]
        held = whole[len(text) :]
        if len(held) > MOST_ENDS:
            text, held = text + held, b""
        if text:
            yield text


def _without_endless_line(chunks: Iterable[bytes], limits: Limits, problems: ProblemLog) -> Iterator[bytes]:
    """Yield chunks until a line over several of them is too long, so that such a line is never held as a whole.

    A chunk of nothing but line ends ends the text too: each would be a line of its own.
    """
    size = begun = ends = 0
    excerpt = b""
    for chunk in chunks:
        if len(chunk) > MOST_ENDS and not chunk.strip(b"\r\n"):
            message = f"More than {MOST_ENDS:,} line ends follow each other."
            remedy = "Take the empty lines out: grep . FILE > NEW_FILE. Nothing after them was read."
            problems.add("empty_lines", message, remedy, line=ends + 1)
            return
        ends += chunk.count(b"\n") or chunk.count(b"\r")
        last_end = max(chunk.rfind(b"\n"), chunk.rfind(b"\r", -limits.max_line))
        if last_end >= 0 or not size:
            begun, excerpt = size + last_end + 1, chunk[last_end + 1 :][: 2 * EXCERPT_LENGTH]
        size += len(chunk)
        if size - begun > limits.max_line:
            _add_line_too_long(problems, limits, 1 if begun == 0 else None, excerpt)
            return
        yield chunk


def _capped(chunks: Iterable[bytes], limit: int, what: str, problems: ProblemLog) -> Iterator[bytes]:
    size = 0
    for chunk in chunks:
        size += len(chunk)
        if size > limit:
            problems.add(*_too_large(what, limit))
            return
        yield chunk


def _unzipped(chunks: Iterable[bytes], limits: Limits, problems: ProblemLog) -> Iterator[bytes]:
    """The text in large pieces: a file may have parts of a byte each, and whoever reads a line joins its pieces one by one."""
    held: list[bytes] = []
    size = 0
    problem: tuple[str, str, str] | None = None
    try:
        for text in _text_of_gzip(chunks, limits, problems):
            held.append(text)
            size += len(text)
            if size >= CHUNK:
                yield b"".join(held)
                held, size = [], 0
    except _GzipError as error:
        problem = error.problem
    if held:
        yield b"".join(held)
    if problem:
        problems.add(*problem)


def _text_of_gzip(chunks: Iterable[bytes], limits: Limits, problems: ProblemLog) -> Iterator[bytes]:
    sent = unpacked = members = 0
    between_members = True
    engine = zlib.decompressobj(wbits=31)
    for size, piece in _in_small_pieces(chunks):
        sent += size
        rest = piece.lstrip(b"\0") if between_members else piece
        more = bool(rest)
        while more:
            between_members = False
            try:
                text = engine.decompress(rest, CHUNK)
            except zlib.error:
                raise _GzipError(
                    "gzip_corrupt", "The gzip data are damaged.", "Compress the file again and send it again."
                ) from None
            unpacked += len(text)
            _require_not_too_much(sent, unpacked, limits)
            if text:
                yield text
            rest = engine.unconsumed_tail
            more = bool(rest)
            if engine.eof:
                members += 1
                _require_few_members(members)
                rest, engine, between_members = engine.unused_data.lstrip(b"\0"), zlib.decompressobj(wbits=31), True
                more = bool(rest)
    if not between_members and "file_too_large" not in problems.by_code:
        raise _GzipError("gzip_truncated", "The gzip file ends too early.", "The file is cut: send it again.")


def _in_small_pieces(chunks: Iterable[bytes]) -> Iterator[tuple[int, bytes]]:
    """The first piece of a chunk comes with the size of that chunk, the others with 0."""
    for chunk in chunks:
        for start in range(0, len(chunk), GZIP_PIECE):
            yield 0 if start else len(chunk), chunk[start : start + GZIP_PIECE]


def _require_few_members(members: int) -> None:
    if members > MOST_MEMBERS:
        message = f"The file consists of more than {MOST_MEMBERS:,} gzip files, one behind the other."
        raise _GzipError("gzip_members", message, "Compress it as one: gzip -dc FILE | gzip > NEW_FILE.")


def _require_not_too_much(sent: int, unpacked: int, limits: Limits) -> None:
    if unpacked > limits.max_text_bytes:
        raise _GzipError(*_too_large("text", limits.max_text_bytes))
    if unpacked > RATIO_FLOOR and unpacked > limits.max_ratio * sent:
        message = f"The gzip file unpacks to more than {limits.max_ratio} times its size."
        raise _GzipError("gzip_ratio", message, "Send the file uncompressed if it really holds so much repetition.")


def _too_large(what: str, limit: int) -> tuple[str, str, str]:
    remedy = "Compress it with gzip, or send less." if what == "file" else "Send less."
    return f"{what}_too_large", f"The {what} is larger than {readable_size(limit)}.", remedy


def _foreign_kind(head: bytes) -> str | None:
    if head[257:262] == b"ustar":
        return "a tar archive"
    if head.startswith(GZIP_MAGIC):
        return "a file compressed with gzip twice"
    if head.startswith(b"PK") and any(name in head for name in OFFICE_NAMES):
        return "an office document"
    by_word = (kind for word, kind in FOREIGN_WORDS if word.match(head))
    return next(chain((kind for magic, kind in FOREIGN_MAGIC if head.startswith(magic)), by_word), None)


def separator_hint(line: bytes, count: int, wanted: int) -> str:
    """Why a line has `count` columns instead of those `wanted`, where others than blanks seem to separate them; else "".

    >>> separator_hint(b"1;0;d1;2", 1, 4)
    ' Semicolons do not separate columns.'
    """
    if count > wanted and any(mark in line for mark in NO_LINE_ENDS):
        return " Lines end at LF, CR or both, and not at U+2028, U+2029, U+0085, vertical tabs or form feeds: there is one."
    names = (
        (b",", "Commas"),
        (b";", "Semicolons"),
        (b"|", "Vertical bars"),
        ("\u3000".encode(), "Wide blanks (U+3000)"),
    )
    fields = line.split() if count > wanted else []
    return next(
        (
            f" {name} do not separate columns."
            for mark, name in names
            if fields.count(mark) == wanted - 1
            or (count < wanted and (wanted <= line.count(mark) + 1 or (count == 1 and line.count(mark) > 1)))
        ),
        "",
    )


def objects_in_python(sample: bytes) -> str:
    """The expression of a command that gives the objects of a file in JSON, by how it begins: a list, lines, or neither.

    Objects over several lines are parted where a line ends with } and the next begins with {: no text in JSON breaks a line.

    >>> objects_in_python(b'[{"a": 1}]'), objects_in_python(b'{"a": 1}\\n{"a": 2}')
    ('json.load(sys.stdin)', 'map(json.loads, filter(str.strip, sys.stdin))')
    >>> "re.sub" in objects_in_python(b'{\\n "a": 1\\n}')
    True
    """
    if sample.lstrip().startswith(b"["):
        return "json.load(sys.stdin)"
    try:
        json.loads(sample.strip().split(b"\n", 1)[0])
    except (ValueError, RecursionError):
        return r"""json.loads("[" + re.sub(r"}\s*\n\s*{", "},{", sys.stdin.read()) + "]")"""
    return "map(json.loads, filter(str.strip, sys.stdin))"


def numbered_lines(
    chunks: Iterable[bytes], limits: Limits, problems: ProblemLog, mark_severity: str = "warning"
) -> Iterator[tuple[int, bytes]]:
    """Yield lines, numbered from 1, without line ends (LF, CRLF, CR) or a UTF-8 mark.

    Stop at a NUL, at a line that is too long, and where there are too many.

    >>> list(numbered_lines([b"one\\r\\ntw", b"o\\n"], Limits(), ProblemLog()))
    [(1, b'one'), (2, b'two')]
    """
    yield from lines_after(0, without_mark(chunks, problems, mark_severity), limits, problems)


def lines_after(
    number: int, chunks: Iterable[bytes], limits: Limits, problems: ProblemLog
) -> Iterator[tuple[int, bytes]]:
    """As `numbered_lines`, of a text of which `number` lines, and so its mark, were read before.

    >>> list(lines_after(2, [b"three\\nfour"], Limits(), ProblemLog()))
    [(3, b'three'), (4, b'four')]
    """
    tail = b""
    for chunk in chunks:
        if problems.errors > MOST_ERRORS:
            message = f"More than {MOST_ERRORS:,} errors are found: the file is read to line {number:,}."
            problems.add("too_many_errors", message, "Correct what is named here, then send the file again.")
            return
        buffer = tail + chunk
        pieces = buffer.splitlines(keepends=True)
        # The last piece is not over yet; a CR at its end may be the first half of a CRLF.
        tail = pieces.pop() if pieces and not pieces[-1].endswith(b"\n") else b""
        suspicious = b"\0" in buffer or len(buffer) > limits.max_line
        if suspicious and _has_bad_line([*pieces, tail], number, limits, problems):
            return
        if number + len(pieces) + bool(tail) > limits.max_lines:
            problems.add(
                "too_many_lines",
                f"The file goes on after line {limits.max_lines:,}, the last that is read.",
                "Send it in parts.",
            )
            return
        for piece in pieces:
            number += 1
            yield number, piece.rstrip(b"\r\n")
    if tail:
        yield number + 1, tail.rstrip(b"\r\n")


def without_mark(chunks: Iterable[bytes], problems: ProblemLog, severity: str = "warning") -> Iterator[bytes]:
    """Yield the text without a byte order mark, which is reported with this severity; "off" reports nothing."""
    remaining = iter(chunks)
    head = b""
    while len(head) < len(UTF8_MARK) and (piece := next(remaining, b"")):
        head += piece
    if head.startswith(UTF8_MARK):
        if severity != "off":
            message = "The file begins with a byte order mark, which was ignored here."
            remedy = "For tools that read the mark as part of the first field, save the file as UTF-8 without it."
            reported: Severity = "error" if severity == "error" else "warning"
            problems.add("byte_order_mark", message, remedy, line=1, severity=reported)
        head = head[len(UTF8_MARK) :]
    yield head
    yield from remaining


def _has_bad_line(pieces: list[bytes], before: int, limits: Limits, problems: ProblemLog) -> bool:
    for number, piece in enumerate(pieces, start=before + 1):
        if b"\0" in piece:
            remedy = "Send a text file in UTF-8; nothing after this line was read."
            problems.add("binary_file", "There is a NUL byte: not a text file.", remedy, line=number, excerpt=piece)
            return True
        if len(piece) > limits.max_line:
            _add_line_too_long(problems, limits, number, piece)
            return True
    return False


def _add_line_too_long(problems: ProblemLog, limits: Limits, number: int | None, piece: bytes) -> None:
    message = f"{'A' if number is None else 'The'} line is longer than {readable_size(limits.max_line)}."
    remedy = "Break the file into lines; nothing after this line was read."
    if piece.startswith((b"[{", b"[ {")):
        remedy = (
            "It looks like a list in JSON: write each object on a line of its own: python3 -c 'import json, sys; "
            "[print(json.dumps(one)) for one in json.load(sys.stdin)]' < FILE > NEW_FILE."
        )
    elif piece.startswith((b'{"', b'["')):
        remedy = f"It looks like JSON: where JSON is read, write each object on a line of its own. {remedy}"
    problems.add("line_too_long", message, remedy, line=number, excerpt=piece)


def text_lines(source: BinaryIO, limits: Limits, problems: ProblemLog, encoding: str = "") -> Iterator[tuple[int, str]]:
    """Yield numbered lines as text; a line of broken UTF-8 is an error and comes with replacement characters.

    Where the first line that is not UTF-8 stands below an XML declaration of another encoding, the lines are in that one,
    unless a line before it shows that the text is UTF-8 all the same.

    >>> from io import BytesIO
    >>> list(text_lines(BytesIO("\\ufeffone\\u2028still one\\ntwo".encode()), Limits(), ProblemLog()))
    [(1, 'one\\u2028still one'), (2, 'two')]
    """
    decoder = LineDecoder(problems)
    for number, line in numbered_lines(text_chunks(source, limits, problems, encoding), limits, problems):
        yield number, decoder.text(number, line)


def lines_of(text: str) -> list[str]:
    """The lines of a text that is at hand, cut where `numbered_lines` cuts: at LF, CRLF and CR only.

    `str.splitlines` also cuts at form feeds and at U+0085 and U+2028, which stand within lines.

    >>> lines_of("one\\u2028still one\\r\\ntwo\\n")
    ['one\\u2028still one', 'two']
    """
    lines = re.split("\r\n|\n|\r", text.removeprefix("\ufeff"))
    return lines if lines[-1] else lines[:-1]


def was_cut_short(problems: ProblemLog) -> bool:
    """Whether the problems that this module found so far made it stop reading before the end of the file.

    >>> problems = ProblemLog()
    >>> problems.add("not_utf8", "The line is not valid UTF-8.", "", line=7)
    >>> was_cut_short(problems)
    False
    """
    return not problems.by_code.keys() <= OF_ENCODINGS


def is_comment(line: bytes, topics: Container[str] | None, problems: ProblemLog, number: int) -> bool:
    """Whether a line that begins with # names no topic, of those that are known: it is left out, with a warning.

    >>> problems = ProblemLog()
    >>> is_comment(b"# of 2026", {"1"}, problems, 1), is_comment(b"#1 0 a 2", {"#1"}, problems, 2), problems.warnings
    (True, False, 1)
    """
    if topics is None or not line.lstrip().startswith(b"#"):
        return False
    if line.split()[0].decode(errors="replace") in topics:
        return False
    add_comment(problems, number, line)
    return True


def add_comment(problems: ProblemLog, number: int, line: str | bytes) -> None:
    message = "The line begins with #: it was taken for a comment and left out."
    problems.add("comment", message, "", line=number, excerpt=line, severity="warning")


def add_empty(problems: ProblemLog, thing: str) -> None:
    """Tell that a file holds nothing.

    >>> problems = ProblemLog()
    >>> add_empty(problems, "judgments")
    >>> problems.shown[0].message
    'The file holds no judgments.'
    """
    problems.add("empty_file", f"The file holds no {thing}.", "Check that the right file was sent.")


def readable_size(size: int) -> str:
    for unit, step in (("GB", 1 << 30), ("MB", MIB), ("KB", 1 << 10)):
        if size >= step:
            return f"{size / step:.4g} {unit}"
    return f"{size} bytes"
