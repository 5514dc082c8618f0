"""All strategies by name. A new one is a module with a `STRATEGY`, and a line here; the first is the default."""

from pooling.strategies import depth_k
from pooling.strategies.declaration import Strategy

STRATEGIES: dict[str, Strategy] = {
    strategy.name: strategy
    for strategy in [
        depth_k.STRATEGY,
    ]
}


def default_strategy() -> Strategy:
    """The strategy of a pool for which nobody chose one.

    >>> default_strategy().name
    'depth-k'
    """
    return next(iter(STRATEGIES.values()))
