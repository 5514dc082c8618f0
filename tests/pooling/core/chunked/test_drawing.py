"""Pools drawn in parts, from heads of runs on the disk, are those that are drawn at once from whole runs."""

import hashlib
from io import BytesIO
from typing import Any

import polars as pl
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from campaign.formats.runs.order_setting import Ordering
from campaign.formats.runs.table import RUN_SCHEMA, ranked
from pooling.core.chunked import drawing as parts
from pooling.core.chunked.drawing import DrawnPool, HeadsInParts, draw_in_parts, parts_of
from pooling.core.chunked.run_heads import HEAD_SCHEMA, head_file, head_of, heads_file, read_head, read_heads
from pooling.core.chunked.spool import Spool
from pooling.core.preview.coverage import contributions, whole_depth
from pooling.core.preview.exactness import reach_as_drawn
from pooling.core.strategies import registry
from pooling.core.strategies.declaration import Candidates, PooledRun, Selection, Strategy, appearances, with_shares
from pooling.core.strategies.drawing import Draw, draw_pool, pool_file
from pooling.core.strategies.parameters import Parameters
from pooling.core.strategies.randomness import SeededGenerator
from pooling.core.strategies.spec import PoolSpec
from tests.draws import examples

TOPICS = ["10", "9", "1", "x"]
scores = st.sampled_from([0.0, 0.5, 1.0, 1.0 + 1e-9, 3.0])
line = st.tuples(st.sampled_from([*TOPICS, "unknown"]), st.sampled_from("abcdefghij"), st.none(), scores)
tables = st.lists(line, max_size=40, unique_by=lambda row: row[:2]).map(
    lambda rows: pl.DataFrame(rows, schema=RUN_SCHEMA, orient="row")
)


def by_share(candidates: Candidates, parameters: Parameters, generator: SeededGenerator) -> Selection:
    """A sample of what the first three places hold, judged by the sum of shares; the rest is the frame."""
    held = candidates.appearances.sort("topic", "docno", "run").group_by("topic", "docno", maintain_order=True)
    weighed = held.agg(place=-pl.col("share").sum())
    drawn = generator.uniform(weighed) < 0.5
    pooled = weighed.filter(drawn)
    return Selection(
        candidates.appearances.join(pooled, on=["topic", "docno"], how="semi"),
        pooled.with_columns(inclusion_probability=pl.lit(0.5), stratum=pl.lit(2, dtype=pl.Int32)),
        weighed.filter(~drawn).select("topic", "docno", stratum=pl.lit(2, dtype=pl.Int32)),
    )


SAMPLED = Strategy(
    name="sampled",
    label="sampled",
    select=by_share,
    reads=lambda parameters: 3,
    covers=lambda parameters: (),
    sampling="stratum",
    reads_scores=True,
    own_order="by sum of shares",
)


@pytest.fixture(autouse=True)
def sampled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry.STRATEGIES, "sampled", SAMPLED)


specs = st.one_of(
    st.builds(
        lambda depth, seed: PoolSpec.with_defaults("depth-k", {"depth": depth}, seed=seed),
        st.integers(1, 5),
        st.integers(0, 99),
    ),
    st.builds(
        lambda order, seed: PoolSpec.with_defaults("sampled", order=order, seed=seed),
        st.sampled_from(["random", "strategy"]),
        st.integers(0, 99),
    ),
)


def drawn_in_parts(runs: list[pl.DataFrame], length: int, spec: PoolSpec, depth: int | None = None) -> DrawnPool:
    spool = Spool(BytesIO())
    heads = HeadsInParts([TOPICS[start : start + length] for start in range(0, len(TOPICS), length)], spool)
    method = spec.method
    for number, table in enumerate(runs):
        head = head_of(table, spec.ordering, depth or method.reads(spec.parameters), method.reads_scores)
        heads.add(PooledRun(f"run{number}", f"team{number % 2}", 1, head))
    return draw_in_parts(heads, spec, spool)


def drawn_at_once(runs: list[pl.DataFrame], spec: PoolSpec) -> Draw:
    whole = [
        PooledRun(f"run{number}", f"team{number % 2}", 1, ranked(table, spec.ordering))
        for number, table in enumerate(runs)
    ]
    return draw_pool(whole, TOPICS, spec)


@examples(15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(tables, min_size=1, max_size=4), st.sampled_from([1, 2, len(TOPICS)]), specs)
def test_a_pool_in_parts_of_any_length_is_the_pool_at_once(
    runs: list[pl.DataFrame], length: int, spec: PoolSpec
) -> None:
    whole, drawn = drawn_at_once(runs, spec), drawn_in_parts(runs, length, spec)
    topic = pl.col("topic").cast(pl.String)
    assert drawn.sha256 == hashlib.sha256(pool_file(whole.entries)).hexdigest()
    assert pl.concat(drawn.entries()).equals(whole.entries.with_columns(topic))
    assert (drawn.size, drawn.tags) == (whole.entries.height, whole.tags)
    counted = contributions(whole.selected, [number % 2 for number in range(len(runs))]).runs
    assert drawn.contributed.tolist() == [list(row) for row in counted.drop("run").iter_rows()]
    if whole.frame is None:
        assert drawn.frame() is None
    else:
        assert drawn.frame().equals(whole.frame.with_columns(topic))


