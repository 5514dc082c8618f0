"""PURE: runs by topics as a heat map."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from campaign.charts import PALETTES, PictureFormat, Theme, drawn, printable
from evaluation.analysis.cells import MOST_DRAWN, MOST_NAMED, Look, blended, draw_cells
from evaluation.analysis.frame import framed, named
from evaluation.analysis.heatmap.figures import LEVELS, MISSING, levels_of
from evaluation.engine.arrays import FloatArray

CHARACTER = 0.075


def heat_picture(
    tags: Sequence[str],
    topics: Sequence[str],
    values: FloatArray,
    measure: str,
    *,
    lower_is_better: bool = False,
    theme: Theme = "light",
    picture_format: PictureFormat = "svg",
) -> bytes:
    """Draw one cell for each value; `values`: float64 (n_runs, n_topics) in the order of `tags` and `topics`."""
    palette, values = PALETTES[theme], values[:MOST_DRAWN, :MOST_DRAWN]
    names = [named(tag)[:24] for tag in tags[: len(values)]]
    numbers = [named(topic)[:12] for topic in topics[: values.shape[1]]]
    rows_named, columns_named = len(names) <= MOST_NAMED, len(numbers) <= MOST_NAMED
    left = max(map(len, names), default=0) * CHARACTER + 0.15 if rows_named else 0.2
    below = max(map(len, numbers), default=0) * CHARACTER + 0.2 if columns_named else 0.2
    rows = np.clip(0.19 * len(names), 1.2, 7.0)
    title = f"{measure}: runs by topics"
    finite = values[np.isfinite(values)]
    span = f"{finite.min():.4g} to {finite.max():.4g}" if finite.size else "no values"
    said = (
        f"Stronger: better ({span}). Hatched: no value. Runs from the best mean down, topics from the highest median."
    )
    figure, axes = framed(title, said, palette, float(rows) + below + 0.7, left=left, below=below)
    looks = {level: Look(blended(palette.accent_soft, palette.accent, level / (LEVELS - 1))) for level in range(LEVELS)}
    looks[MISSING] = Look(palette.paper, hatch="////", line=palette.line)
    draw_cells(axes, levels_of(values, lower_is_better=lower_is_better), looks)
    labels: dict[str, Any] = {"fontsize": 7, "parse_math": False}
    axes.set_yticks(np.arange(len(names)) if rows_named else [], names if rows_named else [], **labels)
    axes.set_xticks(
        np.arange(len(numbers)) if columns_named else [], numbers if columns_named else [], rotation=90, **labels
    )
    return drawn(figure, picture_format, title, f"{said} Runs: {printable(', '.join(names))}.")
