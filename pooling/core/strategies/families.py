"""The strategies in groups, by what an organiser decides first: all first documents, a number, a sample, or as judged."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pooling.core.strategies.declaration import Strategy

FAMILIES: Final = {
    "whole": "Judged whole, to one depth",
    "budget": "Budget: a fixed number of judgments",
    "sampled": "Sampled: measures are estimated",
    "adaptive": "Adaptive: chosen as judgments arrive",
}


def in_families(strategies: Mapping[str, Strategy]) -> list[tuple[str, list[Strategy]]]:
    """Each group with its strategies, in the order of `FAMILIES`; groups without one are left out.

    >>> from pooling.core.strategies.registry import STRATEGIES
    >>> [label.partition(":")[0] for label, _ in in_families(STRATEGIES)]
    ['Judged whole, to one depth', 'Budget', 'Sampled', 'Adaptive']
    """
    grouped = [(label, [one for one in strategies.values() if one.family == name]) for name, label in FAMILIES.items()]
    return [(label, members) for label, members in grouped if members]
