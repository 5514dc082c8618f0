"""Scoring: the values of measures for one run, or for many, on every topic of the qrels."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from evaluation.engine.arrays import BoolArray, FloatArray
from evaluation.engine.judgments import Judgments
from evaluation.engine.measures.declaration import Measure, compute_all
from evaluation.engine.measures.names.registry import parse_measure
from evaluation.engine.measures.sampling_fit import refuse_unfit_sampling
from evaluation.engine.ranked_run import DEFAULT_REFERENCE, RankedRun, Reference, together
from evaluation.engine.ranking import rank_run

if TYPE_CHECKING:  # slow to load: small runs are scored without it
    import polars as pl

HITS_AT_ONCE = 30_000
"""Runs are put together until they have so many judged documents: enough to forget the cost of a call, few enough to
stay in the processor's cache and to be scored while the next ones are read."""

View = Callable[[RankedRun], RankedRun]


@dataclass(frozen=True, eq=False)
class Scores:
    """One value for each measure and topic of a run.

    `topics`: all topics of the qrels in ascending order of their UTF-8 bytes. `measures`: canonical names.
    `values`: float64 (n_measures, n_topics); for a topic that the run misses the value of retrieving nothing, mostly 0
    (not so num_rel, E, Specificity, AUC, RankFirstRel and others). What such a topic counts on boards: `missing_topics.py`.
    `answered`: bool (n_topics,), whether the run retrieves anything for the topic.
    `weights`: the weights of the topics, float64 (n_topics,), of each measure whose summary is a weighted mean.
    """

    topics: tuple[str, ...]
    measures: tuple[str, ...]
    values: FloatArray
    answered: BoolArray
    weights: Mapping[str, FloatArray] = field(default_factory=dict)

    def of(self, measure: str) -> FloatArray:
        """Give the values of one measure, by any of its names: float64 (n_topics,)."""
        values: FloatArray = self.values[self.measures.index(parse_measure(measure).name)]
        return values


def score_run(
    table: pl.DataFrame,
    judgments: Judgments,
    measures: Sequence[Measure | str],
    reference: Reference = DEFAULT_REFERENCE,
) -> Scores:
    """Score one run (columns topic, docno: String; score: Float64) on every topic of the qrels.

    >>> import polars as pl
    >>> judgments = Judgments.from_table(pl.DataFrame({"topic": "1", "subtopic": "0", "docno": ["a", "b"], "grade": [3, 0]}))
    >>> run = pl.DataFrame({"topic": "1", "docno": ["a", "x", "b"], "score": [3.0, 2.0, 1.0]})
    >>> scores = score_run(run, judgments, ["RR", "P@2", "num_ret"])
    >>> scores.measures, scores.values[:, 0].tolist()
    (('RR', 'P@2', 'num_ret'), [1.0, 0.5, 3.0])
    """
    return next(score_runs([table], judgments, measures, reference))


def score_runs(
    tables: Iterable[pl.DataFrame],
    judgments: Judgments,
    measures: Sequence[Measure | str],
    reference: Reference = DEFAULT_REFERENCE,
) -> Iterator[Scores]:
    """Score runs as they come: of each run memory keeps the judged documents only, and those of a few runs at a time.

    A measure that estimates from another sample than the judgments show is a JudgmentError.
    """
    parsed = _parsed(measures)
    refuse_unfit_sampling(parsed, judgments)
    return score_ranked((rank_run(table, judgments, reference) for table in tables), parsed)


def as_it_is(ranked: RankedRun) -> RankedRun:
    return ranked


def score_ranked(
    runs: Iterable[RankedRun], measures: Sequence[Measure | str], view: View = as_it_is
) -> Iterator[Scores]:
    """Score ranked runs over all topics of their judgments, several at once; `view` is what measures see of them.

    >>> import polars as pl
    >>> judgments = Judgments.from_table(pl.DataFrame({"topic": "1", "subtopic": "0", "docno": ["a", "b"], "grade": [3, 0]}))
    >>> run = pl.DataFrame({"topic": "1", "docno": ["a", "x", "b"], "score": [3.0, 2.0, 1.0]})
    >>> [scores] = score_ranked([rank_run(run, judgments)], ["num_ret"], view=RankedRun.judged_only)
    >>> scores.values.tolist()
    [[2.0]]
    """
    parsed = _parsed(measures)
    for batch in _batches(runs):
        yield from _score_batch(batch, parsed, view)


def _parsed(measures: Sequence[Measure | str]) -> list[Measure]:
    return [parse_measure(measure) if isinstance(measure, str) else measure for measure in measures]


def _score_batch(runs: list[RankedRun], measures: list[Measure], view: View) -> Iterator[Scores]:
    ranked = view(together(runs))
    names = tuple(measure.name for measure in measures)
    by_run = (len(runs), runs[0].judgments.n_topics)
    values = compute_all(measures, ranked).reshape(len(measures), *by_run)
    weighted = [(measure.name, measure.topic_weights(ranked)) for measure in measures]
    weights = {name: of_topics.reshape(by_run) for name, of_topics in weighted if of_topics is not None}
    for number, run in enumerate(runs):
        of_run = {name: of_runs[number] for name, of_runs in weights.items()}
        yield Scores(run.judgments.topics, names, values[:, number].copy(), run.num_ret > 0, of_run)


def _batches(runs: Iterable[RankedRun]) -> Iterator[list[RankedRun]]:
    batch: list[RankedRun] = []
    hits = 0
    for run in runs:
        batch.append(run)
        hits += len(run.group)
        if hits >= HITS_AT_ONCE:
            yield batch
            batch, hits = [], 0
    if batch:
        yield batch
