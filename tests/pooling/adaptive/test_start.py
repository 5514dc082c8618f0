"""What adaptive pools judge at the start: the base and the control sample."""

import hashlib
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pooling.core.strategies.adaptive.choosing import control_sample, topic_lists
from pooling.core.strategies.declaration import PooledRun, candidates
from pooling.core.strategies.drawing import draw_pool, pool_file
from pooling.core.strategies.parameters import PoolSpecError
from pooling.core.strategies.spec import PoolSpec
from tests.draws import examples
from tests.pooling.adaptive.makers import TOPIC, make_candidates, make_runs, make_spec, seeds
from tests.pooling.test_depth_k import TOPICS, many_runs
from tests.pooling.test_depth_k import make_runs as runs_of_scores

MAXMEAN = ("maxmean", {})


def uniform(seed: int, topic: str, docno: str) -> int:
    return int.from_bytes(hashlib.blake2b(f"{seed} select {topic} {docno}".encode(), digest_size=8).digest(), "big")


def drawn_slowly(
    runs: list[PooledRun], depth: int, deepest: int, control: int, seed: int
) -> tuple[set[tuple[str, str, int, float]], set[tuple[str, str]]]:
    """Entries with stratum and probability, and the frame."""
    entries, frame = set(), set()
    for topic in TOPICS:
        held = [run.ranking.filter(pl.col("topic") == topic).sort("position")["docno"].to_list() for run in runs]
        base = {docno for docnos in held for docno in docnos[:depth]}
        others = sorted({docno for docnos in held for docno in docnos[:deepest]} - base)
        sample = sorted(others, key=lambda docno: (uniform(seed, topic, docno) >> 11, docno))[:control]
        entries |= {(topic, docno, 1, 1.0) for docno in base}
        entries |= {(topic, docno, 2, len(sample) / len(others)) for docno in sample}
        frame |= {(topic, docno) for docno in set(others) - set(sample)}
    return entries, frame


@given(many_runs, st.integers(1, 3), st.integers(0, 5), st.integers(0, 4), seeds)
def test_a_pool_starts_with_the_tops_of_all_runs_and_some_of_the_others_drawn_at_random(
    all_scores: list[dict], depth: int, below: int, control: int, seed: int
) -> None:
    spec = make_spec(MAXMEAN, seed, depth=depth, candidates=depth + below, control=control)
    runs = runs_of_scores(all_scores)
    drawn = draw_pool(runs, TOPICS, spec)
    entries, frame = drawn_slowly(runs, depth, depth + below, control, seed)
    held = drawn.entries.select(pl.col("topic").cast(pl.String), "docno", "stratum", "inclusion_probability")
    assert set(held.iter_rows()) == entries
    assert held.height == len(entries)
    if control:
        assert drawn.frame is not None
        assert sorted(drawn.frame.cast({"topic": pl.String}).rows()) == sorted((*pair, 2) for pair in frame)
    else:
        assert drawn.frame is None


@examples(20)
@given(many_runs, st.sampled_from(["mtf", "hedge", "maxmean"]), seeds, st.randoms(use_true_random=False))
def test_the_start_depends_neither_on_the_order_of_the_runs_nor_on_how_is_chosen_on(
    all_scores: list[dict], name: str, seed: int, random: Any
) -> None:
    parameters = {"depth": 1, "candidates": 6, "control": 2}
    runs = runs_of_scores(all_scores)
    one = draw_pool(runs, TOPICS, PoolSpec.with_defaults("maxmean", parameters, seed=seed))
    spec = PoolSpec.with_defaults(name, {**parameters, "size": 77, "patience": 3}, seed=seed)
    other = draw_pool(random.sample(runs, len(runs)), TOPICS, spec)
    assert pool_file(one.entries) == pool_file(other.entries)
    assert one.frame is not None
    assert one.frame.equals(other.frame)


@examples(20)
@given(many_runs, seeds)
def test_the_control_sample_of_a_topic_can_be_drawn_again_from_its_lists(all_scores: list[dict], seed: int) -> None:
    spec = make_spec(MAXMEAN, seed, depth=1, candidates=5, control=3)
    runs = runs_of_scores(all_scores)
    entries = draw_pool(runs, TOPICS, spec).entries
    for deepest in (5, None):
        available = candidates(runs, TOPICS, deepest)
        for topic in TOPICS:
            held = entries.filter(pl.col("topic") == topic)
            base, control = (held.filter(pl.col("stratum") == stratum)["docno"].to_list() for stratum in (1, 2))
            assert control_sample(topic_lists(available, topic), spec, base) == sorted(control)


