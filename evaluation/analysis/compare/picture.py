"""PURE: the differences of two runs, topic by topic, as bars."""

from typing import Any

import numpy as np

from campaign.charts import PALETTES, PictureFormat, Theme, drawn, printable
from evaluation.analysis.frame import framed, named
from evaluation.engine.arrays import FloatArray

HEIGHT = 3.4
MOST_NAMED = 60
"""Topics whose numbers are written below their bars."""


def difference_picture(
    topics: list[str],
    differences: FloatArray,
    a: str,
    b: str,
    measure: str,
    *,
    theme: Theme = "light",
    picture_format: PictureFormat = "svg",
) -> bytes:
    """Draw one bar for each topic, in the order given: above zero where a is higher, filled; below where b is, hatched."""
    palette = PALETTES[theme]
    a, b = named(a), named(b)
    said = f"Filled: {a} is higher. Hatched: {b} is higher. Topics by their difference."
    figure, axes = framed(f"{measure} of {a} minus {b} by topic", said, palette, HEIGHT)
    places, higher = np.arange(len(topics)), differences >= 0
    bars: dict[str, Any] = {"width": 0.8}
    axes.bar(places[higher], differences[higher], color=palette.accent, linewidth=0, **bars)
    hatched: dict[str, Any] = {"facecolor": palette.paper, "edgecolor": palette.accent, "hatch": "////"}
    axes.bar(places[~higher], differences[~higher], **hatched, **bars)
    axes.axhline(0, color=palette.ink_soft, linewidth=0.8)
    axes.set_xlim(-0.6, max(len(topics), 1) - 0.4)
    labels: dict[str, Any] = {"rotation": 90, "fontsize": 7, "parse_math": False}
    shown = places if len(topics) <= MOST_NAMED else places[:0]
    axes.set_xticks(shown, [named(topics[place])[:12] for place in shown], **labels)
    axes.grid(axis="y", color=palette.line, linewidth=0.7)
    numbers = "; ".join(f"{topic} {value:.4f}" for topic, value in zip(topics, differences.tolist(), strict=True))
    return drawn(figure, picture_format, f"{measure} of {a} minus {b} by topic", f"{said} {printable(numbers)}")
