"""Character encodings of texts that come in: which are read, how they show, and texts made UTF-8. Python 3.9 or newer."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator
from itertools import chain

from campaign.formats.problems import EXCERPT_LENGTH, ProblemLog

HEAD = 512
UTF8_MARK = b"\xef\xbb\xbf"
WIDE_MARKS = (
    (b"\xff\xfe\0\0", "UTF-32", "utf-32-le"),
    (b"\0\0\xfe\xff", "UTF-32", "utf-32-be"),
    (b"\xff\xfe", "UTF-16", "utf-16-le"),
    (b"\xfe\xff", "UTF-16", "utf-16-be"),
)
"""What the first bytes are, what they show, and in what the text behind them is."""
ENCODINGS = {
    "windows-1252": "Western European (Windows-1252, Latin-1)",
    "windows-1250": "Central European (Windows-1250)",
    "iso-8859-2": "Central European (Latin-2)",
    "windows-1251": "Cyrillic (Windows-1251)",
    "koi8-r": "Cyrillic (KOI8-R)",
    "windows-1256": "Arabic (Windows-1256)",
    "euc-jp": "Japanese (EUC-JP)",
    "shift_jis": "Japanese (Shift_JIS)",
    "iso-2022-jp": "Japanese (ISO-2022-JP)",
    "gb18030": "Chinese (GB18030, GBK, GB2312)",
    "big5": "Chinese (Big5)",
    "euc-kr": "Korean (EUC-KR)",
    "utf-16le": "UTF-16 without a byte order mark",
}
"""Those that whoever sends a file may name, for a file that does not show its own."""
READ_AS = {
    **dict.fromkeys(("iso-8859-1", "latin1", "latin-1"), "windows-1252"),
    **dict.fromkeys(("shift_jis", "x-sjis", "windows-31j"), "cp932"),
    **dict.fromkeys(("euc-kr", "ks_c_5601-1987"), "cp949"),
    "gb2312": "gbk",
    "big5": "big5hkscs",
    "euc-jp": "euc_jis_2004",
    "iso-2022-jp": "iso2022_jp_ext",
}
"""What is called so mostly holds some characters of the larger encoding, as which browsers read it."""
DECLARED_ENCODINGS = frozenset(
    [f"iso-8859-{part}" for part in (*range(1, 12), 13, 14, 15, 16)]
    + [f"windows-{page}" for page in range(1250, 1259)]
    + [*READ_AS, "koi8-r", "koi8-u", "gbk", "gb18030"]
)
"""Those in which no line end is a part of another character."""
XML_ENCODING = re.compile(rb"""\s*<\?xml\b[^<>]*?\bencoding\s*=\s*["']([A-Za-z0-9_-]{1,20})["']""")
NOT_ASCII = re.compile(rb"[\x80-\xff]")
NEIGHBOURS = re.compile(rb"[\x80-\xff]{2}")
OF_ISO_2022 = re.compile(rb"\x1b\$[@B]")
"""Japanese letters of ISO-2022-JP follow; its bytes are all ASCII."""
OF_ONE_BYTE = "WINDOWS-1252, KOI8-R and others of one byte a letter"
OF_SEVERAL_BYTES = ("euc-jp", "shift_jis", "gb18030", "big5", "euc-kr")
LOOKED_AT = 1000
AS_UTF8 = "Save the file as UTF-8. In a terminal: iconv -f {} -t UTF-8 FILE > NEW_FILE."
CHOOSE = f"{AS_UTF8} Where you import the file, you can choose its character encoding instead."


def wide_encoding(head: bytes) -> str:
    """UTF-16 or UTF-32 where the first bytes of a file show it, with or without their mark; else "".

    >>> wide_encoding("é".encode("utf-16")), wide_encoding("1 a".encode("utf-16-be")), wide_encoding(b"1 a")
    ('UTF-16', 'UTF-16BE', '')
    """
    for mark, encoding, _ in WIDE_MARKS:
        if head.startswith(mark):
            return encoding
    start = head[:HEAD]
    for encoding, high, low in (("UTF-16LE", start[1::2], start[::2]), ("UTF-16BE", start[::2], start[1::2])):
        if high.count(0) > 1 and 0 not in low:
            text = start.decode(encoding, errors="ignore")
            return encoding if all(one.isprintable() or one.isspace() for one in text) else ""
    return ""


def as_utf8(chunks: Iterable[bytes], encoding: str, problems: ProblemLog) -> Iterator[bytes]:
    """Yield the text as UTF-8. `encoding`: what its sender says, "" if nothing; a mark at the beginning counts for more.

    The first bytes that are not in the encoding are an error, and end the text.

    >>> list(as_utf8([b"caf\\xe9"], "windows-1252", ProblemLog()))
    [b'caf\\xc3\\xa9']
    """
    remaining = iter(chunks)
    head = next(remaining, b"")
    shown = wide_encoding(head) or ("UTF-8" if head.startswith(UTF8_MARK) else "")
    if encoding and shown and not encoding.upper().startswith(shown):
        message = f"The first bytes of the file show {shown}: it was read so, and not as {encoding.upper()}."
        problems.add("encoding_other", message, "Check that the texts are right.", severity="warning")
    if shown == "UTF-8" or not (shown or encoding):
        yield from chain([head], remaining)
        return
    if shown and not encoding:
        remedy = "Other programs, such as trec_eval, read UTF-8 only: save the file so for them."
        problems.add("utf16", f"The text is in {shown}, and was read so.", remedy, severity="warning")
    shows = ((mark, behind) for mark, _, behind in WIDE_MARKS if head.startswith(mark))
    mark, of_text = next(shows, (b"", shown or encoding))
    text = chain([head[len(mark) :]], remaining)
    yield from _recoded(text if shown else _compared_with_utf8(text, encoding, problems), of_text, problems)


def _compared_with_utf8(chunks: Iterable[bytes], encoding: str, problems: ProblemLog) -> Iterator[bytes]:
    """Tell where the first chunk with more than ASCII can be read as UTF-8."""
    is_ascii = True
    for chunk in chunks:
        if is_ascii and not chunk.isascii():
            is_ascii = False
            if _seems_utf8(chunk):
                message = f"The text can be read as UTF-8 too, but was read as {encoding.upper()}, as you said."
                remedy = "Check the accents and letters of what was read."
                problems.add("encoding_other", message, remedy, severity="warning")
        yield chunk


def _seems_utf8(text: bytes) -> bool:
    try:
        codecs.getincrementaldecoder("utf-8")().decode(text)
    except UnicodeDecodeError:
        return False
    return True


def _recoded(chunks: Iterable[bytes], encoding: str, problems: ProblemLog) -> Iterator[bytes]:
    codec = READ_AS.get(encoding, encoding)
    decoder = codecs.getincrementaldecoder(codec)()
    before, after_cr = 0, False
    for chunk in chain(chunks, [b""]):
        try:
            text = decoder.decode(chunk, not chunk).encode()
        except UnicodeDecodeError as problem:
            sound = problem.object[: problem.start].decode(codec, "ignore").encode()
            number = before + _line_ends(sound, after_cr) + 1
            excerpt = sound.splitlines()[-1:] if not sound.endswith((b"\n", b"\r")) else []
            broken = b"".join(excerpt)[-EXCERPT_LENGTH // 2 :] + problem.object[problem.start : problem.end]
            message = f"The line is not in {encoding.upper()}; nothing from it on was read."
            remedy = "Choose another character encoding, or save the file as UTF-8."
            problems.add("not_in_encoding", message, remedy, line=number, excerpt=broken)
            return
        before, after_cr = before + _line_ends(text, after_cr), text.endswith(b"\r")
        if text:
            yield text


def _line_ends(text: bytes, after_cr: bool) -> int:
    split = after_cr and text.startswith(b"\n")
    return text.count(b"\n") + text.count(b"\r") - text.count(b"\r\n") - split


class LineDecoder:
    """Decodes the lines of a text, which are in UTF-8 or, from the first line that is not, in what an XML declaration names.

    >>> decoder = LineDecoder(ProblemLog())
    >>> decoder.text(1, b'<?xml encoding="iso-8859-1"?>'), decoder.text(2, b"caf\\xe9")
    ('<?xml encoding="iso-8859-1"?>', 'café')
    """

    def __init__(self, problems: ProblemLog) -> None:
        self._problems = problems
        self._declared = ""
        self._encoding = "utf-8"

    def text(self, number: int, line: bytes) -> str:
        """The text of the line; where it cannot be decoded, an error is reported, and it comes with replacement characters."""
        if number > 1 and self._encoding == "utf-8" and line.isascii() and b"\x1b" not in line:
            return line.decode("ascii")  # nearly all of them, and there may be millions
        if number == 1:
            self._declared = declared_encoding(line)
        japanese = b"\x1b" in line and OF_ISO_2022.search(line) is not None
        if self._declared and (japanese or not line.isascii()):
            self._follow_declaration(number, line, japanese)
        try:
            text = line.decode(READ_AS.get(self._encoding, self._encoding))
        except UnicodeDecodeError:
            if self._encoding == "utf-8":
                add_not_utf8(self._problems, number, line)
            else:
                message = "The line is not in the encoding that the first line declares."
                self._problems.add("not_utf8", message, "Save the file as UTF-8.", line=number, excerpt=line)
            return line.decode(READ_AS.get(self._encoding, self._encoding), errors="replace")
        if japanese and self._encoding == "utf-8":
            message, remedy = "The line is in ISO-2022-JP.", CHOOSE.format("ISO-2022-JP")
            self._problems.add("not_utf8", message, remedy, line=number, excerpt=line)
        return text

    def _follow_declaration(self, number: int, line: bytes, japanese: bool) -> None:
        """UTF-8 or the declared encoding: what the first line with more than ASCII is in."""
        declared, self._declared = self._declared, ""
        is_other = japanese and declared == "iso-2022-jp"
        try:
            line.decode()
        except UnicodeDecodeError:
            is_other = True
        if is_other:
            message = f"The text was read as {declared.upper()}, as its first line declares."
            remedy = "Check the accents and letters of what was read."
            self._problems.add("encoding_declared", message, remedy, line=number, severity="warning")
            self._encoding = declared


def declared_encoding(line: bytes) -> str:
    """The encoding that an XML declaration names, in small letters, if it is one that is followed; else "".

    >>> declared_encoding(b'<?xml version="1.0" encoding="EUC-JP"?>'), declared_encoding(b'<?xml encoding="zip"?>')
    ('euc-jp', '')
    """
    match = XML_ENCODING.match(line)
    name = match[1].decode().lower() if match else ""
    return name if name in DECLARED_ENCODINGS else ""


def add_not_utf8(problems: ProblemLog, number: int, line: bytes) -> None:
    """Tell that a line is not in UTF-8, and in what it may be.

    >>> problems = ProblemLog()
    >>> add_not_utf8(problems, 7, b"caf\\xe9")
    >>> [(problem.line, problem.code, problem.excerpt) for problem in problems.shown]
    [(7, 'not_utf8', 'caf\\\\xe9')]
    """
    message, remedy = "The line is not valid UTF-8.", CHOOSE.format("ENCODING")
    if NEIGHBOURS.search(line):  # letters of Latin-1 mostly stand alone
        possible = ", ".join(one.upper() for one in encodings_of(line))
        message = f"{message} Without an error it can be read as {f'{possible}, ' if possible else ''}{OF_ONE_BYTE}."
    else:
        message, remedy = f"{message} It may be Latin-1.", CHOOSE.format("WINDOWS-1252")
    problems.add("not_utf8", message, remedy, line=number, excerpt=line)


def encodings_of(line: bytes) -> list[str]:
    """The encodings of several bytes a letter in which the beginning of the line is text. Long lines leave few.

    >>> encodings_of("卵をゆでる方法を教えてください。".encode("shift_jis")), encodings_of(b"caf\\xe9")
    (['shift_jis', 'gb18030'], ['euc-jp', 'shift_jis', 'gb18030', 'big5', 'euc-kr'])
    """
    found = NOT_ASCII.search(line)
    piece = line[found.start() if found else 0 :][:LOOKED_AT]
    return [name for name in OF_SEVERAL_BYTES if _is_text_in(name, piece)]


def _is_text_in(encoding: str, piece: bytes) -> bool:
    try:
        text = codecs.getincrementaldecoder(READ_AS.get(encoding, encoding))().decode(piece)
    except UnicodeDecodeError:
        return False
    return all(one.isprintable() or one.isspace() for one in text)