def test_the_relevant_documents_outside_are_estimated_without_bias() -> None:
    """Horvitz-Thompson: each relevant document of the sample stands for 1 / p; over many draws the mean is the truth."""
    topics = [str(number) for number in range(2000)]
    rows = [(topic, f"d{position}", position) for topic in topics for position in range(1, 32)]
    ranking = pl.DataFrame(rows, schema={"topic": pl.String, "docno": pl.String, "position": pl.UInt32}, orient="row")
    entries = draw_pool([PooledRun("run", "team", 1, ranking)], topics, make_spec(MAXMEAN, control=6)).entries
    sample = entries.filter(pl.col("stratum") == 2)
    relevant = sample.filter(pl.col("docno").is_in(["d2", "d3", "d9", "d31"]))
    totals = (
        relevant.group_by("topic").agg((1 / pl.col("inclusion_probability")).sum().alias("total"))["total"].to_numpy()
    )
    estimates = np.concatenate([totals, np.zeros(len(topics) - len(totals))])
    assert abs(estimates.mean() - 4) < 4 * estimates.std() / len(topics) ** 0.5
    shares = sample.group_by("docno").len()["len"].to_numpy() / len(topics)
    assert len(shares) == 30
    assert np.abs(shares - 6 / 30).max() < 4 * (0.2 * 0.8 / len(topics)) ** 0.5


def test_fewer_candidates_than_the_control_sample_are_all_judged() -> None:
    drawn = draw_pool(make_runs([["a", "b"], ["a", "c"]]), [TOPIC, "empty"], make_spec(MAXMEAN, control=10))
    assert sorted(drawn.entries.select("docno", "stratum", "inclusion_probability").rows()) == [
        ("a", 1, 1.0),
        ("b", 2, 1.0),
        ("c", 2, 1.0),
    ]
    assert drawn.frame is not None
    assert drawn.frame.height == 0


def test_a_topic_with_one_document_has_a_base_and_nothing_to_choose() -> None:
    runs = [["a"], ["a"]]
    drawn = draw_pool(make_runs(runs), [TOPIC], make_spec(MAXMEAN, control=10))
    assert drawn.entries["docno"].to_list() == ["a"]
    assert control_sample(topic_lists(make_candidates(runs), TOPIC), make_spec(MAXMEAN, control=10), ["a"]) == []


def test_a_size_below_the_start_names_the_topic_the_numbers_and_the_remedy() -> None:
    runs = make_runs([[*"abcdef"], [*"ghijkl"]]) + make_runs([[*"abcdefg"], [*"hijklmn"]], topic="9")
    spec = make_spec(MAXMEAN, depth=2, control=3, size=6)
    with pytest.raises(PoolSpecError) as refused:
        draw_pool([PooledRun(f"{index}", "t", 1, run.ranking) for index, run in enumerate(runs)], [TOPIC, "9"], spec)
    assert str(refused.value) == (
        f"Topic {TOPIC} needs 7 judgments at the start, 4 for the base of depth 2 and 3 for the control sample, and size "
        "allows 6. The same holds for 1 other topic. Set size to 7 or more, or lower depth or control."
    )
    spec = make_spec(MAXMEAN, depth=2, control=3, size=7)
    assert draw_pool(runs[:2], [TOPIC], spec).entries.height == 7


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"depth": 11, "candidates": 10}, r"candidates are the documents to depth 10 .* Set candidates to 11 or more"),
        ({"least": 101}, r"at least 101 and at most 100 judgments\. Set size to 101 or more, or lower least\."),
    ],
)
def test_parameters_that_contradict_each_other_are_refused(parameters: dict[str, int], message: str) -> None:
    with pytest.raises(PoolSpecError, match=message):
        draw_pool(make_runs([["a"]]), [TOPIC], make_spec(MAXMEAN, **parameters))


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("mtf", {"depth": 0}),
        ("mtf", {"candidates": 0}),
        ("mtf", {"size": 0}),
        ("mtf", {"least": -1}),
        ("mtf", {"patience": -1}),
        ("mtf", {"control": -1}),
        ("mtf", {"control": 0.5}),
        ("mtf", {"memory": "all"}),
        ("hedge", {"beta": 0}),
        ("hedge", {"beta": 1}),
        ("hedge", {"beta": float("nan")}),
        ("maxmean", {"memory": "none"}),
    ],
)
def test_parameters_outside_their_range_are_refused_by_name(name: str, parameters: dict[str, Any]) -> None:
    with pytest.raises(PoolSpecError, match=next(iter(parameters))):
        PoolSpec.with_defaults(name, parameters)


def test_a_stored_spec_is_read_again() -> None:
    for name in ("mtf", "hedge", "maxmean"):
        spec = PoolSpec.with_defaults(name, {"depth": 2}, seed=5)
        assert PoolSpec.from_json(spec.to_json()) == spec


def test_what_a_pool_holds_and_when_it_stops_is_said_in_words() -> None:
    spec = make_spec(("mtf", {}), depth=3, control=7, patience=20, size=90)
    said = " ".join(spec.method.covers(spec.parameters))
    for part in ("first 3 documents", "control sample: 7", "stops at 90 judgments", "after 20 chosen in a row"):
        assert part in said
    quiet = make_spec(("mtf", {}), control=0)
    assert "control" not in " ".join(quiet.method.covers(quiet.parameters))
