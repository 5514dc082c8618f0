"""PURE: the values of all runs by topic, and of one topic."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from campaign.charts import PALETTES, Palette, PictureFormat, Theme, columns, drawn, printable
from evaluation.analysis.frame import framed, name_axes, name_columns, named, room_below, values_in_words
from evaluation.analysis.topics.figures import TopicFigures
from evaluation.engine.arrays import FloatArray, IntArray

HEIGHT = 3.6


def topics_picture(
    topics: list[str],
    figures: TopicFigures,
    measure: str,
    run: FloatArray | None = None,
    run_name: str = "",
    *,
    has_box: bool = True,
    links: Sequence[str] = (),
    theme: Theme = "light",
    picture_format: PictureFormat = "svg",
) -> bytes:
    """Draw the range, quartiles and median of all runs for each topic, topics by their medians; `run` as dots.

    `run`: float64 (n_topics,), the values of one run. `has_box`: of few runs, quartiles tell the values of each.
    `links`: where each topic leads, relative to the picture.
    """
    palette = PALETTES[theme]
    order = np.argsort(np.where(np.isnan(figures.median), -np.inf, figures.median), kind="stable")[::-1]
    places = np.arange(len(topics))
    said = f"Line: all runs.{' Box: the middle half.' if has_box else ''} Bar: median." + (
        f" Dot: {named(run_name)}." if run is not None else ""
    )
    title = f"{measure} of all runs by topic" if run is None else f"{measure} of {named(run_name)} among all runs"
    figure, axes = framed(title, said, palette, HEIGHT, below=room_below(topics))
    axes.vlines(places, figures.low[order], figures.high[order], color=palette.ink_soft, linewidth=0.8)
    if has_box:
        _draw_boxes(axes, places, figures.quarter[order], figures.three_quarters[order], palette)
    axes.hlines(figures.median[order], places - 0.3, places + 0.3, color=palette.ink, linewidth=1.4, zorder=3)
    if run is not None:
        axes.scatter(places, run[order], s=16, color=palette.accent, zorder=4)
    axes.set_xlim(-0.6, max(len(topics), 1) - 0.4)
    axes.grid(axis="y", color=palette.line, linewidth=0.7)
    name_columns(axes, [topics[topic] for topic in order.tolist()])
    name_axes(axes, "Topics, the highest median first", measure, palette)
    terms = _terms(topics, figures, run, run_name, order, measure, has_box=has_box)
    marks = [columns(axes, terms, [links[topic] for topic in order.tolist()] if links else [])]
    return drawn(figure, picture_format, title, f"{said} Medians: {_medians(topics, figures, order)}.", marks)


def _terms(
    topics: list[str],
    figures: TopicFigures,
    run: FloatArray | None,
    run_name: str,
    order: IntArray,
    measure: str,
    *,
    has_box: bool,
) -> dict[str, list[str]]:
    of_run = {} if run is None else {"Run": [run_name] * len(order), measure: values_in_words(run[order])}
    box = {"Lower quartile": figures.quarter, "Median": figures.median, "Upper quartile": figures.three_quarters}
    shown = {"Lowest": figures.low, **(box if has_box else {"Median": figures.median}), "Highest": figures.high}
    of_all = {
        name if run is None else f"{name} of all runs": values_in_words(values[order]) for name, values in shown.items()
    }
    return {"Topic": [topics[topic] for topic in order.tolist()], **of_run, **of_all}


def _draw_boxes(axes: Axes, places: IntArray, low: FloatArray, high: FloatArray, palette: Palette) -> None:
    box: dict[str, Any] = {"width": 0.6, "color": palette.accent_soft, "edgecolor": palette.ink_soft, "linewidth": 0.6}
    axes.bar(places, high - low, bottom=low, zorder=2, **box)


def _medians(topics: list[str], figures: TopicFigures, order: IntArray) -> str:
    """Those that are told, for people who do not see the picture."""
    known = [topic for topic in order.tolist() if not np.isnan(figures.median[topic])]
    return printable("; ".join(f"{topics[topic]} {figures.median[topic]:.4f}" for topic in known)) or "not told"
