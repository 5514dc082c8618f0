"""The saturation curve as a picture."""

from __future__ import annotations

from typing import Any

import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from campaign.charts import PALETTES, Marks, Palette, Theme, as_svg, dots
from campaign.text.plurals import number_of
from pooling.core.completeness.report import Completeness

WIDTH, HEIGHT = 7.6, 3.5  # inches, as matplotlib counts
LEFT, RIGHT, TOP, BOTTOM = 0.62, 0.14, 0.68, 0.52
MOST_POINTS = 400


def saturation_picture(completeness: Completeness, theme: Theme = "light") -> bytes:
    """Relevant documents found against documents judged, all topics summed, as an SVG document.

    A continuous line in the order of the judgments, each topic judged to the same number of documents; a dashed one by best
    position, as pools of less depth would have held them.
    """
    palette = PALETTES[theme]
    figure = Figure(figsize=(WIDTH, HEIGHT))
    size = (LEFT / WIDTH, BOTTOM / HEIGHT, 1 - (LEFT + RIGHT) / WIDTH, 1 - (TOP + BOTTOM) / HEIGHT)
    axes = figure.add_axes(size)
    _draw_line(axes, completeness.curve, palette.accent, "-")
    _draw_line(axes, completeness.depths, palette.ink_soft, (0, (4, 2)))
    _draw_scales(axes, completeness, palette)
    orders = ((completeness.curve, "order of the judgments"), (completeness.depths, "best position"))
    marks = [_marks(axes, points, order) for points, order in orders if points.height]
    title = f"Relevant documents found in {number_of(completeness.judged, 'judged document')}"
    lines = "Continuous: in the order of the judgments. Dashed: by best position in the runs."
    plain: dict[str, Any] = {"va": "top", "parse_math": False}
    figure.text(0.06 / WIDTH, 1 - 0.12 / HEIGHT, title, color=palette.ink, fontsize=11.5, weight="bold", **plain)
    figure.text(0.06 / WIDTH, 1 - 0.355 / HEIGHT, lines, color=palette.ink_soft, fontsize=8.5, **plain)
    return as_svg(figure, title, f"{lines} {_description(completeness)}", marks)


def _draw_line(axes: Axes, points: pl.DataFrame, colour: str, style: Any) -> None:
    shown = _thinned(points)
    axes.plot([0, *shown["judged"]], [0, *shown["relevant"]], color=colour, linewidth=1.8, linestyle=style)


def _marks(axes: Axes, points: pl.DataFrame, order: str) -> Marks:
    judged, relevant = (_thinned(points)[name].to_list() for name in ("judged", "relevant"))
    terms = {name: [f"{number:,}" for number in of] for name, of in (("Judged", judged), ("Relevant", relevant))}
    return dots(axes, judged, relevant, {**terms, "By": [order] * len(judged)})


def _thinned(points: pl.DataFrame) -> pl.DataFrame:
    """At most so many points that a line of the picture's width shows; the last is among them."""
    every = max(1, -(-points.height // MOST_POINTS))
    return points.reverse().gather_every(every).reverse()


def _draw_scales(axes: Axes, completeness: Completeness, palette: Palette) -> None:
    axes.set_xlim(0, max(completeness.judged, 1) * 1.01)
    axes.set_ylim(0, max(completeness.relevant, 1) * 1.05)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(MaxNLocator(nbins=6, steps=[1, 2, 5, 10], integer=True))
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    axes.tick_params(length=0, pad=4, labelsize=8.5, labelcolor=palette.ink_soft)
    axes.grid(color=palette.line, linewidth=0.7)
    axes.set_axisbelow(True)
    axes.spines[:].set_visible(False)
    axes.patch.set_visible(False)
    axes.set_xlabel("judged", color=palette.ink_soft, fontsize=8.5, labelpad=5)
    axes.set_ylabel("relevant", color=palette.ink_soft, fontsize=8.5, labelpad=5)


def _description(completeness: Completeness) -> str:
    tenths = (
        [max(0, round(completeness.curve.height * tenth / 10) - 1) for tenth in range(1, 11)]
        if completeness.curve.height
        else []
    )
    rows = completeness.curve[sorted(set(tenths))].select("judged", "relevant").iter_rows()
    points = "; ".join(f"{relevant:,} of {judged:,}" for judged, relevant in rows)
    return f"Relevant of judged, in order: {points}."
