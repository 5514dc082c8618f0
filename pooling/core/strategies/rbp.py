"""RBP weight: the documents that weigh most in the rank-biased precision of the runs together."""

from __future__ import annotations

from itertools import accumulate, repeat
from operator import mul

import polars as pl

from pooling.core.strategies.declaration import Candidates
from pooling.core.strategies.fusion import UNIT, weighed_by_position, weighted_strategy
from pooling.core.strategies.parameters import Number, Parameters

PERSISTENCE = Number(
    name="p",
    label="Persistence p",
    low=0.01,
    high=0.999,
    default=0.8,
    help="How probably a reader goes on to the next document: the smaller, the more the first ranks count.",
)


def weigh(candidates: Candidates, parameters: Parameters) -> pl.DataFrame:
    """w(d) = sum over the runs s that hold d of (1 - p) * p^(position_s(d) - 1), each term rounded to a whole number of units.

    What is not judged bounds the error of each run's RBP: this choice makes the sum of these bounds as small as it can be.
    Sources: Moffat and Zobel (2008), "Rank-biased precision for measurement of retrieval effectiveness"; Moffat, Webber and
    Zobel (2007), "Strategic system comparisons via targeted relevance judgments".
    """
    p = parameters["p"]
    # Multiplied step by step: unlike a power, that gives the same double on every platform.
    terms = accumulate(repeat(p, parameters["depth"] - 1), mul, initial=1 - p)
    return weighed_by_position(candidates.appearances, (round(term * UNIT) for term in terms))


STRATEGY = weighted_strategy(
    name="rbp",
    label="RBP weight",
    purpose="For precision at a fixed cost per topic, or when judging may stop early.",
    weigh=weigh,
    by="sum of RBP weights",
    parameters=(PERSISTENCE,),
)
