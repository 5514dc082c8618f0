"""PURE: judgments made here and those of a file become one set of qrels."""

from dataclasses import dataclass
from typing import Final

import polars as pl

from judging.core.modes.declaration import QrelsTables

HERE: Final = "here"
FILE: Final = "file"
REFUSE: Final = "refuse"
RULES: Final = {
    HERE: "the grade given here stands",
    FILE: "the grade of the file stands",
    REFUSE: "the file is refused",
}
"""What happens where both grade a pair and differ."""
PAIR: Final = ["topic", "docno"]


@dataclass(frozen=True, slots=True)
class Merged:
    """`tables`: the merged qrels. `only_here`, `only_in_file`, `same`: pairs graded by one, or by both alike.

    `differing`: topic, docno, `here`, `file` (Int32), sorted: the pairs on which both have a grade, and not the same one or not
    the same subtopics.
    """

    tables: QrelsTables
    only_here: int
    only_in_file: int
    same: int
    differing: pl.DataFrame


def merged(here: QrelsTables, file: QrelsTables, rule: str) -> Merged:
    """Every pair of either side. A grade (0 or above) outranks -1 and -2; where both have one and differ, `rule` decides.

    `here`, `file`: each pair once in `overall`. Of a pair without a grade on both sides -2 (could not be judged) outranks -1. The
    rows by subtopic are those of the side whose grade stands; where both say the same, those of `here`.

    >>> schema = {"topic": pl.String, "docno": pl.String, "grade": pl.Int32}
    >>> here = pl.DataFrame([("1", "a", 2), ("1", "b", -1), ("1", "c", 0)], schema=schema, orient="row")
    >>> file = pl.DataFrame([("1", "a", 1), ("1", "b", 3)], schema=schema, orient="row")
    >>> both = merged(QrelsTables(here), QrelsTables(file), "file")
    >>> both.tables.overall.rows(), both.differing.rows()
    ([('1', 'a', 1), ('1', 'b', 3), ('1', 'c', 0)], [('1', 'a', 2, 1)])
    """
    both = here.overall.select(*PAIR, here="grade").join(
        file.overall.select(*PAIR, file="grade"), on=PAIR, how="full", coalesce=True
    )
    both = both.with_columns(graded_here=_is_grade("here"), graded_in_file=_is_grade("file")).sort(PAIR)
    graded_twice = both.filter("graded_here", "graded_in_file")
    differing = _differing(graded_twice, here.by_subtopic, file.by_subtopic)
    overruled = differing if rule == FILE else differing.clear()
    both = both.join(overruled.select(*PAIR, overruled=pl.lit(True)), on=PAIR, how="left", maintain_order="left")
    takes_file = pl.col("overruled").fill_null(False) | pl.when("graded_here").then(False).otherwise(
        pl.col("graded_in_file") | pl.col("here").is_null()
    )
    both = both.with_columns(takes_file=takes_file)
    return Merged(
        QrelsTables(both.select(*PAIR, grade=_grade()), _by_subtopic(both, here, file)),
        only_here=both.filter("graded_here", ~pl.col("graded_in_file")).height,
        only_in_file=both.filter("graded_in_file", ~pl.col("graded_here")).height,
        same=graded_twice.height - differing.height,
        differing=differing,
    )


def _is_grade(side: str) -> pl.Expr:
    return (pl.col(side) >= 0).fill_null(False)


def _grade() -> pl.Expr:
    graded = pl.col("graded_here") | pl.col("graded_in_file")
    given = pl.when("takes_file").then("file").otherwise("here")
    return pl.when(graded).then(given).otherwise(pl.min_horizontal("here", "file"))


def _differing(graded_twice: pl.DataFrame, here: pl.DataFrame | None, file: pl.DataFrame | None) -> pl.DataFrame:
    differs = pl.col("here") != pl.col("file")
    if here is not None and file is not None:
        one_sided = pl.concat([_covered(here, file), _covered(file, here)]).unique()
        graded_twice = graded_twice.join(one_sided, on=PAIR, how="left", maintain_order="left")
        differs |= pl.col("is_one_sided").fill_null(False)
    return graded_twice.filter(differs).select(*PAIR, "here", "file")


def _covered(one: pl.DataFrame, other: pl.DataFrame) -> pl.DataFrame:
    """The pairs with a subtopic that only `one` grades above 0 so; a subtopic without a row is not covered."""
    columns = ["topic", "subtopic", "docno", "grade"]
    alone = one.filter(pl.col("grade") > 0).join(other, on=columns, how="anti")
    return alone.select(*PAIR, is_one_sided=pl.lit(True)).unique()


def _by_subtopic(both: pl.DataFrame, here: QrelsTables, file: QrelsTables) -> pl.DataFrame | None:
    sides = ((here.by_subtopic, ~pl.col("takes_file")), (file.by_subtopic, pl.col("takes_file")))
    parts = [
        table.select("topic", "subtopic", "docno", "grade").join(both.filter(taken), on=PAIR, how="semi")
        for table, taken in sides
        if table is not None
    ]
    return pl.concat(parts).sort("topic", "subtopic", "docno") if parts else None
