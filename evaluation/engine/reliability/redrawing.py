"""Another draw of the judged documents of a sample: what it would move, told by thinning the one that there is."""

from dataclasses import replace

import numpy as np

from evaluation.engine.arrays import group_counts
from evaluation.engine.judgment_kinds import PROBABILITIES, STRATA, JudgmentKind
from evaluation.engine.judgments import Judgments
from evaluation.engine.measures.strata import strata_of
from evaluation.engine.memo import Memo

SAMPLES = (STRATA, PROBABILITIES)
"""The kinds of judgments that can be thinned."""


def thinned(judgments: Judgments, kind: JudgmentKind, random: np.random.Generator) -> Judgments:
    """Keep so many of the judged documents that estimates from them vary around the estimate as this does around the truth.

    By strata: of n judged of N documents of a stratum, m = n / (2 - n / N), but at least 1, drawn without replacement, since
    1/m - 1/n = 1/n - 1/N; where m is no whole number, the one below or the one above, so that the mean of 1/m is right. Others
    are unjudged, grade -1. By probabilities: a document of probability p is kept with probability q = 1 / (2 - p), and then has
    probability p q, since (1 - q)/q = 1 - p; the others have none. For sums and means the variance is without bias: for strata
    of two judged documents or more (Cochran, 1977, chapter 2), and for documents that were drawn independently. For
    other estimates it is so in the limit of many. Raises JudgmentError as the measures do.

    >>> judgments = Judgments.from_lists(["1"] * 4, ["0"] * 4, list("abcd"), [1, 0, 1, 1])
    >>> sample = replace(judgments, probability=np.array([1.0, 0.1, 0.1, 0.1]))
    >>> thinned(sample, PROBABILITIES, np.random.default_rng(1)).probability.round(4).tolist()
    [1.0, nan, 0.0526, nan]
    """
    if kind is PROBABILITIES and judgments.probability is not None:
        keep = 1.0 / (2.0 - judgments.probability)
        kept = random.random(len(keep)) < keep
        return replace(judgments, probability=np.where(kept, judgments.probability * keep, np.nan), memo=Memo())
    strata = strata_of(judgments)
    wanted = strata.sampled / (2.0 - strata.sampled / strata.pooled)
    below = np.maximum(np.floor(wanted + 1e-9), 1.0)
    takes_below = below * (below + 1.0) / wanted - below
    size = below + (random.random(len(below)) >= takes_below)
    judged = np.flatnonzero(judgments.grade >= 0)
    judged = judged[np.lexsort((random.random(len(judged)), strata.of_document[judged]))]
    stratum = strata.of_document[judged]
    first = np.concatenate(([0], np.cumsum(group_counts(stratum, len(size)))))[stratum]
    left_out = judged[np.arange(len(judged)) - first >= size[stratum]]
    grade = judgments.grade.copy()
    grade[left_out] = -1
    return replace(judgments, grade=grade, memo=Memo())


def strata_of_one(judgments: Judgments) -> int:
    """Count the strata of several documents of which one is judged: what another would have said, thinning cannot tell."""
    strata = strata_of(judgments)
    return int(((strata.sampled == 1) & (strata.pooled > 1)).sum())
