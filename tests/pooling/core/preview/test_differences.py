import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from pooling.core.preview.differences import SHOWN, differences, differences_text, pool_pairs
from pooling.core.strategies.drawing import draw_pool
from tests.pooling.makers import depth_k, pooled
from tests.pooling.test_depth_k import TOPICS, docnos, make_runs, many_runs

pools = st.sets(st.tuples(st.sampled_from(TOPICS), docnos), max_size=12)


def table(pairs: set[tuple[str, str]]) -> pl.DataFrame:
    schema = {"topic": pl.Enum(TOPICS), "docno": pl.String}
    return pl.DataFrame(sorted(pairs), schema=schema, orient="row")


@given(pools, pools)
def test_every_pair_is_counted_once_on_its_side_and_written_if_only_one_pool_has_it(a: set, b: set) -> None:
    found = differences(table(a), table(b), TOPICS)
    assert (found.only_a, found.only_b, found.both) == (len(a - b), len(b - a), len(a & b))
    for row in found.topics:
        mine, others = ({pair for pair in pool if pair[0] == row.topic} for pool in (a, b))
        assert (row.only_a, row.only_b, row.both) == (len(mine - others), len(others - mine), len(mine & others))
    lines = [line.split(" ") for line in differences_text(table(a), table(b)).splitlines()]
    assert sorted(map(tuple, lines)) == sorted([(*pair, "a") for pair in a - b] + [(*pair, "b") for pair in b - a])
    assert set(found.first_a) <= a - b
    assert len(found.first_b) == min(SHOWN, len(b - a))


@given(many_runs, st.integers(1, 4))
def test_the_compared_pairs_are_those_that_are_drawn(all_scores: list[dict], depth: int) -> None:
    runs = make_runs(all_scores)
    assert pooled(pool_pairs(runs, TOPICS, depth_k(depth))) == pooled(draw_pool(runs, TOPICS, depth_k(depth)).entries)
