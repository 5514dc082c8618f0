"""What a pool would cost, what it would cover and which teams it would come from, before it is frozen."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from campaign.collection.selectors.topics import topic_numbers
from campaign.formats.natural_order import natural_order
from campaign.models import Run, Task, Team
from pooling.selectors.judged import judged_documents
from pooling.selectors.pools import pooled_pairs
from pooling.selectors.runs import fingerprint, run_head, runs_tagged, valid_runs
from pooling.strategies.coverage import (
    Contributions,
    TopicSizes,
    contributions,
    count_by_topic,
    pooled_share,
    topic_sizes,
)
from pooling.strategies.declaration import PAIR, appearances, candidates
from pooling.strategies.drawing import select_documents
from pooling.strategies.pool_sizes import PoolSize, compared_sizes, depth_read, without
from pooling.strategies.spec import PoolSpec

OUTLOOK = 100
SECONDS_PER_DOCUMENT = 30


@dataclass(frozen=True, slots=True)
class RunShare:
    """A run's part in the pool. `unique`: pooled pairs that only its team holds; `alone`: pairs that only this run holds."""

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
    """A pool as it would be frozen.

    `covered` is the share of the first 100 documents of the pooled and of the other runs that it holds; `new` counts the
    pairs that no earlier version holds, the only ones that still cost time.
    """

    spec: PoolSpec
    seconds_per_document: float
    size: int
    new: int
    sizes: TopicSizes
    runs: tuple[RunShare, ...]
    teams: tuple[TeamShare, ...]
    left_out: tuple[Run, ...]
    covered: tuple[float, float]
    compared: tuple[PoolSize, ...]
    fingerprint: str

    @property
    def hours(self) -> float:
        """The hours of judging for the pairs that no earlier version holds, since judgments are kept."""
        return self.hours_for(self.new)

    def hours_for(self, pairs: int) -> float:
        return pairs * self.seconds_per_document / 3600

    @cached_property
    def topics_without(self) -> list[str]:
        return [topic for topic, count in self.sizes.per_topic.items() if not count]

    @property
    def known(self) -> int:
        return self.size - self.new


def pool_preview(task: Task, spec: PoolSpec, seconds_per_document: float = SECONDS_PER_DOCUMENT) -> PoolPreview:
    """Draw the pool without freezing it, from runs in the order of the task."""
    spec = spec.ordered_by(task.ordering)
    runs, topics = valid_runs(task), topic_numbers(task)
    left_out = [run for run in runs if not spec.takes(run.tag, run.priority)]
    needed = depth_read(spec)
    depth = None if needed is None else max(needed, OUTLOOK)
    heads = [run_head(run, depth) for run in runs if spec.takes(run.tag, run.priority)]
    available = candidates(heads, topics, depth, judged_documents(task, spec))
    others = appearances([run_head(run, OUTLOOK) for run in left_out], topics, OUTLOOK)
    selected = select_documents(available, spec).appearances
    pairs, known = selected.select(PAIR).unique(), pooled_pairs(task)
    taken = runs_tagged(available.runs["tag"], runs)
    teams = sorted({run.team for run in taken}, key=lambda team: natural_order(team.name))
    counted = contributions(selected, [teams.index(run.team) for run in taken])
    return PoolPreview(
        spec=spec,
        seconds_per_document=seconds_per_document,
        size=pairs.height,
        new=without(pairs, known).height,
        sizes=topic_sizes(count_by_topic(pairs), topics),
        runs=_run_shares(taken, counted),
        teams=_team_shares(teams, taken, counted, pairs.height),
        left_out=tuple(left_out),
        covered=(pooled_share(available.appearances, pairs, OUTLOOK), pooled_share(others, pairs, OUTLOOK)),
        compared=tuple(compared_sizes(available, spec, known)),
        fingerprint=fingerprint(taken, task.ordering),
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
