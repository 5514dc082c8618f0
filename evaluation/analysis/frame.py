"""PURE: what the pictures about boards have in common: size, title, a sentence on how to read them, quiet axes."""

from typing import Any, Final

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from campaign.charts import Palette, printable

WIDTH: Final = 7.6  # inches, as matplotlib counts
TITLE: Final = 0.62
LONGEST_NAME: Final = 36


def framed(
    title: str, said: str, palette: Palette, height: float, *, left: float = 0.7, below: float = 0.6, right: float = 0.1
) -> tuple[Figure, Axes]:
    """A figure of this height in inches with one pair of axes; `left`, `below`, `right`: room for labels, in inches.

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
    figure.text(0.01, 1 - 0.33 / height, printable(said), color=palette.ink_soft, fontsize=8.5, **plain)
    axes.tick_params(length=0, labelsize=7.5, labelcolor=palette.ink_soft)
    axes.set_axisbelow(True)
    axes.spines[:].set_visible(False)
    axes.patch.set_visible(False)
    return figure, axes


def named(name: str) -> str:
    """A name as pictures write it: printable, and not longer than there is room for.

    >>> named("a" * 40) == "a" * 35 + "…"
    True
    """
    name = printable(name)
    return name if len(name) <= LONGEST_NAME else name[: LONGEST_NAME - 1] + "…"
