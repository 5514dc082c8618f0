"""Figures that may be undefined, as tables of agreement write them."""

from math import isnan

from django import template

register = template.Library()
UNDEFINED = "–"


@register.filter
def two_digits(value: float) -> str:
    """.62, -.05, 1.00; a dash where the figure is not defined."""
    if isnan(value):
        return UNDEFINED
    text = f"{value:.2f}".replace("-", "−")
    return text.replace("0.", ".", 1) if abs(value) < 0.995 else text


@register.filter
def signed(value: float) -> str:
    """The same with its sign: +.25, −.05, 0."""
    if isnan(value):
        return UNDEFINED
    return "0" if round(value, 2) == 0 else ("+" if value > 0 else "") + two_digits(value)


@register.filter
def share_or_dash(value: float) -> str:
    return UNDEFINED if isnan(value) else f"{100 * value:.0f} %"


@register.filter
def part_of_bar(value: float) -> str:
    """How much of a bar from 0 to 1 it fills: nothing below 0, and where it is not defined."""
    return "0%" if isnan(value) else f"{100 * min(max(value, 0.0), 1.0):.1f}%"
