"""Numbers and settings as the pages of pools print them."""

import math
from collections.abc import Mapping
from typing import Any

from campaign.text.plurals import number_of


def hours(value: float) -> str:
    """As exact as a forecast can be.

    >>> hours(67.2), hours(4.21), hours(0.4)
    ('67 h', '4.2 h', '24 min')
    """
    if value >= 10:
        return f"{value:,.0f} h"
    return f"{value:.1f} h" if value >= 1 else f"{math.ceil(value * 60)} min"


def percent(value: float) -> str:
    """A share in [0, 1] as a percentage, rounded down below 100 so that only a complete share gives 100 %.

    >>> percent(0.999), percent(1.0)
    ('99 %', '100 %')
    """
    if math.isnan(value):
        return "–"
    return f"{min(math.floor(value * 100 + 1e-9), 100)} %"


def probability(value: float) -> str:
    """A probability to four significant digits.

    >>> probability(0.0598812), probability(1.0)
    ('0.05988', '1')
    """
    return f"{value:.4g}"


def replacing(version: int, dropped: int) -> str:
    """What becomes of the latest version and of its assignments. `dropped`: its pairs that the new version does not hold.

    >>> replacing(1, 2)[:38]
    '2 pairs of pool 1 are in it no more. A'
    """
    gone = (
        f"{number_of(dropped, 'pair')} of pool {version} {'is' if dropped == 1 else 'are'} in it no more. "
        if dropped
        else ""
    )
    return f"{gone}Assignments of pool {version} stay with that version; only topics of the new one are offered for assigning."


def runs_taken(spec: Mapping[str, Any]) -> list[str]:
    """Which of the valid runs a stored spec pools, also one whose strategy this version does not have; [] for all of them.

    >>> runs_taken({"max_priority": 2, "runs_per_team": 1})
    ['priority up to 2', 'at most 1 run per team']
    """
    words = []
    if spec.get("max_priority"):
        words.append(f"priority up to {spec['max_priority']}")
    if spec.get("runs_per_team"):
        words.append(f"at most {number_of(spec['runs_per_team'], 'run')} per team")
    if spec.get("runs"):
        words.append("named one by one")
    return words
