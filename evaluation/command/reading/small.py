"""The readers of small files: a file without a problem is split at once by Python itself, before a data frame were loaded.

What they read, the tolerant readers read the same. What is not as it should be is left to the readers of any size.
"""

from __future__ import annotations

from collections.abc import Sequence

from campaign.formats.encodings import UTF8_MARK
from campaign.formats.qrels.layouts import GRADE, NO_SUBTOPIC
from campaign.formats.runs.line_reader.wrong_columns import INTEGER, NUMBER
from evaluation.command.reading.lines import INFINITY
from evaluation.engine.judgments import JudgmentError, Judgments
from evaluation.engine.run_lines import RunLines

RUN_COLUMNS, QRELS_COLUMNS = 6, 4


def read_few_scores(data: bytes, *, with_rank: bool = False) -> RunLines | None:
    """The lines of a small run, in file order; None if it is not clean.

    >>> lines = read_few_scores(b"1 Q0 a 1 2.5 mine\\n1 Q0 b 2 1.5 mine\\n")
    >>> lines.docno.tolist(), lines.score.tolist(), read_few_scores(b"1 Q0 a 1 high mine")
    (['a', 'b'], [2.5, 1.5], None)
    """
    columns = _columns(data)
    if columns is None or len(columns) < RUN_COLUMNS:
        return None
    topics, docnos = _texts(columns[0]), _texts(columns[2])
    if topics is None or docnos is None or len(set(zip(topics, docnos, strict=True))) < len(topics):
        return None
    if not all(NUMBER.fullmatch(score) or INFINITY.fullmatch(score) for score in columns[4]):
        return None
    if with_rank and not all(map(INTEGER.fullmatch, columns[3])):
        return None
    return RunLines.of_lists(
        topics, docnos, list(map(float, columns[4])), list(map(int, columns[3])) if with_rank else None
    )


def read_few_grades(data: bytes, *, subtopics: bool = False) -> Judgments | None:
    """The judgments of small qrels of four columns; None if they are not clean.

    >>> read_few_grades(b"1 0 a 2\\n1 0 b 0\\n").grade.tolist(), read_few_grades(b"1 0 a high\\n")
    ([2, 0], None)
    """
    columns = _columns(data)
    if columns is None or len(columns) != QRELS_COLUMNS:
        return None
    topics, seconds, docnos = (_texts(column) for column in columns[:3])
    if topics is None or seconds is None or docnos is None or not all(map(GRADE.fullmatch, columns[3])):
        return None
    try:
        return Judgments.from_lists(
            topics, seconds if subtopics else [NO_SUBTOPIC] * len(topics), docnos, list(map(int, columns[3]))
        )
    except JudgmentError:
        return None


def _columns(data: bytes) -> list[Sequence[bytes]] | None:
    """The columns of a text; None if its lines have different numbers of them, or it is no plain text without comments."""
    if b"\0" in data or UTF8_MARK in data:
        return None
    rows = [fields for fields in map(bytes.split, data.splitlines()) if fields]
    try:
        columns: list[Sequence[bytes]] = list(zip(*rows, strict=True))
    except ValueError:
        return None
    if not columns or (b"#" in data and any(topic.startswith(b"#") for topic in columns[0])):
        return None
    return columns


def _texts(column: Sequence[bytes]) -> list[str] | None:
    """Decode fields, none of which holds an end of line; None if they are not UTF-8."""
    try:
        return b"\n".join(column).decode().split("\n")
    except UnicodeDecodeError:
        return None
