"""Which pooled run, team and priority class holds which entries of a pool."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import polars as pl

from pooling.core.completeness.outside import PAIR


@dataclass(frozen=True, slots=True)
class Holder:
    """A pooled run."""

    tag: str
    team: str
    priority: int


@dataclass(frozen=True, slots=True)
class Holders:
    """runs: in their order. table: topic, docno (String), run (UInt32, index into runs), a row for each entry that a run holds.

    deepest: the largest position of any run, held or not; 0 without runs.
    """

    runs: tuple[Holder, ...]
    table: pl.DataFrame
    deepest: int

    def by(self, what: str) -> pl.DataFrame:
        """The table with the column `team` or `priority` of each run in place of `run`."""
        values = [getattr(run, what) for run in self.runs]
        dtype = pl.String if what == "team" else pl.Int64
        facts = pl.DataFrame({"run": range(len(values)), what: values}, schema={"run": pl.UInt32, what: dtype})
        return self.table.join(facts, on="run").select(*PAIR, what)


def holders_of(entries: pl.DataFrame, runs: Iterable[tuple[Holder, pl.DataFrame]], depth: int | None) -> Holders:
    """What each run holds of the entries among its first `depth` documents; None for all. Runs are read one at a time.

    entries: topic, docno. runs: with the ranking (topic, docno, position) of each.

    >>> ranking = pl.DataFrame({"topic": ["1"] * 3, "docno": ["a", "b", "c"], "position": [1, 2, 3]})
    >>> entries = pl.DataFrame({"topic": ["1", "1"], "docno": ["b", "c"]})
    >>> held = holders_of(entries, [(Holder("bm25", "north", 1), ranking)], depth=2)
    >>> held.table.rows(), held.deepest
    ([('1', 'b', 0)], 3)
    """
    pairs = entries.select(pl.col("topic").cast(pl.String), "docno")
    read, deepest = [], 0
    tables = [pl.DataFrame(schema={"topic": pl.String, "docno": pl.String, "run": pl.UInt32})]
    for index, (run, ranking) in enumerate(runs):
        read.append(run)
        deepest = max(deepest, int(ranking["position"].max() or 0))  # type: ignore[arg-type]
        head = ranking if depth is None else ranking.filter(pl.col("position") <= depth)
        named = head.select(pl.col("topic").cast(pl.String), "docno", run=pl.lit(index, dtype=pl.UInt32))
        tables.append(named.join(pairs, on=PAIR, how="semi"))
    return Holders(tuple(read), pl.concat(tables), deepest)
