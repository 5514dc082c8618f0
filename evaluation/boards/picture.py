"""Pictures of scores as SVG: the same input gives the same bytes, text stays text, nothing needs inline styles."""

import io
import threading
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias
from xml.etree import ElementTree

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from campaign.words import number_of
from evaluation.boards.measures_in_words import summary_in_words
from evaluation.engine.arrays import BoolArray, FloatArray

Theme: TypeAlias = Literal["light", "dark"]


@dataclass(frozen=True)
class Palette:
    """Colours of `static/css/tokens.css` by their names there, for pages of one theme; the background stays transparent."""

    accent: str
    accent_soft: str
    ink: str
    ink_soft: str
    line: str
    paper: str


PALETTES: dict[Theme, Palette] = {
    "light": Palette(
        "#0a5f78", accent_soft="#e3f0f3", ink="#14191c", ink_soft="#4a545a", line="#e0e5e6", paper="#fdfdfc"
    ),
    "dark": Palette(
        "#6ec1d8", accent_soft="#14313a", ink="#e4e9eb", ink_soft="#aab4b9", line="#2a3135", paper="#111517"
    ),
}
FONT_FAMILY = (
    "-apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', 'Noto Sans', 'Liberation Sans', system-ui, sans-serif"
)

WIDTH = 7.6  # all lengths in inches, as matplotlib counts them
ROW = 0.215
TITLE, AXIS = 0.76, 0.52
MARGIN, CHARACTER, VALUES = 0.06, 0.078, 0.56
LONGEST_LABEL = 36

SVG = "http://www.w3.org/2000/svg"
_render_lock = threading.Lock()


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
    not_shown_to_differ: BoolArray | None = None,
    family: str = "all pairs of runs",
    theme: Theme = "light",
) -> bytes:
    """Draw one bar for each run with the confidence interval of its mean, in the order given, as an SVG document.

    `means`, `low`, `high`: float64 (n_runs,); an infinite end means that there is no interval, and none is drawn.
    `not_shown_to_differ`, bool (n_runs,), of the best run: a filled dot, else an open one; `family` says what the tests are
    corrected for. `topics`: None for those that each run answers.
    """
    palette = PALETTES[theme]
    over = "the answered topics" if topics is None else number_of(topics, "topic")
    title = _printable(title or f"{measure} of {len(labels)} run{'' if len(labels) == 1 else 's'}")
    drawn = [_shortened(label) for label in labels]
    left = max((len(label) for label in drawn), default=0) * CHARACTER + 3 * MARGIN
    height = TITLE + ROW * max(len(labels), 1) + AXIS
    subtitle = _subtitle(summary := summary_in_words(measure), level, "" if not_shown_to_differ is None else family)

    figure = Figure(figsize=(WIDTH, height))
    axes = figure.add_axes((left / WIDTH, AXIS / height, 1 - (left + VALUES) / WIDTH, 1 - (TITLE + AXIS) / height))
    _draw_rows(axes, means, low, high, not_shown_to_differ, palette)
    _name_rows(axes, drawn, means, summary, palette)
    _draw_scale(axes, low, high, means, palette)
    axes.set_xlabel(f"{measure}, {summary} over {over}", color=palette.ink_soft, fontsize=8.5, labelpad=5)
    plain: dict[str, Any] = {"va": "top", "parse_math": False}
    figure.text(MARGIN / WIDTH, 1 - 0.12 / height, title, color=palette.ink, fontsize=11.5, weight="bold", **plain)
    for place, line in enumerate(subtitle):
        from_top = 0.355 + 0.15 * place
        figure.text(MARGIN / WIDTH, 1 - from_top / height, line, color=palette.ink_soft, fontsize=8.5, **plain)
    return _as_svg(figure, title, _description(labels, means, low, high, measure, over, " ".join(subtitle)))


def _draw_rows(
    axes: Axes, means: FloatArray, low: FloatArray, high: FloatArray, alike: BoolArray | None, palette: Palette
) -> None:
    places = np.arange(len(means))
    axes.barh(places, means, height=0.62, color=palette.accent_soft, linewidth=0, zorder=1)
    known = np.isfinite(low) & np.isfinite(high)
    axes.hlines(places[known], low[known], high[known], color=palette.accent, linewidth=1.5)
    for ends in (low, high):
        axes.vlines(ends[known], places[known] - 0.2, places[known] + 0.2, color=palette.accent, linewidth=1.5)
    filled = np.ones(len(means), dtype=np.bool_) if alike is None else alike
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


def _subtitle(summary: str, level: float, family: str) -> list[str]:
    """What the marks mean, in lines that fit the picture's width."""
    whiskers = "" if summary == "sum" else f" Whiskers: {level:.0%} confidence interval of the expected mean."
    lines = [f"Dot: {summary} over topics.{whiskers}"]
    marks = f"Open dot: shown to differ from the best run (paired t, Holm for {family}, p ≤ .05)."
    return [*lines, marks] if family else lines


def _shortened(label: str) -> str:
    label = _printable(label)
    return label if len(label) <= LONGEST_LABEL else label[: LONGEST_LABEL - 1] + "\N{HORIZONTAL ELLIPSIS}"


def _printable(text: str) -> str:
    return "".join(character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in text)


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
        f"{_printable(label)} {mean:.4f}" + (f" ({start:.4f} to {end:.4f})" if np.isfinite([start, end]).all() else "")
        for label, mean, start, end in zip(labels, means, low, high, strict=True)
    )
    return f"{measure}, {summary_in_words(measure)} over {over}, by run. {subtitle} {'; '.join(rows)}."


def _as_svg(figure: Figure, title: str, description: str) -> bytes:
    raw = io.BytesIO()
    settings: dict[Any, Any] = {"svg.hashsalt": "runpool", "svg.fonttype": "none", "font.family": "DejaVu Sans"}
    no_metadata = dict.fromkeys(("Date", "Creator", "Format", "Type"))
    with _render_lock, rc_context(settings), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing")  # the reader's own fonts draw the text
        figure.savefig(raw, format="svg", transparent=True, metadata=no_metadata)
    return _without_inline_styles(raw.getvalue(), title, description)


def _without_inline_styles(document: bytes, title: str, description: str) -> bytes:
    """Turn style declarations into attributes, which a strict content security policy admits, and name the picture."""
    ElementTree.register_namespace("", SVG)
    ElementTree.register_namespace("xlink", "http://www.w3.org/1999/xlink")
    root = ElementTree.fromstring(document)  # noqa: S314 - written by matplotlib a moment ago
    for parent in root.iter():
        for child in [child for child in parent if child.tag in (f"{{{SVG}}}style", f"{{{SVG}}}metadata")]:
            parent.remove(child)
    for element in root.iter():
        for declaration in filter(None, element.attrib.pop("style", "").split(";")):
            name, value = declaration.split(":", 1)
            element.set(name.strip(), FONT_FAMILY if name.strip() == "font-family" else value.strip())
    root.attrib.update({"role": "img", "stroke-linejoin": "round", "font-variant-numeric": "tabular-nums"})
    for place, (name, text) in enumerate((("title", title), ("desc", description))):
        element = ElementTree.Element(f"{{{SVG}}}{name}")
        element.text = text
        root.insert(place, element)
    drawn: bytes = ElementTree.tostring(root, encoding="utf-8")
    return drawn
