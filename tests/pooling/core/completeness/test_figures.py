"""Curves and yields against loops over the judged documents."""

from typing import Any

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from pooling.core.completeness.curve import by_depth, saturation, summed
from pooling.core.completeness.outside import judged_entries
from pooling.core.completeness.yields import by_holder, by_slice, yields

Entry = tuple[str, str, int, bool | None]
entry = st.tuples(st.sampled_from("12"), st.sampled_from("abcdef"), st.integers(0, 35), st.none() | st.booleans())
pools = st.lists(entry, unique_by=lambda row: row[:2])


def make_entries(rows: list[Entry]) -> pl.DataFrame:
    schema = {"topic": pl.String, "docno": pl.String, "best_position": pl.UInt32, "relevant": pl.Boolean}
    return pl.DataFrame(rows, schema=schema, orient="row")


def counted(rows: list[Any]) -> tuple[int, int, int]:
    grades = [row[3] for row in rows]
    return len(grades), sum(grade is not None for grade in grades), sum(grade is True for grade in grades)


@given(st.lists(st.tuples(st.sampled_from("123"), st.booleans())))
def test_the_curve_grows_as_documents_are_judged(acts: list[tuple[str, bool]]) -> None:
    rows = [(topic, relevant, order) for order, (topic, relevant) in enumerate(acts)]
    schema = {"topic": pl.String, "relevant": pl.Boolean, "order": pl.Int64}
    curve = saturation(pl.DataFrame(rows, schema=schema, orient="row").sample(fraction=1, shuffle=True, seed=1))
    by_topic = {topic: [relevant for other, relevant in acts if other == topic] for topic, _ in acts}
    points = [
        (topic, n, sum(by_topic[topic][:n])) for topic in sorted(by_topic) for n in range(1, len(by_topic[topic]) + 1)
    ]
    assert curve.rows() == points
    longest = max((len(judged) for judged in by_topic.values()), default=0)
    heads = [[judged[:n] for judged in by_topic.values()] for n in range(1, longest + 1)]
    assert summed(curve).rows() == [
        (n, sum(map(len, judged)), sum(map(sum, judged))) for n, judged in enumerate(heads, start=1)
    ]


@given(pools)
def test_slices_and_depths_count_each_entry_at_its_best_position(rows: list[Entry]) -> None:
    entries = make_entries(rows)
    bounds = sorted({0 if not position else -(-position // 10) * 10 for *_, position, _ in rows})
    expected = [
        (first, last, *counted([row for row in rows if first <= row[2] <= last]))
        for first, last in ((max(0, last - 9), last) for last in bounds)
    ]
    assert by_slice(entries).rows() == expected
    judged = [row for row in rows if row[2] and row[3] is not None]
    depths = sorted({row[2] for row in judged})
    assert by_depth(entries).rows() == [(d, *counted([row for row in judged if row[2] <= d])[1:]) for d in depths]


@given(pools, st.lists(st.tuples(st.sampled_from("12"), st.sampled_from("abcdefg"), st.sampled_from("xyz"))))
def test_what_only_one_holder_has_is_counted_as_unique(rows: list[Entry], held: list[tuple[str, str, str]]) -> None:
    holders = pl.DataFrame(held, schema=dict.fromkeys(("topic", "docno", "team"), pl.String), orient="row")
    by_pair: dict[tuple[str, str], set[str]] = {}
    for topic, docno, team in held:
        by_pair.setdefault((topic, docno), set()).add(team)
    expected = []
    for team in sorted({team for *_, team in held}):
        own = [row for row in rows if team in by_pair.get(row[:2], ())]
        alone = [row for row in own if len(by_pair[row[:2]]) == 1]
        if own:
            expected.append((team, *counted(own), len(alone), counted(alone)[2]))
    assert by_holder(make_entries(rows), holders, "team").rows() == expected


def test_a_component_that_is_not_recorded_stands_last() -> None:
    entries = pl.DataFrame({"stratum": [None, 2, 1], "relevant": [None, True, False]})
    assert yields(entries, "stratum").rows() == [(1, 1, 1, 0), (2, 1, 1, 1), (None, 1, 0, 0)]


def test_only_a_grade_from_the_lowest_relevant_one_is_relevant() -> None:
    entries = pl.DataFrame({"topic": ["1"] * 5, "docno": list("abcde")})
    grades = pl.DataFrame({"topic": ["1"] * 4, "docno": list("abcd"), "grade": [2, 1, -1, -2]})
    assert judged_entries(entries, grades, lowest_relevant=2)["relevant"].to_list() == [True, False, None, None, None]
