"""Pools and scores take a run's documents in one order: what is pooled to depth k is judged to depth k."""

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from campaign.formats.runs.order_setting import Ordering
from campaign.formats.runs.table import RUN_SCHEMA, ranked
from evaluation.engine.judgments import Judgments
from evaluation.engine.ranking import rank_run
from evaluation.engine.scoring import score_ranked
from pooling.core.strategies.declaration import PooledRun
from pooling.core.strategies.drawing import draw_pool
from tests.draws import examples
from tests.pooling.makers import depth_k

TOPICS = ["10", "9"]
docnos = [*"abAB", "é", "漢", "𝒳", "d1", "d10"]
scores = st.sampled_from([0.0, -0.0, 1e-9, 1.0, 1.0 + 1e-9, 1.0 - 1e-9, 1e39, 2e39, -1e39, 16777217.0, 16777216.0])
ranks = st.none() | st.integers(-1, 4)
line = st.tuples(st.sampled_from(TOPICS), st.sampled_from(docnos), ranks, scores)
tables = st.lists(line, min_size=1, max_size=18, unique_by=lambda row: row[:2]).map(
    lambda rows: pl.DataFrame(rows, schema=RUN_SCHEMA, orient="row")
)
orderings = st.builds(Ordering, st.sampled_from(["score", "rank", "line"]), st.sampled_from(["9", "10"]))


@examples(60)
@given(st.lists(tables, min_size=1, max_size=3), st.integers(1, 10), orderings)
def test_a_judged_pool_of_depth_k_leaves_no_unjudged_document_within_depth_k_of_any_pooled_run(runs, k, ordering):
    pooled = [PooledRun(f"run{n}", f"team{n}", 1, ranked(table, ordering)) for n, table in enumerate(runs)]
    entries = draw_pool(pooled, TOPICS, depth_k(k)).entries
    pairs = entries.select(pl.col("topic").cast(pl.String), pl.lit("0").alias("subtopic"), "docno")
    judgments = Judgments.from_table(pairs.with_columns(grade=pl.lit(0, pl.Int32)))
    for table in runs:
        run = rank_run(table, judgments, ordering.reference, ordering.run_order)
        [scored] = score_ranked([run], [f"Judged@{k}"])
        assert scored.values[0][scored.answered].tolist() == [1.0] * int(scored.answered.sum())


@examples(60)
@given(tables, orderings)
def test_pools_and_scores_put_every_document_at_the_same_place(table, ordering):
    pairs = table.select("topic", pl.lit("0").alias("subtopic"), "docno", pl.lit(0, pl.Int32).alias("grade"))
    judgments = Judgments.from_table(pairs)
    run = rank_run(table, judgments, ordering.reference, ordering.run_order)
    scored = {(*judgments.documents.row(d), rank) for d, rank in zip(run.document, run.rank.tolist(), strict=True)}
    assert scored == set(ranked(table, ordering).select("topic", "docno", "position").iter_rows())


@pytest.mark.parametrize(
    ("ordering", "expected"),
    [
        (Ordering(), "cbad"),
        (Ordering(reference="10"), "cabd"),
        (Ordering("rank"), "dbac"),
        (Ordering("rank", "10"), "dabc"),
        (Ordering("line"), "abcd"),
    ],
    ids=str,
)
def test_each_order_takes_the_lines_as_it_says(ordering, expected):
    rows = [("1", "a", 2, 1.0 + 1e-9), ("1", "b", 2, 1.0), ("1", "c", None, 3.0), ("1", "d", 1, 0.5)]
    table = pl.DataFrame(rows, schema=RUN_SCHEMA, orient="row")
    assert "".join(ranked(table, ordering)["docno"]) == expected
