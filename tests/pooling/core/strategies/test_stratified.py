from collections import Counter
from fractions import Fraction
from math import floor
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pooling.core.strategies.drawing import draw_pool, pool_file
from pooling.core.strategies.frames import frame_file
from pooling.core.strategies.parameters import PoolSpecError
from pooling.core.strategies.spec import PoolSpec
from tests.pooling.core.strategies.sampling import TOPICS, lot, make_runs, probabilities_of, selections, two_runs
from tests.pooling.makers import make_pooled_run
from tests.pooling.test_depth_k import first, many_runs, seeds

Row = tuple[str, str, int, float | None]
rates = st.dictionaries(st.integers(1, 8), st.sampled_from([0.001, 0.1, 0.145, 0.5, 2 / 3, 1.0]), min_size=1)


def spec(rates: Any, **common: Any) -> PoolSpec:
    return PoolSpec.with_defaults("stratified", {"rates": rates}, **common)


def drawn_by_hand(all_scores: list[dict], bounds: dict[int, float], seed: int) -> set[Row]:
    """Every candidate with its stratum, and its probability if it is drawn."""
    best: dict[tuple[str, str], int] = {}
    for held in all_scores:
        for topic, scores in held.items():
            for position, docno in enumerate(first(scores, max(bounds)), start=1):
                best[topic, docno] = min(position, best.get((topic, docno), position))
    rows: set[Row] = set()
    below = 0
    for stratum, (bound, rate) in enumerate(sorted(bounds.items()), start=1):
        for topic in TOPICS:
            held = [docno for (other, docno), place in best.items() if other == topic and below < place <= bound]
            size = max(1, floor(Fraction(str(round(rate, 9))) * len(held) + Fraction(1, 2)))
            by_lot = sorted(held, key=lambda docno: lot(seed, topic, docno))
            rows |= {(topic, docno, stratum, size / len(held)) for docno in by_lot[:size]}
            rows |= {(topic, docno, stratum, None) for docno in by_lot[size:]}
        below = bound
    return rows


@given(many_runs, rates, seeds)
def test_each_stratum_of_a_topic_gives_its_share_of_documents_by_the_smallest_lots(
    all_scores: list[dict], bounds: dict[int, float], seed: int
) -> None:
    draw = draw_pool(make_runs(all_scores), TOPICS, spec(list(bounds.items()), seed=seed))
    assert draw.frame is not None
    drawn = draw.entries.select(pl.col("topic").cast(pl.String), "docno", "stratum", "inclusion_probability").rows()
    left = [(str(topic), docno, stratum, None) for topic, docno, stratum in draw.frame.rows()]
    assert Counter(drawn + left) == Counter(drawn_by_hand(all_scores, bounds, seed))


@given(many_runs, rates, seeds, st.randoms(use_true_random=False))
def test_the_same_runs_in_any_order_give_the_same_bytes(
    all_scores: list[dict], bounds: dict[int, float], seed: int, random: Any
) -> None:
    runs, asked = make_runs(all_scores), spec(list(bounds.items()), seed=seed)
    one, other = (draw_pool(some, TOPICS, asked) for some in (runs, random.sample(runs, len(runs))))
    assert pool_file(one.entries) == pool_file(other.entries)
    assert one.frame is not None
    assert other.frame is not None
    assert frame_file(one.frame) == frame_file(other.frame)


def test_over_many_seeds_each_document_is_drawn_as_often_as_its_probability_says_and_totals_are_unbiased() -> None:
    draws, runs = 400, two_runs()
    counts: Counter[str] = Counter()
    totals = {"documents": 0.0, "relevant": 0.0}
    stated: dict[str, float] = {}
    for selection in selections(runs, "stratified", {"rates": [[3, 1], [10, 0.5], [40, 0.2]]}, draws):
        probabilities = probabilities_of(selection)
        counts.update(probabilities.keys())
        stated |= probabilities
        totals["documents"] += sum(1 / p for p in probabilities.values())
        totals["relevant"] += sum(1 / p for docno, p in probabilities.items() if int(docno[1:]) % 3 == 0)
    assert len(stated) == 40, "every document has a chance"
    for docno, p in stated.items():
        assert abs(counts[docno] / draws - p) <= 4.5 * (p * (1 - p) / draws) ** 0.5, docno
    assert totals["documents"] / draws == pytest.approx(40)
    assert abs(totals["relevant"] / draws - 14) < 4.5 * 3.5 / draws**0.5


def test_a_larger_sample_of_the_same_seed_holds_the_smaller_one() -> None:
    small, large = (
        set(probabilities_of(next(selections(two_runs(), "stratified", {"rates": [[40, rate]]}, 1))))
        for rate in (0.2, 0.6)
    )
    assert small < large


def test_a_topic_with_fewer_documents_than_strata_lacks_the_others() -> None:
    runs = [make_pooled_run({"9": {"a": 1.0}, "10": {"a": 3.0, "b": 2.0}})]
    draw = draw_pool(runs, TOPICS, spec([[1, 0.1], [2, 0.1], [3, 0.1], [100, 0.1]]))
    assert draw.entries.select("topic", "docno", "stratum", "inclusion_probability").sort(
        "topic", "stratum"
    ).rows() == [
        ("10", "a", 1, 1.0),
        ("10", "b", 2, 1.0),
        ("9", "a", 1, 1.0),
    ]
    assert draw.frame is not None
    assert draw.frame.is_empty()
    assert draw_pool([], TOPICS, spec([[1, 0.1]])).entries.is_empty()


@pytest.mark.parametrize(
    ("written", "depth"), [("10:1 20:0.5 100:0.1", 10), ("5:1 10:1 20:0.5", 10), ("10:0.5 20:1", 0), ("7:1", 7)]
)
def test_whole_is_what_the_leading_strata_of_rate_1_reach(written: str, depth: int) -> None:
    asked = spec(PoolSpec.with_defaults("stratified").method.from_text({"rates": written})["rates"])
    assert asked.method.judged_whole(asked.parameters) == depth


@pytest.mark.parametrize("written", ["10:0", "10:1.1", "0:1", "1001:1", "10:1 10:0.5", "", "10", "10:x", "10:nan"])
def test_rates_that_are_none_are_refused_with_an_example(written: str) -> None:
    with pytest.raises(PoolSpecError, match=r"rates is a list of pairs such as “10:1 20:0\.5 100:0\.1”"):
        PoolSpec.with_defaults("stratified").method.from_text({"rates": written})


def test_more_strata_than_qrels_can_number_are_refused() -> None:
    with pytest.raises(PoolSpecError, match=r"has 1,000 strata\. Give at most 999"):
        draw_pool(two_runs(), TOPICS, spec([[bound, 1] for bound in range(1, 1001)]))


def test_what_it_covers_says_the_share_of_each_stratum() -> None:
    asked = spec([[10, 1], [20, 0.5], [100, 0.125]])
    said = asked.method.covers(asked.parameters)[0]
    assert said.endswith("all of those from 1 to 10, 50 % of those from 11 to 20, 12.5 % of those from 21 to 100.")
