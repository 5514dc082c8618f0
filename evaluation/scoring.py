"""The door to the measures: one run, or many, against the judgments."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from evaluation.arrays import BoolArray, FloatArray
from evaluation.judgments import Judgments
from evaluation.measures.declaration import Measure
from evaluation.measures.registry import parse_measure
from evaluation.ranking import DEFAULT_REFERENCE, Reference, rank_run


@dataclass(frozen=True, eq=False)
class Scores:
    """One value for each measure and topic of a run.

    `topics`: all topics of the qrels in ascending order of their UTF-8 bytes. `measures`: canonical names.
    `values`: float64 (n_measures, n_topics), 0 for a topic that the run misses (but num_rel, which is the qrels' own).
    `answered`: bool (n_topics,), whether the run retrieves anything for the topic.
    """

    topics: tuple[str, ...]
    measures: tuple[str, ...]
    values: FloatArray
    answered: BoolArray

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
    """Score one run (columns topic, docno: String; score: Float64) on every topic of the qrels."""
    return next(score_runs([table], judgments, measures, reference))


def score_runs(
    tables: Iterable[pl.DataFrame],
    judgments: Judgments,
    measures: Sequence[Measure | str],
    reference: Reference = DEFAULT_REFERENCE,
) -> Iterator[Scores]:
    """Score runs one after another, as they come: memory holds one run at a time, the judgments are coded once."""
    wanted = [parse_measure(measure) if isinstance(measure, str) else measure for measure in measures]
    names = tuple(measure.name for measure in wanted)
    for table in tables:
        ranked = rank_run(table, judgments, reference)
        values = np.empty((len(wanted), judgments.n_topics))
        for row, measure in enumerate(wanted):
            values[row] = measure.compute(ranked)
        yield Scores(judgments.topics, names, values, ranked.num_ret > 0)
