"""From runs and a spec to the pool, and the pool's file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from pooling.core.strategies.declaration import (
    ONLY_STRATUM,
    PAIR,
    Candidates,
    PooledRun,
    Selection,
    Strategy,
    among,
    candidates,
    documents,
    one_row_each,
    pair_key,
)
from pooling.core.strategies.judging_order import in_judging_order
from pooling.core.strategies.randomness import SeededGenerator
from pooling.core.strategies.spec import PoolSpec

ENTRY_COLUMNS = ["topic", "docno", "position", "best_position", "run_count", "stratum", "inclusion_probability"]
SAMPLED_AS = {"stratum": pl.Int32, "inclusion_probability": pl.Float64}


class SelectionError(ValueError):
    """A strategy returned an invalid selection (a bug in the strategy)."""


@dataclass(frozen=True, slots=True)
class Draw:
    """A pool as it was drawn.

    entries: the pool in judging order. selected: the appearances (run, topic, docno, position) that made it.
    tags: the run tag of each index in `selected`. frame: topic, docno and stratum of the documents that could have been drawn
    and were not, sorted by topic and docno; None where nothing was sampled.
    """

    entries: pl.DataFrame
    selected: pl.DataFrame
    tags: list[str]
    frame: pl.DataFrame | None = None


def draw_pool(
    runs: Sequence[PooledRun], topics: Sequence[str], spec: PoolSpec, judged: pl.DataFrame | None = None
) -> Draw:
    """The pool of `runs` (those that the spec takes) over `topics`, in their order.

    `judged` (topic, docno, grade) is what strategies look at that read judgments. `entries` has the columns topic (Enum),
    docno (String), position, best_position, run_count (UInt32), stratum (Int32) and inclusion_probability (Float64), both null
    where the strategy does not sample: one row per pooled pair, topics as given, position 1..n within each topic. The same
    runs, in any order, the same spec and the same judgments give the same table.

    >>> ranking = pl.DataFrame({"topic": ["1"] * 3, "docno": ["a", "b", "c"], "position": [1, 2, 3]})
    >>> spec = PoolSpec.with_defaults("depth-k", {"depth": 2}, order="docno")
    >>> draw_pool([PooledRun("bm25", "north", 1, ranking)], ["1"], spec).entries.rows()
    [('1', 'a', 1, 1, 1, None, None), ('1', 'b', 2, 2, 1, None, None)]
    """
    method = spec.method
    available = candidates(spec.taken(runs), topics, method.reads(spec.parameters), judged, method.reads_scores)
    selection = select_documents(available, spec)
    ordered = in_judging_order(pooled_documents(selection), spec.judging_order, spec.seed)
    frame = None if selection.frame is None else selection.frame.select(*PAIR, "stratum").sort(PAIR)
    return Draw(ordered.select(ENTRY_COLUMNS), selection.appearances, available.runs["tag"].to_list(), frame)


def select_documents(available: Candidates, spec: PoolSpec) -> Selection:
    """The strategy's selection from the candidates, reduced to what it reads. Raises SelectionError.

    >>> ranking = pl.DataFrame({"topic": ["1"] * 3, "docno": ["a", "b", "c"], "position": [1, 2, 3]})
    >>> available = candidates([PooledRun("bm25", "north", 1, ranking)], ["1"], depth=None)
    >>> spec = PoolSpec.with_defaults("depth-k", {"depth": 2})
    >>> select_documents(available, spec).appearances.rows()
    [(0, '1', 'a', 1), (0, '1', 'b', 2)]
    """
    method = spec.method
    within = available.within(method.reads(spec.parameters))
    selection = method.select(within, spec.parameters, SeededGenerator(spec.seed))
    _require_details(selection, method)
    return selection


def pooled_documents(selection: Selection) -> pl.DataFrame:
    """Join `documents` of the selection with the strategy's details: stratum and inclusion_probability (or nulls), place.

    >>> ranking = pl.DataFrame({"topic": ["1"], "docno": ["a"], "position": [1]})
    >>> available = candidates([PooledRun("bm25", "north", 1, ranking)], ["1"], depth=None)
    >>> pooled_documents(Selection(available.appearances)).rows()
    [('1', 'a', 1, 1, 1, None, None)]
    """
    pooled = documents(selection.appearances)
    if selection.details is not None:
        key = pair_key(pooled, selection.details)
        named_again = {*PAIR, "pair"} - {*key}
        pooled = pooled.join(selection.details.drop(named_again, strict=False), on=key)
    if "inclusion_probability" in pooled.columns and "stratum" not in pooled.columns:
        pooled = pooled.with_columns(stratum=pl.lit(ONLY_STRATUM, dtype=pl.Int32))
    missing = {name: dtype for name, dtype in SAMPLED_AS.items() if name not in pooled.columns}
    return pooled.with_columns(pl.lit(None, dtype=dtype).alias(name) for name, dtype in missing.items())


def pool_file(entries: pl.DataFrame) -> bytes:
    """The pool as text: a line `topic docno` per pair (one space, UTF-8, LF); topics as ordered, documents in judging order.

    In the pool of a strategy that samples, the line is `topic docno stratum probability`; the probability is the shortest
    decimal number that is read as the same double.

    >>> places = {"topic": ["1", "1"], "docno": ["b", "a"], "stratum": [1, 2]}
    >>> pool_file(pl.DataFrame({**places, "inclusion_probability": [1.0, 0.25]}))
    b'1 b 1 1.0\\n1 a 2 0.25\\n'
    """
    lines = entries.select(pl.format("{} {}", pl.col("topic").cast(pl.String), pl.col("docno"))).to_series().to_list()
    if entries["inclusion_probability"].is_not_null().any():
        sampled = entries.select(*SAMPLED_AS).iter_rows()
        lines = [f"{line} {stratum} {p!r}" for line, (stratum, p) in zip(lines, sampled, strict=True)]
    return "".join(f"{line}\n" for line in lines).encode()


def _require_details(selection: Selection, strategy: Strategy) -> None:
    details = selection.details
    if strategy.own_order and (details is None or "place" not in details.columns):
        raise SelectionError(f"The strategy {strategy.name} declares an order of its own and gave no places.")
    if details is None:
        return
    pooled = one_row_each(selection.appearances)
    if details.height != pooled.height or among(pooled, details).height != pooled.height:
        raise SelectionError(f"The strategy {strategy.name} must give one row of details for each pooled document.")
    if "inclusion_probability" in details.columns:
        probabilities = details["inclusion_probability"]
        if not probabilities.is_between(0, 1, closed="right").fill_null(False).all():
            raise SelectionError(f"The strategy {strategy.name} gave an inclusion probability outside (0, 1].")
