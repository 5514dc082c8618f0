"""Which measures a pool leaves exact and which become estimates, in words: one text for the pools of all strategies."""

from __future__ import annotations

from typing import NamedTuple

from pooling.core.strategies.spec import PoolSpec
from pooling.core.strategies.strata import ESTIMATORS

EXACT_WITHIN_DEPTH = ("P", "RR", "Success", "DCG", "ERR")
"""They depend on the documents within their cutoff alone. nDCG@k does not: its ideal ranking holds relevant documents that no
run has within depth k."""


class PoolReach(NamedTuple):
    """What measures need to know of a pool.

    whole: the depth to which it holds all documents of every pooled run; 0 for none. sampling: by what estimators read it, a
    key of `ESTIMATORS`; "" where it is no sample.
    """

    whole: int
    sampling: str = ""


def reach_of(spec: PoolSpec) -> PoolReach:
    """What measures need to know of the pools of a spec, as far as its settings promise it.

    >>> reach_of(PoolSpec.with_defaults("depth-k", {"depth": 20}))
    PoolReach(whole=20, sampling='')
    """
    return PoolReach(spec.method.judged_whole(spec.parameters), spec.method.sampling)


def reach_as_drawn(spec: PoolSpec, whole: int) -> PoolReach:
    """The same of a pool that, as it was drawn, holds every run to the depth `whole`.

    The settings may promise more: of a run that is shorter, all is held.

    >>> spec = PoolSpec.with_defaults("depth-k", {"depth": 20})
    >>> reach_as_drawn(spec, 10).whole, reach_as_drawn(spec, 23).whole
    (20, 23)
    """
    promised = reach_of(spec)
    return promised._replace(whole=max(promised.whole, whole))


def exactness(reach: PoolReach) -> tuple[str, ...]:
    """Sentences on what measures of the pooled runs are in a pool of this reach.

    >>> for sentence in exactness(PoolReach(10, "stratum")): print(sentence)
    Once all are judged, P@10, RR@10, Success@10, DCG@10 and ERR@10 are exact for these runs, and at every smaller cutoff.
    Estimates from the sample, once every drawn document is judged: xinfAP, infNDCG and infP.
    nDCG@10, AP, R and other measures that need all relevant documents are not exact: too low or too high.
    """
    return (_exact(reach.whole), *_estimated(reach.sampling), _recall_base(reach.whole))


def _exact(depth: int) -> str:
    if not depth:
        return (
            "No measure is exact: the pool need not hold the first document of every run, and what it does not hold counts "
            "as not relevant."
        )
    *first, last = (f"{measure}@{depth}" for measure in EXACT_WITHIN_DEPTH)
    return f"Once all are judged, {', '.join(first)} and {last} are exact for these runs, and at every smaller cutoff."


def _estimated(sampling: str) -> tuple[str, ...]:
    if not sampling:
        return ()
    return (f"Estimates from the sample, once every drawn document is judged: {ESTIMATORS[sampling]}.",)


def _recall_base(depth: int) -> str:
    ndcg = f"nDCG@{depth}" if depth else "nDCG"
    return f"{ndcg}, AP, R and other measures that need all relevant documents are not exact: too low or too high."
