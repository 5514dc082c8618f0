"""Curves of a ranking: precision against recall, and the ROC curve; their points, for plots and tables."""

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
)
from evaluation.engine.averaging import mean_over_topics
from evaluation.engine.measures.interpolated import interpolated_precision
from evaluation.engine.measures.sets import outcomes
from evaluation.engine.ranked_run import RankedRun

RECALL_LEVELS: FloatArray = np.arange(11) / 10


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
    """
    hits = ranked.relevant(rel)
    return Points(hits.group, ratio(hits.ordinal, ranked.num_rel(rel)[hits.group]), hits.ordinal / hits.rank)


def interpolated_curve(ranked: RankedRun, rel: int = 1, recall: FloatArray = RECALL_LEVELS) -> FloatArray:
    """Give the interpolated precision at ascending recall levels, by default 0, 0.1, ..., 1.

    Returns float64 (n_levels, n_groups) in [0, 1]: the values of IPrec@recall; their mean over the eleven levels is AP11.
    As in trec_eval, double precision decides how many documents a level needs: 0.7 of 3 are 2.1, for which it takes 2.
    Levels higher by 1e-9 need the 3 that a calculation by hand has.
    """
    return interpolated_precision(ranked, recall, rel)


def mean_interpolated_curve(
    ranked: RankedRun, rel: int = 1, recall: FloatArray = RECALL_LEVELS, counted: BoolArray | None = None
) -> FloatArray:
    """Average the interpolated curves over topics, level by level: the recall-precision curve of a run.

    Returns float64 (n_levels,) in [0, 1]. `counted` (bool, (n_groups,)) names the topics to average over; without it
    all topics of the judgments count, a topic that the run misses with precision 0. 0 with no topic to count.
    """
    return mean_over_topics(interpolated_curve(ranked, rel, recall), counted)


def roc_points(ranked: RankedRun, collection_size: int, rel: int = 1) -> Points:
    """Give the false positive rate (x) and the true positive rate (y) of the first r ranks, for every r.

    The points of a group: (0, 0) at rank 0; (fp / M, tp / R) at each rank, tp the relevant and fp the other documents so
    far, unjudged ones too; (1, 1) at the end, where the rest of the collection follows, all tied. R counts the relevant
    documents in the qrels, M = max(fp, collection_size - R) all others. Straight lines between the points enclose the
    area that the measure AUC gives. Where R = 0, y is 0 throughout; where M = 0, x is (Swets, 1963).
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
