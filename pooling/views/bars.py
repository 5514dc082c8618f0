"""Pictures of pools for templates/_bars.html."""

import math
from collections.abc import Sequence
from typing import Any

from campaign.text.natural_order import natural_order
from campaign.text.plurals import number_of
from pooling.core.labels import percent
from pooling.core.preview.coverage import TopicSizes
from pooling.core.preview.values import RunFigures, TopicFigures
from pooling.selectors.previews import in_order_of_tags

MOST_BARS = 300


def size_bars(sizes: TopicSizes) -> list[dict[str, Any]]:
    """The histogram of pool sizes."""
    most = max((count for _, _, count in sizes.histogram), default=0)
    return [
        {
            "label": f"{low} to {number_of(high, 'document')}" if low < high else number_of(low, "document"),
            "value": number_of(count, "topic"),
            "percent": round(100 * count / most, 1) if most else 0,
        }
        for low, high, count in sizes.histogram
    ]


def topic_bars(topics: Sequence[TopicFigures]) -> list[dict[str, Any]]:
    """The documents of every topic, by the numbers of the topics; [] where a bar would be too thin to be seen."""
    if len(topics) > MOST_BARS:
        return []
    most = max((topic.documents for topic in topics), default=0)
    listed = sorted(topics, key=lambda topic: natural_order(topic.topic))
    return [_bar(topic.topic, number_of(topic.documents, "document"), topic.documents, most) for topic in listed]


def coverage_bars(runs: Sequence[RunFigures]) -> list[dict[str, Any]]:
    """How much of each run's first 10 documents is in the pool, in the natural order of tags."""
    if len(runs) > MOST_BARS:
        return []
    return [
        _bar(run.tag, percent(run.covered), 0 if math.isnan(run.covered) else run.covered, 1)
        for run in in_order_of_tags(runs)
    ]


def _bar(label: str, value: str, height: float, most: float) -> dict[str, Any]:
    return {"label": label, "value": value, "percent": round(100 * height / most, 1) if most else 0}
