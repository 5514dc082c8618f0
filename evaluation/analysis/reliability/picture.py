"""PURE: the pictures of a report: what fewer runs would have found, and the order without each topic."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator, PercentFormatter

from campaign.charts import PALETTES, Palette, PictureFormat, Theme, columns, dots, drawn, printable
from evaluation.analysis.frame import LONGEST_OF_COLUMN, framed, name_axes, name_columns, named, values_in_words

HEIGHT = 3.4
MOST_NAMED = 60
LOWEST_SPAN = 0.02


def saturation_picture(
    found: Mapping[str, Any], *, theme: Theme = "light", picture_format: PictureFormat = "svg"
) -> bytes:
    """Draw the share of the relevant documents that so many runs, and so many teams, are expected to find.

    found: `saturation` of a report.
    """
    palette = PALETTES[theme]
    lines = [(what, found[what]["shares"]) for what in ("runs", "teams") if found[what] is not None]
    said = "Continuous: runs." + (" Dashed: teams." if len(lines) > 1 else "") + " Mean over all choices of so many."
    title = "Judged relevant documents found by fewer runs"
    figure, axes = framed(title, said, palette, HEIGHT, below=0.62)
    for (_, shares), style in zip(lines, ("-", (0, (4, 2))), strict=False):
        marker = "o" if len(shares) == 1 else ""
        places = np.arange(1, len(shares) + 1)
        axes.plot(places, shares, color=palette.accent, linewidth=1.8, linestyle=style, marker=marker)
    axes.set_ylim(0, 1.03)
    axes.set_xlim(0.5, max(len(shares) for _, shares in lines) + 0.5)
    axes.xaxis.set_major_locator(MaxNLocator(nbins=10, integer=True))
    axes.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0, symbol=" %"))
    _scales(axes, palette, "Runs or teams", "Share found")
    marks = [dots(axes, range(1, len(shares) + 1), shares, _found_terms(what, shares)) for what, shares in lines]
    numbers = "; ".join(f"{what}: {', '.join(f'{share:.3f}' for share in shares)}" for what, shares in lines)
    return drawn(figure, picture_format, title, f"{said} {numbers}", marks)


def _found_terms(what: str, shares: list[float]) -> dict[str, list[str]]:
    numbers = [str(number) for number in range(1, len(shares) + 1)]
    return {what.capitalize(): numbers, "Share found": [f"{100 * share:.1f} %" for share in shares]}


def left_out_picture(
    rows: list[dict[str, Any]],
    measure: str,
    *,
    links: Mapping[str, str] | None = None,
    theme: Theme = "light",
    picture_format: PictureFormat = "svg",
) -> bytes:
    """Draw tau of the order without each topic, the lowest first, and how many ranks the most falling run loses.

    rows: `without_a_topic` of a report; topics without a tau are left out. `links`: by topic, relative to the picture.
    """
    palette = PALETTES[theme]
    known = sorted((row for row in rows if row["tau"] is not None), key=lambda row: row["tau"])
    tau, places = np.array([row["tau"] for row in known], dtype=np.float64), np.arange(len(known))
    title = f"Order of the runs by {named(measure)} without each topic"
    said = "Dot: τ of the order without the topic and with all. Number: the most ranks that a run loses."
    longest = max((min(len(row["topic"]), LONGEST_OF_COLUMN) for row in known), default=0)
    figure, axes = framed(title, said, palette, HEIGHT, below=0.5 + 0.07 * longest)
    axes.vlines(places, tau, 1.0, color=palette.line, linewidth=1.2)
    axes.scatter(places, tau, s=18, color=palette.accent, zorder=3)
    shown = places if len(known) <= MOST_NAMED else places[:0]
    for place in shown:
        _label(axes, palette, known[place]["largest_fall"], place, tau[place])
    axes.set_xlim(-0.6, max(len(known), 1) - 0.4)
    lowest = min(tau.min(initial=1.0), 1 - LOWEST_SPAN)
    axes.set_ylim(lowest - 0.18 * (1 - lowest), 1 + 0.05 * (1 - lowest))
    name_columns(axes, [row["topic"] for row in known])
    _scales(axes, palette, "Topics, the lowest τ first", "τ")
    terms = {
        "Left out": [f"topic {row['topic']}" for row in known],
        "τ": values_in_words(tau),
        "Most ranks that a run loses": [str(row["largest_fall"]) for row in known],
    }
    marks = [columns(axes, terms, [links.get(row["topic"], "") for row in known] if links else [])]
    numbers = "; ".join(f"{row['topic']} {row['tau']:.3f}, {row['largest_fall']}" for row in known)
    return drawn(figure, picture_format, printable(title), f"{said} {printable(numbers)}", marks)


def _label(axes: Axes, palette: Palette, fall: int, place: int, tau: float) -> None:
    if fall:
        style: dict[str, Any] = {"ha": "center", "va": "top", "fontsize": 7, "color": palette.ink_soft}
        axes.annotate(str(fall), (place, tau), (0, -5), textcoords="offset points", **style)


def _scales(axes: Axes, palette: Palette, across: str, up: str) -> None:
    name_axes(axes, across, up, palette)
    axes.grid(axis="y", color=palette.line, linewidth=0.7)
