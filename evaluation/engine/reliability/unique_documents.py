"""Would the order of the runs be another one without the relevant documents that only one group of runs contributed?"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from evaluation.engine.analyses.rank_correlation import kendall_tau
from evaluation.engine.analyses.tau_interval import tau_interval
from evaluation.engine.arrays import BoolArray, FloatArray, IntArray
from evaluation.engine.measures.declaration import Measure
from evaluation.engine.memo import Memo
from evaluation.engine.ranked_run import RankedRun
from evaluation.engine.reliability.collection import Step, means_of, values_of
from evaluation.engine.reliability.topics_left_out import ranks


@dataclass(frozen=True, eq=False)
class GroupLeftOut:
    """The board without what only this group found. `unique`: how many relevant documents are left out.

    `tau`: Kendall's tau-b with the order of the whole board, NaN where all means are equal; `tau_interval`: of it, None for a
    measure that is no mean, and where there is none. `largest_fall`: the most ranks that a
    run loses, `falling_run` its index. `change`: of the mean of the group's best run, in the unit of the measure.
    """

    unique: int
    tau: float
    tau_interval: tuple[float, float] | None
    largest_fall: int
    falling_run: int
    change: float


def found_by(runs: Sequence[RankedRun], depth: int | IntArray, level: int = 1) -> BoolArray:
    """Tell which relevant documents, in the order of the judgments, each run has in its first `depth`: bool (n_runs, n_relevant).

    `depth`: of all, or of each run, int64 (n_runs,).

    >>> import polars as pl
    >>> from evaluation.engine.judgments import Judgments
    >>> from evaluation.engine.ranking import rank_run
    >>> judged = Judgments.from_table(pl.DataFrame({"topic": "1", "subtopic": "0", "docno": ["a", "b"], "grade": [1, 1]}))
    >>> run = rank_run(pl.DataFrame({"topic": "1", "docno": ["x", "b"], "score": [2.0, 1.0]}), judged)
    >>> found_by([run], 1).tolist(), found_by([run], 2).tolist()
    ([[False, False]], [[False, True]])
    """
    judgments = runs[0].judgments
    relevant = np.flatnonzero((judgments.grade >= level) & (judgments.grade >= 0))
    seen = np.zeros((len(runs), len(judgments.grade)), dtype=np.bool_)
    depths = np.broadcast_to(depth, len(runs)).tolist()
    for row, run, own in zip(seen, runs, depths, strict=True):
        row[run.document[run.rank <= own]] = True
    found: BoolArray = seen[:, relevant]
    return found


def groups_left_out(
    runs: Sequence[RankedRun],
    groups: IntArray,
    measure: Measure,
    depth: int | IntArray,
    level: int = 1,
    step: Step = lambda: None,
    leaving: Sequence[IntArray] | None = None,
) -> list[GroupLeftOut]:
    """Leave out, group by group, the relevant documents that only its runs have among their first `depth`, and score all anew.

    `groups`: int64 (n_runs,), the group of each run, 0, 1, ...: its team, the kind of its system. `step`: called after each.
    `leaving`: of each group the documents that are left out in place of these, int64, indices of the judgments. A document left
    out is unjudged for every run. Not for measures of subtopics. Source: Zobel, 1998, with the teams of Buckley and others, 2007.

    >>> import polars as pl
    >>> from evaluation.engine.judgments import Judgments
    >>> from evaluation.engine.measures.names.registry import parse_measure
    >>> from evaluation.engine.ranking import rank_run
    >>> judged = Judgments.from_table(pl.DataFrame({"topic": "1", "subtopic": "0", "docno": ["a", "b"], "grade": [1, 1]}))
    >>> tables = [pl.DataFrame({"topic": "1", "docno": [docno], "score": [1.0]}) for docno in "ab"]
    >>> found = groups_left_out([rank_run(table, judged) for table in tables], np.array([0, 1]), parse_measure("P@1"), 10)
    >>> [(one.unique, one.change, one.largest_fall) for one in found]
    [(1, -1.0, 1), (1, -1.0, 1)]
    """
    before = values_of(runs, measure)
    left_out = []
    for group, own in enumerate(_found_alone(runs, groups, depth, level) if leaving is None else leaving):
        left_out.append(_left_out(runs, measure, before, own, groups == group, level))
        step()
    return left_out


def _found_alone(runs: Sequence[RankedRun], groups: IntArray, depth: int | IntArray, level: int) -> list[IntArray]:
    judgments = runs[0].judgments
    relevant = np.flatnonzero((judgments.grade >= level) & (judgments.grade >= 0))
    of_runs = found_by(runs, depth, level)
    of_groups = np.array([of_runs[groups == group].any(axis=0) for group in range(int(groups.max()) + 1)])
    return [relevant[own] for own in of_groups & (of_groups.sum(axis=0) == 1)]


def _left_out(
    runs: Sequence[RankedRun], measure: Measure, values: FloatArray, documents: IntArray, own: BoolArray, level: int
) -> GroupLeftOut:
    old = runs[0].judgments
    grade = old.grade.copy()
    grade[documents] = -1
    judgments = replace(old, grade=grade, memo=Memo())
    without = [replace(run, judgments=judgments, grade=grade[run.document], memo=Memo()) for run in runs]
    sign = -1.0 if measure.definition.lower_is_better else 1.0
    changed = values_of(without, measure)
    before, after = means_of(values, measure), means_of(changed, measure)
    falls = (ranks(np.round(sign * after, 12)[np.newaxis]) - ranks(np.round(sign * before, 12)[np.newaxis]))[0]
    best = int(np.flatnonzero(own)[np.argmax(sign * before[own])])
    return GroupLeftOut(
        unique=int((old.grade[documents] >= max(level, 0)).sum()),
        tau=kendall_tau(np.round(before, 12), np.round(after, 12)),
        tau_interval=tau_interval(values, changed) if measure.definition.summary == "mean" else None,
        largest_fall=int(falls.max()),
        falling_run=int(falls.argmax()),
        change=float(after[best] - before[best]),
    )
