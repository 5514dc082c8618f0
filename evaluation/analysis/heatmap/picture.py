"""PURE: runs by topics as a heat map."""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from matplotlib.figure import Figure

from campaign.charts import PALETTES, Marks, Palette, PictureFormat, Theme, cells, drawn, printable
from evaluation.analysis.cells import MOST_DRAWN, Look, blended, draw_cells
from evaluation.analysis.frame import WIDTH, framed, name_axes, name_columns, name_rows, named, values_in_words
from evaluation.analysis.heatmap.figures import LEVELS, MISSING, levels_of, ranks_of
from evaluation.boards.measures_on_scale import ends_in_words, is_of_quality, sides_in_words
from evaluation.engine.arrays import FloatArray

CHARACTER = 0.075
SCALE = 1.1  # width of the colour scale, in inches
MORE: Final = {"light": "Darker", "dark": "Lighter"}
"""What a cell is that has more of the accent's colour."""


def heat_picture(
    tags: Sequence[str],
    topics: Sequence[str],
    values: FloatArray,
    measure: str,
    *,
    lower_is_better: bool = False,
    shows_ranks: bool = False,
    links: Sequence[str] = (),
    theme: Theme = "light",
    picture_format: PictureFormat = "svg",
) -> bytes:
    """Draw one cell for each value; `values`: float64 (n_runs, n_topics) in the order of `tags` and `topics`.

    `shows_ranks`: cells are coloured by the rank of the run in the topic. `links`: of the topics, relative to the picture.
    Ranks, and which run is better, are told only by a measure that tells how good a run is.
    """
    palette, ranks = PALETTES[theme], ranks_of(values, lower_is_better=lower_is_better)[:MOST_DRAWN, :MOST_DRAWN]
    values = values[:MOST_DRAWN, :MOST_DRAWN]
    names = [named(tag)[:24] for tag in tags[: len(values)]]
    numbers = [named(topic)[:12] for topic in topics[: values.shape[1]]]
    left = max(map(len, names), default=0) * CHARACTER + 0.15
    below = max(map(len, numbers), default=0) * CHARACTER + 0.4
    rows = np.clip(0.19 * len(names), 1.2, 7.0)
    title = f"Ranks by {measure}: runs by topics" if shows_ranks else f"{measure}: runs by topics"
    better, best = (of(measure, lower_is_better=lower_is_better)[0] for of in (sides_in_words, ends_in_words))
    said = f"{MORE[theme]}: {better}. Hatched: no value. Runs from the {best} mean on, topics from the highest median."
    figure, axes = framed(title, said, palette, float(rows) + below + 0.7, left=left, below=below)
    shown, less = (ranks, True) if shows_ranks else (values, lower_is_better)
    draw_cells(axes, levels_of(shown, lower_is_better=less), _looks(palette))
    name_rows(axes, names)
    name_columns(axes, numbers)
    name_axes(axes, "Topics", "", palette)
    finite = shown[np.isfinite(shown)]
    if finite.size:
        ends = [f"{end:.0f}" if shows_ranks else f"{end:.4g}" for end in (finite.min(), finite.max())]
        _draw_scale(figure, ends[::-1] if less else ends, palette)
    marks = [_marks(axes, tags, topics, values, ranks, measure, links)]
    span = f"From {ends[0]} to {ends[1]}." if finite.size else "No values."
    return drawn(figure, picture_format, title, f"{said} {span} Runs: {printable(', '.join(names))}.", marks)


def _looks(palette: Palette) -> dict[int, Look]:
    levels = {
        level: Look(blended(palette.accent_soft, palette.accent, level / (LEVELS - 1))) for level in range(LEVELS)
    }
    return {**levels, MISSING: Look(palette.paper, hatch="////", line=palette.line)}


def _draw_scale(figure: Figure, ends: list[str], palette: Palette) -> None:
    """Beside the title: the colours from the worst value to the best."""
    height = figure.get_size_inches()[1]
    right = WIDTH - 0.55
    box = ((right - SCALE) / WIDTH, 1 - 0.22 / height, SCALE / WIDTH, 0.12 / height)
    scale = figure.add_axes(box, frameon=False, xticks=[], yticks=[])
    draw_cells(scale, np.arange(LEVELS)[np.newaxis], _looks(palette))
    plain: dict[str, Any] = {"va": "center", "fontsize": 7.5, "color": palette.ink_soft, "parse_math": False}
    for place, text, side in ((right - SCALE - 0.05, ends[0], "right"), (right + 0.05, ends[1], "left")):
        figure.text(place / WIDTH, 1 - 0.16 / height, text, ha=side, **plain)


def _marks(
    axes: Any,
    tags: Sequence[str],
    topics: Sequence[str],
    values: FloatArray,
    ranks: FloatArray,
    measure: str,
    links: Sequence[str],
) -> Marks:
    of_runs, of_topics = {"Run": tags[: len(values)]}, {"Topic": topics[: values.shape[1]]}
    in_words = [[f"{rank:.0f}" if rank == rank else "none" for rank in row] for row in ranks.tolist()]
    of_cells = {measure: [values_in_words(row) for row in values]}
    if is_of_quality(measure):
        of_cells["Rank in the topic"] = in_words
    return cells(axes, of_runs, of_topics, of_cells, links[: values.shape[1]])
