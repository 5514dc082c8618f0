"""The report of a pool: which depth and which part of it the figures rest on, and what is said where nothing can be."""

from typing import Any

import polars as pl
import pytest

from pooling.core.completeness.exhaustion import THRESHOLD, Tail
from pooling.core.completeness.holders import Holder, holders_of
from pooling.core.completeness.outside import NoEstimate, Outside
from pooling.core.completeness.report import Completeness, Drawn, pool_completeness

SCHEMA = {
    "topic": pl.String,
    "docno": pl.String,
    "best_position": pl.UInt32,
    "stratum": pl.Int32,
    "inclusion_probability": pl.Float64,
    "source": pl.String,
    "relevant": pl.Boolean,
    "order": pl.Int64,
}
FRAME = {"topic": pl.String, "docno": pl.String, "stratum": pl.Int32}


def entry(docno: str, position: int, relevant: bool | None, **values: Any) -> dict[str, Any]:
    usual = {"topic": "1", "stratum": None, "inclusion_probability": None, "source": "drawn"}
    order = None if relevant is None else int(docno[1:])
    return {**usual, "docno": docno, "best_position": position, "relevant": relevant, "order": order, **values}


def make_entries(rows: list[dict[str, Any]]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=SCHEMA)


def depth_pool(relevant: set[int], depth: int = 10) -> Completeness:
    """A document at each position."""
    rows = [entry(f"d{place}", place, place in relevant) for place in range(1, depth + 1)]
    return pool_completeness(make_entries(rows), Drawn(reads=depth, judged_whole=depth))


def told(completeness: Completeness) -> Tail:
    assert completeness.tail is not None
    return completeness.tail


def test_a_last_slice_that_still_brings_relevant_documents_promises_more() -> None:
    assert told(depth_pool({1, 2, 3})).promises_more is False
    late = told(depth_pool({1, 10}))
    assert (late.promises_more, late.part, late.relevant) == (True, "positions 9 to 10", 1)
    assert [(topic.topic, topic.share) for topic in late.topics] == [("1", 0.5)]
    assert depth_pool(set()).tail is None
    just = told(depth_pool({*range(1, 20), 100}, depth=100))
    assert (just.share, just.promises_more) == (THRESHOLD, False)


def test_where_runs_are_shorter_than_the_pool_the_last_slice_ends_with_them() -> None:
    def short(relevant: set[int]) -> Completeness:
        rows = [entry(f"d{place}", place, place in relevant) for place in range(1, 7)]
        return pool_completeness(make_entries(rows), Drawn(reads=10, judged_whole=10))

    tail = told(short({1, 2, 3}))
    assert (tail.part, tail.pooled, tail.judged, tail.promises_more) == ("position 6", 1, 1, False)
    assert told(short({1, 6})).promises_more
    longer = [entry(f"d{place}", place, relevant=place < 20) for place in range(1, 61)]
    completeness = pool_completeness(make_entries(longer), Drawn(reads=100, judged_whole=100))
    assert (told(completeness).part, told(completeness).judged) == ("positions 51 to 60", 10)
    assert completeness.slices["pooled"].to_list() == [10] * 6


def test_positions_that_no_run_has_do_not_make_the_curve_of_an_estimate_steeper() -> None:
    rows = [entry(f"d{place}", place, relevant=place % 3 == 1 if place % 2 else None) for place in range(1, 31)]
    entries = make_entries(rows)
    ranking = entries.select("topic", "docno", position=pl.col("best_position"))
    by_depth = []
    for depth in (30, 100):
        held = holders_of(entries, [(Holder("one", "north", 1), ranking)], depth)
        by_depth.append((pool_completeness(entries, Drawn(depth, judged_whole=depth), held).estimates or ())[2])
    assert by_depth[0] == by_depth[1]


def test_of_an_adaptive_pool_the_last_choices_are_asked() -> None:
    base = [entry(f"d{place}", 1, relevant=True, stratum=1, inclusion_probability=1.0) for place in range(5)]
    chosen = [
        entry(f"d{place}", 9, place == last, stratum=1001, inclusion_probability=1.0, source="chosen")
        for last in [29]
        for place in range(10, 30)
    ]
    completeness = pool_completeness(make_entries(base + chosen), Drawn(reads=100, judged_whole=5, sampling="stratum"))
    assert (told(completeness).part, told(completeness).judged) == (
        "the last tenth of each topic's chosen documents",
        2,
    )
    assert told(completeness).share == 1.0


def test_documents_in_random_order_say_nothing_of_exhaustion() -> None:
    rows = [entry(f"d{place}", 1, place == 9) for place in range(10)]
    assert pool_completeness(make_entries(rows), Drawn()).tail is None
    assert told(pool_completeness(make_entries(rows), Drawn(promising_first=True))).promises_more


