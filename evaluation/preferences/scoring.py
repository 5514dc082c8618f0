"""PURE: runs scored by an order of preferences with the engine's Compat."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, cast

import polars as pl

from campaign.formats.runs.order_setting import Ordering
from evaluation.engine.arrays import FloatArray
from evaluation.engine.averaging import mean_over_topics
from evaluation.engine.judgments import Judgments
from evaluation.engine.measures.names.registry import parse_measure
from evaluation.engine.ranked_run import Reference
from evaluation.engine.ranking import rank_run
from evaluation.engine.scoring import score_ranked

COMPATIBILITY: Final = parse_measure("Compat").name


@dataclass(frozen=True)
class ByOrder:
    """`values`: float64 (n_topics,), the topics in byte order; a missed topic has 0. `answered`: topics that the run has."""

    values: FloatArray
    mean: float
    answered: int


def judgments_of(order: pl.DataFrame) -> Judgments:
    """Code an order (topic, docno, level; level 1 the best) as the engine reads ideal rankings: the better, the higher.

    >>> order = pl.DataFrame({"topic": ["1", "1"], "docno": ["a", "b"], "level": [1, 2]})
    >>> judgments_of(order).grade.tolist()
    [2, 1]
    """
    place = (pl.col("level").max().over("topic") - pl.col("level") + 1).alias("grade")
    return Judgments.from_table(order.select("topic", "docno", place, subtopic=pl.lit("0")))


def scores_by(order: pl.DataFrame, runs: Iterable[pl.DataFrame], ordering: Ordering) -> Iterator[ByOrder]:
    """Score runs (topic, docno, score) by an order (topic, docno, level): Compat of each topic of the order, and the mean.

    >>> order = pl.DataFrame({"topic": ["1", "1"], "docno": ["a", "b"], "level": [1, 2]})
    >>> run = pl.DataFrame({"topic": ["1", "1"], "docno": ["a", "b"], "score": [2.0, 1.0]})
    >>> [scored] = scores_by(order, [run], Ordering())
    >>> scored.mean, scored.answered
    (1.0, 1)
    """
    judgments = judgments_of(order)
    reference = cast(Reference, ordering.reference)
    ranked = (rank_run(table, judgments, reference, ordering.run_order) for table in runs)
    for scores in score_ranked(ranked, [COMPATIBILITY]):
        values = scores.of(COMPATIBILITY)
        yield ByOrder(values, float(mean_over_topics(values)), int(scores.answered.sum()))
