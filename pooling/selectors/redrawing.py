"""Frozen pools drawn again without the runs of some teams, by what is stored of them."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeAlias, TypeVar

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
Drawn: TypeAlias = tuple[Candidates, dict[str, int], PoolSpec]
Kept = TypeVar("Kept")
PAIRS = {"topic": pl.String, "docno": pl.String}


def pools_without(
    pools: Sequence[Pool], groups: Sequence[frozenset[int]], keep: Callable[[pl.DataFrame, pl.DataFrame], Kept]
) -> list[Kept] | None:
    """Draw these pools again without the runs of each group of teams (primary keys), one group at a time.

    `keep` is given what all pools hold together, and what they hold without the group: tables of topic and docno, each pair once.
    Returns what it gives of each group. None where they cannot be drawn again: they are samples or grow by judgments, runs or
    settings are not stored as they were, or what is drawn is not what was frozen.
    """
    read = [_as_frozen(pool) for pool in pools]
    if not read or None in read:
        return None
    found = [one for one in read if one is not None]

    def together(group: frozenset[int]) -> pl.DataFrame:
        return pl.concat(
            _selected(_without(available, team_of, group), spec) for available, team_of, spec in found
        ).unique()

    whole = together(frozenset())
    try:
        return [keep(whole, together(group)) for group in groups]
    except PoolSpecError:
        return None


def _as_frozen(pool: Pool) -> Drawn | None:
    """What the pool was drawn from, if drawing again gives what was frozen."""
    spec = pool.drawn_with
    if spec is None or spec.method.sampling or spec.method.policy is not None or spec.method.reads_judgments:
        return None
    read = _candidates(pool, spec)
    if read is None:
        return None
    try:
        drawn = _selected(read[0], spec)
    except PoolSpecError:
        return None
    return (*read, spec) if drawn.sort(PAIR).equals(_stored(pool).sort(PAIR)) else None


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
