"""Saturation: relevant documents found against documents judged."""

from __future__ import annotations

import polars as pl


def saturation(judged: pl.DataFrame) -> pl.DataFrame:
    """Per topic, what the first n judged documents brought: topic, judged (n = 1, 2, ...), relevant; topics sorted.

    judged: a row per judged document: topic, relevant (Boolean), order (any sortable type without ties in a topic: when it was
    judged).

    >>> judged = pl.DataFrame({"topic": ["1"] * 3, "relevant": [False, True, True], "order": [3, 1, 2]})
    >>> saturation(judged).rows()
    [('1', 1, 1), ('1', 2, 2), ('1', 3, 2)]
    """
    return judged.sort("topic", "order").select(
        "topic",
        judged=pl.int_range(1, pl.len() + 1, dtype=pl.UInt32).over("topic"),
        relevant=pl.col("relevant").cast(pl.UInt32).cum_sum().over("topic"),
    )


def summed(curves: pl.DataFrame) -> pl.DataFrame:
    """All topics summed, each judged to the same number of documents or to its end: per_topic (n), judged, relevant.

    A topic judged late would otherwise only stand at the end of the curve, whatever its documents are worth.

    >>> judged = pl.DataFrame({"topic": ["1", "2", "2"], "relevant": [True, False, True], "order": [1, 2, 3]})
    >>> summed(saturation(judged)).rows()
    [(1, 2, 1), (2, 3, 2)]
    """
    steps = curves.sort("topic", "judged").with_columns(
        step=pl.col("relevant").cast(pl.Int64).diff().over("topic").fill_null(pl.col("relevant").cast(pl.Int64))
    )
    places = steps.group_by(per_topic="judged").agg(judged=pl.len(), relevant=pl.col("step").sum()).sort("per_topic")
    return places.select("per_topic", pl.col("judged", "relevant").cum_sum().cast(pl.UInt32))


def by_depth(entries: pl.DataFrame) -> pl.DataFrame:
    """What pools of less depth would have held: depth, judged, relevant of the entries with best_position up to depth.

    entries: best_position, relevant (Boolean; null: not judged). Entries that no run holds (0) are left out.

    >>> entries = pl.DataFrame({"best_position": [1, 1, 3, 0], "relevant": [True, False, True, True]})
    >>> by_depth(entries).rows()
    [(1, 2, 1), (3, 3, 2)]
    """
    held = entries.filter(pl.col("best_position") > 0, pl.col("relevant").is_not_null())
    depths = held.group_by(depth="best_position").agg(judged=pl.len(), relevant=pl.col("relevant").sum()).sort("depth")
    return depths.select("depth", pl.col("judged", "relevant").cum_sum().cast(pl.UInt32))
