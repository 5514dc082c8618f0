"""Frozen pools drawn again without the runs of some teams, by what is stored of them."""

from collections.abc import Sequence
from dataclasses import replace

import polars as pl

from campaign.collection.selectors.topics import topic_numbers
from pooling.core.strategies.declaration import PAIR, Candidates, candidates
from pooling.core.strategies.drawing import select_documents
from pooling.core.strategies.parameters import PoolSpecError
from pooling.core.strategies.spec import PoolSpec
from pooling.models import Pool, PoolEntry
from pooling.selectors.pools import contributing_runs
from pooling.selectors.runs import pooled_run
from pooling.selectors.tables import ROWS_AT_ONCE, table_of

MOST_APPEARANCES = 8_000_000
"""Documents of all runs that a strategy reads: of more, drawing again for each team takes too much memory of a worker."""
PAIRS = {"topic": pl.String, "docno": pl.String}


def pairs_without(pools: Sequence[Pool], groups: Sequence[frozenset[int]]) -> list[pl.DataFrame] | None:
    """What all these pools hold together, and what they would hold without the runs of each group of teams (primary keys).

    Tables of topic and docno, each pair once. None where they cannot be drawn again: they are samples or grow by judgments,
    runs or settings are not stored as they were, or what is drawn is not what was frozen.
    """
    found: list[list[pl.DataFrame]] = [[] for _ in range(len(groups) + 1)]
    for pool in pools:
        drawn = _drawn_again(pool, groups)
        if drawn is None:
            return None
        for under, pairs in zip(found, drawn, strict=True):
            under.append(pairs)
    return [pl.concat(tables).unique() for tables in found] if pools else None


def _drawn_again(pool: Pool, groups: Sequence[frozenset[int]]) -> list[pl.DataFrame] | None:
    spec = pool.drawn_with
    if spec is None or spec.method.sampling or spec.method.policy is not None or spec.method.reads_judgments:
        return None
    read = _candidates(pool, spec)
    if read is None:
        return None
    available, team_of = read
    try:
        whole, *without = (
            _selected(_without(available, team_of, group), spec) for group in (frozenset[int](), *groups)
        )
    except PoolSpecError:
        return None
    return [whole, *without] if whole.sort(PAIR).equals(_stored(pool).sort(PAIR)) else None


def _candidates(pool: Pool, spec: PoolSpec) -> tuple[Candidates, dict[str, int]] | None:
    """What the pool was drawn from, and the team of each run by its tag; None where that is not stored as it was."""
    held = list(contributing_runs(pool))
    if any(one.sha256 != one.run.sha256 or not one.run.table or one.priority is None for one in held):
        return None
    depth = spec.method.reads(spec.parameters)
    limits = [one.run.depth or depth for one in held]
    topics = topic_numbers(pool.task)
    if None in limits or len(topics) * sum(min(filter(None, (depth, limit))) for limit in limits) > MOST_APPEARANCES:
        return None
    runs = [replace(pooled_run(one.run, depth, spec.method.reads_scores), priority=one.priority_then) for one in held]
    available = candidates(runs, topics, depth, reads_scores=spec.method.reads_scores)
    return available, {one.run.tag: one.run.team_id for one in held}


def _without(available: Candidates, team_of: dict[str, int], group: frozenset[int]) -> Candidates:
    kept = available.runs.filter(
        pl.Series([team_of[tag] not in group for tag in available.runs["tag"]], dtype=pl.Boolean)
    )
    return replace(
        available, runs=kept, appearances=available.appearances.join(kept.select("run"), on="run", how="semi")
    )


def _selected(available: Candidates, spec: PoolSpec) -> pl.DataFrame:
    if available.appearances.is_empty():
        return pl.DataFrame(schema=PAIRS)
    return select_documents(available, spec).appearances.select(pl.col("topic").cast(pl.String), "docno").unique()


def _stored(pool: Pool) -> pl.DataFrame:
    drawn = PoolEntry.objects.filter(pool=pool, source=PoolEntry.DRAWN).order_by()
    return table_of(drawn.values_list("topic__number", "docno").iterator(ROWS_AT_ONCE), PAIRS)
