"""The order in which a topic's pooled documents are judged. No order depends on the order of the runs or on the platform."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from pooling.core.strategies.declaration import Strategy
from pooling.core.strategies.randomness import document_keys

DEFAULT_ORDER, OWN_ORDER = "random", "strategy"


@dataclass(frozen=True, slots=True)
class Order:
    """An order of a topic's documents by `keys`, each ascending or `descending`; the seeded order decides ties."""

    name: str
    label: str
    help: str
    keys: tuple[str, ...] = ()
    descending: tuple[bool, ...] = ()

    @property
    def follows_runs(self) -> bool:
        """Whether a document's place reveals how the runs ranked it."""
        return bool(set(self.keys) - {"docno"})


ORDERS: dict[str, Order] = {
    order.name: order
    for order in (
        Order(
            "random",
            "random, seeded",
            "No document is favoured. What is judged of a task's first pool is a random sample of each topic, as infAP needs "
            "it, if its strategy draws none itself; with a later version of the pool it is not.",
        ),
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


def orders_of(strategy: Strategy) -> dict[str, Order]:
    """The orders that pools of this strategy can be judged in: those of all pools, and the strategy's own if it gives one.

    >>> from pooling.core.strategies.registry import default_strategy
    >>> list(orders_of(default_strategy()))
    ['random', 'docno', 'best_position', 'run_count']
    """
    if not strategy.own_order:
        return ORDERS
    own = Order(OWN_ORDER, strategy.own_order, "As the strategy ranks the documents.", ("place",), (False,))
    return {**ORDERS, OWN_ORDER: own}


def in_judging_order(documents: pl.DataFrame, order: Order, seed: int) -> pl.DataFrame:
    """The documents with `position`: topics in their order, positions 1..n (UInt32) in each topic.

    Takes a table with topic, docno and the order's keys. Ties, and the whole of the order "random", follow `seeded_keys`,
    then docno.

    >>> pooled = pl.DataFrame({"topic": ["1", "1"], "docno": ["b", "a"], "best_position": [1, 2]})
    >>> in_judging_order(pooled, ORDERS["docno"], seed=0).select("docno", "position").rows()
    [('a', 1), ('b', 2)]
    """
    descending = [False, *order.descending, False, False]
    return (
        documents.with_columns(seeded_keys(documents, seed))
        .sort(["topic", *order.keys, "seeded_key", pl.col("docno").alias("last")], descending=descending)
        .with_columns(pl.int_range(1, pl.len() + 1, dtype=pl.UInt32).over("topic").alias("position"))
        .drop("seeded_key")
    )


def seeded_keys(documents: pl.DataFrame, seed: int) -> pl.Series:
    """UInt64 per document: `document_keys` by the seed, that is, the digest of the text `seed topic docno`.

    A key depends on nothing but these three, so that a deeper pool or a late run leaves the order of the others as it was.
    """
    return document_keys(documents, str(seed)).alias("seeded_key")
