"""PURE: the judgments of two people on the documents that both judged, topic by topic."""

from collections.abc import Iterable
from typing import Final

import polars as pl

SCHEMA: Final = {
    "topic": pl.String,
    "assessor": pl.String,
    "pass": pl.Int32,
    "docno": pl.String,
    "grade": pl.Int32,
}
FIRST, SECOND = "first", "second"
PAIR: Final = ["topic", "docno"]


def two_assessors(
    judgments: Iterable[tuple[str, str, int, str, int]],
) -> tuple[dict[str, pl.DataFrame], list[dict[str, str | int]]]:
    """Give the two sets of judgments, each topic, docno, grade, and who they come from: first, second, in how many topics.

    judgments: topic, assessor's pseudonym ("A1", "A2", ... in the order of their first acts), pass, docno, grade (below 0: none).
    A person counts with the lowest pass. In each topic the first is who judged in the lower pass, then who has the lower
    number; of more than two people those two with the most documents in common.

    >>> judged = [("1", "A1", 1, "a", 2), ("1", "A2", 2, "a", 0), ("1", "A2", 2, "b", 1), ("2", "A1", 1, "x", 1)]
    >>> tables, people = two_assessors(judged)
    >>> tables["first"].rows(), tables["second"].rows(), people
    ([('1', 'a', 2)], [('1', 'a', 0)], [{'first': 'A1', 'second': 'A2', 'topics': 1}])
    """
    graded = pl.DataFrame(list(judgments), schema=SCHEMA, orient="row").filter(pl.col("grade") >= 0)
    of_person = graded.filter(pl.col("pass") == pl.col("pass").min().over(*PAIR, "assessor"))
    number = pl.col("assessor").str.slice(1).cast(pl.Int64)
    begun = pl.col("pass").min().over("topic", "assessor")
    ranked = of_person.with_columns(place=begun * (number.max() + 1) + number)
    twice = ranked.join(ranked, on=PAIR, suffix="_2").filter(pl.col("place") < pl.col("place_2"))
    of_two = twice.group_by("topic", "assessor", "assessor_2", "place", "place_2").len("documents")
    chosen = of_two.sort("topic", "documents", "place", "place_2", descending=[False, True, False, False]).unique(
        "topic", keep="first", maintain_order=True
    )
    kept = twice.join(chosen.select("topic", "assessor", "assessor_2"), on=["topic", "assessor", "assessor_2"]).sort(
        PAIR
    )
    tables = {FIRST: kept.select(*PAIR, "grade"), SECOND: kept.select(*PAIR, grade="grade_2")}
    people = chosen.group_by("assessor", "assessor_2").len("topics").sort("topics", "assessor", "assessor_2")
    named = people.reverse().select(first="assessor", second="assessor_2", topics="topics")
    return tables, named.to_dicts()
