"""What measures see of a run: the ranks and grades of its judged documents, and how much it retrieves.

Every measure depends on a ranking only through the ranks and grades of the documents that occur in the qrels, and
through the number of documents retrieved. So the long list is ordered and matched once, and what the measures see is short.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

import numpy as np

from evaluation.engine.arrays import (
    NO_CUTOFF,
    BoolArray,
    FloatArray,
    IntArray,
    group_counts,
    positions_within_groups,
    sums_to_cutoffs,
)
from evaluation.engine.judgments import Judgments
from evaluation.engine.memo import Memo

Reference: TypeAlias = Literal["9", "10"]
"""Whose rules hold: release 9.0 of trec_eval or release 10.0, which compares scores in double precision and
rounds recall levels to the nearest document."""

DEFAULT_REFERENCE: Reference = "9"


@dataclass(frozen=True)
class RelevantHits:
    """The relevant documents retrieved, ascending by group, then rank; all arrays int64 (n,).

    `ordinal` is 1 for the first relevant document of the group, 2 for the second, and so on.
    """

    group: IntArray
    rank: IntArray
    ordinal: IntArray


@dataclass(frozen=True, eq=False)
class RankedRun:
    """The judged documents of a run with their ranks; a group is the ranking of one topic.

    Several runs fit into one set of arrays: measures use nothing of a group but its topic.

    `topic`, `num_ret`: int64 (n_groups,); the topic's index in `judgments.topics`, and how many documents are retrieved.
    `group`, `rank`, `grade`, `document`: int64 (n_hits,), ascending by group, then rank; one element for each retrieved
    document that occurs in the qrels (a negative grade says pooled but unjudged); ranks start at 1 and count every
    retrieved document; `document` is the document's code in `judgments`. `only_judged` says that the unjudged documents
    were taken out.
    """

    judgments: Judgments
    topic: IntArray
    num_ret: IntArray
    group: IntArray
    rank: IntArray
    grade: IntArray
    document: IntArray
    reference: Reference = DEFAULT_REFERENCE
    memo: Memo = field(default_factory=Memo, repr=False)
    only_judged: bool = False

    @property
    def n_groups(self) -> int:
        return len(self.topic)

    def num_rel(self, level: int) -> IntArray:
        """Count the relevant documents in the qrels for each group: int64 (n_groups,)."""
        return self.memo.get(("num_rel", level), lambda: self.judgments.num_rel(level)[self.topic])

    def relevant(self, level: int) -> RelevantHits:
        """Select the retrieved documents of grade >= level."""
        return self.memo.get(("relevant", level), lambda: self._select_relevant(level))

    def relevant_to_cutoffs(self, level: int, cutoffs: IntArray) -> FloatArray:
        """Count the documents of grade >= level and rank <= k for each ascending cut-off: float64 (n_cutoffs, n_groups)."""

        def compute() -> FloatArray:
            hits = self.relevant(level)
            return sums_to_cutoffs(hits.group, hits.rank, None, cutoffs, self.n_groups)

        return self.memo.get(("relevant_to_cutoffs", level, cutoffs.tobytes()), compute)

    def first(self, depth: int) -> "RankedRun":
        """Cut every ranking off after `depth` documents."""
        depth = min(depth, NO_CUTOFF)
        return self._select(self.rank <= depth, num_ret=np.minimum(self.num_ret, depth))

    def judged_only(self) -> "RankedRun":
        """Take every document without a grade >= 0 out of the rankings; those below move up."""
        return self.memo.get("judged_only", self._without_unjudged)

    def _without_unjudged(self) -> "RankedRun":
        judged = self.grade >= 0
        group = self.group[judged]
        ranks = positions_within_groups(group, self.n_groups)
        kept = self._select(judged, num_ret=group_counts(group, self.n_groups))
        return replace(kept, rank=ranks, memo=Memo(), only_judged=True)

    def _select(self, kept: BoolArray, num_ret: IntArray) -> "RankedRun":
        return replace(
            self,
            num_ret=num_ret,
            group=self.group[kept],
            rank=self.rank[kept],
            grade=self.grade[kept],
            document=self.document[kept],
            memo=Memo(),
        )

    def _select_relevant(self, level: int) -> RelevantHits:
        relevant = (self.grade >= level) & (self.grade >= 0)
        group = self.group[relevant]
        return RelevantHits(group, self.rank[relevant], positions_within_groups(group, self.n_groups))


def together(runs: Sequence[RankedRun]) -> RankedRun:
    """Put several runs ranked under the same judgments into one set of arrays, their groups one run after another.

    >>> from evaluation.engine.judgments import Judgments
    >>> import polars as pl
    >>> judgments = Judgments.from_table(pl.DataFrame({"topic": "1", "subtopic": "0", "docno": ["a", "b"], "grade": [3, 0]}))
    >>> one = np.array([1])
    >>> run = RankedRun(judgments, one - 1, num_ret=one, group=one - 1, rank=one, grade=one * 3, document=one - 1)
    >>> together([run, run]).group.tolist()
    [0, 1]
    """
    if len(runs) == 1:
        return runs[0]
    first_group = np.cumsum([0, *(run.n_groups for run in runs[:-1])])
    return replace(
        runs[0],
        topic=np.concatenate([run.topic for run in runs]),
        num_ret=np.concatenate([run.num_ret for run in runs]),
        group=np.concatenate([run.group + start for run, start in zip(runs, first_group, strict=True)]),
        rank=np.concatenate([run.rank for run in runs]),
        grade=np.concatenate([run.grade for run in runs]),
        document=np.concatenate([run.document for run in runs]),
        memo=Memo(),
    )
