"""How the pages of pools print durations and shares."""

import math

from django import template

register = template.Library()


@register.filter
def hours(value: float) -> str:
    """67 h, 4.2 h, 25 min: as exact as a forecast can be."""
    if value >= 10:
        return f"{value:,.0f} h"
    return f"{value:.1f} h" if value >= 1 else f"{math.ceil(value * 60)} min"


@register.filter
def percent(value: float) -> str:
    """A share in [0, 1] as a percentage, rounded down below 100 so that only what is complete says 100 %."""
    if math.isnan(value):
        return "–"
    return f"{min(math.floor(value * 100 + 1e-9), 100)} %"


@register.filter
def width(value: float) -> str:
    """A share in [0, 1] as the length of a bar."""
    return "0%" if math.isnan(value) else f"{value * 100:.1f}%"


@register.filter
def part_of(value: int, whole: int) -> float:
    return value / whole if whole else 0.0


@register.filter
def opacity(value: float) -> str:
    """The tint of a share in [0, 1]; weak enough for text to stand on it in both themes."""
    return "0" if math.isnan(value) else f"{value * 0.35:.3f}"
