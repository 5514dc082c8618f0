"""PURE: the judgments of a sampled pool as estimators read them, and what they lack."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import polars as pl

from campaign.formats.qrels.layouts import NO_SUBTOPIC
from campaign.formats.qrels.table import QRELS_SCHEMA, SAMPLED_BY
from campaign.text.natural_order import natural_order
from judging.core.resolution import UNJUDGED

OF_STRATUM: Final = ["topic", "stratum"]


@dataclass(frozen=True, slots=True)
class Stratum:
    """A stratum of a topic: how many of its documents were drawn, and how many of those have a grade."""

    topic: str
    stratum: int
    drawn: int
    graded: int


@dataclass(frozen=True, slots=True)
class Sample:
    """The sample of the released topics. `sampled_by`: "stratum" or "probability".

    `table` has the columns of QRELS_SCHEMA and `sampled_by`: every document that was drawn or could have been. By strata the
    grade is -1 unless it was drawn; with probabilities the probability is null unless it was.
    `waiting`: strata of which nothing is judged yet; no estimate can be made of the topics then. `partly`: strata of which a part
    is judged. `unusable`: strata of which nothing that was drawn could be judged, or of which a policy chose all that was; they
    are not in the table. The three are empty for a sample with probabilities. `unjudged`: drawn documents without a grade.
    """

    sampled_by: str
    table: pl.DataFrame
    unjudged: int
    waiting: tuple[Stratum, ...] = ()
    partly: tuple[Stratum, ...] = ()
    unusable: tuple[Stratum, ...] = ()


def judged_sample(documents: pl.DataFrame, grades: pl.DataFrame, sampled_by: str) -> Sample:
    """Put the grades (topic, docno, grade) to the documents of a sample (topic, docno, stratum, inclusion_probability).

    >>> held = {"topic": ["1"] * 3, "docno": list("abc"), "stratum": [1, 2, 2], "inclusion_probability": [1.0, 0.5, None]}
    >>> schema = {"topic": pl.String, "docno": pl.String, "grade": pl.Int32}
    >>> grades = pl.DataFrame([("1", "a", 2), ("1", "b", 0), ("1", "c", 1)], schema=schema, orient="row")
    >>> sample = judged_sample(pl.DataFrame(held), grades, "stratum")
    >>> sample.table.select("docno", "stratum", "grade").rows(), sample.waiting
    ([('a', 1, 2), ('b', 2, 0), ('c', 2, -1)], ())
    """
    is_drawn = pl.col("inclusion_probability").is_not_null()
    held = documents.join(grades, on=["topic", "docno"], how="left", maintain_order="left")
    held = held.with_columns(pl.col("grade").fill_null(UNJUDGED), subtopic=pl.lit(NO_SUBTOPIC))
    unjudged = held.filter(is_drawn & (pl.col("grade") < 0)).height
    if sampled_by == "probability":
        return Sample(sampled_by, _table(held, pl.col("inclusion_probability"), sampled_by), unjudged)
    held = held.with_columns(grade=pl.when(is_drawn).then("grade").otherwise(pl.lit(UNJUDGED, pl.Int32)))
    # A drawn document that could not be judged does not wait for anybody.
    waits = is_drawn & (pl.col("grade") == UNJUDGED)
    counted = held.group_by(OF_STRATUM).agg(
        drawn=is_drawn.sum(), graded=(pl.col("grade") >= 0).sum(), waits=waits.sum()
    )
    none, waiting = pl.col("graded") == 0, pl.col("waits") > 0
    unusable = counted.filter(none & ~waiting)
    kept = held.join(unusable, on=OF_STRATUM, how="anti", maintain_order="left")
    return Sample(
        sampled_by,
        _table(kept, pl.col("stratum"), sampled_by),
        unjudged,
        waiting=_strata(counted.filter(none & waiting)),
        partly=_strata(counted.filter(~none & waiting)),
        unusable=_strata(unusable),
    )


def strata_without_a_grade(table: pl.DataFrame) -> tuple[Stratum, ...]:
    """Strata of qrels (topic, stratum, grade) of which no document has a grade: from these nothing can be estimated.

    >>> table = pl.DataFrame({"topic": ["1", "1", "2"], "stratum": [1, 2, 1], "grade": [0, -1, -1]})
    >>> strata_without_a_grade(table.filter(pl.col("topic") == "1"))
    (Stratum(topic='1', stratum=2, drawn=1, graded=0),)
    """
    counted = table.group_by(OF_STRATUM).agg(drawn=pl.len(), graded=(pl.col("grade") >= 0).sum())
    return _strata(counted.filter(pl.col("graded") == 0))


def relevant_by_sample(table: pl.DataFrame, sampled_by: str, lowest_relevant: int) -> dict[str, float]:
    """How many documents of each topic are relevant, by Horvitz and Thompson: each drawn one stands for 1 / its probability.

    table: topic, grade, and `stratum` (drawn are those with a grade, n of the N of a stratum) or `probability`.

    >>> table = pl.DataFrame({"topic": ["1"] * 4, "stratum": [1, 2, 2, 2], "grade": [1, 2, -1, -1]})
    >>> relevant_by_sample(table, "stratum", 1)
    {'1': 4.0}
    """
    is_relevant = pl.col("grade") >= lowest_relevant
    if sampled_by == "probability":
        weight = (1 / pl.col("probability")).filter(is_relevant).sum()
        counted = table.group_by("topic").agg(number=weight)
    else:
        weight = pl.len() * is_relevant.sum() / (pl.col("grade") >= 0).sum()
        counted = table.group_by(OF_STRATUM).agg(number=weight).group_by("topic").agg(pl.col("number").sum())
    return dict(counted.sort("topic").iter_rows())


def _table(held: pl.DataFrame, value: pl.Expr, sampled_by: str) -> pl.DataFrame:
    return held.select(*QRELS_SCHEMA, value.cast(SAMPLED_BY[sampled_by]).alias(sampled_by))


def _strata(counted: pl.DataFrame) -> tuple[Stratum, ...]:
    rows = counted.select("topic", "stratum", "drawn", "graded").iter_rows()
    return tuple(sorted((Stratum(*row) for row in rows), key=lambda row: (natural_order(row.topic), row.stratum)))
