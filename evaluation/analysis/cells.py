"""PURE: pictures made of cells: each kind of cell is one shape, so that pictures of many cells stay small."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import PathPatch
from matplotlib.path import Path

from evaluation.engine.arrays import FloatArray, IntArray

MOST_NAMED = 60
"""Rows or columns up to which a picture names each."""
MOST_DRAWN = 300
"""Rows or columns that a picture shows: more would be thinner than a dot."""


@dataclass(frozen=True, slots=True)
class Look:
    """How one kind of cell is filled; `hatch`: as matplotlib writes it, drawn in the colour `line`."""

    fill: str
    hatch: str = ""
    line: str = ""


def stripes(kinds: IntArray) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """Join equal neighbours in each row of `kinds`, int64 (n_rows, n_columns): row, first column, column after the last, kind.

    >>> [part.tolist() for part in stripes(np.array([[1, 1, 2], [2, 2, 2]]))]
    [[0, 0, 1], [0, 2, 0], [2, 3, 3], [1, 2, 2]]
    """
    starts_here = np.ones(kinds.shape, dtype=np.bool_)
    starts_here[:, 1:] = kinds[:, 1:] != kinds[:, :-1]
    rows, starts = np.nonzero(starts_here)
    stops = np.full(len(rows), kinds.shape[1])
    same_row = rows[1:] == rows[:-1]
    stops[:-1][same_row] = starts[1:][same_row]
    return rows, starts, stops, kinds[rows, starts]


def draw_cells(axes: Axes, kinds: IntArray, looks: Mapping[int, Look]) -> None:
    """Fill the cells of `kinds`, int64 (n_rows, n_columns), the first row on top; a kind without a look stays empty.

    >>> from matplotlib.figure import Figure
    >>> axes = Figure().add_subplot()
    >>> draw_cells(axes, np.array([[0, 1]]), {1: Look("#000000")})
    >>> len(axes.patches)
    1
    """
    rows, starts, stops, found = stripes(kinds)
    for kind, look in looks.items():
        chosen = found == kind
        if chosen.any():
            path = _rectangles(starts[chosen] - 0.5, stops[chosen] - 0.5, rows[chosen] - 0.5)
            edge = look.line if look.hatch else look.fill
            # `add_patch` would look for the limits of each cell, which are set below.
            axes.add_artist(
                PathPatch(path, facecolor=look.fill, edgecolor=edge, linewidth=0.2, hatch=look.hatch or None)
            )
    axes.set_xlim(-0.5, kinds.shape[1] - 0.5)
    axes.set_ylim(kinds.shape[0] - 0.5, -0.5)


def _rectangles(left: FloatArray, right: FloatArray, top: FloatArray) -> Path:
    corners = np.array([[left, top], [right, top], [right, top + 1], [left, top + 1], [left, top]])
    codes = np.array([Path.MOVETO, Path.LINETO, Path.LINETO, Path.LINETO, Path.CLOSEPOLY], dtype=np.uint8)
    return Path(corners.transpose(2, 0, 1).reshape(-1, 2), np.tile(codes, len(left)))


def blended(first: str, second: str, share: float) -> str:
    """A colour between two, `share` of the way from the first to the second.

    >>> blended("#000000", "#ffffff", 0.5)
    '#808080'
    """
    ends = [[int(colour[place : place + 2], 16) for place in (1, 3, 5)] for colour in (first, second)]
    return "#" + "".join(f"{round(a + share * (b - a)):02x}" for a, b in zip(*ends, strict=True))
