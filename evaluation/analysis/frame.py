"""PURE: what the pictures about boards have in common: size, title, a sentence on how to read them, quiet axes."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, cast

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from campaign.charts import Palette, draw_sample, printable
from evaluation.engine.arrays import FloatArray

WIDTH: Final = 7.6  # inches, as matplotlib counts
TITLE: Final = 0.62
LONGEST_NAME: Final = 36
LONGEST_OF_ROW, LONGEST_OF_COLUMN = 24, 12
LABEL: Final = 0.125  # room that the name of a row or column takes, in inches


def framed(
    title: str,
    said: str,
    palette: Palette,
    height: float,
    *,
    left: float = 0.7,
    below: float = 0.6,
    right: float = 0.1,
    sample: Mapping[str, Any] | None = None,
) -> tuple[Figure, Axes]:
    """A figure of this height in inches with one pair of axes; `left`, `below`, `right`: room for labels, in inches.

    `sample`: style of the line that is drawn before the sentence.

    >>> from campaign.charts import PALETTES
    >>> figure, axes = framed("AP by topic", "Dot: the run.", PALETTES["light"], 3.0)
    >>> figure.get_size_inches().tolist()
    [7.6, 3.0]
    """
    figure = Figure(figsize=(WIDTH, height))
    box = (left / WIDTH, below / height, 1 - (left + right) / WIDTH, 1 - (TITLE + below) / height)
    axes = figure.add_axes(box)
    plain: dict[str, Any] = {"va": "top", "parse_math": False}
    figure.text(0.01, 1 - 0.08 / height, printable(title), color=palette.ink, fontsize=11, weight="bold", **plain)
    begins = 0.01 if sample is None else draw_sample(figure, 0.33, **sample) / WIDTH
    figure.text(begins, 1 - 0.33 / height, printable(said), color=palette.ink_soft, fontsize=8.5, **plain)
    axes.tick_params(length=0, labelsize=7.5, labelcolor=palette.ink_soft)
    axes.set_axisbelow(True)
    axes.spines[:].set_visible(False)
    axes.patch.set_visible(False)
    return figure, axes


def named(name: str, longest: int = LONGEST_NAME) -> str:
    """A name as pictures write it: printable, and not longer than there is room for.

    >>> named("a" * 40, 12)
    'aaaaaaaaaaa…'
    """
    name = printable(name)
    return name if len(name) <= longest else name[: longest - 1] + "…"


def name_axes(axes: Axes, across: str, up: str, palette: Palette) -> None:
    """Write what the axes count.

    >>> from campaign.charts import PALETTES
    >>> axes = Figure().add_subplot()
    >>> name_axes(axes, "Topics", "AP", PALETTES["light"])
    >>> axes.get_xlabel(), axes.get_ylabel()
    ('Topics', 'AP')
    """
    style: dict[str, Any] = {"color": palette.ink_soft, "fontsize": 8.5, "parse_math": False}
    axes.set_xlabel(printable(across), **style)
    axes.set_ylabel(printable(up), **style)


def name_columns(axes: Axes, names: Sequence[str]) -> None:
    """Write the names of the columns at 0, 1, 2 ... of x, as many as do not lie on each other.

    >>> axes = Figure(figsize=(1, 1)).add_axes((0, 0, 1, 1))
    >>> name_columns(axes, [str(topic) for topic in range(20)])
    >>> [label.get_text() for label in axes.get_xticklabels()]
    ['0', '3', '6', '9', '12', '15', '18']
    """
    shown = _with_room(len(names), _inches(axes)[0])
    axes.set_xticks(
        shown, [named(names[place], LONGEST_OF_COLUMN) for place in shown], rotation=90, fontsize=7, parse_math=False
    )


def room_below(names: Sequence[str]) -> float:
    """The inches that the names of columns take, and what `name_axes` writes below them.

    >>> round(room_below(["1", "10"]), 2)
    0.59
    """
    return 0.45 + 0.07 * max((min(len(name), LONGEST_OF_COLUMN) for name in names), default=0)


def name_rows(axes: Axes, names: Sequence[str]) -> None:
    """Write the names of the rows at 0, 1, 2 ... of y, as many as do not lie on each other.

    >>> axes = Figure(figsize=(1, 1)).add_axes((0, 0, 1, 1))
    >>> name_rows(axes, ["a", "b"])
    >>> [label.get_text() for label in axes.get_yticklabels()]
    ['a', 'b']
    """
    shown = _with_room(len(names), _inches(axes)[1])
    axes.set_yticks(shown, [named(names[place], LONGEST_OF_ROW) for place in shown], fontsize=7, parse_math=False)


def _inches(axes: Axes) -> tuple[float, float]:
    width, height = cast(Figure, axes.get_figure(root=True)).get_size_inches()
    return axes.get_position().width * width, axes.get_position().height * height


def _with_room(names: int, inches: float) -> list[int]:
    return list(range(0, names, max(1, int(np.ceil(names * LABEL / inches)))))


def values_in_words(values: FloatArray) -> list[str]:
    """The numbers as tables print them; `values`: float64 (n,), NaN where there is none.

    >>> values_in_words(np.array([0.25, np.nan]))
    ['0.2500', 'no value']
    """
    return [f"{value:.4f}" if np.isfinite(value) else "no value" for value in values.tolist()]
