"""PURE: what a file of qrels holds, beside the topics, the pool and the grades of its task."""

from collections.abc import Collection
from typing import Any

import polars as pl

from campaign.text.natural_order import natural_order

TOPICS_NAMED = 20
PAIR = ["topic", "docno"]


def qrels_facts(table: pl.DataFrame, topics: Collection[str], lowest_relevant: int) -> dict[str, Any]:
    """Counts of pairs and topics, as JSON; of topics that lack something the first numbers too.

    `table`: topic, docno (String) and grade (Int32), each pair once; below 0 is not judged. `topics`: those of the task.

    >>> rows = [("1", "a", 2), ("1", "b", 0), ("2", "a", 0), ("2", "c", -1)]
    >>> table = pl.DataFrame(rows, schema={"topic": pl.String, "docno": pl.String, "grade": pl.Int32}, orient="row")
    >>> facts = qrels_facts(table, ["1", "2", "3"], lowest_relevant=1)
    >>> facts["topics"], facts["relevant"], facts["nonrelevant"], facts["without_grade"], facts["by_grade"]
    (2, 1, 2, 1, [[0, 2], [2, 1]])
    >>> facts["lacking"], facts["without_relevant"]
    ({'count': 1, 'first': ['3']}, {'count': 1, 'first': ['2']})
    """
    graded = table.filter(pl.col("grade") >= 0)
    relevant = graded.filter(pl.col("grade") >= lowest_relevant)
    here = set(graded["topic"].unique())
    return {
        "topics": len(here),
        "of_topics": len(topics),
        "relevant": relevant.height,
        "nonrelevant": graded.height - relevant.height,
        "without_grade": table.height - graded.height,
        "by_grade": [list(row) for row in graded.group_by("grade").len().sort("grade").iter_rows()],
        "lacking": _named(set(topics) - here),
        "without_relevant": _named(here - set(relevant["topic"].unique())),
        "without_nonrelevant": _named(here - set(graded.filter(pl.col("grade") < lowest_relevant)["topic"].unique())),
    }


def pool_coverage(table: pl.DataFrame, pooled: pl.DataFrame) -> dict[str, int]:
    """How many pairs of a pool have a grade, and how many graded pairs lie outside of it; `pooled`: topic, docno, once each.

    >>> table = pl.DataFrame({"topic": ["1", "1", "1"], "docno": ["a", "b", "x"], "grade": [1, -1, 0]})
    >>> pool_coverage(table, pl.DataFrame({"topic": ["1", "1"], "docno": ["a", "b"]}))
    {'pooled': 2, 'judged': 1, 'outside': 1}
    """
    graded = table.filter(pl.col("grade") >= 0)
    inside = graded.join(pooled, on=PAIR, how="semi").height
    return {"pooled": pooled.height, "judged": inside, "outside": graded.height - inside}


def _named(topics: Collection[str]) -> dict[str, Any]:
    return {"count": len(topics), "first": sorted(topics, key=natural_order)[:TOPICS_NAMED]}
