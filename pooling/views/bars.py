from typing import Any

from campaign.words import number_of
from pooling.strategies.coverage import TopicSizes


def size_bars(sizes: TopicSizes) -> list[dict[str, Any]]:
    """The histogram of pool sizes for templates/_bars.html."""
    most = max((count for _, _, count in sizes.histogram), default=0)
    return [
        {
            "label": f"{low} to {number_of(high, 'document')}" if low < high else number_of(low, "document"),
            "value": number_of(count, "topic"),
            "percent": round(100 * count / most, 1) if most else 0,
        }
        for low, high, count in sizes.histogram
    ]
