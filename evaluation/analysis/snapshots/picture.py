"""PURE: the picture of ranks over the published boards of a task."""

from collections.abc import Callable
from typing import Any, Final

import numpy as np
from matplotlib.axes import Axes

from campaign.charts import PALETTES, Marks, Palette, PictureFormat, Theme, dots, drawn, printable
from campaign.text.plurals import number_of
from evaluation.analysis.frame import framed, name_axes, named
from evaluation.analysis.snapshots.history import RankHistory
from evaluation.engine.arrays import FloatArray

HEIGHT: Final = 4.4
LABELS: Final = 2.6  # inches at the right, for names of runs
MOST_RUNS: Final = 20
MOST_TICKS: Final = 12


def history_picture(
    found: RankHistory,
    *,
    links: Callable[[int, str], str] | None = None,
    theme: Theme = "light",
    picture_format: PictureFormat = "svg",
) -> bytes:
    """Draw a line for each run, from board to board: at most 20 runs, first the best of the newest board.

    `links`: where a dot leads, relative to the picture, by number of the leaderboard and tag of the run.
    """
    palette = PALETTES[theme]
    tags = list(found.ranks)[:MOST_RUNS]
    ranks = np.array([[rank or np.nan for rank in found.ranks[tag]] for tag in tags], dtype=np.float64)
    ranks = ranks.reshape(len(tags), len(found.numbers))
    title = f"Ranks by {named(found.measure)} on published leaderboards"
    said = "Coloured: the rank of the run changed."
    if len(tags) < len(found.ranks):
        said += (
            f" {MOST_RUNS} of {number_of(len(found.ranks), 'run')}: first those of the newest leaderboard, best first."
        )
    style: dict[str, Any] = {"linewidth": 1.4, "marker": "o", "markersize": 4}
    figure, axes = framed(
        title, said, palette, HEIGHT, left=0.6, below=0.6, right=LABELS, sample=style | {"color": palette.accent}
    )
    boards = np.arange(len(found.numbers))
    for row in ranks:
        is_same = len(set(row[~np.isnan(row)].tolist())) < 2
        color = palette.ink_soft if is_same else palette.accent
        axes.plot(boards, row, color=color, **style)
    _draw_scales(axes, found, ranks)
    name_axes(axes, "Leaderboard", "Rank", palette)
    axes.grid(axis="y", color=palette.line, linewidth=0.7)
    _names(axes, palette, tags, ranks)
    numbers = "; ".join(f"{tag}: {_in_words(found.ranks[tag])}" for tag in tags)
    return drawn(
        figure, picture_format, printable(title), printable(f"{said} {numbers}"), _marks(axes, found, tags, links)
    )


def _draw_scales(axes: Axes, found: RankHistory, ranks: FloatArray) -> None:
    lowest = float(np.nanmax(ranks, initial=1.0)) if ranks.size else 1.0
    axes.set_ylim(lowest + 0.6, 0.4)
    axes.set_xlim(-0.3, max(len(found.numbers) - 1, 0) + 0.15)
    axes.set_xticks(range(len(found.numbers)), [str(number) for number in found.numbers])
    step = -(-int(lowest) // MOST_TICKS)
    axes.set_yticks(sorted({1, *range(step, int(lowest) + 1, step)}))


def _marks(axes: Axes, found: RankHistory, tags: list[str], links: Callable[[int, str], str] | None) -> list[Marks]:
    """Run by run; a run that is not on a leaderboard has no dot there."""
    known = [(tag, board, rank) for tag in tags for board, rank in enumerate(found.ranks[tag]) if rank is not None]
    terms = {
        "Run": [tag for tag, _, _ in known],
        "Leaderboard": [str(found.numbers[board]) for _, board, _ in known],
        f"Rank by {found.measure}": [str(rank) for _, _, rank in known],
    }
    leads = [links(found.numbers[board], tag) for tag, board, _ in known] if links else []
    places = [board for _, board, _ in known], [rank for _, _, rank in known]
    return [dots(axes, *places, terms, leads, line=0)] if known else []


def _names(axes: Axes, palette: Palette, tags: list[str], ranks: FloatArray) -> None:
    """At the right of the newest board, in the order of the ranks, each led to from its dot."""
    span = axes.get_ylim()[0] - axes.get_ylim()[1]
    before = -np.inf
    for tag, row in zip(tags, ranks, strict=True):
        known = np.flatnonzero(~np.isnan(row))
        if not len(known) or known[-1] != ranks.shape[1] - 1:
            continue
        place = max(float(row[-1]), before + span / 23)
        before = place
        axes.annotate(
            named(tag),
            (known[-1], row[-1]),
            (known[-1] + (axes.get_xlim()[1] - axes.get_xlim()[0]) * 0.08, place),
            annotation_clip=False,
            arrowprops={"arrowstyle": "-", "color": palette.line, "shrinkA": 0, "shrinkB": 4, "relpos": (0, 0.5)},
            color=palette.ink,
            fontsize=7.5,
            parse_math=False,
            va="center",
        )


def _in_words(ranks: tuple[int | None, ...]) -> str:
    return ", ".join("not on it" if rank is None else str(rank) for rank in ranks)
