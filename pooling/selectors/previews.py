"""What a pool would cost, cover and owe to whom, before it is frozen."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import polars as pl

from campaign.collection.selectors.topics import topic_numbers
from campaign.models import Run, Task, Team
from pooling.selectors.pools import pooled_pairs
from pooling.selectors.runs import fingerprint, run_head, valid_runs
from pooling.strategies.base import appearances, documents
from pooling.strategies.coverage import (
    PAIR,
    Contributions,
    TopicSizes,
    contributions,
    count_by_topic,
    pooled_share,
    topic_sizes,
)
from pooling.strategies.spec import PoolSpec

COMPARED_DEPTHS = (5, 10, 20, 50)
OUTLOOK = 100
SECONDS_PER_DOCUMENT = 30


@dataclass(frozen=True, slots=True)
class DepthCost:
    """`new`: pairs that no earlier version holds, the only ones that still cost time."""

    depth: int
    pairs: int
    new: int
    hours: float
    is_chosen: bool


@dataclass(frozen=True, slots=True)
class RunShare:
    """`unique`: pooled pairs that only the run's team holds; `alone`: that only this run holds."""

    run: Run
    contributed: int
    unique: int
    alone: int


@dataclass(frozen=True, slots=True)
class TeamShare:
    """`share` is the part of the pool that the team holds, in [0, 1]; `overlap` the part of it that each team holds too."""

    team: Team
    runs: int
    contributed: int
    unique: int
    share: float
    overlap: tuple[float, ...]


@dataclass(frozen=True)
class PoolPreview:
    spec: PoolSpec
    seconds_per_document: float
    size: int
    new: int
    sizes: TopicSizes
    runs: tuple[RunShare, ...]
    teams: tuple[TeamShare, ...]
    left_out: tuple[Run, ...]
    covered: tuple[float, float]
    comparison: tuple[DepthCost, ...]
    fingerprint: str

    @property
    def hours(self) -> float:
        """For what no earlier version holds: judgments are kept."""
        return self.new * self.seconds_per_document / 3600

    @cached_property
    def topics_without(self) -> list[str]:
        return [topic for topic, count in self.sizes.per_topic.items() if not count]

    @property
    def known(self) -> int:
        return self.size - self.new


def pool_preview(task: Task, spec: PoolSpec, seconds_per_document: float = SECONDS_PER_DOCUMENT) -> PoolPreview:
    """Draw the pool without freezing it; `covered` is the share of the first 100 documents of the pooled and the other runs."""
    runs, topics = valid_runs(task), topic_numbers(task)
    taken = [run for run in runs if spec.takes(run.tag, run.priority)]
    left_out = [run for run in runs if not spec.takes(run.tag, run.priority)]
    deepest = max(spec.depth, OUTLOOK)
    held = appearances([run_head(run, deepest) for run in taken], topics, deepest)
    others = appearances([run_head(run, OUTLOOK) for run in left_out], topics, OUTLOOK)
    selected = spec.method.select(held.filter(pl.col("position") <= spec.depth), spec.parameters)
    entries = documents(selected)
    teams = sorted({run.team for run in taken}, key=lambda team: team.name)
    counted = contributions(selected, [teams.index(run.team) for run in taken])
    fresh = _without(held, pooled_pairs(task))
    return PoolPreview(
        spec=spec,
        seconds_per_document=seconds_per_document,
        size=entries.height,
        new=spec.method.sizes(fresh, [spec.depth])[spec.depth],
        sizes=topic_sizes(count_by_topic(entries), topics),
        runs=_run_shares(taken, counted),
        teams=_team_shares(teams, taken, counted, entries.height),
        left_out=tuple(left_out),
        covered=(pooled_share(held, entries, OUTLOOK), pooled_share(others, entries, OUTLOOK)),
        comparison=_comparison(held, fresh, spec, seconds_per_document),
        fingerprint=fingerprint(taken),
    )


def _without(held: pl.DataFrame, known: pl.DataFrame) -> pl.DataFrame:
    return held.join(known.with_columns(pl.col("topic").cast(held["topic"].dtype, strict=False)), on=PAIR, how="anti")


def _comparison(
    held: pl.DataFrame, fresh: pl.DataFrame, spec: PoolSpec, seconds_per_document: float
) -> tuple[DepthCost, ...]:
    depths = sorted({*COMPARED_DEPTHS, spec.depth})
    pairs, new = spec.method.sizes(held, depths), spec.method.sizes(fresh, depths)
    return tuple(
        DepthCost(depth, pairs[depth], new[depth], new[depth] * seconds_per_document / 3600, depth == spec.depth)
        for depth in depths
    )


def _run_shares(runs: Sequence[Run], counted: Contributions) -> tuple[RunShare, ...]:
    rows = counted.runs.select("contributed", "unique", "alone").iter_rows()
    return tuple(RunShare(run, *row) for run, row in zip(runs, rows, strict=True))


def _team_shares(
    teams: Sequence[Team], runs: Sequence[Run], counted: Contributions, size: int
) -> tuple[TeamShare, ...]:
    rows = counted.teams.select("contributed", "unique").iter_rows()
    return tuple(
        TeamShare(
            team=team,
            runs=sum(run.team_id == team.pk for run in runs),
            contributed=contributed,
            unique=unique,
            share=contributed / size if size else 0.0,
            overlap=tuple(overlap.tolist()),
        )
        for team, (contributed, unique), overlap in zip(teams, rows, counted.overlap, strict=True)
    )
