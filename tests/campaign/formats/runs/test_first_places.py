"""The first places of each topic, found without putting the rest in order."""

from collections.abc import Callable
from struct import pack, unpack
from typing import Any

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from campaign.formats.runs.order_setting import Ordering
from campaign.formats.runs.table import RUN_SCHEMA, ranked
from tests.draws import examples

docnos = [*"abcdefAB", "é", "漢", "𝒳", "d1", "d10"]
scores = st.sampled_from([0.0, -0.0, 1e-9, 1.0, 1.0 + 1e-9, 1e39, 2e39, 16777217.0, 16777216.0]) | st.floats(-2, 2)
line = st.tuples(st.sampled_from(["10", "9", "x"]), st.sampled_from(docnos), st.none() | st.integers(-1, 4), scores)
tables = st.lists(line, max_size=40, unique_by=lambda row: row[:2]).map(
    lambda rows: pl.DataFrame(rows, schema=RUN_SCHEMA, orient="row")
)
orderings = st.builds(Ordering, st.sampled_from(["score", "rank", "line"]), st.sampled_from(["9", "10"]))


@examples(100)
@given(tables, orderings, st.integers(1, 6), st.booleans())
def test_the_head_of_a_run_is_the_beginning_of_each_topic_of_the_whole_order(
    table: pl.DataFrame, ordering: Ordering, depth: int, by_topic: bool
) -> None:
    table = table.sort("topic", maintain_order=True) if by_topic else table
    whole = ranked(table, ordering)
    assert ranked(table, ordering, depth).equals(whole.filter(pl.col("position") <= depth))
    assert whole.equals(pl.DataFrame(obvious(table, ordering), schema=whole.schema, orient="row"))


def obvious(table: pl.DataFrame, ordering: Ordering) -> list[tuple[Any, ...]]:
    rows = []
    for topic in sorted(set(table["topic"]), key=str.encode):
        lines = [row for row in table.iter_rows() if row[0] == topic]
        lines.sort(key=_by_docno, reverse=True)
        lines.sort(key=_by_score(ordering), reverse=True)
        if ordering.run_order == "rank":
            lines.sort(key=lambda row: float("inf") if row[2] is None else row[2])
        elif ordering.run_order == "line":
            lines = [row for row in table.iter_rows() if row[0] == topic]
        rows += [(*row, place) for place, row in enumerate(lines, start=1)]
    return rows


def _by_docno(row: tuple[Any, ...]) -> bytes:
    return str(row[1]).encode()


def _by_score(ordering: Ordering) -> Callable[[tuple[Any, ...]], float]:
    def in_single_precision(value: float) -> float:
        try:
            return float(unpack("f", pack("f", value))[0])
        except OverflowError:
            return float("inf")

    return lambda row: in_single_precision(row[3]) if ordering.reference == "9" else row[3]
