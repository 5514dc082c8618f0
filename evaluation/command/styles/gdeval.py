"""The style of gdeval 1.3, the web track's program for graded judgments: nDCG of exponential gain and ERR at one rank."""

import re
from collections.abc import Sequence

import numpy as np

from campaign.command.files import InputError, displayed
from campaign.command.streams_and_signals import load_polars
from campaign.formats.qrels.layouts import NO_SUBTOPIC
from evaluation.command.arguments import ScoreArguments
from evaluation.command.files import RunFile
from evaluation.command.results import RunResult
from evaluation.command.styles.declaration import Request, RunTable, ScoredRun, Style
from evaluation.command.styles.web_track import alpha_in_tag, lines, weighted_difference
from evaluation.engine.averaging import mean_over_topics
from evaluation.engine.judgment_kinds import DOCUMENTS
from evaluation.engine.judgments import JudgmentError, Judgments
from evaluation.engine.measures.names.registry import parse_measure
from evaluation.engine.measures.names.trec_eval import PrintedMeasure

DEFAULT_CUTOFF = 20
HIGHEST_GRADE = 4
PREFIX = r"^.*-"
TOPIC_REMEDY = "Give topics whole numbers; a prefix that ends in a hyphen is passed over, as in wt09-1."
GRADE_REMEDY = f"Give grades up to {HIGHEST_GRADE}, the end of this program's scale, or use another style."


def measures(arguments: ScoreArguments) -> list[PrintedMeasure]:
    k = DEFAULT_CUTOFF if arguments.k is None else arguments.k
    named = {f"ndcg@{k}": f"nDCG(gain=exponential)@{k}", f"err@{k}": f"ERR(max_rel={HIGHEST_GRADE})@{k}"}
    return [PrintedMeasure(printed, parse_measure(name), of_trec_eval=False) for printed, name in named.items()]


def judgments_by_number(judgments: Judgments, arguments: ScoreArguments) -> Judgments:
    """Refuse grades that gdeval does not take, and write the topics without their prefixes."""
    _refuse_high_grades(judgments, arguments)
    qrels = displayed(arguments.qrels)
    topics = _numbers(judgments.topics, qrels)
    if not topics:
        return judgments
    load_polars()
    import polars as pl

    table = judgments.documents.with_columns(
        pl.col("topic").replace(topics), subtopic=pl.lit(NO_SUBTOPIC), grade=pl.Series(judgments.grade)
    )
    try:
        return Judgments.from_table(table)
    except JudgmentError as problem:
        raise InputError([f"{qrels}: {problem}"]) from None


def prepare(file: RunFile, request: Request) -> RunTable:
    """Write the run's topics without their prefixes."""
    topics = _numbers(file.lines.topics, file.name)
    return RunTable(file.lines.with_topics(topics) if topics else file.lines)


def result(run: ScoredRun, baseline: ScoredRun | None, request: Request) -> RunResult:
    """Give the values of topics with a relevant document, ascending by number; others are neither printed nor averaged.

    With a baseline they are the weighted differences to it. The topics that the run misses follow those that it answers,
    and only with a baseline and all topics.
    """
    arguments, topics, answered = request.arguments, run.scores.topics, run.scores.answered
    tag, values = run.tag, run.scores.values
    if baseline is not None:
        values = weighted_difference(values, baseline.scores.values, arguments.risk_alpha)
        tag = f"{run.tag} (rel to. {baseline.tag}; rs=1+a; a={alpha_in_tag(arguments.risk_alpha)})"
    with_relevant = request.judgments.num_rel(1) > 0
    by_number = sorted(np.flatnonzero(with_relevant).tolist(), key=lambda place: int(topics[place]))
    printed = [place for place in by_number if answered[place]]
    if arguments.all_topics and baseline is not None:
        printed += [place for place in by_number if not answered[place]]
    counted = with_relevant if arguments.all_topics else with_relevant & answered
    return RunResult(
        name=run.name,
        tag=tag,
        measures=request.measures,
        topics=tuple(topics[place] for place in printed),
        answered=tuple(answered[printed].tolist()),
        values=values[:, printed].T,
        totals=mean_over_topics(values, counted),
    )


def _refuse_high_grades(judgments: Judgments, arguments: ScoreArguments) -> None:
    high = np.flatnonzero(judgments.grade > HIGHEST_GRADE)
    shown = high[: arguments.problems_shown]
    judged = [judgments.named(document) for document in shown]
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


STYLE = Style(
    measures=measures,
    kinds=lambda arguments, measures: {DOCUMENTS},
    judgments=judgments_by_number,
    prepare=prepare,
    result=result,
    lines=lines,
    digits=5,
    options=("k", "run_order", "baseline", "risk_alpha"),
    averaged_over=", if they have a relevant document",
)