def test_a_sampled_slice_counts_what_its_documents_stand_for() -> None:
    rows = [entry("d1", 1, relevant=True, stratum=1, inclusion_probability=1.0)]
    rows += [entry("d2", 100, relevant=True, stratum=2, inclusion_probability=0.1)]
    frame = pl.DataFrame([("1", "x", 2)], schema=FRAME, orient="row")
    completeness = pool_completeness(make_entries(rows), Drawn(100, judged_whole=10, sampling="stratum", frame=frame))
    assert completeness.depth == 100
    assert told(completeness).share == pytest.approx(10 / 11)


def test_without_a_sample_below_it_a_pool_is_only_as_deep_as_it_is_whole() -> None:
    rows = [entry("d1", 1, relevant=True, stratum=1, inclusion_probability=1.0)]
    frame = pl.DataFrame([("1", "x", 2)], schema=FRAME, orient="row")
    drawn = Drawn(100, judged_whole=10, sampling="stratum")
    assert pool_completeness(make_entries(rows), drawn).depth == 10
    drawn = Drawn(100, judged_whole=10, sampling="stratum", frame=frame)
    assert pool_completeness(make_entries(rows), drawn).depth == 10
    drawn = Drawn(100, judged_whole=10, sampling="probability", frame=frame)
    assert pool_completeness(make_entries(rows), drawn).depth == 10


def test_components_are_told_apart_by_source_and_stratum() -> None:
    rows = [
        entry("d1", 0, relevant=False, stratum=1002, inclusion_probability=1.0, source="found"),
        entry("d2", 9, relevant=True, stratum=1001, inclusion_probability=1.0, source="chosen"),
        entry("d3", 9, relevant=None, stratum=2, inclusion_probability=0.1),
        entry("d4", 1, relevant=True, stratum=1, inclusion_probability=1.0),
    ]
    components = pool_completeness(make_entries(rows), Drawn(sampling="stratum")).components
    assert components.select("source", "stratum", "low", "pooled", "judged", "relevant").rows() == [
        ("drawn", 1, 1.0, 1, 1, 1),
        ("drawn", 2, 0.1, 1, 0, 0),
        ("chosen", 1001, 1.0, 1, 1, 1),
        ("found", 1002, 1.0, 1, 1, 0),
    ]


def test_runs_teams_and_classes_are_counted_once_it_is_known_what_they_hold() -> None:
    entries = make_entries([entry("d1", 1, relevant=True), entry("d2", 1, relevant=False)])
    drawn = Drawn(reads=1, judged_whole=1)
    before = pool_completeness(entries, drawn)
    assert before.teams is None
    assert before.estimates is None
    rankings = {
        "one": [("1", "d1", 1), ("1", "d2", 2)],
        "two": [("1", "d2", 1)],
        "three": [("1", "d2", 1)],
    }
    schema = {"topic": pl.String, "docno": pl.String, "position": pl.UInt32}
    runs = [
        (Holder(tag, "south" if tag == "three" else "north", len(tag)), pl.DataFrame(rows, schema=schema, orient="row"))
        for tag, rows in rankings.items()
    ]
    completeness = pool_completeness(entries, drawn, holders_of(entries, runs, depth=1))
    assert completeness.runs is not None
    assert completeness.teams is not None
    assert completeness.priorities is not None
    assert completeness.runs.rows() == [(0, 1, 1, 1, 1, 1), (1, 1, 1, 0, 0, 0), (2, 1, 1, 0, 0, 0)]
    assert completeness.teams.rows() == [("north", 2, 2, 1, 1, 1), ("south", 1, 1, 0, 0, 0)]
    assert completeness.priorities.rows() == [(3, 2, 2, 1, 1, 1), (5, 1, 1, 0, 0, 0)]
    assert [type(estimate) for estimate in completeness.estimates or ()] == [NoEstimate, Outside, NoEstimate]


def test_relevant_documents_that_were_chosen_are_not_expected_again() -> None:
    sampled = {"stratum": 2, "inclusion_probability": 0.5}
    rows = [entry(f"d{place}", 1 + place // 2, place % 2 == 0, **sampled) for place in range(32)]
    frame = pl.DataFrame([("1", f"d{100 + place}", 2) for place in range(32)], schema=FRAME, orient="row")
    added = entry("d100", 3, relevant=True, stratum=1001, inclusion_probability=1.0, source="chosen")
    drawn = Drawn(16, sampling="stratum", frame=frame)
    held = holders_of(make_entries(rows), [], depth=None)
    expected = []
    for table in (rows, [*rows, added]):
        estimate = (pool_completeness(make_entries(table), drawn, held).estimates or ())[2]
        assert isinstance(estimate, Outside)
        expected.append(estimate.expected)
    assert expected[1] == pytest.approx(expected[0] - 1)


def test_a_pool_of_which_nothing_is_judged_has_a_report() -> None:
    entries = make_entries([entry("d1", 1, relevant=None)])
    completeness = pool_completeness(entries, Drawn(10, judged_whole=10), holders_of(entries, [], depth=10))
    assert (completeness.pooled, completeness.judged, completeness.unjudged, completeness.relevant) == (1, 0, 1, 0)
    assert all(isinstance(estimate, NoEstimate) for estimate in completeness.estimates or ())
    assert completeness.to_json()["curves"] == {}
