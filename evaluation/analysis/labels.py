"""PURE: names beside dots, as many as do not lie on each other."""

import numpy as np
from matplotlib.axes import Axes

from campaign.charts import Palette
from evaluation.analysis.frame import named
from evaluation.engine.arrays import FloatArray, IntArray

WIDTH, HEIGHT, LONGEST = 0.17, 0.04, 16
"""Room of a name as shares of the axes, and its characters."""


def room_for_names(x: FloatArray, y: FloatArray) -> IntArray:
    """Choose dots, the first ones first, whose names do not lie on each other; `x`, `y`: float64 (n,), finite.

    >>> room_for_names(np.array([0.0, 0.01, 1.0]), np.array([0.0, 0.01, 1.0])).tolist()
    [0, 2]
    """
    places = np.array([(of - of.min()) / (np.ptp(of) or 1.0) for of in (x, y)]) if len(x) else np.zeros((2, 0))
    chosen: list[int] = []
    for dot in range(len(x)):
        away = np.abs(places[:, chosen] - places[:, [dot]])
        if not ((away[0] < WIDTH) & (away[1] < HEIGHT)).any():
            chosen.append(dot)
    return np.array(chosen, dtype=np.int64)


def name_dots(axes: Axes, tags: list[str], x: FloatArray, y: FloatArray, palette: Palette) -> None:
    """Write the names of the dots for which there is room.

    >>> from matplotlib.figure import Figure
    >>> from campaign.charts import PALETTES
    >>> axes = Figure().add_subplot()
    >>> name_dots(axes, ["a", "b"], np.array([0.0, 0.0]), np.array([0.0, 0.0]), PALETTES["light"])
    >>> [text.get_text() for text in axes.texts]
    ['a']
    """
    for dot in room_for_names(x, y).tolist():
        label, where = named(tags[dot], LONGEST), (x[dot], y[dot])
        axes.annotate(
            label, where, (5, 4), textcoords="offset points", fontsize=6.5, color=palette.ink_soft, parse_math=False
        )
