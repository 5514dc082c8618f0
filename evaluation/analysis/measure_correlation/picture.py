"""PURE: the runs of a board by two measures."""

from collections.abc import Sequence

import numpy as np

from campaign.charts import PALETTES, PictureFormat, Theme, dots, drawn, printable
from campaign.text.natural_order import natural_order
from evaluation.analysis.frame import framed, name_axes, values_in_words
from evaluation.analysis.labels import name_dots
from evaluation.engine.arrays import FloatArray

HEIGHT = 4.6


def scatter_picture(
    tags: Sequence[str],
    x: FloatArray,
    y: FloatArray,
    names: tuple[str, str],
    said: str,
    *,
    links: Sequence[str] = (),
    theme: Theme = "light",
    picture_format: PictureFormat = "svg",
) -> bytes:
    """Draw one dot for each run at its means by two measures, float64 (n_runs,); `names`: of the measures, x first.

    `links`: of the runs, relative to the picture.
    """
    palette = PALETTES[theme]
    title = f"{names[1]} against {names[0]}"
    figure, axes = framed(title, said, palette, HEIGHT, below=0.65, left=0.8, right=0.85)
    has_both = np.flatnonzero(np.isfinite(x) & np.isfinite(y)).tolist()
    known = np.array(sorted(has_both, key=lambda run: natural_order(tags[run])), dtype=np.int64)
    axes.scatter(x[known], y[known], s=22, facecolor="none", edgecolor=palette.accent, linewidth=1.4)
    name_dots(axes, [tags[run] for run in known.tolist()], x[known], y[known], palette)
    axes.margins(0.08)
    axes.grid(color=palette.line, linewidth=0.7)
    name_axes(axes, *names, palette)
    of_runs = known.tolist()
    terms = {"Run": [tags[run] for run in of_runs]}
    terms |= {name: values_in_words(values[known]) for name, values in zip(names, (x, y), strict=True)}
    marks = [dots(axes, x[known].tolist(), y[known].tolist(), terms, [links[run] for run in of_runs] if links else [])]
    numbers = "; ".join(f"{tags[run]} {x[run]:.4f}, {y[run]:.4f}" for run in known.tolist())
    return drawn(figure, picture_format, title, f"{said} {printable(numbers)}", marks)
