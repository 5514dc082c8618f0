"""Results as gdeval 1.3 writes them: nDCG of exponential gain and ERR at one rank, as lines of comma-separated values."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TextIO

import numpy as np
import polars as pl

from evaluation.command.arguments import ScoreArguments
from evaluation.command.files import InputError, displayed, read_judgments, read_run
from evaluation.engine.arrays import BoolArray, FloatArray
from evaluation.engine.averaging import mean_over_topics
from evaluation.engine.judgments import JudgmentError, Judgments
from evaluation.engine.measures.names.registry import parse_measure
from evaluation.engine.ranked_run import RankedRun
from evaluation.engine.ranking import RankingError, rank_run
from evaluation.engine.scoring import score_ranked

K = 20
DIGITS = 5
HIGHEST_GRADE = 4
PREFIX = r"^.*-"
OVER_ALL_TOPICS = "amean"
TOPIC_REMEDY = "Give topics whole numbers; a prefix that ends in a hyphen is passed over, as in wt09-1."
GRADE_REMEDY = f"Give grades up to {HIGHEST_GRADE}, the end of this program's scale, or use another style."


@dataclass(frozen=True, eq=False)
class _Columns:
    """What is printed of one run: `values` float64 (2, n_topics), nDCG and ERR; `answered` bool (n_topics,)."""

    tag: str
    values: FloatArray
    answered: BoolArray

    def relative_to(self, baseline: "_Columns", alpha: float) -> "_Columns":
        """Give the differences to the baseline; those below 0 weigh 1 + alpha."""
        differences = self.values - baseline.values
        weighted = np.where(differences < 0.0, (1.0 + alpha) * differences, differences)
        alpha_written = np.format_float_positional(alpha, trim="-")
        return _Columns(f"{self.tag} (rel to. {baseline.tag}, rs=1+a, a={alpha_written})", weighted, self.answered)


def write(arguments: ScoreArguments, out: TextIO) -> None:
    """Score the runs and write what gdeval writes, the lines of one run after those of another under one header.

    Topics are printed in the order of their numbers; those without a relevant document are neither printed nor averaged.
    """
    judgments = _read_judgments(arguments)
    baseline = [arguments.baseline] if arguments.baseline is not None else []
    columns = _score(arguments, judgments, [*baseline, *arguments.runs])
    if baseline:
        columns = [run.relative_to(columns[0], arguments.risk_alpha or 0.0) for run in columns[1:]]
    k = _cutoff(arguments)
    out.write(f"runid,topic,ndcg@{k},err@{k}\n")
    for run in columns:
        out.writelines(_lines(arguments, judgments, run))


def _lines(arguments: ScoreArguments, judgments: Judgments, run: _Columns) -> Iterator[str]:
    digits = DIGITS if arguments.digits is None else arguments.digits

    def line(topic: str, values: FloatArray) -> str:
        return f"{run.tag},{topic},{values[0]:.{digits}f},{values[1]:.{digits}f}\n"

    with_relevant = judgments.num_rel(1) > 0
    by_number = sorted(np.flatnonzero(with_relevant).tolist(), key=lambda place: int(judgments.topics[place]))
    missed_are_printed = arguments.all_topics and arguments.baseline is not None
    printed = [place for place in by_number if run.answered[place]]
    printed += [place for place in by_number if missed_are_printed and not run.answered[place]]
    yield from (line(judgments.topics[place], run.values[:, place]) for place in printed)
    counted = with_relevant if arguments.all_topics else with_relevant & run.answered
    yield line(OVER_ALL_TOPICS, mean_over_topics(run.values, counted))


def _cutoff(arguments: ScoreArguments) -> int:
    return K if arguments.k is None else arguments.k


def _score(arguments: ScoreArguments, judgments: Judgments, paths: Sequence[str]) -> list[_Columns]:
    tags: list[str] = []
    errors: list[InputError] = []

    def ranked() -> Iterator[RankedRun]:
        for path in paths:
            try:
                tag, run = _rank(arguments, judgments, path)
            except InputError as error:
                errors.append(error)
                continue
            tags.append(tag)
            yield run

    k = _cutoff(arguments)
    measures = [parse_measure(f"nDCG(gain=exponential)@{k}"), parse_measure(f"ERR(max_rel={HIGHEST_GRADE})@{k}")]
    scored = list(score_ranked(ranked(), measures, view=arguments.view))
    if errors:
        raise InputError.joined(errors)
    return [_Columns(tag, scores.values, scores.answered) for tag, scores in zip(tags, scored, strict=True)]


def _rank(arguments: ScoreArguments, judgments: Judgments, path: str) -> tuple[str, RankedRun]:
    """Rank by score in double precision; the tag is that of the last line."""
    run = read_run(path, problems_shown=arguments.problems_shown)
    topics = _numbers(run.table["topic"].unique(maintain_order=True).to_list(), run.name)
    table = run.table.with_columns(pl.col("topic").replace(topics)) if topics else run.table
    try:
        return run.last_tag, rank_run(table, judgments, reference="10")
    except RankingError as problem:
        raise InputError([f"{run.name}: {problem}"]) from None


def _read_judgments(arguments: ScoreArguments) -> Judgments:
    judgments = read_judgments(arguments.qrels, problems_shown=arguments.problems_shown)
    _refuse_high_grades(judgments, arguments)
    topics = _numbers(list(judgments.topics), displayed(arguments.qrels))
    if not topics:
        return judgments
    table = judgments.documents.with_columns(
        pl.col("topic").replace(topics), subtopic=pl.lit("0"), grade=pl.Series(judgments.grade)
    )
    try:
        return Judgments.from_table(table)
    except JudgmentError as problem:
        raise InputError([f"{displayed(arguments.qrels)}: {problem}"]) from None


def _refuse_high_grades(judgments: Judgments, arguments: ScoreArguments) -> None:
    high = np.flatnonzero(judgments.grade > HIGHEST_GRADE)
    shown = high[: arguments.problems_shown]
    judged = judgments.documents[shown].rows()
    lines = [
        f"{displayed(arguments.qrels)}: topic {topic}: document {docno} has grade {grade}. {GRADE_REMEDY}"
        for (topic, docno), grade in zip(judged, judgments.grade[shown].tolist(), strict=True)
    ]
    if lines:
        raise InputError(lines, total=len(high))


def _numbers(topics: Sequence[str], name: str) -> dict[str, str]:
    """Give the topics without their prefixes, those that have one; InputError when what is left is not a number."""
    without = {topic: re.sub(PREFIX, "", topic) for topic in topics}
    wrong = [topic for topic, number in without.items() if not re.fullmatch("[0-9]+", number)]
    if wrong:
        raise InputError([f"{name}: topic {topic} is not a number. {TOPIC_REMEDY}" for topic in wrong])
    return {topic: number for topic, number in without.items() if topic != number}
