"""Curves of rankings, for plots and tables: precision against recall, ROC, F and cumulated gain down the ranks.

Of each topic, or over all topics as if they were one: micro averages, which topics with many documents decide.
"""

from dataclasses import dataclass

import numpy as np

from evaluation.engine.arrays import (
    NO_CUTOFF,
    BoolArray,
    FloatArray,
    IntArray,
    counts_so_far,
    group_starts,
    ranges,
    ratio,
    sums_to_own_cutoffs,
)
from evaluation.engine.averaging import mean_over_topics
from evaluation.engine.gains import Base, Gain, ideal_cg, ideal_dcg
from evaluation.engine.measures.binary import r_precision
from evaluation.engine.measures.graded import cumulative_gain, dcg_to_cutoffs
from evaluation.engine.measures.interpolated import ROUNDING_ERROR, interpolated_precision
from evaluation.engine.measures.rank_order import area_under_roc
from evaluation.engine.measures.sets import outcomes, set_f
from evaluation.engine.ranked_run import RankedRun

SMALLEST_RECALL = 1e-290
RECALL_LEVELS: FloatArray = np.arange(11) / 10
FALSE_POSITIVE_RATES: FloatArray = np.array(
    [0.0, 0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.15, *np.arange(2, 11) / 10]
)
"""Where ROC curves are averaged: close together at the start, where the rankings of large collections lie."""


@dataclass(frozen=True, eq=False)
class Points:
    """The points of the curves of all groups, ascending by group, then along the curve; `x` and `y` in [0, 1].

    `group`: int64 (n_points,); `x`, `y`: float64 (n_points,).
    """

    group: IntArray
    x: FloatArray
    y: FloatArray

    def of(self, group: int) -> tuple[FloatArray, FloatArray]:
        """Give the points of one group: x and y."""
        first, end = np.searchsorted(self.group, [group, group + 1])
        return self.x[first:end], self.y[first:end]


def recall_precision_points(ranked: RankedRun, rel: int = 1) -> Points:
    """Give recall (x) and precision (y) at the rank of each relevant document that is retrieved.

    One point for each relevant retrieved document: (j / R, j / rank_j), j = 1, 2, ... by rank, R the relevant documents
    in the qrels. No point where none is retrieved. The sum of y divided by R is AP. (van Rijsbergen, 1979.)

    >>> import polars as pl
    >>> from evaluation.engine.judgments import Judgments
    >>> from evaluation.engine.ranking import rank_run
    >>> judgments = Judgments.from_table(pl.DataFrame({"topic": "1", "subtopic": "0", "docno": ["a", "b"], "grade": [1, 1]}))
    >>> run = pl.DataFrame({"topic": "1", "docno": ["x", "a", "b"], "score": [3.0, 2.0, 1.0]})
    >>> x, y = recall_precision_points(rank_run(run, judgments)).of(0)
    >>> x.tolist(), y.round(3).tolist()
    ([0.5, 1.0], [0.5, 0.667])
    """
    hits = ranked.relevant(rel)
    return Points(hits.group, ratio(hits.ordinal, ranked.num_rel(rel)[hits.group]), hits.ordinal / hits.rank)


def interpolated_curve(ranked: RankedRun, rel: int = 1, recall: FloatArray = RECALL_LEVELS) -> FloatArray:
    """Give the interpolated precision at ascending recall levels, by default 0, 0.1, ..., 1.

    Returns float64 (n_levels, n_groups) in [0, 1]: the values of IPrec@recall; their mean over the eleven levels is AP11.
    As in trec_eval, double precision decides how many documents a level needs: 0.7 of 3 are 2.1, for which it takes 2.
    Levels higher by 1e-9 need the 3 that a calculation by hand has.

    >>> import polars as pl
    >>> from evaluation.engine.judgments import Judgments
    >>> from evaluation.engine.ranking import rank_run
    >>> judgments = Judgments.from_table(pl.DataFrame({"topic": "1", "subtopic": "0", "docno": ["a", "b"], "grade": [1, 1]}))
    >>> run = pl.DataFrame({"topic": "1", "docno": ["x", "a", "b"], "score": [3.0, 2.0, 1.0]})
    >>> interpolated_curve(rank_run(run, judgments), recall=np.array([0.0, 0.5, 1.0]))[:, 0].round(3).tolist()
    [0.667, 0.667, 0.667]
    """
    return interpolated_precision(ranked, recall, rel)


