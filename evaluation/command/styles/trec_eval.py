"""The style of trec_eval: its measures, averages and missing topics, and lines of measure, topic and value."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from campaign.command.files import InputError, displayed
from evaluation.command.arguments import ScoreArguments
from evaluation.command.results import Cell, RunResult
from evaluation.command.styles.declaration import Request, ScoredRun, Style, Texts
from evaluation.engine.arrays import FloatArray
from evaluation.engine.averaging import summarise
from evaluation.engine.judgment_kinds import ASSESSOR_GROUPS, JudgmentKind
from evaluation.engine.measures.names.trec_eval import PrintedMeasure, read_trec_eval_names
from evaluation.engine.measures.parameters import MeasureNameError, Value
from evaluation.engine.measures.trec_eval_only import relevance_strings
from evaluation.engine.ranked_run import RankedRun
from evaluation.engine.scoring import Scores

OVER_ALL_TOPICS = "all"
NOT_IN_QRELS = "-"
TOPICS_NAMED = 10
TOPIC = "\0"


def measures(arguments: ScoreArguments) -> list[PrintedMeasure]:
    """Read the names asked for; where only the size of the collection is missing, the message names its option."""

    def read(defaults: Mapping[str, Value]) -> list[PrintedMeasure]:
        return read_trec_eval_names(
            arguments.measures, defaults, reference=arguments.reference, judgment_groups=arguments.judgment_groups
        )

    try:
        return read(arguments.defaults)
    except MeasureNameError as problem:
        message = str(problem)
        try:
            read({**arguments.defaults, "N": 1})
            with_size = ""
        except MeasureNameError as other:
            with_size = str(other)
        hint = "" if message == with_size else " -N gives the size of the collection to all measures."
        raise MeasureNameError(message + hint) from None


def kinds(arguments: ScoreArguments, measures: Sequence[PrintedMeasure]) -> set[JudgmentKind]:
    """What the measures need, and with -R qrels_jg the groups of assessors, whatever the measures."""
    needed = {printed.measure.definition.judgments for printed in measures if printed.measure is not None}
    return needed | {ASSESSOR_GROUPS} if arguments.judgment_groups else needed


def texts(ranked: RankedRun, request: Request) -> Texts:
    """Give the relevance strings of each measure that prints one; release 10.0 takes a missed topic for one unjudged document."""
    lengths = {printed.name: printed.length for printed in request.measures if printed.length is not None}
    if not lengths:
        return {}
    seen = request.arguments.view(ranked)
    of_missed = NOT_IN_QRELS if request.arguments.reference == "10" else ""
    missed = (ranked.num_ret == 0).tolist()
    return {
        name: tuple(
            of_missed if is_missed else text
            for text, is_missed in zip(relevance_strings(seen, length), missed, strict=True)
        )
        for name, length in lengths.items()
    }


def refuse_missing_topics(name: str, ranked: RankedRun, request: Request) -> None:
    """Refuse a run that answers no topic of the qrels (9.0), or not all of them without -c (10.0)."""
    arguments, qrels = request.arguments, displayed(request.arguments.qrels)
    missing = [request.judgments.topics[place] for place in np.flatnonzero(ranked.num_ret == 0)]
    if arguments.reference == "9" and len(missing) == ranked.n_groups:
        raise InputError([f"{name}: no topic of it is in {qrels}. Give the qrels of its topics."])
    if arguments.reference == "10" and missing and not arguments.all_topics:
        listed = ", ".join(missing[:TOPICS_NAMED])
        more = f" and {len(missing) - TOPICS_NAMED} more" if len(missing) > TOPICS_NAMED else ""
        remedy = "count them as 0 with -c, or leave them out with --trec-eval-version 9."
        problem = f"topics of {qrels} are missing: {listed}{more}. Release 10.0 does not score such a run: {remedy}"
        raise InputError([f"{name}: {problem}"])


def result(run: ScoredRun, baseline: ScoredRun | None, request: Request) -> RunResult:
    """Give the topics that the run answers, or with -c all of the qrels, and summaries over them."""
    names, answered = request.measures, run.scores.answered
    scores = _as_averaged(run.scores, request)
    counted = np.ones_like(answered) if request.arguments.all_topics else answered
    places = np.flatnonzero(counted)
    values = np.zeros((len(places), len(names)))
    totals = np.zeros(len(names))
    computed = [column for column, name in enumerate(names) if name.measure is not None]
    values[:, computed] = scores.values[:, places].T
    totals[computed] = summarise(scores, over="qrels" if request.arguments.all_topics else "answered")
    for column, name in enumerate(names):
        if name.name == "num_q":
            values[:, column], totals[column] = 1.0, len(places)
    return RunResult(
        name=run.name,
        tag=run.tag,
        measures=names,
        topics=tuple(scores.topics[place] for place in places),
        answered=tuple(answered[places].tolist()),
        values=values,
        totals=totals,
        texts={name: tuple(texts[place] for place in places) for name, texts in run.texts.items()},
    )


def _as_averaged(scores: Scores, request: Request) -> Scores:
    """Give the values as the chosen release averages them: by 9.0 a topic that the run misses adds 0.

    This holds for trec_eval's own measures only, and changes those whose value of an empty ranking is not 0. Release 10.0
    computes that value.
    """
    if request.arguments.reference != "9":
        return scores
    averaged = [
        printed.of_trec_eval and printed.form == "number" for printed in request.measures if printed.measure is not None
    ]
    values: FloatArray = np.where(np.outer(averaged, ~scores.answered), 0.0, scores.values)
    return replace(scores, values=values)


def lines(results: Sequence[RunResult], arguments: ScoreArguments, digits: int) -> Iterator[str]:
    """Print the lines of every topic, a block at a time, then those of the summary.

    With several runs every line has a fourth field, the path of its run.
    """
    for result in results:
        yield from _lines_of_run(result, arguments, digits, after=f"\t{result.name}" if len(results) > 1 else "")


def _lines_of_run(result: RunResult, arguments: ScoreArguments, digits: int, after: str) -> Iterator[str]:
    if arguments.per_topic:
        block = _Block(result.measures, "topic", digits, after)
        for place, topic in enumerate(result.topics):
            if result.answered[place] or arguments.reference == "10":
                yield block.filled(topic, result.of_topic(place))
    if arguments.summary:
        yield _Block(result.measures, "summary", digits, after).filled(OVER_ALL_TOPICS, result.summary)


class _Block:
    """The lines of one topic, or of the summary, as one format string with a mark where the topic stands."""

    def __init__(self, measures: Iterable[PrintedMeasure], part: str, digits: int, after: str) -> None:
        shown = [(place, measure) for place, measure in enumerate(measures) if measure.shown in ("both", part)]
        self._places = [place for place, _ in shown]
        self._lines = "".join(
            f"{_literal(f'{measure.name:<22}')}\t{TOPIC}\t{_form(measure, digits)}{_literal(after)}\n"
            for _, measure in shown
        )

    def filled(self, topic: str, cells: Sequence[Cell]) -> str:
        return self._lines.replace(TOPIC, _literal(topic)) % tuple([cells[place] for place in self._places])


def _literal(text: str) -> str:
    return text.replace("%", "%%")


def _form(measure: PrintedMeasure, digits: int) -> str:
    if measure.form == "number":
        return f"%{digits + 2}.{digits}f"
    if measure.form == "count":
        return "%d"
    return "%s" if measure.name == "runid" else "'%s'"


STYLE = Style(
    measures=measures,
    kinds=kinds,
    reference=lambda arguments: arguments.reference,
    check_ranked=refuse_missing_topics,
    texts=texts,
    result=result,
    lines=lines,
    digits=4,
    options=("reference", "run_order", "level", "judged_only", "depth", "collection_size", "judgment_groups"),
    all_topics_in_tables=False,
    describes_measures=True,
)
