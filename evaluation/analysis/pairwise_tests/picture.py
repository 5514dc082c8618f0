"""PURE: the p of all pairs as a heat map, and the critical-difference diagram."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from campaign.charts import PALETTES, Palette, PictureFormat, Theme, cells, drawn, printable, rows
from evaluation.analysis.cells import MOST_DRAWN, MOST_NAMED, Look, blended, draw_cells
from evaluation.analysis.frame import WIDTH, framed, name_axes, name_columns, name_rows, named, values_in_words
from evaluation.analysis.pairwise_tests.figures import CLEARLY, NOT_SHOWN, NOT_TESTED, SHOWN, groups_of_letters
from evaluation.engine.arrays import FloatArray, IntArray

ROW, CHARACTER = 0.17, 0.062


def pairs_picture(
    tags: Sequence[str],
    kinds: IntArray,
    measure: str,
    alpha: float,
    *,
    p: FloatArray | None = None,
    links: Sequence[str] = (),
    theme: Theme = "light",
    picture_format: PictureFormat = "svg",
) -> bytes:
    """Draw one cell for each pair of runs, in the order given; `kinds` from `kinds_of_pairs`, int64 (n_runs, n_runs).

    `p`: float64 (n_runs, n_runs), what the marks say; `links`: of the runs, relative to the picture.
    """
    palette, kinds = PALETTES[theme], kinds[:MOST_DRAWN, :MOST_DRAWN]
    names = [named(tag)[:24] for tag in tags[: len(kinds)]]
    is_named = len(names) <= MOST_NAMED
    room = max(map(len, names), default=0) * CHARACTER + 0.15
    side = min(WIDTH - room - 0.1, max(ROW * len(names), 1.0))
    title = f"{measure}: corrected p of all pairs of runs"
    said = f"Full and dot: p < {alpha / 5:g}. Half and ring: p < {alpha:g}. Light: not shown. Hatched: not tested."
    height = side + room + 0.75
    figure, axes = framed(title, said, palette, height, left=room, below=room, right=WIDTH - room - side)
    draw_cells(axes, kinds, _looks(palette))
    if is_named:
        _mark(axes, kinds, palette)
    name_rows(axes, names)
    name_columns(axes, names)
    axes.spines[:].set_visible(True)
    axes.spines[:].set_color(palette.line)
    marks = []
    if p is not None:
        shown, of_pairs = list(tags[: len(kinds)]), p[: len(kinds), : len(kinds)]
        in_words = [["not tested" if value != value else f"{value:.4f}" for value in row] for row in of_pairs.tolist()]
        marks = [cells(axes, {"Run": shown}, {"and": shown}, {"Corrected p": in_words}, links[: len(kinds)])]
    in_order = f"{said} Runs in the order of the board: {printable(', '.join(names))}."
    return drawn(figure, picture_format, title, in_order, marks)


def _looks(palette: Palette) -> dict[int, Look]:
    return {
        NOT_SHOWN: Look(palette.accent_soft),
        SHOWN: Look(blended(palette.accent_soft, palette.accent, 0.45)),
        CLEARLY: Look(palette.accent),
        NOT_TESTED: Look(palette.paper, hatch="////", line=palette.line),
    }


def _mark(axes: Axes, kinds: IntArray, palette: Palette) -> None:
    rows, columns = np.nonzero(kinds == CLEARLY)
    axes.scatter(columns, rows, s=6, color=palette.paper, linewidth=0, zorder=3)
    rows, columns = np.nonzero(kinds == SHOWN)
    axes.scatter(columns, rows, s=8, facecolor="none", edgecolor=palette.ink, linewidth=0.7, zorder=3)


def groups_picture(
    tags: Sequence[str],
    means: FloatArray,
    letters: Sequence[str],
    measure: str,
    *,
    links: Sequence[str] = (),
    theme: Theme = "light",
    picture_format: PictureFormat = "svg",
) -> bytes:
    """Draw the critical-difference diagram: one row for each run at its mean, one line for each group that does not differ.

    `means`: float64 (n_runs,), the best first. Runs of a group are dots on its line: a run that the line passes is not in it.
    `links`: of the runs, relative to the picture.
    """
    palette, groups = PALETTES[theme], groups_of_letters(letters)
    n_runs = min(len(tags), MOST_DRAWN)
    names = [named(tag)[:30] for tag in tags[:n_runs]]
    left = max(map(len, names), default=0) * CHARACTER + 0.15
    width = min(0.16 * len(groups), 2.6)
    title = f"{measure}: means, and groups that are not significantly different"
    said = "Dot: the mean. Dots on one vertical line: runs of one group."
    height = 1.25 + ROW * max(n_runs, 2)
    figure, axes = framed(title, said, palette, height, left=left, below=0.5, right=0.2 + width)
    places = np.arange(n_runs)
    known = np.isfinite(means[:n_runs])
    axes.hlines(places, 0, 1, transform=axes.get_yaxis_transform(), color=palette.line, linewidth=0.6)
    axes.scatter(means[:n_runs][known], places[known], s=18, color=palette.accent, zorder=3)
    axes.set_yticks(places, names, fontsize=7, parse_math=False)
    axes.set_ylim(n_runs - 0.5, -0.5)
    name_axes(axes, f"{measure} (mean)", "", palette)
    _draw_groups(axes, groups, n_runs, width, palette)
    members_said = "; ".join(f"{letter}: {', '.join(tags[run] for run in runs)}" for letter, runs in groups.items())
    in_groups = [" ".join(letter) or "none" for letter in letters[:n_runs]]
    terms = {"Run": tags[:n_runs], f"{measure} (mean)": values_in_words(means[:n_runs]), "Groups": in_groups}
    marks = [rows(axes, terms, links[:n_runs])]
    return drawn(figure, picture_format, title, f"{said} {printable(members_said)}", marks)


def _draw_groups(axes: Axes, groups: Mapping[str, Sequence[int]], n_runs: int, width: float, palette: Palette) -> None:
    step = width / max(len(groups), 1) / (axes.get_position().width * WIDTH)
    for number, (letter, members) in enumerate(groups.items()):
        shown = [run for run in members if run < n_runs]
        if shown:
            _draw_group(axes, 1.015 + step * (number + 0.5), shown, letter if step > 0.012 else "", palette)


def _draw_group(axes: Axes, across: float, members: list[int], letter: str, palette: Palette) -> None:
    beside: dict[str, Any] = {"transform": axes.get_yaxis_transform(), "clip_on": False}
    axes.plot([across, across], [members[0], members[-1]], color=palette.ink_soft, linewidth=1.2, **beside)
    axes.scatter([across] * len(members), members, s=9, color=palette.ink, zorder=3, **beside)
    axes.text(across, -0.75, letter, ha="center", va="bottom", fontsize=7, color=palette.ink_soft, **beside)
