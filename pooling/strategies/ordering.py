"""The order in which a topic's pooled documents are judged. No order depends on the order of the runs or on the platform."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b

import polars as pl

ENTRY_COLUMNS = ["topic", "docno", "position", "best_position", "run_count"]


@dataclass(frozen=True, slots=True)
class Order:
    """`keys` are sorted by within a topic, each ascending or `descending`; equal keys fall to the seeded order."""

    name: str
    label: str
    help: str
    keys: tuple[str, ...] = ()
    descending: tuple[bool, ...] = ()

    @property
    def follows_runs(self) -> bool:
        """Whether a document's place tells what the runs made of it."""
        return bool(set(self.keys) - {"docno"})


ORDERS: dict[str, Order] = {
    order.name: order
    for order in (
        Order("random", "random, seeded", "No document is favoured; a partly judged pool is a fair sample."),
        Order("docno", "document number", "Ascending by bytes, as printed pools are.", ("docno",), (False,)),
        Order(
            "best_position",
            "best position first",
            "The tops of all runs first: finds relevant documents early.",
            ("best_position",),
            (False,),
        ),
        Order(
            "run_count",
            "held by most runs first",
            "Most pooled runs first, then the smallest sum of their positions.",
            ("run_count", "position_sum"),
            (True, False),
        ),
    )
}


def in_judging_order(documents: pl.DataFrame, order: str, seed: int) -> pl.DataFrame:
    """Entries (topic, docno, position, best_position, run_count): topics in their order, positions 1..n in each topic.

    Takes documents as `base.documents` gives them. Ties, and the whole of the order "random", follow the seeded keys, then docno.
    """
    chosen = ORDERS[order]
    descending = [False, *chosen.descending, False, False]
    return (
        documents.with_columns(seeded_keys(documents, seed))
        .sort(["topic", *chosen.keys, "seeded_key", pl.col("docno").alias("last")], descending=descending)
        .with_columns(pl.int_range(1, pl.len() + 1, dtype=pl.UInt32).over("topic").alias("position"))
        .select(ENTRY_COLUMNS)
    )


def seeded_keys(documents: pl.DataFrame, seed: int) -> pl.Series:
    """UInt64 per document: the first 8 bytes, big-endian, of BLAKE2b-64 over the UTF-8 text `seed topic docno` (one space each).

    A key depends on nothing but these three, so that a deeper pool or a late run leaves the order of the others as it was.
    """
    # Hashed one by one on purpose: a standard digest lets anybody recompute the order, in any language.
    pairs = zip(documents["topic"].cast(pl.String).to_list(), documents["docno"].to_list(), strict=True)
    keys = [
        int.from_bytes(blake2b(f"{seed} {topic} {docno}".encode(), digest_size=8).digest(), "big")
        for topic, docno in pairs
    ]
    return pl.Series("seeded_key", keys, dtype=pl.UInt64)
