"""PURE: curves of runs, told apart by line and marker, so that they can be read in grey; also for the command line."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Final

from matplotlib.axes import Axes

from campaign.charts import PALETTES, Marks, Palette, PictureFormat, Theme, dots, drawn, printable
from evaluation.analysis.frame import WIDTH, framed, name_axes, named
from evaluation.engine.analyses.curves import line_of_equal_f
from evaluation.engine.arrays import FloatArray

MOST_RUNS: Final = 8
"""Runs that a picture can tell apart."""
HEIGHT, LEFT, BELOW, KEY, BETWEEN = 4.4, 0.62, 0.62, 2.05, 0.62  # inches
LONGEST_IN_KEY = 20
MOST_MARKED = 12
LINES: Final = ("solid", (0, (5, 2)), (0, (1.2, 1.6)), (0, (6, 2, 1.2, 2)))
MARKERS: Final = "os^Dv*Xp"
EQUAL_F: Final = (0.2, 0.4, 0.6, 0.8)


@dataclass(frozen=True, eq=False)
class Line:
    """A curve by the name that the key gives it; `x`, `y`: float64 (n_points,), finite.

    `told`: below the name. `link`: where its marks lead, relative to the picture.
    """

    name: str
    x: FloatArray
    y: FloatArray
    told: str = ""
    link: str = ""


@dataclass(frozen=True, eq=False)
class Band:
    """What lies between two curves over the same `x`: float64 (n_points,) each."""

    name: str
    x: FloatArray
    low: FloatArray
    high: FloatArray


@dataclass(frozen=True, eq=False)
class Plot:
    """One pair of axes. `reference`: a curve that is no run, as the ideal. `unit_square`: both axes go from 0 to 1.

    `ranks`: those to name on the axis of x, which is then logarithmic.
    """

    x_name: str
    y_name: str
    lines: Sequence[Line]
    reference: Line | None = None
    band: Band | None = None
    unit_square: bool = False
    equal_f: bool = False
    diagonal: bool = False
    ranks: Sequence[int] = ()


def curves_picture(
    plots: Sequence[Plot], title: str, said: str, *, theme: Theme = "light", picture_format: PictureFormat = "svg"
) -> bytes:
    """Draw one or two plots of the same runs side by side with one key; the same input gives the same bytes."""
    palette = PALETTES[theme]
    figure, axes = framed(title, said, palette, HEIGHT, left=LEFT, below=BELOW, right=KEY)
    width = (WIDTH - LEFT - KEY - BETWEEN * (len(plots) - 1)) / len(plots)
    box = axes.get_position()
    marks = []
    for place, plot in enumerate(plots):
        if place:
            axes = figure.add_axes((0, 0, 1, 1))
            axes.tick_params(length=0, labelsize=7.5, labelcolor=palette.ink_soft)
            axes.set_axisbelow(True)
            axes.spines[:].set_visible(False)
            axes.patch.set_visible(False)
        left = LEFT + place * (width + BETWEEN)
        axes.set_position((left / WIDTH, box.y0, width / WIDTH, box.height))
        _draw(axes, plot, palette)
        marks.append(_marks(axes, plot))
    _key(axes, plots[-1], palette)
    return drawn(figure, picture_format, printable(title), f"{said} {_numbers(plots)}", marks)


def _marks(axes: Axes, plot: Plot) -> Marks:
    lines = [*plot.lines, *([plot.reference] if plot.reference is not None else [])]
    points = [(line, x, y) for line in lines for x, y in zip(line.x.tolist(), line.y.tolist(), strict=True)]
    terms = {
        "Curve": [line.name for line, _, _ in points],
        plot.x_name.capitalize(): [f"{x:g}" for _, x, _ in points],
        plot.y_name.capitalize(): [f"{y:.4f}" for _, _, y in points],
    }
    links = [line.link for line, _, _ in points]
    line = len(plot.lines[0].x) if plot.lines else 1
    return dots(axes, [x for _, x, _ in points], [y for _, _, y in points], terms, links, line=line)


def _draw(axes: Axes, plot: Plot, palette: Palette) -> None:
    axes.grid(color=palette.line, linewidth=0.7)
    if plot.unit_square:
        axes.set_xlim(-0.01, 1.01)
        axes.set_ylim(-0.01, 1.01)
    if plot.equal_f:
        _draw_equal_f(axes, palette)
    if plot.diagonal:
        axes.plot([0, 1], [0, 1], color=palette.ink_soft, linewidth=0.6)
    if plot.band is not None:
        band = plot.band
        axes.fill_between(band.x, band.low, band.high, color=palette.accent_soft, linewidth=0, zorder=1)
    if plot.reference is not None:
        axes.plot(plot.reference.x, plot.reference.y, color=palette.ink_soft, linewidth=2.4, alpha=0.55, zorder=2)
    for line, look in zip(plot.lines, _looks(palette), strict=False):
        axes.plot(line.x, line.y, markevery=max(1, len(line.x) // MOST_MARKED), **look)
    name_axes(axes, plot.x_name, plot.y_name, palette)
    if plot.ranks:
        axes.set_xscale("log")
        axes.set_xticks(plot.ranks, [str(rank) for rank in plot.ranks])
        axes.set_xticks([], minor=True)
    if not plot.unit_square:
        axes.set_ylim(bottom=0)


def _looks(palette: Palette) -> list[dict[str, Any]]:
    """Each run has a marker of its own; lines and fillings alternate."""
    styles = [(style, face) for face, style in product((palette.accent, palette.paper), LINES)]
    colours = [palette.accent, palette.ink] * (MOST_RUNS // 2)
    return [
        {
            "color": colour,
            "linestyle": style,
            "linewidth": 1.4,
            "marker": marker,
            "markersize": 5,
            "markerfacecolor": colour if face == palette.accent else palette.paper,
            "markeredgewidth": 1.1,
            "zorder": 3,
        }
        for marker, colour, (style, face) in zip(MARKERS, colours, styles, strict=True)
    ]


def _draw_equal_f(axes: Axes, palette: Palette) -> None:
    for value in EQUAL_F:
        recall, precision = line_of_equal_f(value)
        axes.plot(recall, precision, color=palette.ink_soft, linewidth=0.5, linestyle=(0, (1, 2)), zorder=1)
        where = (recall[-1], precision[-1])
        said: dict[str, Any] = {"fontsize": 6.5, "color": palette.ink_soft, "annotation_clip": False}
        axes.annotate(f"F {value:g}", where, (3, 0), textcoords="offset points", va="center", **said)


def _key(axes: Axes, plot: Plot, palette: Palette) -> None:
    """Names are set after the key is made: matplotlib leaves labels out that begin with an underscore."""
    handles: list[Any] = []
    names = []
    for line, look in zip(plot.lines, _looks(palette), strict=False):
        handles += axes.plot([], [], **look)
        names.append(named(line.name, LONGEST_IN_KEY) + (f"\n{line.told}" if line.told else ""))
    if plot.reference is not None:
        handles += axes.plot([], [], color=palette.ink_soft, linewidth=2.4, alpha=0.55)
        names.append(named(plot.reference.name, LONGEST_IN_KEY))
    if plot.band is not None:
        handles.append(axes.fill_between([], [], [], color=palette.accent_soft, linewidth=0))
        names.append(named(plot.band.name, LONGEST_IN_KEY))
    if not handles:
        return
    placed: dict[str, Any] = {"loc": "upper left", "bbox_to_anchor": (1.07, 1.0), "borderaxespad": 0.0}
    key = axes.legend(
        handles,
        [f"curve {place}" for place in range(len(names))],
        frameon=False,
        fontsize=8,
        handlelength=3.2,
        **placed,
    )
    for text, name in zip(key.get_texts(), names, strict=True):
        text.set_parse_math(False)
        text.set_color(palette.ink)
        text.set_text(name)


def _numbers(plots: Sequence[Plot]) -> str:
    """All values for those who do not see the picture, of long curves every tenth part."""
    said = []
    for plot in plots:
        for line in [*plot.lines, *([plot.reference] if plot.reference else [])]:
            step = max(1, len(line.x) // (2 * MOST_MARKED))
            pairs = zip(line.x[::step].tolist(), line.y[::step].tolist(), strict=True)
            values = ", ".join(f"{x:g}: {y:.4f}" for x, y in pairs)
            told = f" ({line.told})" if line.told else ""
            said.append(f"{printable(line.name)}{told}, {plot.y_name} by {plot.x_name}: {values}")
    return ". ".join(said) + "."
