"""Would other assessors have put the runs into another order? Several sets of judgments of the same documents."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce

import numpy as np
import polars as pl

from evaluation.engine.analyses.rank_correlation import kendall_tau, tau_ap
from evaluation.engine.arrays import FloatArray
from evaluation.engine.reliability.topics_left_out import ranks

UNION = "union"
PAIR = ["topic", "docno"]


@dataclass(frozen=True, eq=False)
class CommonJudgments:
    """What several sets say of the documents that all of them judge.

    `tables`: by the name of the set, the union last: topic, subtopic (always "0"), docno, grade. `topics`: how many there are.
    `documents`: how many pairs of topic and document. `relevant_in_all`, `relevant_in_any`: how many of these pairs.
    """

    tables: Mapping[str, pl.DataFrame]
    topics: int
    documents: int
    relevant_in_all: int
    relevant_in_any: int

    @property
    def overlap(self) -> float:
        """Relevant by all sets / relevant by any, in [0, 1]; NaN where no set has a relevant document (Voorhees, 2000)."""
        return self.relevant_in_all / self.relevant_in_any if self.relevant_in_any else float("nan")


@dataclass(frozen=True)
class TwoOrders:
    """How far two orders of the same runs agree: `first`, `second` are places of the sets of judgments.

    `tau`: Kendall's tau-b, NaN where one order holds all runs equal. `tau_ap`: of the second order, the first as the true one.
    `largest_fall`: the most ranks that a run loses from the first to the second, `falling_run` its index.
    """

    first: int
    second: int
    tau: float
    tau_ap: float
    largest_fall: int
    falling_run: int


def common_judgments(sets: Mapping[str, pl.DataFrame], level: int = 1) -> CommonJudgments:
    """Keep the documents that every set judges with a grade of 0 or above, and add their union: the highest grade of any set.

    sets: two or more by name, with topic, docno (String), grade (an integer type), and with or without subtopics, of which
    the highest grade counts. A document that one set lacks is left out of all, so that the orders differ by what assessors
    say and not by how much they judged. By the union a document is relevant, grade >= level, if any set says so.
    Raises ValueError: fewer than two sets, or one that is called "union".

    >>> first = pl.DataFrame({"topic": "1", "docno": ["a", "b", "c"], "grade": [1, 0, 1]})
    >>> second = pl.DataFrame({"topic": "1", "docno": ["a", "b", "d"], "grade": [1, 2, 0]})
    >>> common = common_judgments({"A": first, "B": second})
    >>> common.documents, common.overlap, common.tables["union"]["grade"].to_list()
    (2, 0.5, [1, 2])
    """
    if len(sets) < 2 or UNION in sets:
        raise ValueError(f"Give two sets of judgments or more, none called {UNION}.")
    columns = [f"grade {place}" for place in range(len(sets))]
    judged = [_judged(table, column) for table, column in zip(sets.values(), columns, strict=True)]
    joined = reduce(lambda left, right: left.join(right, on=PAIR), judged)
    found = joined.sort(PAIR).with_columns(subtopic=pl.lit("0"), highest=pl.max_horizontal(columns))
    named = {**dict(zip(sets, columns, strict=True)), UNION: "highest"}
    lowest = found.select(pl.min_horizontal(columns)).to_series()
    return CommonJudgments(
        tables={name: found.select("topic", "subtopic", "docno", grade=column) for name, column in named.items()},
        topics=found["topic"].n_unique(),
        documents=found.height,
        relevant_in_all=int((lowest >= level).sum()),
        relevant_in_any=int((found["highest"] >= level).sum()),
    )


def _judged(table: pl.DataFrame, column: str) -> pl.DataFrame:
    """Topic, docno and the highest grade of each judged document, in a column of this name."""
    grade = pl.col("grade").cast(pl.Int64).max().alias(column)
    return table.filter(pl.col("grade") >= 0).group_by(PAIR).agg(grade)


def orders_compared(means: FloatArray) -> list[TwoOrders]:
    """Compare the orders of the runs under each two sets of judgments.

    means: float64 (n_sets, n_runs), no NaN, more is better; rounded to 12 places, so that equal runs stay equal. A run's rank
    is 1 + the runs of a higher mean; of runs that fall equally far the first is named.
    Source: Voorhees, 2000 (tau); Yilmaz, Aslam and Robertson, 2008 (tau-AP).

    >>> [found] = orders_compared(np.array([[0.5, 0.4, 0.3], [0.4, 0.5, 0.3]]))
    >>> round(found.tau, 3), found.largest_fall, found.falling_run
    (0.333, 1, 0)
    """
    rounded = np.round(means, 12)
    ranked = ranks(rounded)
    found = []
    for first, second in zip(*np.triu_indices(len(means), k=1), strict=True):
        falls = ranked[second] - ranked[first]
        tau = kendall_tau(rounded[first], rounded[second])
        ap = tau_ap(rounded[first], rounded[second])
        found.append(TwoOrders(int(first), int(second), tau, ap, int(falls.max()), int(falls.argmax())))
    return found