def mean_interpolated_curve(
    ranked: RankedRun, rel: int = 1, recall: FloatArray = RECALL_LEVELS, counted: BoolArray | None = None
) -> FloatArray:
    """Average the interpolated curves over topics, level by level: the recall-precision curve of a run.

    Returns float64 (n_levels,) in [0, 1]. `counted` (bool, (n_groups,)) names the topics to average over; without it
    all topics of the judgments count, a topic that the run misses with precision 0. 0 with no topic to count.

    >>> import polars as pl
    >>> from evaluation.engine.judgments import Judgments
    >>> from evaluation.engine.ranking import rank_run
    >>> judgments = Judgments.from_table(pl.DataFrame({"topic": "1", "subtopic": "0", "docno": ["a", "b"], "grade": [1, 1]}))
    >>> run = pl.DataFrame({"topic": "1", "docno": ["a", "x", "b"], "score": [3.0, 2.0, 1.0]})
    >>> mean_interpolated_curve(rank_run(run, judgments)).round(2).tolist()
    [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.67, 0.67, 0.67, 0.67, 0.67]
    """
    return mean_over_topics(interpolated_curve(ranked, rel, recall), counted)


def roc_points(ranked: RankedRun, collection_size: int, rel: int = 1) -> Points:
    """Give the false positive rate (x) and the true positive rate (y) of the first r ranks, for every r.

    The points of a group: (0, 0) at rank 0; (fp / M, tp / R) at each rank, tp the relevant and fp the other documents so
    far, unjudged ones too; (1, 1) at the end, where the rest of the collection follows, all tied. R counts the relevant
    documents in the qrels, M = max(fp, collection_size - R) all others. Straight lines between the points enclose the
    area that the measure AUC gives. Where R = 0, y is 0 throughout; where M = 0, x is (Swets, 1963).

    >>> import polars as pl
    >>> from evaluation.engine.judgments import Judgments
    >>> from evaluation.engine.ranking import rank_run
    >>> judgments = Judgments.from_table(pl.DataFrame({"topic": "1", "subtopic": "0", "docno": ["a", "b"], "grade": [1, 1]}))
    >>> run = pl.DataFrame({"topic": "1", "docno": ["a", "x"], "score": [3.0, 2.0]})
    >>> x, y = roc_points(rank_run(run, judgments), collection_size=6).of(0)
    >>> x.tolist(), y.tolist()
    ([0.0, 0.0, 0.25, 1.0], [0.0, 0.5, 0.5, 1.0])
    """
    cells = outcomes(ranked, np.array([NO_CUTOFF]), collection_size, rel)
    non_relevant = (cells.false_positives + cells.true_negatives)[0]
    num_rel = ranked.num_rel(rel)

    group, rank = ranges(np.zeros(ranked.n_groups, dtype=np.int64), ranked.num_ret + 2)
    hits = ranked.relevant(rel)
    marked = np.zeros(len(group), dtype=np.bool_)
    marked[group_starts(group, ranked.n_groups)[hits.group] + hits.rank] = True
    relevant = counts_so_far(group, marked, ranked.n_groups).astype(np.float64)
    others = rank - relevant
    at_the_end = rank > ranked.num_ret[group]
    relevant[at_the_end], others[at_the_end] = num_rel, non_relevant
    return Points(group, ratio(others, non_relevant[group]), ratio(relevant, num_rel[group]))


def roc_area(ranked: RankedRun, collection_size: int, rel: int = 1) -> FloatArray:
    """Give the area under the ROC curve of each group, float64 (n_groups,) in [0, 1]: the values of the measure AUC.

    >>> import polars as pl
    >>> from evaluation.engine.judgments import Judgments
    >>> from evaluation.engine.ranking import rank_run
    >>> judgments = Judgments.from_table(pl.DataFrame({"topic": "1", "subtopic": "0", "docno": ["a", "b"], "grade": [1, 1]}))
    >>> run = pl.DataFrame({"topic": "1", "docno": ["a", "x"], "score": [3.0, 2.0]})
    >>> roc_area(rank_run(run, judgments), collection_size=6).tolist()
    [0.6875]
    """
    return area_under_roc(ranked, collection_size, rel)


