"""PURE: what runs achieve against what they cost."""

from collections.abc import Sequence

import numpy as np

from campaign.charts import PALETTES, PictureFormat, Theme, dots, drawn, printable
from evaluation.analysis.frame import framed, name_axes, named, values_in_words
from evaluation.analysis.labels import name_dots
from evaluation.engine.arrays import BoolArray, FloatArray

HEIGHT, WIDE = 4.6, 50.0


def efficiency_picture(
    tags: Sequence[str],
    cost: FloatArray,
    means: FloatArray,
    frontier: BoolArray,
    names: tuple[str, str],
    *,
    side: str = "better",
    links: Sequence[str] = (),
    theme: Theme = "light",
    picture_format: PictureFormat = "svg",
) -> bytes:
    """Draw one dot for each run, joined and filled on the frontier; `names`: of the cost and of the measure.

    `cost`, `means`, `frontier`: (n_runs,). The axis of costs is logarithmic where the highest is 50 times the lowest or more.
    `side`: what a run above another is called by the measure. `links`: of the runs, relative to the picture.
    """
    palette = PALETTES[theme]
    title = f"{named(names[1])} against {names[0]}"
    said = f"Filled and joined: no other run is {side} without costing more. Open: some run is."
    style = {"color": palette.accent, "linewidth": 1, "marker": "o", "markersize": 5}
    figure, axes = framed(title, said, palette, HEIGHT, below=0.65, left=0.8, right=0.85, sample=style)
    line = np.flatnonzero(frontier)[np.argsort(cost[frontier], kind="stable")]
    axes.plot(cost[line], means[line], color=palette.accent, linewidth=1, drawstyle="steps-post")
    for chosen, face in ((frontier, palette.accent), (~frontier, palette.paper)):
        axes.scatter(
            cost[chosen], means[chosen], s=24, facecolor=face, edgecolor=palette.accent, linewidth=1.4, zorder=3
        )
    name_dots(axes, list(tags), cost, means, palette)
    if cost.min(initial=np.inf) > 0 and cost.max(initial=0.0) >= WIDE * cost.min(initial=np.inf):
        axes.set_xscale("log")
    axes.margins(0.1)
    axes.grid(color=palette.line, linewidth=0.7)
    name_axes(axes, *names, palette)
    costs = [f"{value:.6g}" for value in cost.tolist()]
    terms = {"Run": tags, names[1]: values_in_words(means), names[0]: costs}
    marks = [dots(axes, cost.tolist(), means.tolist(), terms, links)]
    numbers = "; ".join(f"{tag} {x:.6g}, {y:.4f}" for tag, x, y in zip(tags, cost, means, strict=True))
    return drawn(figure, picture_format, printable(title), f"{said} {printable(numbers)}", marks)