@examples(15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(tables, min_size=1, max_size=4), st.sampled_from([1, 2, len(TOPICS)]), specs)
def test_the_depth_to_which_a_pool_in_parts_holds_every_run_is_that_of_the_pool_at_once(
    runs: list[pl.DataFrame], length: int, spec: PoolSpec
) -> None:
    """Heads are deeper than the strategy reads, which changes nothing of what is drawn."""
    whole, drawn = drawn_at_once(runs, spec), drawn_in_parts(runs, length, spec, depth=7)
    assert drawn.sha256 == hashlib.sha256(pool_file(whole.entries)).hexdigest()
    held = appearances(
        [PooledRun(str(number), "", 1, ranked(table, spec.ordering)) for number, table in enumerate(runs)], TOPICS, 7
    )
    looked = whole_depth(held, whole.entries)
    assert reach_as_drawn(spec, drawn.whole) == reach_as_drawn(spec, looked)


@given(tables, st.none() | st.integers(1, 5), st.sampled_from(["score", "rank", "line"]))
def test_a_head_that_was_kept_holds_the_first_documents_with_their_shares_of_the_whole_run(
    table: pl.DataFrame, depth: int | None, run_order: str
) -> None:
    ordering = Ordering(run_order)
    head = read_head(head_file(head_of(table, ordering, depth, reads_scores=True)))
    whole = with_shares(ranked(table, ordering)).select("topic", "docno", "position", "share")
    assert head.equals(whole if depth is None else whole.filter(pl.col("position") <= depth))


@given(st.lists(tables, max_size=4), st.integers(1, 3))
def test_heads_that_were_kept_together_are_those_of_each_run_in_their_order(
    kept: list[pl.DataFrame], depth: int
) -> None:
    heads = [head_of(table, Ordering(), depth, reads_scores=True) for table in kept]
    read = read_heads(heads_file(heads), len(heads))
    assert len(read) == len(heads)
    assert all(one.drop("pair").equals(head) for one, head in zip(read, heads, strict=True))
    together = pl.concat([head.select("topic", "docno", "pair") for head in read] or [HEAD_SCHEMA.to_frame()])
    assert together.n_unique() == together.n_unique(["topic", "docno"])
    assert not read or together.n_unique("pair") == together.n_unique(["topic", "docno"])


def test_a_kept_head_takes_a_third_of_its_texts_positions_and_shares() -> None:
    rows = [(str(t), f"NEWS-{t:04}-{d * 7919 % 9973:04}", d, 1 / d) for t in range(50) for d in range(1, 101)]
    head = pl.DataFrame(rows, schema=HEAD_SCHEMA, orient="row")
    assert len(head_file(head)) < head.estimated_size() / 3


@given(st.lists(st.tuples(st.text("abé", max_size=3), st.integers(0, 9)), max_size=5), st.integers(0, 3))
def test_the_spool_gives_back_each_table_in_any_order(rows: list[tuple[str, int]], number: int) -> None:
    spool = Spool(BytesIO())
    held = [pl.DataFrame(rows, schema={"docno": pl.String, "n": pl.Int64}, orient="row").head(n) for n in range(4)]
    numbers = [spool.put(table) for table in held]
    assert spool.get(numbers[number]).equals(held[number])
    assert spool.get(spool.put(held[number])).equals(held[number])


def test_what_looks_across_topics_is_one_part(monkeypatch: pytest.MonkeyPatch) -> None:
    spec = PoolSpec.with_defaults("sampled")
    assert len(parts_of(TOPICS, parts.ROWS_AT_ONCE, spec)) == len(TOPICS)
    declared = {name: getattr(SAMPLED, name) for name in SAMPLED.__dataclass_fields__}
    monkeypatch.setitem(registry.STRATEGIES, "sampled", Strategy(**{**declared, "across_topics": True}))
    assert parts_of(TOPICS, parts.ROWS_AT_ONCE, spec) == [TOPICS]


def test_a_task_without_topics_has_an_empty_pool() -> None:
    spool, spec = Spool(BytesIO()), PoolSpec.with_defaults("depth-k")
    drawn = draw_in_parts(HeadsInParts(parts_of([], 10, spec), spool), spec, spool)
    assert (drawn.size, drawn.frame(), drawn.contributed.tolist()) == (0, None, [])


def test_progress_is_told_in_topics() -> None:
    told: list[tuple[Any, ...]] = []
    table = pl.DataFrame([(topic, "a", None, 1.0) for topic in TOPICS], schema=RUN_SCHEMA, orient="row")
    spool, spec = Spool(BytesIO()), PoolSpec.with_defaults("depth-k")
    heads = HeadsInParts([TOPICS[:3], TOPICS[3:]], spool)
    heads.add(PooledRun("run", "team", 1, head_of(table, Ordering(), 1)))
    draw_in_parts(heads, spec, spool, report=lambda *news: told.append(news))
    assert told == [(0, 4, "topics drawn"), (3, 4, "topics drawn")]