def roc_at_rates(
    ranked: RankedRun, collection_size: int, rel: int = 1, rates: FloatArray = FALSE_POSITIVE_RATES
) -> FloatArray:
    """Give the true positive rate of the ROC curve at false positive rates: the highest where the curve rises there.

    Returns float64 (n_rates, n_groups) in [0, 1] for rates ascending from 0 to 1: what straight lines between the points of
    `roc_points` give. The mean over topics is the vertical average of their curves (Fawcett, 2006). 0 where R = 0; where M = 0,
    every rate has the last value, 1.

    >>> import polars as pl
    >>> from evaluation.engine.judgments import Judgments
    >>> from evaluation.engine.ranking import rank_run
    >>> judgments = Judgments.from_table(pl.DataFrame({"topic": "1", "subtopic": "0", "docno": ["a", "b"], "grade": [1, 1]}))
    >>> run = pl.DataFrame({"topic": "1", "docno": ["a", "x"], "score": [3.0, 2.0]})
    >>> roc_at_rates(rank_run(run, judgments), 6, rates=np.array([0.0, 0.25, 0.625, 1.0]))[:, 0].tolist()
    [0.5, 0.5, 0.75, 1.0]
    """
    cells = outcomes(ranked, np.array([NO_CUTOFF]), collection_size, rel)
    found, wrong = cells.true_positives[0], cells.false_positives[0]
    non_relevant, num_rel = wrong + cells.true_negatives[0], ranked.num_rel(rel)
    hits = ranked.relevant(rel)

    admitted = rates[:, np.newaxis] * non_relevant
    whole = np.floor(admitted + ROUNDING_ERROR).astype(np.int64)
    so_far = sums_to_own_cutoffs(hits.group, hits.rank - hits.ordinal + 1, None, whole + 1)
    of_the_rest = np.clip(ratio(admitted - wrong, non_relevant - wrong), 0.0, 1.0)
    of_the_rest[admitted >= non_relevant] = 1.0
    return ratio(so_far + (num_rel - found) * of_the_rest, num_rel)


# A line that begins below it is taken as that of beta = 0: products of such numbers lose their digits.


def break_even(ranked: RankedRun, rel: int = 1) -> FloatArray:
    """Give precision and recall at the rank where they are equal: rank R, the number of relevant documents in the qrels.

    Returns float64 (n_groups,) in [0, 1]: tp / R, tp the relevant documents with rank <= R, which is R-precision. Ranks
    beyond the end of a short ranking count as not relevant. 0 where R = 0. Source: Lewis, 1992.

    >>> import polars as pl
    >>> from evaluation.engine.judgments import Judgments
    >>> from evaluation.engine.ranking import rank_run
    >>> judgments = Judgments.from_table(pl.DataFrame({"topic": "1", "subtopic": "0", "docno": ["a", "b"], "grade": [1, 1]}))
    >>> run = pl.DataFrame({"topic": "1", "docno": ["a", "x", "b"], "score": [3.0, 2.0, 1.0]})
    >>> break_even(rank_run(run, judgments)).tolist()
    [0.5]
    """
    at_r: FloatArray = r_precision(ranked, np.array([1.0]), rel)[0]
    return at_r


def f_at_ranks(ranked: RankedRun, ranks: IntArray, rel: int = 1, beta: float = 1.0) -> FloatArray:
    """Give F of the first k documents of each group as a set, for ascending k: the values of the measure SetF@k.

    Returns float64 (n_ranks, n_groups) in [0, 1]: (1 + beta^2) * tp / (n + beta^2 * R), tp the relevant documents among the
    n = min(k, retrieved) first, R those in the qrels; E is 1 - F. Its maximum over all ranks is MaxF. 0 where tp = 0.
    Source: van Rijsbergen, 1979.

    >>> import polars as pl
    >>> from evaluation.engine.judgments import Judgments
    >>> from evaluation.engine.ranking import rank_run
    >>> judgments = Judgments.from_table(pl.DataFrame({"topic": "1", "subtopic": "0", "docno": ["a", "b"], "grade": [1, 1]}))
    >>> run = pl.DataFrame({"topic": "1", "docno": ["a", "x", "b"], "score": [3.0, 2.0, 1.0]})
    >>> f_at_ranks(rank_run(run, judgments), np.array([1, 2, 3]))[:, 0].round(3).tolist()
    [0.667, 0.5, 0.8]
    """
    return set_f(ranked, ranks, rel, beta)


def line_of_equal_f(value: float, beta: float = 1.0, points: int = 50) -> tuple[FloatArray, FloatArray]:
    """Give the points of recall and precision that have the same F, and so the same E = 1 - F, for 0 < value < 1.

    Returns recall and precision, float64 (points,) in [0, 1]: recall ascends evenly from where precision is 1,
    beta^2 F / (1 + beta^2 - F), to 1; precision = F * recall / ((1 + beta^2) * recall - beta^2 * F), which is
    F = (1 + beta^2) * P * R / (beta^2 * P + R) solved for P. Source: van Rijsbergen, 1979.

    >>> recall, precision = line_of_equal_f(0.5, points=3)
    >>> recall.round(3).tolist(), precision.round(3).tolist()
    ([0.333, 0.667, 1.0], [1.0, 0.4, 0.333])
    """
    weight = beta**2
    least = weight * value / (1.0 + weight - value)
    if least < SMALLEST_RECALL:
        return np.linspace(0.0, 1.0, points), np.full(points, value)
    recall = np.linspace(least, 1.0, points)
    # (1 + beta^2) * recall - beta^2 * F, written without the difference of two nearly equal numbers.
    return recall, value * recall / ((1.0 + weight) * (recall - least) + value * least)


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


