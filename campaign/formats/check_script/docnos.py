"""Lists of document numbers that are too long for memory. Standard library only, Python 3.9 or newer."""

from __future__ import annotations

from collections.abc import Iterable
from typing import BinaryIO

from campaign.formats.problems import ProblemLog
from campaign.formats.source import Limits, numbered_lines, text_chunks

LIST_LIMITS = Limits(max_bytes=1 << 40, max_text_bytes=1 << 40, max_ratio=2000)


class DocnoListError(Exception):
    """A file is no list of document numbers; the message says why."""


class DocnoFile:
    """A list of docnos of any length, one on each line, plain or gzip: it is read once for each run and never held in memory."""

    def __init__(self, file: BinaryIO, name: str) -> None:
        self._file = file
        self._name = name

    def missing(self, docnos: Iterable[str]) -> set[str]:
        left, problems, is_empty = set(docnos), ProblemLog(), True
        self._file.seek(0)
        for _, line in numbered_lines(text_chunks(self._file, LIST_LIMITS, problems), LIST_LIMITS, problems, "off"):
            docno = line.strip()
            is_empty = is_empty and not docno
            left.discard(docno.decode(errors="replace"))
        if not problems.ok or is_empty:
            reason = str(problems.shown[0]) if problems.shown else "it is empty."
            raise DocnoListError(f"{self._name} cannot be read as a list of document numbers: {reason}")
        return left
