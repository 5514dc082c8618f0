"""How large the pool would be with other values of one parameter."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from pooling.core.strategies.declaration import PAIR, Candidates, EntryValues, one_row_each
from pooling.core.strategies.drawing import select_documents
from pooling.core.strategies.randomness import SeededGenerator
from pooling.core.strategies.spec import PoolSpec


@dataclass(frozen=True, slots=True)
class PoolSize:
    """The pool with this value of the compared parameter: its pairs, those that no earlier version holds, those to judge."""

    value: Any
    pairs: int
    new: int
    unjudged: int


def depth_read(spec: PoolSpec) -> int | None:
    """How many first documents of each run the pool and those it is compared with need; None for all.

    >>> depth_read(PoolSpec.with_defaults("depth-k", {"depth": 20}))
    50
    """
    depths = [spec.method.reads(variant.parameters) for variant in (spec, *_variants(spec).values())]
    return None if None in depths else max(depth for depth in depths if depth is not None)


def compared_sizes(available: Candidates, spec: PoolSpec, known: pl.DataFrame, done: pl.DataFrame) -> list[PoolSize]:
    """Sizes for the values that the strategy compares and the chosen one, ascending; [] where it compares none.

    `known`: topic, docno of the pairs that earlier versions hold. `done`: of those that need no judgment any more.

    >>> from pooling.core.strategies.declaration import PooledRun, candidates
    >>> ranking = pl.DataFrame({"topic": ["1"] * 3, "docno": ["a", "b", "c"], "position": [1, 2, 3]})
    >>> available = candidates([PooledRun("bm25", "north", 1, ranking)], ["1"], depth=None)
    >>> spec, known = PoolSpec.with_defaults("depth-k", {"depth": 2}), ranking.select(PAIR).head(1)
    >>> sizes = compared_sizes(available, spec, known, done=known.clear())
    >>> sizes[:2]
    [PoolSize(value=2, pairs=2, new=1, unjudged=2), PoolSize(value=5, pairs=3, new=2, unjudged=3)]
    """
    if spec.method.enters_at is not None:
        return _counted_in_one_pass(available, spec, spec.method.enters_at, known, done)
    sizes = []
    for value, variant in _variants(spec).items():
        pairs = one_row_each(select_documents(available, variant).appearances)
        sizes.append(PoolSize(value, pairs.height, *(without(pairs, held).height for held in (known, done))))
    return sizes


def without(pairs: pl.DataFrame, known: pl.DataFrame) -> pl.DataFrame:
    """The rows whose (topic, docno) is not in `known`.

    >>> pairs = pl.DataFrame({"topic": ["1", "1"], "docno": ["a", "b"]})
    >>> without(pairs, known=pairs.head(1)).rows()
    [('1', 'b')]
    """
    if not known.height:
        return pairs
    return pairs.join(known.with_columns(pl.col("topic").cast(pairs["topic"].dtype, strict=False)), on=PAIR, how="anti")


def _counted_in_one_pass(
    available: Candidates, spec: PoolSpec, enters_at: EntryValues, known: pl.DataFrame, done: pl.DataFrame
) -> list[PoolSize]:
    entries = enters_at(available.within(depth_read(spec)), spec.parameters, SeededGenerator(spec.seed))
    counted = [held["value"] for held in (entries, without(entries, known), without(entries, done))]
    return [PoolSize(value, *(int((entered <= value).sum()) for entered in counted)) for value in _variants(spec)]


def _variants(spec: PoolSpec) -> dict[Any, PoolSpec]:
    """The spec with each value to compare, and with its own."""
    parameter = spec.method.compared
    if parameter is None:
        return {}
    name = parameter.name
    values = sorted({*parameter.compared, spec.parameters[name]})
    return {value: replace(spec, parameters={**spec.parameters, name: value}) for value in values}
