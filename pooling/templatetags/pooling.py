"""How the templates of pools print durations and shares."""

import math

from django import template

from pooling.core import labels

register = template.Library()
register.filter("hours", labels.hours)
register.filter("percent", labels.percent)
register.filter("probability", labels.probability)


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
