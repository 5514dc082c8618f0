"""Untrusted byte streams, plain or gzip, as numbered lines under limits. Python 3.9 or newer."""

from __future__ import annotations

import codecs
import re
import sys
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import BinaryIO

from campaign.formats.problems import EXCERPT_LENGTH, ProblemLog, Severity

MIB = 1 << 20
CHUNK = MIB
HEAD = 512
RATIO_FLOOR = 8 * MIB  # below this size no compression ratio is suspicious

UTF8_MARK = b"\xef\xbb\xbf"
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
    (b"PAR1", "a Parquet table"),
    (b"\x89PNG", "a picture"),
    (b"\xff\xd8\xff", "a picture"),
)
WIDE_MARKS = (
    (b"\xff\xfe\0\0", "UTF-32"),
    (b"\0\0\xfe\xff", "UTF-32"),
    (b"\xff\xfe", "UTF-16"),
    (b"\xfe\xff", "UTF-16"),
)
AS_UTF8 = "Save the file as UTF-8. In a terminal: iconv -f {} -t UTF-8 FILE > NEW_FILE."
XML_ENCODING = re.compile(rb"""\s*<\?xml\b[^<>]*?\bencoding\s*=\s*["']([A-Za-z0-9_-]{1,20})["']""")
READ_AS = {
    **dict.fromkeys(("iso-8859-1", "latin1", "latin-1"), "windows-1252"),
    "shift_jis": "cp932",
    "gb2312": "gbk",
    "euc-kr": "cp949",
}
"""What is called so mostly holds some characters of the larger encoding, as which browsers read it."""
DECLARED_ENCODINGS = frozenset(
    [f"iso-8859-{part}" for part in (*range(1, 12), 13, 14, 15, 16)]
    + [f"windows-{page}" for page in range(1250, 1259)]
    + [*READ_AS, "koi8-r", "koi8-u", "euc-jp", "gbk", "gb18030", "big5"]
)
"""Those in which no line end is a part of another character."""
NEIGHBOURS = re.compile(rb"[\x80-\xff]{2}")
OFFICE_NAMES = (b"[Content_Types].xml", b"mimetypeapplication/vnd.oasis")
"""The first file in the zip that a newer office document is."""


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


def text_chunks(
    source: BinaryIO, limits: Limits, problems: ProblemLog, *, takes_utf16: bool = False
) -> Iterator[bytes]:
    """Yield the text of a plain or gzip stream as bytes; stop early, with an error in `problems`, at bad data or a limit.

    `takes_utf16`: what is in UTF-16 or UTF-32 comes as UTF-8; else it is an error.

    >>> from io import BytesIO
    >>> problems = ProblemLog()
    >>> list(text_chunks(BytesIO(b"PK\\x03\\x04, and so on"), Limits(), problems))
    []
    >>> problems.shown[0].message
    'This is a zip archive.'
    """
    raw = _capped(_raw_chunks(source), limits.max_bytes, "file", problems)
    head = next(raw, b"")
    whole = chain([head], raw)
    if head.startswith(GZIP_MAGIC):
        body = _unzipped(whole, limits, problems)
    else:
        body = _capped(whole, limits.max_text_bytes, "text", problems)
    head = next(body, b"")
    foreign = _foreign_kind(head)
    if foreign:
        problems.add("archive", f"This is {foreign}.", "Send the text file itself, plain or compressed with gzip.")
    elif (wide := wide_encoding(head)) and takes_utf16:
        yield from _without_endless_line(_as_utf8(chain([head], body), wide, problems), limits, problems)
    elif wide:
        problems.add("utf16", f"The text is in {wide}.", AS_UTF8.format(wide))
    elif head:
        yield from _without_endless_line(chain([head], body), limits, problems)


def _as_utf8(chunks: Iterable[bytes], encoding: str, problems: ProblemLog) -> Iterator[bytes]:
    try:
        for text in codecs.iterdecode(chunks, encoding):
            yield text.encode()
    except UnicodeDecodeError:
        problems.add("utf16", f"The text is not valid {encoding}.", "Save the file as UTF-8.")


