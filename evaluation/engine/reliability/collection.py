"""What the report is of: the runs of a collection, their values, and how it is read."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from evaluation.engine.arrays import NO_CUTOFF, FloatArray, IntArray, group_counts, group_starts
from evaluation.engine.judgments import Judgments
from evaluation.engine.measures.declaration import Measure
from evaluation.engine.missing_topics import compared_values, summary_of_compared
from evaluation.engine.ranked_run import RankedRun
from evaluation.engine.reliability.sets_of_judgments import CommonJudgments
from evaluation.engine.scoring import score_ranked

Step = Callable[[], None]
"""Called when one of the steps of a part is done."""


class PartMissing(Exception):  # noqa: N818 - an outcome of a part, in words for the reader
    """A part that these runs do not allow, and why."""


@dataclass(frozen=True, eq=False)
class PoolWithout:
    """The pool that was drawn again without one team. `leaving`: judged documents that it does not hold, int64 (n,), indices
    of the judgments; `never_judged`: how many documents it holds that have no judgment.
    """

    leaving: IntArray
    never_judged: int


@dataclass(frozen=True, slots=True)
class ReliabilitySettings:
    """`depth`: to which runs count as having found a document, that of the pool; of each run, if they differ, 0 for one that was
    not pooled; None: as far as all their documents are judged. `is_exact`: whether the pool without a team is what the others
    have to these depths, as under depth-k; else it is at most that. `level`: lowest relevant grade.

    `redrawn`: the pool without each team, in the order of their names; None where it was not drawn again.
    `difference`: of means, that next year's topics should be enough to tell. `seed`: of the permutations.
    """

    depth: int | tuple[int, ...] | None = None
    level: int = 1
    difference: float = 0.05
    seed: int = 1
    is_exact: bool = False
    redrawn: tuple[PoolWithout, ...] | None = None


@dataclass(frozen=True, eq=False)
class OtherJudgments:
    """The runs ranked under each of `common.tables`, in its order. `assessors`: whom the sets come from, as plain data."""

    common: CommonJudgments
    runs: Sequence[Sequence[RankedRun]]
    assessors: Sequence[Mapping[str, Any]] = ()


@dataclass(frozen=True, eq=False)
class Judging:
    """`judged_by`: pairs of topic and whoever judged or decided in it, empty where that is not told; `why_not`: why it is not.
    `sampled`: the runs ranked under the sample that the first measure estimates from; empty where they are under it already.
    """

    judged_by: frozenset[tuple[str, str]] = frozenset()
    why_not: str = "Who judged is not told for all topics."
    sampled: Sequence[RankedRun] = ()


@dataclass(frozen=True, eq=False)
class Collection:
    """`teams`, `kinds`: of each run, empty where it is not told. `values`: float64 (n_runs, n_measures, n_topics), NaN for a
    topic that is left out. The first measure orders the runs. `others`: None without further judgments of the same documents.
    """

    runs: Sequence[RankedRun]
    names: Sequence[str]
    teams: Sequence[str]
    kinds: Sequence[str]
    measures: Sequence[Measure]
    values: FloatArray
    settings: ReliabilitySettings
    others: OtherJudgments | None = None
    judging: Judging = Judging()

    @property
    def judgments(self) -> Judgments:
        return self.runs[0].judgments

    @property
    def first(self) -> Measure:
        return self.measures[0]

    @cached_property
    def depths(self) -> IntArray:
        """To which each run counts as having found a document, int64 (n_runs,); all 0 where nothing tells it."""
        depth = judged_depth(self.runs) if self.settings.depth is None else self.settings.depth
        return np.broadcast_to(np.array(depth, dtype=np.int64), len(self.runs))

    def require_depths(self) -> IntArray:
        """PartMissing where nothing tells the depths."""
        if not self.depths.any():
            if self.settings.depth is not None:
                raise PartMissing("No run was pooled.")
            raise PartMissing(
                "How deep the pool was is not known, and the first documents of some run are not judged: what a team found "
                "cannot be told from what others put into the pool."
            )
        return self.depths

    def ordering_values(self) -> FloatArray:
        """Values by the first measure, more is better: float64 (n_runs, n_topics); PartMissing where means cannot order runs."""
        values = self.values[:, 0]
        if values.shape[0] < 2 or values.shape[1] < 2:
            raise PartMissing("Two runs and two topics are needed.")
        if np.isnan(values).any() or self.first.definition.summary != "mean":
            raise PartMissing(f"{self.first.name} is not a mean over all topics.")
        return -values if self.first.definition.lower_is_better else values

    def require_whole_documents(self) -> None:
        """PartMissing for a first measure that is computed from more than one grade for each document."""
        judged = self.first.definition.judgments
        if judged.table != "overall":
            raise PartMissing(
                f"{self.first.name} is computed from {judged.in_words}, which cannot be left out or exchanged."
            )


def groups_of(labels: Sequence[str]) -> tuple[list[str], IntArray]:
    """The different labels in order, and the place of each run's label among them: int64 (n_runs,).

    >>> groups_of(["south", "north", "south"])
    (['north', 'south'], array([1, 0, 1]))
    """
    named, groups = np.unique(np.array(list(labels), dtype=object), return_inverse=True)
    return [str(name) for name in named], groups.astype(np.int64)


def values_of(runs: Sequence[RankedRun], measure: Measure) -> FloatArray:
    """The values of each run by the measure on all topics of its judgments, as boards do: float64 (n_runs, n_topics)."""
    return np.array([compared_values(one, runs[0].judgments)[0] for one in score_ranked(runs, [measure])])


def means_of(values: FloatArray, measure: Measure) -> FloatArray:
    """The one number of each run by its values, float64 (n_runs, n_topics): float64 (n_runs,)."""
    return np.array([summary_of_compared(of_run, measure.definition) for of_run in values])


def finite(number: float) -> float | None:
    """The number as JSON takes it."""
    return float(number) if math.isfinite(number) else None


def judged_depth(runs: Sequence[RankedRun]) -> int:
    """Give the last rank to which every document of every run is judged: the depth of their pool, as far as judgments show it.

    0 where the first document of some run is not judged; NO_CUTOFF where all documents of all runs are.

    >>> import polars as pl
    >>> from evaluation.engine.judgments import Judgments
    >>> from evaluation.engine.ranking import rank_run
    >>> judged = Judgments.from_table(pl.DataFrame({"topic": "1", "subtopic": "0", "docno": ["a", "b"], "grade": [1, 0]}))
    >>> tables = [pl.DataFrame({"topic": "1", "docno": list(docnos), "score": [3.0, 2.0, 1.0]}) for docnos in ("abx", "axb")]
    >>> [judged_depth([rank_run(table, judged)]) for table in tables]
    [2, 1]
    """
    return min((_judged_depth(run) for run in runs), default=NO_CUTOFF)


def _judged_depth(run: RankedRun) -> int:
    judged = run.grade >= 0
    group, rank = run.group[judged], run.rank[judged]
    place = np.arange(len(group)) - group_starts(group, run.n_groups)[group]
    # Ranks rise within a group: the document of rank r is the r-th judged one as long as none above it is unjudged.
    whole = group_counts(group[rank == place + 1], run.n_groups)
    return int(whole[whole < run.num_ret].min(initial=NO_CUTOFF))
