"""All strategies by name. A new method is a module with a `STRATEGY` and a line here."""

from pooling.strategies import depth_k
from pooling.strategies.base import Strategy

STRATEGIES: dict[str, Strategy] = {strategy.name: strategy for strategy in (depth_k.STRATEGY,)}