def _raw_chunks(source: BinaryIO) -> Iterator[bytes]:
    # The kind of file shows in the head: read on until it is whole, even if the stream gives little at a time.
    head = b""
    while len(head) < HEAD and (piece := source.read(CHUNK)):
        head += piece
    yield head
    while chunk := source.read(CHUNK):
        yield chunk


def _without_endless_line(chunks: Iterable[bytes], limits: Limits, problems: ProblemLog) -> Iterator[bytes]:
    """Yield chunks until a line over several of them is too long, so that such a line is never held as a whole."""
    size = begun = 0
    excerpt = b""
    for chunk in chunks:
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
            _add_too_large(what, limit, problems)
            return
        yield chunk


def _unzipped(chunks: Iterable[bytes], limits: Limits, problems: ProblemLog) -> Iterator[bytes]:
    sent = unpacked = 0
    between_members = True
    engine = zlib.decompressobj(wbits=31)
    for chunk in chunks:
        sent += len(chunk)
        rest = chunk.lstrip(b"\0") if between_members else chunk
        more = bool(rest)
        while more:
            between_members = False
            try:
                text = engine.decompress(rest, CHUNK)
            except zlib.error:
                problems.add("gzip_corrupt", "The gzip data are damaged.", "Compress the file again and send it again.")
                return
            unpacked += len(text)
            if _too_much_text(sent, unpacked, limits, problems):
                return
            if text:
                yield text
            rest = engine.unconsumed_tail
            more = bool(rest)
            if engine.eof:
                rest, engine, between_members = engine.unused_data.lstrip(b"\0"), zlib.decompressobj(wbits=31), True
                more = bool(rest)
    if not between_members and "file_too_large" not in problems.by_code:
        problems.add("gzip_truncated", "The gzip file ends too early.", "The file is cut: send it again.")


def _too_much_text(sent: int, unpacked: int, limits: Limits, problems: ProblemLog) -> bool:
    if unpacked > limits.max_text_bytes:
        _add_too_large("text", limits.max_text_bytes, problems)
        return True
    if unpacked > RATIO_FLOOR and unpacked > limits.max_ratio * sent:
        message = f"The gzip file unpacks to more than {limits.max_ratio} times its size."
        problems.add("gzip_ratio", message, "Send the file uncompressed if it really holds so much repetition.")
        return True
    return False


def _add_too_large(what: str, limit: int, problems: ProblemLog) -> None:
    message = f"The {what} is larger than {readable_size(limit)}."
    remedy = "Compress it with gzip, or send less." if what == "file" else "Send less."
    problems.add(f"{what}_too_large", message, remedy)


def _foreign_kind(head: bytes) -> str | None:
    if head[257:262] == b"ustar":
        return "a tar archive"
    if head.startswith(GZIP_MAGIC):
        return "a file compressed with gzip twice"
    if head.startswith(b"PK") and any(name in head for name in OFFICE_NAMES):
        return "an office document"
    return next((kind for magic, kind in FOREIGN_MAGIC if head.startswith(magic)), None)


def wide_encoding(head: bytes) -> str:
    """UTF-16 or UTF-32 where the first bytes of a file show it, with or without their mark; else "".

    >>> wide_encoding("é".encode("utf-16")), wide_encoding("1 a".encode("utf-16-be")), wide_encoding(b"1 a")
    ('UTF-16', 'UTF-16BE', '')
    """
    for mark, encoding in WIDE_MARKS:
        if head.startswith(mark):
            return encoding
    start = head[:HEAD]
    for encoding, high, low in (("UTF-16LE", start[1::2], start[::2]), ("UTF-16BE", start[::2], start[1::2])):
        if high.count(0) > 1 and 0 not in low:
            text = start.decode(encoding, errors="ignore")
            return encoding if all(one.isprintable() or one.isspace() for one in text) else ""
    return ""


def separator_hint(line: bytes, count: int, wanted: int) -> str:
    """Why a line has `count` columns instead of those `wanted`, where others than blanks seem to separate them; else "".

    >>> separator_hint(b"1;0;d1;2", 1, 4)
    ' Semicolons do not separate columns.'
    """
    names = ((b",", "Commas"), (b";", "Semicolons"))
    return next(
        (f" {name} do not separate columns." for mark, name in names if count < wanted <= line.count(mark) + 1), ""
    )


