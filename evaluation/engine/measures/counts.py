"""Counts of documents; over topics they are added up, not averaged."""

import numpy as np

from evaluation.engine.arrays import FloatArray, group_counts
from evaluation.engine.judgments import Judgments
from evaluation.engine.measures.declaration import UNBOUNDED, Definition
from evaluation.engine.measures.parameters import RELEVANCE_LEVEL
from evaluation.engine.ranked_run import RankedRun

SOURCE = "Buckley and Voorhees, 2005"


def retrieved(ranked: RankedRun) -> FloatArray:
    """Count the documents retrieved: float64 (n_groups,)."""
    return ranked.num_ret.astype(np.float64)


def relevant(ranked: RankedRun, rel: int = 1) -> FloatArray:
    """Count the documents of grade >= rel in the qrels, also for a topic that the run misses: float64 (n_groups,)."""
    return ranked.num_rel(rel).astype(np.float64)


def relevant_retrieved(ranked: RankedRun, rel: int = 1) -> FloatArray:
    """Count the retrieved documents of grade >= rel: float64 (n_groups,)."""
    return group_counts(ranked.relevant(rel).group, ranked.n_groups).astype(np.float64)


def judged_nonrelevant_retrieved(ranked: RankedRun, rel: int = 1) -> FloatArray:
    """Count the retrieved documents that are judged not relevant, 0 <= grade < rel: float64 (n_groups,)."""
    nonrelevant = (ranked.grade >= 0) & (ranked.grade < rel)
    return group_counts(ranked.group[nonrelevant], ranked.n_groups).astype(np.float64)


def judged_nonrelevant_in_qrels(judgments: Judgments, rel: int = 1) -> FloatArray:
    """Count the documents that are judged not relevant, 0 <= grade < rel: float64 (n_topics,)."""
    return judgments.num_nonrel(rel).astype(np.float64)


MEASURES = (
    Definition(
        "num_ret",
        retrieved,
        "set",
        SOURCE,
        (),
        UNBOUNDED,
        aliases=("NumRet",),
        summary="sum",
        oracles=("trec_eval",),
        tells="retrieved",
    ),
    Definition(
        "num_rel",
        relevant,
        "set",
        SOURCE,
        (RELEVANCE_LEVEL,),
        UNBOUNDED,
        ("NumRel",),
        "sum",
        oracles=("trec_eval",),
        recall_base=True,
        missed="empty ranking",
    ),
    Definition(
        "num_rel_ret",
        relevant_retrieved,
        "set",
        SOURCE,
        (RELEVANCE_LEVEL,),
        UNBOUNDED,
        ("NumRelRet",),
        "sum",
        oracles=("trec_eval",),
    ),
    Definition(
        "num_nonrel_judged_ret",
        judged_nonrelevant_retrieved,
        "set",
        SOURCE,
        (RELEVANCE_LEVEL,),
        UNBOUNDED,
        summary="sum",
        lower_is_better=True,
        oracles=("trec_eval",),
        missed=judged_nonrelevant_in_qrels,
    ),
)
