"""The text form of PubMed and MEDLINE: `PMID- 1` begins a document, four signs and a hyphen a part, blanks what goes on."""

from __future__ import annotations

import re
from collections.abc import Iterator

from campaign.formats.smart import LINE_SIZE, PART_SIZE, RecordTooLargeError

MEDLINE = "PMID- "
PART = re.compile(r"([A-Z][A-Z0-9 ]{3})- ?(.*)")


def medline_records(lines: Iterator[tuple[int, str]], max_size: int) -> Iterator[tuple[int, dict[str, str]]]:
    """The line of each record and its parts by name; RecordTooLargeError at one beyond `max_size` characters.

    >>> list(medline_records(iter([(1, "PMID- 7"), (2, "TI  - Mill"), (3, "      ponds"), (4, "AU  - A B")]), 2000))
    [(1, {'PMID': '7', 'TI': 'Mill ponds', 'AU': 'A B'})]
    """
    start, size, parts, newest = 0, 0, dict[str, list[str]](), list[str]()
    for number, line in lines:
        found = PART.match(line)
        name = found[1].strip() if found else ""
        if name == "PMID":
            if parts:
                yield start, _joined(parts)
            start, size, parts = number, 0, {}
        if found:
            newest = parts.setdefault(name, [])
            size += PART_SIZE
        newest.append(found[2].strip() if found else line.strip())
        size += len(line) + LINE_SIZE
        if size > max_size:
            raise RecordTooLargeError(start)
    if parts:
        yield start, _joined(parts)


def _joined(parts: dict[str, list[str]]) -> dict[str, str]:
    return {name: " ".join(filter(None, texts)) for name, texts in parts.items()}