def numbered_lines(
    chunks: Iterable[bytes], limits: Limits, problems: ProblemLog, mark_severity: str = "warning"
) -> Iterator[tuple[int, bytes]]:
    """Yield lines, numbered from 1, without line ends (LF, CRLF, CR) or a UTF-8 mark.

    Stop at a NUL, at a line that is too long, and where there are too many.

    >>> list(numbered_lines([b"one\\r\\ntw", b"o\\n"], Limits(), ProblemLog()))
    [(1, b'one'), (2, b'two')]
    """
    number, tail = 0, b""
    for chunk in without_mark(chunks, problems, mark_severity):
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
            remedy = "Save it as UTF-8 without the mark: other tools read it as part of the first field."
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
    problems.add("line_too_long", message, remedy, line=number, excerpt=piece)


def text_lines(
    source: BinaryIO, limits: Limits, problems: ProblemLog, *, takes_utf16: bool = False
) -> Iterator[tuple[int, str]]:
    """Yield numbered lines as text; a line of broken UTF-8 is an error and comes with replacement characters.

    Where the first line that is not UTF-8 stands below an XML declaration of another encoding, the lines are in that one,
    unless a line before it shows that the text is UTF-8 all the same.

    >>> from io import BytesIO
    >>> list(text_lines(BytesIO("\\ufeffone\\u2028still one\\ntwo".encode()), Limits(), ProblemLog()))
    [(1, 'one\\u2028still one'), (2, 'two')]
    """
    declared, encoding = "", "utf-8"
    chunks = text_chunks(source, limits, problems, takes_utf16=takes_utf16)
    for number, line in numbered_lines(chunks, limits, problems):
        if number == 1:
            declared = _declared_encoding(line)
        if declared and not line.isascii():
            encoding, declared = _encoding_of(line, number, declared, problems), ""
        try:
            yield number, line.decode(encoding)
        except UnicodeDecodeError:
            if encoding == "utf-8":
                add_not_utf8(problems, number, line)
            else:
                message = "The line is not in the encoding that the first line declares."
                problems.add("not_utf8", message, "Save the file as UTF-8.", line=number, excerpt=line)
            yield number, line.decode(encoding, errors="replace")


def _declared_encoding(line: bytes) -> str:
    match = XML_ENCODING.match(line)
    name = match[1].decode().lower() if match else ""
    return name if name in DECLARED_ENCODINGS else ""


def _encoding_of(line: bytes, number: int, declared: str, problems: ProblemLog) -> str:
    """UTF-8 or the declared encoding: what the first line with more than ASCII is in."""
    try:
        line.decode()
    except UnicodeDecodeError:
        message = f"The text was read as {declared.upper()}, as its first line declares."
        remedy = "Check the accents and letters in the preview."
        problems.add("encoding_declared", message, remedy, line=number, severity="warning")
        return READ_AS.get(declared, declared)
    return "utf-8"


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
    >>> add_not_utf8(problems, 7, b"caf\\xe9")
    >>> was_cut_short(problems)
    False
    """
    return not problems.by_code.keys() <= {"byte_order_mark", "not_utf8", "encoding_declared"}


def add_not_utf8(problems: ProblemLog, number: int, line: bytes) -> None:
    """Tell that a line is in no encoding that is read.

    >>> problems = ProblemLog()
    >>> add_not_utf8(problems, 7, b"caf\\xe9")
    >>> [(problem.line, problem.code, problem.excerpt) for problem in problems.shown]
    [(7, 'not_utf8', 'caf\\\\xe9')]
    """
    message, remedy = "The line is not valid UTF-8.", AS_UTF8.format("ENCODING")
    if NEIGHBOURS.search(line):  # letters of Latin-1 mostly stand alone
        remedy += " ENCODING is that of the file, such as SHIFT_JIS, EUC-JP, GB18030, KOI8-R or WINDOWS-1252."
    else:
        message, remedy = f"{message} It may be Latin-1.", AS_UTF8.format("WINDOWS-1252")
    problems.add("not_utf8", message, remedy, line=number, excerpt=line)


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
