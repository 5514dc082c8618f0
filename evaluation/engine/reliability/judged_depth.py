"""To which rank the judgments hold all documents of all runs."""

from collections.abc import Sequence

import numpy as np

from evaluation.engine.arrays import NO_CUTOFF, group_counts, group_starts
from evaluation.engine.ranked_run import RankedRun


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
