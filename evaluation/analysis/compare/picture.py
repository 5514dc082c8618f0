"""PURE: the differences of two runs, topic by topic, as bars."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from campaign.charts import PALETTES, PictureFormat, Theme, columns, drawn, printable
from evaluation.analysis.frame import framed, name_axes, name_columns, named, room_below, values_in_words
from evaluation.engine.arrays import FloatArray

HEIGHT = 3.6


def difference_picture(
    topics: list[str],
    differences: FloatArray,
    a: str,
    b: str,
    measure: str,
    *,
    values: tuple[FloatArray, FloatArray] | None = None,
    links: Sequence[str] = (),
    theme: Theme = "light",
    picture_format: PictureFormat = "svg",
) -> bytes:
    """Draw one bar for each topic, in the order given: above zero where a is higher, filled; below where b is, hatched.

    `values`: those of a and of b, float64 (n_topics,); `links`: where each topic leads, relative to the picture.
    """
    palette = PALETTES[theme]
    each = dict(zip((f"{measure} of {a}", f"{measure} of {b}"), values or (), strict=False))
    a, b = named(a), named(b)
    said = f"Filled: {a} is higher. Hatched: {b} is higher. Topics by their difference."
    figure, axes = framed(f"{measure} of {a} minus {b} by topic", said, palette, HEIGHT, below=room_below(topics))
    places, higher = np.arange(len(topics)), differences >= 0
    bars: dict[str, Any] = {"width": 0.8}
    axes.bar(places[higher], differences[higher], color=palette.accent, linewidth=0, **bars)
    hatched: dict[str, Any] = {"facecolor": palette.paper, "edgecolor": palette.accent, "hatch": "////"}
    axes.bar(places[~higher], differences[~higher], **hatched, **bars)
    axes.axhline(0, color=palette.ink_soft, linewidth=0.8)
    axes.set_xlim(-0.6, max(len(topics), 1) - 0.4)
    axes.grid(axis="y", color=palette.line, linewidth=0.7)
    name_columns(axes, topics)
    name_axes(axes, "Topics by their difference", f"Difference in {measure}", palette)
    terms = {"Topic": topics, **{name: values_in_words(found) for name, found in each.items()}}
    marks = [columns(axes, {**terms, "Difference": values_in_words(differences)}, links)]
    numbers = "; ".join(f"{topic} {value:.4f}" for topic, value in zip(topics, differences.tolist(), strict=True))
    return drawn(figure, picture_format, f"{measure} of {a} minus {b} by topic", f"{said} {printable(numbers)}", marks)
