"""Numbers as the pages of pools print them."""

import math


def hours(value: float) -> str:
    """67 h, 4.2 h, 25 min: as exact as a forecast can be."""
    if value >= 10:
        return f"{value:,.0f} h"
    return f"{value:.1f} h" if value >= 1 else f"{math.ceil(value * 60)} min"


def percent(value: float) -> str:
    """A share in [0, 1] as a percentage, rounded down below 100 so that only a complete share gives 100 %."""
    if math.isnan(value):
        return "–"
    return f"{min(math.floor(value * 100 + 1e-9), 100)} %"
