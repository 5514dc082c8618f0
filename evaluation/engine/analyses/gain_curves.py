"""Cumulated gain down the ranks, plain and discounted, beside that of the ideal ranking."""

from dataclasses import dataclass

from evaluation.engine.arrays import FloatArray, IntArray
from evaluation.engine.averaging import mean_over_topics
from evaluation.engine.gains import Base, Gain, ideal_cg, ideal_dcg
from evaluation.engine.measures.graded import cumulative_gain, dcg_to_cutoffs
from evaluation.engine.ranked_run import RankedRun


@dataclass(frozen=True, eq=False)
class GainCurves:
    """Cumulated gain at ascending ranks: float64 (n_ranks, n_groups), or (n_ranks,) as a mean over topics; in [0, inf).

    `gain`, `discounted`: of the ranking, as the measures CG@k and DCG@k. `ideal`, `ideal_discounted`: of all judged documents,
    the best first; no ranking can lie above them unless gains are negative.
    """

    gain: FloatArray
    ideal: FloatArray
    discounted: FloatArray
    ideal_discounted: FloatArray

    def mean(self) -> "GainCurves":
        """Average over topics, rank by rank: all topics of the judgments, a missed one with gain 0."""
        return GainCurves(
            *(mean_over_topics(of) for of in (self.gain, self.ideal, self.discounted, self.ideal_discounted))
        )


def gain_curves(ranked: RankedRun, ranks: IntArray, gain: Gain = "linear", base: Base = None) -> GainCurves:
    """Cumulate gains down to each of the ascending ranks k, with the gains and discounts of DCG.

    Each curve is float64 (n_ranks, n_groups): the sum over ranks <= k of gain, of the ranking and of the ideal ranking;
    discounted of gain / log2(rank + 1), with a base b of gain / max(1, log_b(rank)). Source: Järvelin and Kekäläinen, 2002.

    >>> import numpy as np, polars as pl
    >>> from evaluation.engine.judgments import Judgments
    >>> from evaluation.engine.ranking import rank_run
    >>> judgments = Judgments.from_table(pl.DataFrame({"topic": "1", "subtopic": "0", "docno": ["a", "b"], "grade": [3, 1]}))
    >>> run = pl.DataFrame({"topic": "1", "docno": ["b", "a"], "score": [3.0, 2.0]})
    >>> found = gain_curves(rank_run(run, judgments), np.array([1, 2])).mean()
    >>> found.gain.tolist(), found.ideal.tolist(), found.discounted.round(3).tolist()
    ([1.0, 4.0], [3.0, 4.0], [1.0, 2.893])
    """
    topic = ranked.topic
    return GainCurves(
        cumulative_gain(ranked, ranks, gain),
        ideal_cg(ranked.judgments, ranks, gain)[:, topic],
        dcg_to_cutoffs(ranked, ranks, gain, base),
        ideal_dcg(ranked.judgments, ranks, gain, base)[:, topic],
    )
