"""Grades that near-identical documents take, against the same by hand."""

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from pooling.core.duplicates.standing import grades_taken

pairs = st.sampled_from([(topic, docno) for topic in "12" for docno in "abcde"])


@given(st.dictionaries(pairs, st.integers(-2, 3)), st.dictionaries(pairs, st.sampled_from("abcde")))
def test_grades_are_taken_as_by_hand(grades: dict, led: dict) -> None:
    graded = pl.DataFrame(
        [(*pair, grade) for pair, grade in grades.items()],
        schema={"topic": pl.String, "docno": pl.String, "grade": pl.Int32},
        orient="row",
    )
    twins = pl.DataFrame([(*pair, leader) for pair, leader in led.items()], schema=[*"td", "r"], orient="row")
    twins = twins.rename({"t": "topic", "d": "docno", "r": "representative"}).cast(pl.String)
    expected = [
        (topic, docno, grades[topic, leader])
        for (topic, docno), leader in led.items()
        if docno != leader and (topic, docno) not in grades and (topic, leader) in grades
    ]
    assert grades_taken(graded, twins).rows() == expected
