"""The whole tolerant check of a run, read as a stream. Standard library only, Python 3.9 or newer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import BinaryIO

from campaign.formats.problems import ProblemLog
from campaign.formats.runs.by_line.reader import RunLines
from campaign.formats.runs.rules import BYTE_ORDER_MARK, RunRules
from campaign.formats.source import Limits, add_empty, numbered_lines, text_chunks


@dataclass(frozen=True)
class LineCheck:
    """`reader` is None where the file could not be read to its end: problems of a part would be misleading."""

    problems: ProblemLog
    reader: RunLines | None


def read_run(source: BinaryIO, rules: RunRules, limits: Limits) -> LineCheck:
    """Read a run, plain or gzip, and find every problem that it has under the rules."""
    of_file, of_lines = ProblemLog(), ProblemLog()
    chunks = text_chunks(source, limits, of_file)
    reader = RunLines(rules)
    reader.read(numbered_lines(chunks, limits, of_lines, rules.severity(BYTE_ORDER_MARK)))
    for _ in chunks:  # behind a NUL or a line too long, the file itself may be damaged
        continue
    if not of_file.ok:
        return LineCheck(of_file, None)
    for found in of_file.shown:  # warnings
        of_lines.add(found.code, found.message, found.remedy, severity=found.severity)
    if not reader.lines and of_lines.ok:
        add_empty(of_lines, "lines")
    reader.findings.report(rules, of_lines)
    return LineCheck(of_lines, reader)
