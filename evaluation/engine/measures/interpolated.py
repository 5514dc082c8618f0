"""Measures of the recall-precision curve."""

import numpy as np

from evaluation.engine.arrays import FloatArray, IntArray, group_counts, group_maxima, place_among_own_cutoffs
from evaluation.engine.measures.declaration import Definition
from evaluation.engine.measures.parameters import RELEVANCE_LEVEL, Parameter
from evaluation.engine.ranked_run import RankedRun

RECALL = Parameter(
    "recall",
    float,
    "recall level",
    required=True,
    minimum=0.0,
    maximum=1.0,
    follows_at=True,
    example="0.1",
)
ELEVEN_LEVELS = ";".join(f"{tenth / 10:g}" for tenth in range(11))
_LEVEL = r"(0?\.\d+|[01](\.0*)?|0\.\d*)"
RECALLS = Parameter(
    "recalls",
    str,
    "the recall levels",
    default=ELEVEN_LEVELS,
    pattern=rf"{_LEVEL}(;{_LEVEL})*",
    pattern_example="recall levels from 0 to 1, as 0.2;0.5;0.8",
)
INTERPOLATED = Parameter(
    "interpolated",
    bool,
    "take the best precision at the level or beyond, not that at the level itself",
    default=True,
)
EXACT = Parameter(
    "exact",
    bool,
    "the level is reached at a recall of no less, where trec_eval rounds",
    default=False,
)
ROUNDING_ERROR = 1e-9
"""How much less than a recall level, in documents, still reaches it: 0.7 is no number that a computer has."""


def interpolated_precision(ranked: RankedRun, recall: FloatArray, rel: int = 1, exact: bool = False) -> FloatArray:
    """Give the best precision that the ranking has at a recall level or beyond it.

    Returns float64 (n_levels, n_groups) in [0, 1]: max of j / rank_j over the relevant retrieved documents with j >= c,
    j = 1, 2, ... by rank. c is the number of relevant documents that the level asks for, of R in the qrels, in double
    precision: trunc(recall * R + 0.9) by release 9.0 of trec_eval, recall * R rounded to the nearest, halves up,
    by 10.0; with exact=true, as it is taught, the smallest c with c / R >= recall. At c = 0 this is the best precision
    at any rank. 0 where fewer than c relevant documents are retrieved, or none.
    """
    hits = ranked.relevant(rel)
    before = _documents_of_level(ranked, recall, rel, exact) - 1
    place = place_among_own_cutoffs(hits.group, hits.ordinal, before)
    bins = len(recall) + 1
    best = group_maxima(place, hits.ordinal / hits.rank, ranked.n_groups * bins).reshape(ranked.n_groups, bins)
    at_or_beyond: FloatArray = np.maximum.accumulate(best[:, :0:-1], axis=1)[:, ::-1].T
    return at_or_beyond


def average_over_recall_levels(
    ranked: RankedRun,
    rel: int = 1,
    recalls: str = ELEVEN_LEVELS,
    interpolated: bool = True,
    exact: bool = False,
) -> FloatArray:
    """Average the interpolated precision over eleven recall levels: 0, 0.1, ..., 1.

    Returns float64 (n_groups,) in [0, 1]: the mean of IPrec@r over the levels r in `recalls`, exact or not. With
    interpolated=false, of c / rank_c in its place: the precision where the ranking reaches the level, c being what
    IPrec@r needs, but at least 1; 0 where the level is not reached. (What is called non-interpolated average
    precision, with no levels named, is AP.) 0 where no relevant document is retrieved.
    """
    levels, place = np.unique([float(level) for level in recalls.split(";")], return_inverse=True)
    at = interpolated_precision if interpolated else _precision_at_levels
    at_levels = at(ranked, levels, rel, exact)
    # One after another and the highest level first, as trec_eval adds up: so the last digit is its own.
    average: FloatArray = np.cumsum(at_levels[place[::-1]], axis=0)[-1] / len(place)
    return average


def _precision_at_levels(ranked: RankedRun, recall: FloatArray, rel: int, exact: bool) -> FloatArray:
    hits = ranked.relevant(rel)
    retrieved = group_counts(hits.group, ranked.n_groups)
    needed = np.maximum(_documents_of_level(ranked, recall, rel, exact), 1)
    place = np.where(needed <= retrieved, np.cumsum(retrieved) - retrieved + needed - 1, -1)
    precision: FloatArray = np.append(hits.ordinal / hits.rank, 0.0)
    return precision[place]


def _documents_of_level(ranked: RankedRun, recall: FloatArray, rel: int, exact: bool) -> IntArray:
    """Count the relevant documents that make up each recall level: int64 (n_levels, n_groups)."""
    exact_count = recall[:, np.newaxis] * ranked.num_rel(rel)
    if exact:
        return np.ceil(exact_count - ROUNDING_ERROR).astype(np.int64)
    if ranked.reference == "10":
        whole = np.floor(exact_count)
        return (whole + (exact_count - whole >= 0.5)).astype(np.int64)
    return np.trunc(exact_count + 0.9).astype(np.int64)


MEASURES = (
    Definition(
        "IPrec",
        interpolated_precision,
        "binary",
        "Buckley and Voorhees, 2005",
        (RELEVANCE_LEVEL, EXACT, RECALL),
        aliases=("iprec_at_recall_{recall}", "iprec_at_recall"),
        over="recall",
        oracles=("trec_eval", "second implementation", "worked example"),
        recall_base=True,
    ),
    Definition(
        "AP11",
        average_over_recall_levels,
        "binary",
        "Salton and McGill, 1983",
        (RELEVANCE_LEVEL, RECALLS, INTERPOLATED, EXACT),
        aliases=("11pt_avg",),
        oracles=("trec_eval", "second implementation", "worked example"),
        recall_base=True,
    ),
)