def pooled_recall_precision(ranked: RankedRun, rel: int = 1) -> tuple[FloatArray, FloatArray]:
    """Give micro recall and micro precision of the first k ranks of all topics, at each k that brings a relevant document.

    Returns two float64 (n_points,) in [0, 1], ascending by k: sum of tp / sum of R, and sum of tp / sum of min(k, retrieved),
    over all groups; tp the relevant documents with rank <= k, R those in the qrels. `ranked` holds one run. They equal the
    measures micro_R@k and micro_P@k. No point where nothing relevant is retrieved. (van Rijsbergen, 1979, chapter 7.)
    """
    rank, found_there = np.unique(ranked.relevant(rel).rank, return_counts=True)
    found = np.cumsum(found_there)
    recall = ratio(found, np.full(len(found), ranked.num_rel(rel).sum()))
    return recall, ratio(found, retrieved_to(ranked, rank))


def pooled_interpolated_curve(ranked: RankedRun, rel: int = 1, recall: FloatArray = RECALL_LEVELS) -> FloatArray:
    """Give the best micro precision that the first k ranks of all topics have at a micro recall of a level or beyond.

    Returns float64 (n_levels,) in [0, 1] for ascending recall levels, by default 0, 0.1, ..., 1: the maximum over the points of
    `pooled_recall_precision` whose recall is no less than the level. 0 where the run does not reach it.

    >>> import polars as pl
    >>> from evaluation.engine.judgments import Judgments
    >>> from evaluation.engine.ranking import rank_run
    >>> qrels = pl.DataFrame({"topic": ["1", "1", "2"], "subtopic": "0", "docno": ["a", "b", "c"], "grade": [1, 1, 1]})
    >>> run = pl.DataFrame({"topic": ["1", "1", "2"], "docno": ["a", "b", "x"], "score": [2.0, 1.0, 1.0]})
    >>> pooled_interpolated_curve(rank_run(run, Judgments.from_table(qrels)), recall=np.array([0.0, 0.5, 1.0])).round(3).tolist()
    [0.667, 0.667, 0.0]
    """
    at, precision = pooled_recall_precision(ranked, rel)
    best_from_here = np.append(np.maximum.accumulate(precision[::-1])[::-1], 0.0)
    curve: FloatArray = best_from_here[np.searchsorted(at, recall - ROUNDING_ERROR)]
    return curve


def pooled_f(ranked: RankedRun, ranks: IntArray, rel: int = 1, beta: float = 1.0) -> FloatArray:
    """Give F of the first k ranks of all topics together, for ascending k: the values of micro_F@k.

    Returns float64 (n_ranks,) in [0, 1]: (1 + beta^2) * sum of tp / (sum of min(k, retrieved) + beta^2 * sum of R).
    0 where nothing relevant is retrieved.

    >>> import polars as pl
    >>> from evaluation.engine.judgments import Judgments
    >>> from evaluation.engine.ranking import rank_run
    >>> judgments = Judgments.from_table(pl.DataFrame({"topic": "1", "subtopic": "0", "docno": ["a", "b"], "grade": [3, 0]}))
    >>> run = pl.DataFrame({"topic": "1", "docno": ["a", "b"], "score": [3.0, 2.0]})
    >>> pooled_f(rank_run(run, judgments), np.array([1, 2])).round(3).tolist()
    [1.0, 0.667]
    """
    found = ranked.relevant_to_cutoffs(rel, ranks).sum(axis=1)
    return ratio((1.0 + beta**2) * found, retrieved_to(ranked, ranks) + beta**2 * ranked.num_rel(rel).sum())


def retrieved_to(ranked: RankedRun, ranks: IntArray) -> IntArray:
    """Count the documents that all groups together retrieve with rank <= k, for each k: int64 (n_ranks,)."""
    ascending = np.sort(ranked.num_ret)
    shorter = np.searchsorted(ascending, ranks)
    counts: IntArray = np.append(0, np.cumsum(ascending))[shorter] + ranks * (ranked.n_groups - shorter)
    return counts
