from typing import Any

from pooling.strategies.coverage import TopicSizes


def size_bars(sizes: TopicSizes) -> list[dict[str, Any]]:
    """The histogram of pool sizes for templates/_bars.html."""
    most = max((count for _, _, count in sizes.histogram), default=0)
    return [
        {
            "label": f"{low} to {high} documents" if low < high else f"{low} documents",
            "value": f"{count:,} topic" if count == 1 else f"{count:,} topics",
            "percent": round(100 * count / most, 1) if most else 0,
        }
        for low, high, count in sizes.histogram
    ]
