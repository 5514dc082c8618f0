"""Reading runs and judgments of any size: whole columns where they are clean, and with every problem of those that are not."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from typing import TYPE_CHECKING

import polars as pl

from campaign.command.files import LIMITS, InputError, displayed, raise_problems
from campaign.formats.problems import Problem, ProblemLog
from campaign.formats.qrels.table import QRELS_SCHEMA
from campaign.formats.source import add_empty, numbered_lines
from evaluation.command.reading.columns import read_grades, read_scores
from evaluation.command.reading.lines import ScoreLines, add_comments, without_comments, without_marks
from evaluation.command.wrong_files import (
    instead_of_qrels,
    instead_of_run,
    remedy_of_fifth_column,
    several_second_columns,
)
from evaluation.engine.judgments import JudgmentError, Judgments
from evaluation.engine.run_lines import RunLines

if TYPE_CHECKING:  # slow to load: qrels without a problem are read without it
    from campaign.formats.qrels.read import QrelsRules

JUDGED_TWICE, FIFTH_COLUMN = "judgment_duplicate", "qrels_stratum"


def read_lines(path: str, data: bytes, *, with_rank: bool, comments: bool, problems_shown: int) -> RunLines:
    """The lines of a run's text; InputError lists all that is wrong with it, under the name of its path."""
    table = read_scores(data, with_rank=with_rank, comments=comments)
    if table is not None:
        return RunLines.of_table(table)
    _refuse(path, instead_of_run(data))
    problems = ProblemLog(problems_shown)
    table = _read_run_lines(without_marks(data), with_rank, comments, problems)
    _raise_problems(path, problems)
    return RunLines.of_table(table)


def read_judgments(
    path: str, data: bytes, *, subtopics: bool, sampled: bool, comments: bool, problems_shown: int
) -> Judgments:
    """The judgments of the text of qrels; InputError lists all that is wrong with it, under the name of its path."""
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
    from campaign.formats.qrels.read import QrelsRules

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
    from campaign.formats.qrels.read import read_qrels

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
