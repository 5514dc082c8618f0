"""PURE: the share of equal grades up to each day, as a picture."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta
from typing import Any, Final

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from campaign.charts import PALETTES, Marks, PictureFormat, Theme, columns, drawn
from campaign.text.plurals import number_of
from judging.agreement.days import Day, so_far
from judging.core.days_picture import MOST_DAYS, draw_days

WIDTH, HEIGHT = 7.6, 2.9  # inches, as matplotlib counts
LEFT, RIGHT, TOP, BOTTOM = 0.62, 0.4, 0.5, 0.55
LEAST_HIGH: Final = 20.0
"""Percentage points from the bottom to the top at least: a change by one looks small."""


def agreement_picture(days: Sequence[Day], theme: Theme = "light", picture_format: PictureFormat = "svg") -> bytes:
    """Draw the share of equal pairs among all up to each day; of more than 366 days the last ones, with the pairs before them.

    `days`: the earliest first, at least one.
    """
    last = days[-1].day
    first = max(days[0].day, last - timedelta(days=MOST_DAYS - 1))
    shown = _shown(days, first)
    palette = PALETTES[theme]
    figure = Figure(figsize=(WIDTH, HEIGHT))
    axes = figure.add_axes((LEFT / WIDTH, BOTTOM / HEIGHT, 1 - (LEFT + RIGHT) / WIDTH, 1 - (TOP + BOTTOM) / HEIGHT))
    shares = [100 * one.equal / one.pairs for one in shown]
    axes.plot([(one.day - first).days for one in shown], shares, color=palette.accent, marker="o", markersize=3.5)
    _limit_shares(axes, shares)
    draw_days(axes, palette, first, (last - first).days)
    axes.set_ylabel("Equal pairs so far", color=palette.ink_soft, fontsize=8.5)
    title = f"{_percent(shown[-1])} of {number_of(shown[-1].pairs, 'pair')} of grades are equal"
    plain: dict[str, Any] = {"va": "top", "parse_math": False}
    figure.text(0.06 / WIDTH, 1 - 0.12 / HEIGHT, title, color=palette.ink, fontsize=11.5, weight="bold", **plain)
    told = "; ".join(f"{one.day:%Y-%m-%d}: {_percent(one)} of {one.pairs}" for one in shown)
    return drawn(figure, picture_format, title, f"Up to each day: {told}", [_marks(axes, days, shown)])


def _shown(days: Sequence[Day], first: date) -> list[Day]:
    """The shares up to each day from `first` on; what was reached before stands on `first`."""
    upto = so_far(days)
    before = [one for one in upto if one.day <= first][-1]
    return [replace(before, day=first), *(one for one in upto if one.day > first)]


def _limit_shares(axes: Axes, shares: Sequence[float]) -> None:
    middle = (min(shares) + max(shares)) / 2
    half = max(max(shares) - min(shares) + 4, LEAST_HIGH) / 2
    low = min(max(middle - half, 0.0), 100.0 - 2 * half) if half < 50 else 0.0
    axes.set_ylim(low - 1, min(low + 2 * half, 100.0) + 1)
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:.0f} %"))


def _percent(one: Day) -> str:
    return f"{100 * one.equal / one.pairs:.1f} %"


def _marks(axes: Axes, days: Sequence[Day], shown: Sequence[Day]) -> Marks:
    """Each day as high as the axes, also one without a new pair, so that the pointer meets all."""
    new, upto = {one.day: one for one in days}, {one.day: one for one in shown}
    every, told = [], shown[0]
    terms: dict[str, list[str]] = {"Day": [], "Equal so far": [], "New on this day": []}
    for number in range((shown[-1].day - shown[0].day).days + 1):
        every.append(shown[0].day + timedelta(days=number))
        told = upto.get(every[-1], told)
        of_day = new.get(every[-1])
        terms["Day"].append(f"{every[-1]:%Y-%m-%d}")
        terms["Equal so far"].append(f"{_percent(told)} of {told.pairs:,}")
        terms["New on this day"].append(f"{of_day.equal:,} of {of_day.pairs:,} equal" if of_day else "none")
    return columns(axes, terms)
