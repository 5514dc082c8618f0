"""Pictures of scores as SVG."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from campaign.charts import PALETTES, Palette, Theme, as_svg, draw_sample, printable, rows
from campaign.text.plurals import number_of
from evaluation.boards.measures_in_words import summary_in_words, written
from evaluation.engine.arrays import BoolArray, FloatArray

WIDTH = 7.6  # all lengths in inches, as matplotlib counts them
ROW = 0.215
TITLE, AXIS = 0.76, 0.52
MARGIN, CHARACTER, VALUES = 0.06, 0.078, 0.56
LONGEST_LABEL = 36


def bar_with_intervals(
    labels: Sequence[str],
    means: FloatArray,
    low: FloatArray,
    high: FloatArray,
    *,
    measure: str,
    topics: int | None,
    title: str | None = None,
    level: float = 0.95,
    may_be_best: BoolArray | None = None,
    tests: str = "",
    links: Sequence[str] = (),
    theme: Theme = "light",
) -> bytes:
    """Draw one bar for each run with the confidence interval of its mean, in the order given, as an SVG document.

    `means`, `low`, `high`: float64 (n_runs,); an infinite end means that there is no interval, and none is drawn.
    `may_be_best`, bool (n_runs,): a filled dot, else an open one; `tests` says by which tests.
    `topics`: None for those that each run answers. `links`: of the runs, relative to the picture.
    """
    palette = PALETTES[theme]
    over = "the answered topics" if topics is None else number_of(topics, "topic")
    title = printable(title or f"{measure} of {len(labels)} run{'' if len(labels) == 1 else 's'}")
    drawn = [_shortened(label) for label in labels]
    left = max((len(label) for label in drawn), default=0) * CHARACTER + 3 * MARGIN
    height = TITLE + ROW * max(len(labels), 1) + AXIS
    subtitle = _subtitle(summary := summary_in_words(measure), level, "" if may_be_best is None else tests)

    figure = Figure(figsize=(WIDTH, height))
    axes = figure.add_axes((left / WIDTH, AXIS / height, 1 - (left + VALUES) / WIDTH, 1 - (TITLE + AXIS) / height))
    _draw_rows(axes, means, low, high, may_be_best, palette)
    _name_rows(axes, drawn, means, summary, palette)
    _draw_scale(axes, low, high, means, palette)
    axes.set_xlabel(f"{measure}, {summary} over {over}", color=palette.ink_soft, fontsize=8.5, labelpad=5)
    _write_head(figure, title, subtitle, palette)
    marks = [rows(axes, _terms(labels, means, low, high, f"{measure}, {summary}", level), links)]
    return as_svg(figure, title, _description(labels, means, low, high, measure, over, " ".join(subtitle)), marks)


def _terms(
    labels: Sequence[str], means: FloatArray, low: FloatArray, high: FloatArray, name: str, level: float
) -> dict[str, list[str]]:
    summary = name.rpartition(", ")[2]
    terms = {"Run": list(labels), name: [written(mean, summary) for mean in means.tolist()]}
    if not (np.isfinite(low) & np.isfinite(high)).any():
        return terms
    ends = [f"{start:.4f} to {end:.4f}" for start, end in zip(low.tolist(), high.tolist(), strict=True)]
    known = (np.isfinite(low) & np.isfinite(high)).tolist()
    return terms | {f"{level:.0%} interval": [text if has else "none" for text, has in zip(ends, known, strict=True)]}


def _write_head(figure: Figure, title: str, subtitle: list[str], palette: Palette) -> None:
    plain: dict[str, Any] = {"va": "top", "parse_math": False}
    height = figure.get_size_inches()[1]
    figure.text(MARGIN / WIDTH, 1 - 0.12 / height, title, color=palette.ink, fontsize=11.5, weight="bold", **plain)
    style: dict[str, Any] = {"color": palette.accent, "linewidth": 1.5, "markeredgewidth": 1.4}
    if not (has_whiskers := "Whiskers" in subtitle[0]):
        style["linestyle"] = "none"
    for place, line in enumerate(subtitle):
        from_top = 0.355 + 0.15 * place
        if has_whiskers:
            draw_sample(figure, from_top, **style, marker="|", markersize=5, markevery=[0, 2])
        face = palette.paper if place else palette.accent
        begins = draw_sample(figure, from_top, **style, marker="o", markersize=4.7, markerfacecolor=face)
        figure.text(begins / WIDTH, 1 - from_top / height, line, color=palette.ink_soft, fontsize=8.5, **plain)


def _draw_rows(
    axes: Axes, means: FloatArray, low: FloatArray, high: FloatArray, best: BoolArray | None, palette: Palette
) -> None:
    places = np.arange(len(means))
    axes.barh(places, means, height=0.62, color=palette.accent_soft, linewidth=0, zorder=1)
    known = np.isfinite(low) & np.isfinite(high)
    axes.hlines(places[known], low[known], high[known], color=palette.accent, linewidth=1.5)
    for ends in (low, high):
        axes.vlines(ends[known], places[known] - 0.2, places[known] + 0.2, color=palette.accent, linewidth=1.5)
    filled = np.ones(len(means), dtype=np.bool_) if best is None else best
    for chosen, face in ((filled, palette.accent), (~filled, palette.paper)):
        axes.scatter(
            means[chosen], places[chosen], s=22, zorder=3, facecolor=face, edgecolor=palette.accent, linewidth=1.4
        )


def _name_rows(axes: Axes, labels: list[str], means: FloatArray, summary: str, palette: Palette) -> None:
    axes.set_ylim(max(len(labels), 1) - 0.5, -0.5)
    axes.set_yticks([])
    rows = axes.get_yaxis_transform()
    in_row: dict[str, Any] = {
        "transform": rows,
        "fontsize": 9,
        "color": palette.ink,
        "parse_math": False,
        "ha": "right",
        "va": "center_baseline",
    }
    inches = axes.get_position().width * WIDTH
    decimals = 0 if summary == "sum" else 3
    for place, (label, mean) in enumerate(zip(labels, means, strict=True)):
        axes.text(-0.09 / inches, place, label, **in_row)
        axes.text(1 + (VALUES - MARGIN) / inches, place, f"{mean:.{decimals}f}", **in_row)


def _draw_scale(axes: Axes, low: FloatArray, high: FloatArray, means: FloatArray, palette: Palette) -> None:
    ends = np.concatenate((means, low[np.isfinite(low)], high[np.isfinite(high)], [0.0]))
    widest = float(ends.max() - ends.min()) or 1.0
    start = float(ends.min())
    axes.set_xlim(start - (0.01 * widest if start < 0 else 0.0), start + 1.01 * widest)
    axes.xaxis.set_major_locator(MaxNLocator(nbins=7, steps=[1, 2, 5, 10]))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:.10g}".replace("-", "\N{MINUS SIGN}")))
    axes.tick_params(axis="x", length=0, pad=4, labelsize=8.5, labelcolor=palette.ink_soft)
    axes.grid(axis="x", color=palette.line, linewidth=0.7)
    axes.set_axisbelow(True)
    axes.axvline(0.0, color=palette.ink_soft, linewidth=0.8, zorder=1.5)
    axes.spines[:].set_visible(False)
    axes.patch.set_visible(False)


def _subtitle(summary: str, level: float, tests: str) -> list[str]:
    """What the marks mean, in lines that fit the picture's width."""
    whiskers = "" if summary == "sum" else f" Whiskers: {level:.0%} confidence interval of the expected mean."
    lines = [f"Dot: {summary} over topics.{whiskers}"]
    return [*lines, f"Open dot: another run is shown to be better ({tests})."] if tests else lines


def _shortened(label: str) -> str:
    label = printable(label)
    return label if len(label) <= LONGEST_LABEL else label[: LONGEST_LABEL - 1] + "\N{HORIZONTAL ELLIPSIS}"


def _description(
    labels: Sequence[str],
    means: FloatArray,
    low: FloatArray,
    high: FloatArray,
    measure: str,
    over: str,
    subtitle: str,
) -> str:
    rows = (
        f"{printable(label)} {mean:.4f}" + (f" ({start:.4f} to {end:.4f})" if np.isfinite([start, end]).all() else "")
        for label, mean, start, end in zip(labels, means, low, high, strict=True)
    )
    return f"{measure}, {summary_in_words(measure)} over {over}, by run. {subtitle} {'; '.join(rows)}."
