"""Judgments made here and those of a file, merged: against a plain dictionary."""

from collections.abc import Mapping

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from judging.core.merging import FILE, HERE, REFUSE, RULES, Merged, merged
from judging.core.modes.declaration import QrelsTables

Grades = dict[tuple[str, str], int]
GRADES = st.dictionaries(st.tuples(st.sampled_from("12"), st.sampled_from("abcd")), st.integers(-2, 3))


def table(grades: Mapping[tuple[str, str], int]) -> pl.DataFrame:
    schema = {"topic": pl.String, "docno": pl.String, "grade": pl.Int32}
    return pl.DataFrame([(*pair, grade) for pair, grade in grades.items()], schema=schema, orient="row")


def by_subtopic(*rows: tuple[str, str, str, int]) -> pl.DataFrame:
    schema = {"topic": pl.String, "subtopic": pl.String, "docno": pl.String, "grade": pl.Int32}
    return pl.DataFrame(list(rows), schema=schema, orient="row")


def merge(here: Grades, file: Grades, rule: str = HERE) -> Merged:
    return merged(QrelsTables(table(here)), QrelsTables(table(file)), rule)


def grades_of(result: Merged) -> Grades:
    return {(topic, docno): grade for topic, docno, grade in result.tables.overall.iter_rows()}


def grade_expected(here: int | None, file: int | None, rule: str) -> int:
    graded = [grade for grade in ((file, here) if rule == FILE else (here, file)) if grade is not None and grade >= 0]
    return graded[0] if graded else min(grade for grade in (here, file) if grade is not None)


@given(GRADES, GRADES, st.sampled_from(list(RULES)))
def test_every_pair_has_one_grade_by_the_rule_and_every_graded_pair_is_counted_once(
    here: Grades, file: Grades, rule: str
) -> None:
    result = merge(here, file, rule)
    pairs = here.keys() | file.keys()
    assert grades_of(result) == {pair: grade_expected(here.get(pair), file.get(pair), rule) for pair in pairs}
    assert result.tables.overall.select("topic", "docno").rows() == sorted(pairs)
    twice = {pair for pair in pairs if min(here.get(pair, -1), file.get(pair, -1)) >= 0}
    assert result.differing.rows() == sorted(
        (*pair, here[pair], file[pair]) for pair in twice if here[pair] != file[pair]
    )
    assert result.same == len(twice) - result.differing.height
    graded = sum(grade >= 0 for grade in grades_of(result).values())
    assert result.only_here + result.only_in_file + result.same + result.differing.height == graded


@given(GRADES, st.sampled_from(list(RULES)))
def test_a_file_with_the_same_judgments_and_an_empty_one_change_nothing(here: Grades, rule: str) -> None:
    assert grades_of(merge(here, here, rule)) == here
    assert grades_of(merge(here, {}, rule)) == here
    assert grades_of(merge({}, here, rule)) == here


def test_subtopics_follow_the_grade_that_stands_and_differ_also_under_the_same_grade() -> None:
    here = QrelsTables(
        table({("1", "a"): 2, ("1", "b"): 1, ("1", "c"): 0}),
        by_subtopic(("1", "x", "a", 2), ("1", "y", "a", 0), ("1", "x", "b", 1), ("1", "y", "b", 0), ("1", "x", "c", 0)),
    )
    file = QrelsTables(
        table({("1", "a"): 2, ("1", "b"): 1, ("1", "d"): 3}),
        by_subtopic(("1", "y", "a", 2), ("1", "x", "b", 1), ("1", "x", "d", 3)),
    )
    by_file = merged(here, file, FILE)
    assert by_file.differing.rows() == [("1", "a", 2, 2)]
    assert by_file.tables.by_subtopic is not None
    assert by_file.tables.by_subtopic.rows() == [
        *(("1", "x", "b", 1), ("1", "x", "c", 0), ("1", "x", "d", 3), ("1", "y", "a", 2), ("1", "y", "b", 0)),
    ]
    by_desk = merged(here, file, HERE).tables.by_subtopic
    assert by_desk is not None
    assert by_desk.filter(pl.col("docno") == "a").rows() == [("1", "x", "a", 2), ("1", "y", "a", 0)]


@pytest.mark.parametrize("rule", [HERE, REFUSE])
def test_a_file_without_subtopics_takes_none_from_what_was_judged_here(rule: str) -> None:
    here = QrelsTables(table({("1", "a"): 2}), by_subtopic(("1", "x", "a", 2)))
    both = merged(here, QrelsTables(table({("1", "a"): 2, ("1", "b"): 1})), rule)
    assert both.tables.by_subtopic is not None
    assert both.tables.by_subtopic.rows() == [("1", "x", "a", 2)]
