"""All strategies by name. A new one is a module with a `STRATEGY`, and a line here; the first is the default."""

from pooling.core.strategies import (
    borda,
    budget,
    combmnz,
    depth_k,
    ntcir,
    random_sample,
    rbp,
    rrf,
    statap,
    stratified,
)
from pooling.core.strategies.adaptive import hedge, maxmean, mtf
from pooling.core.strategies.declaration import Strategy

STRATEGIES: dict[str, Strategy] = {
    strategy.name: strategy
    for strategy in [
        depth_k.STRATEGY,
        rbp.STRATEGY,
        rrf.STRATEGY,
        borda.STRATEGY,
        combmnz.STRATEGY,
        ntcir.STRATEGY,
        budget.STRATEGY,
        random_sample.STRATEGY,
        stratified.STRATEGY,
        statap.STRATEGY,
        mtf.STRATEGY,
        hedge.STRATEGY,
        maxmean.STRATEGY,
    ]
}


def default_strategy() -> Strategy:
    """The strategy of a pool for which nobody chose one.

    >>> default_strategy().name
    'depth-k'
    """
    return next(iter(STRATEGIES.values()))
