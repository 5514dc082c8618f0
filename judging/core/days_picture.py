"""PURE: how many judgments were stored each day, as a picture."""

from collections.abc import Mapping
from datetime import date, timedelta
from typing import Any, Final

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from campaign.charts import PALETTES, Marks, Palette, Theme, as_svg, columns
from campaign.text.plurals import number_of

WIDTH, HEIGHT = 7.6, 2.9  # inches, as matplotlib counts
LEFT, RIGHT, TOP, BOTTOM = 0.62, 0.14, 0.5, 0.55
FEWEST_DAYS: Final = 14
"""So wide is the picture at least: the bar of a single day stays a bar."""
MOST_DAYS: Final = 366
MOST_TICKS: Final = 5


def days_picture(days: Mapping[date, int], theme: Theme = "light") -> bytes:
    """One bar a day from the first day with a judgment, as an SVG document; of more than 366 days the last ones.

    `days`: day to number of judgments; a day that is missing has none.
    """
    last = max(days, default=date(2000, 1, 1))
    first = max(min(days, default=last), last - timedelta(days=MOST_DAYS - 1))
    first = min(first, last - timedelta(days=FEWEST_DAYS - 1))
    shown = sorted(day for day in days if day >= first)
    end = (last - first).days
    palette = PALETTES[theme]
    figure = Figure(figsize=(WIDTH, HEIGHT))
    axes = figure.add_axes((LEFT / WIDTH, BOTTOM / HEIGHT, 1 - (LEFT + RIGHT) / WIDTH, 1 - (TOP + BOTTOM) / HEIGHT))
    axes.bar([(day - first).days for day in shown], [days[day] for day in shown], width=0.8, color=palette.accent)
    axes.set_ylim(0, max((days[day] for day in shown), default=1) * 1.05)
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    draw_days(axes, palette, first, end)
    axes.set_ylabel("Judgments", color=palette.ink_soft, fontsize=8.5)
    total = sum(days[day] for day in shown)
    title = f"{number_of(total, 'judgment')} on {number_of(len(shown), 'day')}"
    plain: dict[str, Any] = {"va": "top", "parse_math": False}
    figure.text(0.06 / WIDTH, 1 - 0.12 / HEIGHT, title, color=palette.ink, fontsize=11.5, weight="bold", **plain)
    return as_svg(
        figure, title, "; ".join(f"{day:%Y-%m-%d}: {days[day]}" for day in shown), _marks(axes, days, first, last)
    )


def draw_days(axes: Axes, palette: Palette, first: date, end: int) -> None:
    """Draw an axis of the days from `first`, at 0, to `end` days later, and quiet whole numbers beside it.

    >>> axes = Figure().add_subplot()
    >>> draw_days(axes, PALETTES["light"], date(2026, 3, 1), 2)
    >>> [label.get_text() for label in axes.get_xticklabels()]
    ['1 Mar 2026', '2 Mar 2026', '3 Mar 2026']
    """
    axes.set_xlim(-0.6, end + 0.6)
    step = -(-(end + 1) // MOST_TICKS)
    ticks = list(range(end % step, end + 1, step))
    axes.set_xticks(ticks, [f"{first + timedelta(days=tick):%-d %b %Y}" for tick in ticks])
    axes.yaxis.set_major_locator(MaxNLocator(nbins=5, steps=[1, 2, 5, 10], integer=True))
    axes.tick_params(length=0, pad=4, labelsize=8, labelcolor=palette.ink_soft)
    axes.grid(axis="y", color=palette.line, linewidth=0.7)
    axes.set_axisbelow(True)
    axes.spines[:].set_visible(False)
    axes.patch.set_visible(False)
    axes.set_xlabel("Day (UTC)", color=palette.ink_soft, fontsize=8.5)


def _marks(axes: Axes, days: Mapping[date, int], first: date, last: date) -> list[Marks]:
    """Each day as high as the axes, so that the pointer meets low bars too."""
    every = [first + timedelta(days=number) for number in range((last - first).days + 1)]
    told = {"Day": [f"{day:%Y-%m-%d}" for day in every], "Judgments": [f"{days.get(day, 0):,}" for day in every]}
    return [columns(axes, told)] if days else []
