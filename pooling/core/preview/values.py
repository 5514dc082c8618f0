"""The figures of a pool as values: plain numbers, which can be stored, printed and compared."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

from pooling.core.preview.coverage import TopicSizes
from pooling.core.preview.pool_sizes import PoolSize


@dataclass(frozen=True, slots=True)
class RunFigures:
    """A run of the pool, or one that is left out of it, which contributes nothing.

    contributed: pooled pairs that it brings in. unique: those that no other team brings in. alone: those that no other run
    brings in. covered: share of its first 10 documents that are in the pool, in [0, 1]; NaN where it holds none.
    """

    tag: str
    team: str
    priority: int
    contributed: int
    unique: int
    alone: int
    covered: float


@dataclass(frozen=True, slots=True)
class TeamFigures:
    """What a team's runs bring in. `overlap`: share of its pairs that each team has too; NaN where it brings in none."""

    team: str
    runs: int
    contributed: int
    unique: int
    overlap: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class StratumFigures:
    """Over all topics: the documents that could be drawn in the stratum, and how many of them are drawn."""

    stratum: int
    available: int
    drawn: int


@dataclass(frozen=True, slots=True)
class TopicFigures:
    """documents: the topic's pool as drawn. new: those of them that no earlier version holds."""

    topic: str
    documents: int
    new: int


@dataclass(frozen=True, slots=True)
class PoolFigures:
    """A pool as it would be frozen.

    settings: the spec, as `PoolSpec.to_json` gives it; drawn_by: its strategy in words; covers: what its pool holds, in words.
    judged_whole: the depth to which it holds all documents of every pooled run as drawn; exactness: what measures are, in words.
    seconds: what a judgment takes. total: pairs drawn. new: those of them that no earlier version holds. judged: pairs
    drawn that have a judgment. unjudged: those that have none, which still cost time; unjudged_before: those of them that
    an earlier version holds. dropped: pairs of the latest version that this one holds no more. without_text: pairs drawn
    whose document has no text; None where nobody asked. least, most: pairs to judge, which differ where a policy chooses
    more while the pool is judged.
    topics: all topics, as given. runs: sorted by tag; left_out: runs that the settings do not take. teams: in natural order.
    strata: empty where nothing is sampled. covered, covered_of_others: share of the first 100 documents of the pooled runs,
    and of those left out, that are in the pool; NaN where there are none. compared: sizes with other values of one parameter.
    """

    settings: dict[str, Any]
    drawn_by: str
    covers: tuple[str, ...]
    judged_whole: int
    exactness: tuple[str, ...]
    seconds: float
    total: int
    new: int
    judged: int
    unjudged: int
    unjudged_before: int
    dropped: int
    without_text: int | None
    least: int
    most: int
    sizes: TopicSizes
    topics: tuple[TopicFigures, ...]
    runs: tuple[RunFigures, ...]
    left_out: tuple[RunFigures, ...]
    teams: tuple[TeamFigures, ...]
    strata: tuple[StratumFigures, ...]
    covered: float
    covered_of_others: float
    compared: tuple[PoolSize, ...]

    @property
    def known(self) -> int:
        """Pairs that an earlier version holds."""
        return self.total - self.new

    @property
    def hours(self) -> float:
        return self.hours_for(self.unjudged)

    def hours_for(self, pairs: int) -> float:
        return pairs * self.seconds / 3600

    @property
    def covered_top(self) -> float:
        """Mean over the pooled runs of the share of their first 10 documents that is in the pool; NaN without a run."""
        shares = [run.covered for run in self.runs if not math.isnan(run.covered)]
        return sum(shares) / len(shares) if shares else math.nan

    @property
    def least_covered(self) -> RunFigures | None:
        """The pooled run of whose first 10 documents the smallest share is in the pool; None where all have the same."""
        runs = sorted((run for run in self.runs if not math.isnan(run.covered)), key=lambda run: run.covered)
        return runs[0] if runs and runs[0].covered < runs[-1].covered else None

    @property
    def is_sampled(self) -> bool:
        return bool(self.strata)

    @property
    def grows(self) -> bool:
        """Whether more documents are chosen while the pool is judged."""
        return self.most > self.unjudged

    @property
    def varies(self) -> bool:
        """Whether the rule that stops topics decides how many documents are judged."""
        return self.least < self.most

    @property
    def topics_without(self) -> list[str]:
        return [topic.topic for topic in self.topics if not topic.documents]

    def to_json(self) -> dict[str, Any]:
        """Plain values by the names of the fields, and `hours`, `hours_least`, `hours_most`; NaN is None."""
        values = {name: _plain(value) for name, value in asdict(self).items()}
        times = {"hours": self.unjudged, "hours_least": self.least, "hours_most": self.most}
        return {**values, **{name: self.hours_for(pairs) for name, pairs in times.items()}}


def _plain(value: Any) -> Any:
    if isinstance(value, float):
        return None if math.isnan(value) else value
    if isinstance(value, dict):
        return {name: _plain(held) for name, held in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(held) for held in value]
    return value
