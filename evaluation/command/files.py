"""Reading runs and judgments from files: quickly where they are clean, and with every problem of those that are not."""

import os
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from io import BytesIO
from threading import Lock

import polars as pl

from campaign.command.files import (
    LIMITS,
    PROBLEMS_SHOWN,
    STANDARD_INPUT,
    InputError,
    displayed,
    raise_problems,
    text_of,
)
from campaign.formats.problems import Problem, ProblemLog
from campaign.formats.qrels.read import QrelsRules, read_qrels
from campaign.formats.qrels.table import QRELS_SCHEMA
from campaign.formats.source import add_empty, numbered_lines
from evaluation.command.reading.columns import read_grades, read_scores
from evaluation.command.reading.lines import ScoreLines, add_comments, without_comments, without_marks
from evaluation.command.wrong_files import (
    instead_of_qrels,
    instead_of_run,
    remedy_of_fifth_column,
    several_second_columns,
    unreadable,
)
from evaluation.engine.judgments import JudgmentError, Judgments

TAG = 5
JUDGED_TWICE, FIFTH_COLUMN = "judgment_duplicate", "qrels_stratum"
EDGE = 1 << 14
LARGE_FILE = 1 << 26
_one_large_file = Lock()


def room_for(path: str) -> AbstractContextManager[object]:
    """Wait until no other large file is in memory, if this one is large."""
    large = path != STANDARD_INPUT and os.path.isfile(path) and os.path.getsize(path) > LARGE_FILE
    return _one_large_file if large else nullcontext()


@dataclass(frozen=True, eq=False)
class RunFile:
    """A run as read: `table` has the columns topic, docno (String), score (Float64), and with `with_rank` rank (Int64).

    `name` is the path as given. The tags are those of the first and of the last line.
    """

    name: str
    table: pl.DataFrame
    first_tag: str
    last_tag: str


def read_run(
    path: str, *, with_rank: bool = False, comments: bool = False, problems_shown: int = PROBLEMS_SHOWN
) -> RunFile:
    """Read a run, plain or gzip, from a path or from standard input (`-`); InputError lists all that is wrong with it.

    `comments` says whether lines that begin with # are passed over, as release 10.0 does; otherwise they are problems.
    """
    data = _text(path)
    table = read_scores(data, with_rank=with_rank, comments=comments)
    if table is None:
        _refuse(path, instead_of_run(data))
        problems = ProblemLog(problems_shown)
        table = _read_run_lines(without_marks(data), with_rank, comments, problems)
        _raise_problems(path, problems)
    return RunFile(displayed(path), table, _edge_tag(data, comments, last=False), _edge_tag(data, comments, last=True))


def read_judgments(
    path: str,
    *,
    subtopics: bool = False,
    sampled: bool = False,
    comments: bool = False,
    problems_shown: int = PROBLEMS_SHOWN,
) -> Judgments:
    """Read qrels, plain or gzip, from a path or from standard input (`-`); InputError lists all that is wrong with them.

    With `subtopics` the second column names the subtopic, or the group of judgments; without, it may be any text.
    Only with `sampled` there may be a fifth column, that of a sample: which layout it is, is recognised.
    """
    data = _text(path)
    judgments = _clean_judgments(read_grades(data, subtopics=subtopics, comments=comments))
    if judgments is not None:
        return judgments
    _refuse(path, instead_of_qrels(data, sampled=sampled))
    problems = ProblemLog(problems_shown)
    table = _read_qrels_lines(data, _rules(subtopics, sampled), comments, problems)
    if problems.by_code[JUDGED_TWICE] and not subtopics:
        problems = _with_subtopics_recognised(data, sampled, comments, problems, problems_shown)
    _raise_problems(path, problems)
    return Judgments.from_table(table)


def _rules(subtopics: bool, sampled: bool) -> QrelsRules:
    return QrelsRules(subtopic=subtopics, for_scoring=True, sampling="any" if sampled else "none")


def _with_subtopics_recognised(
    data: bytes, sampled: bool, comments: bool, problems: ProblemLog, shown: int
) -> ProblemLog:
    """Say once that there are subtopics where no document is judged twice for the same one, and keep the other problems."""
    by_subtopic = ProblemLog(shown)
    table = _read_qrels_lines(data, _rules(True, sampled), comments, by_subtopic)
    if by_subtopic.by_code[JUDGED_TWICE]:
        return problems
    second_columns = table["subtopic"].unique(maintain_order=True).to_list()
    by_subtopic.add("subtopics", *several_second_columns(problems.by_code[JUDGED_TWICE], second_columns))
    return by_subtopic


def _clean_judgments(table: pl.DataFrame | None) -> Judgments | None:
    """Code judgments that the fast reader could read; None where the tolerant reader has to name the lines."""
    try:
        return None if table is None else Judgments.from_table(table)
    except JudgmentError:
        return None


def _text(path: str) -> bytes:
    return text_of(path, unreadable)


def _read_run_lines(data: bytes, with_rank: bool, comments: bool, problems: ProblemLog) -> pl.DataFrame:
    if not comments:
        add_comments(data, LIMITS, problems)
    reader = ScoreLines(problems, with_rank=with_rank)
    reader.read(numbered_lines([without_comments(data)], LIMITS, problems))
    if not reader.lines and problems.ok:
        add_empty(problems, "lines")
    columns: dict[str, Sequence[object]] = {"topic": reader.topics, "docno": reader.docnos, "score": reader.scores}
    schema: dict[str, type[pl.DataType]] = {"topic": pl.String, "docno": pl.String, "score": pl.Float64}
    if with_rank and problems.ok:
        columns, schema = {**columns, "rank": reader.ranks}, {**schema, "rank": pl.Int64}
    return pl.DataFrame(columns, schema=schema)


def _read_qrels_lines(data: bytes, rules: QrelsRules, comments: bool, problems: ProblemLog) -> pl.DataFrame:
    data = without_marks(data)
    if not comments:
        add_comments(data, LIMITS, problems)
    table = read_qrels(BytesIO(without_comments(data)), rules, LIMITS, problems).table
    return pl.DataFrame(schema=QRELS_SCHEMA) if table is None else table


def _refuse(path: str, reason: str) -> None:
    if reason:
        raise InputError([f"{displayed(path)}: {reason}"], file=displayed(path))


def _raise_problems(path: str, problems: ProblemLog) -> None:
    raise_problems(path, problems, _remedy)


def _remedy(problem: Problem) -> str:
    return remedy_of_fifth_column() if problem.code == FIFTH_COLUMN else problem.remedy


def _edge_tag(data: bytes, comments: bool, *, last: bool) -> str:
    """The tag of the first or the last line, without reading the lines between."""
    for size in (EDGE, len(data)):
        lines = (data[-size:] if last else data[:size]).splitlines()
        if size < len(data):
            lines.pop(0 if last else -1)  # it may be cut
        for line in reversed(lines) if last else lines:
            fields = line.split(maxsplit=TAG + 1)
            if len(fields) > TAG and not (comments and fields[0].startswith(b"#")):
                return fields[TAG].decode(errors="surrogateescape")
    return ""
