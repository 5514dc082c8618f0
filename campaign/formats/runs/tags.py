"""How long a tag may be, and the tag that a file suggests: the same for upload page, API, command and check script.

The upload page's script does the same in the browser (static/js/upload/tag-from-file.js); one table of cases tests both.
"""

import re
import zlib

from campaign.formats.runs.header import is_of_dynamic_domain, is_shifted

HEAD_BYTES = 1 << 16
ENDINGS = (".txt", ".run", ".res")
RUN_COLUMNS = 6
LONGEST_TAG = 60
"""Of a run that is sent to a site: tables, forms and API refuse more. `static/js/upload/tag-from-file.js` has it too."""
BEFORE_RUN = re.compile(
    r"#|<SYSDESC>|\S+\s+\S+\s+\S+\s+rank\s+\S+\s+(?!(?:(?:query|topic)(?:[-_.]?text)?|text|title)\s*$)",
    re.IGNORECASE | re.ASCII,
)
"""Lines that may stand before those of a run. Names of columns whose last is a text say that no tag stands below them."""
SCORE = re.compile(
    r"[+-]?(?:[0-9.,]*[0-9.](?:e[+-]?[0-9]+)?|nan|inf(?:inity)?|0x[0-9a-f.]+(?:p[+-]?[0-9]+)?)",
    re.IGNORECASE | re.ASCII,
)
"""What may be meant as one, whether or not it is a finite number. Words in its place are in a column of something else."""
START_OF_SYSDESC = re.compile(r"(?:^|\n)<SYSDESC>", re.IGNORECASE)
END_OF_SYSDESC = re.compile(r"</SYSDESC>([^\n]*)", re.IGNORECASE)


def suggested_tag(head: bytes, file_name: str) -> str:
    """The last column of the first line, where that line has the six columns of a run, the fifth a score; else the tag of the
    file's name.

    `head`: the first `HEAD_BYTES` of the file, plain or gzip.

    >>> suggested_tag(b"1 Q0 d1 1 2.5 bm25\\n", "anything.txt"), suggested_tag(b"", "bm25.res.gz")
    ('bm25', 'bm25')
    """
    return _tag_of_text(*_unpacked(head)) or tag_of_file_name(file_name)


def tag_of_file_name(name: str) -> str:
    """The name without .gz and then without one of `ENDINGS`: bm25.res.gz is named after the tag bm25."""
    for endings in ((".gz",), ENDINGS):
        ending = next((ending for ending in endings if name.lower().endswith(ending)), "")
        if len(name) > len(ending):
            name = name[: len(name) - len(ending)]
    return name


def _unpacked(head: bytes) -> tuple[bytes, bool]:
    """The text of the head, and whether that is the whole file."""
    is_whole = len(head) < HEAD_BYTES
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return head.decode("utf-16", "ignore").encode(), is_whole
    if not head.startswith(b"\x1f\x8b"):
        return head, is_whole
    unpacker = zlib.decompressobj(wbits=31)
    try:
        text = unpacker.decompress(head, HEAD_BYTES)
    except zlib.error:
        return b"", True
    return text, unpacker.eof and len(text) < HEAD_BYTES


def _tag_of_text(text: bytes, is_whole: bool) -> str:
    lines = _without_description(text.decode("utf-8", "replace").lstrip("\ufeff")).split("\n")
    if not is_whole:
        lines.pop()  # the end of the last line may be missing, and with it a part of the tag
    first = next((line for line in lines if line.strip(" \t\r\v\f") and not BEFORE_RUN.match(line)), "")
    columns = first.translate(str.maketrans("\t\r\v\f", "    ")).split(" ")
    columns = [column for column in columns if column]
    line = " ".join(columns).encode()
    if len(columns) != RUN_COLUMNS or not SCORE.fullmatch(columns[4]) or is_shifted(line) or is_of_dynamic_domain(line):
        return ""
    return columns[-1] if len(columns[-1]) <= LONGEST_TAG and b"\0" not in text else ""


def _without_description(text: str) -> str:
    """The text without NTCIR's SYSDESC, where that has an end as `RunHead` wants it."""
    start = START_OF_SYSDESC.search(text)
    end = END_OF_SYSDESC.search(text, start.end()) if start else None
    return text[: start.start()] + text[end.end() :] if start and end and not end[1].strip(" \t\r\v\f") else text
