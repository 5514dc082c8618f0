"""Strategies that take each topic's best documents by a weight over the runs: RRF, Borda, CombMNZ, RBP, NTCIR order."""

from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pooling.core.preview.pool_sizes import compared_sizes
from pooling.core.strategies import rbp, rrf
from pooling.core.strategies.declaration import candidates
from pooling.core.strategies.drawing import draw_pool, pool_file
from pooling.core.strategies.fusion import UNIT
from pooling.core.strategies.registry import STRATEGIES
from pooling.core.strategies.spec import PoolSpec
from tests.draws import examples
from tests.pooling.core.strategies import plain
from tests.pooling.makers import Scores, make_pooled_run, pooled
from tests.pooling.test_depth_k import TOPICS, make_runs, many_runs, seeds

NAMES = ("rrf", "borda", "combmnz", "rbp", "ntcir")
OWN = {
    "rrf": {"kappa": st.sampled_from([0, 1, 60])},
    "rbp": {"p": st.sampled_from([0.01, 0.5, 0.8, 0.999])},
}


@st.composite
def specs(draw: st.DrawFn, name: str) -> PoolSpec:
    own = {parameter: draw(values) for parameter, values in OWN.get(name, {}).items()}
    parameters = {"size": draw(st.integers(1, 6)), "depth": draw(st.integers(1, 8)), **own}
    return PoolSpec.with_defaults(name, parameters, order="strategy", seed=draw(seeds))


def by_topic(entries: pl.DataFrame) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for topic, docno in entries.select("topic", "docno").iter_rows():
        found.setdefault(topic, []).append(docno)
    return found


@pytest.mark.parametrize("name", NAMES)
@examples(30)
@given(st.data(), many_runs, st.randoms(use_true_random=False))
def test_the_pool_and_its_order_are_those_of_plain_loops_whatever_the_order_of_the_runs(
    name: str, data: st.DataObject, all_scores: list[Scores], random: Any
) -> None:
    runs, spec = make_runs(all_scores), data.draw(specs(name))
    entries = draw_pool(runs, TOPICS, spec).entries
    assert by_topic(entries) == plain.best_first(name, runs, dict(spec.parameters), spec.seed)
    again = draw_pool(random.sample(runs, len(runs)), TOPICS, spec).entries
    assert pool_file(again) == pool_file(entries)
    assert entries.equals(again)


@pytest.mark.parametrize("name", ["combmnz", "rbp", "random"])
@examples(20)
@given(st.data(), many_runs)
def test_sizes_of_other_values_are_those_of_the_pools_themselves(
    name: str, data: st.DataObject, all_scores: list[Scores]
) -> None:
    runs = make_runs(all_scores)
    spec = PoolSpec.with_defaults(name, {"size": data.draw(st.integers(1, 4)), "depth": 5})
    everything = draw_pool(runs, TOPICS, PoolSpec.with_defaults(name, {"depth": 5})).entries
    known = everything.head(3).select(pl.col("topic").cast(pl.String), "docno")
    available = candidates(runs, TOPICS, None, reads_scores=spec.method.reads_scores)
    own, *_, largest = compared_sizes(available, spec, known, known.head(1))
    chosen = draw_pool(runs, TOPICS, spec).entries
    assert (own.value, own.pairs, largest.pairs) == (spec.parameters["size"], chosen.height, everything.height)
    assert own.new == len(pooled(chosen) - set(known.iter_rows()))
    assert own.unjudged == len(pooled(chosen) - set(known.head(1).iter_rows()))


@pytest.mark.parametrize("name", NAMES)
def test_what_all_runs_put_first_comes_first_and_a_topic_with_one_document_gives_it(name: str) -> None:
    alike = {"9": {"a": 9.0, "b": 8.0, "c": 7.0}}
    runs = [make_pooled_run(alike, tag) for tag in ("one", "two")]
    runs.append(make_pooled_run({"9": {"x": 9.0}, "10": {"only": 1.0}}, "three"))
    spec = PoolSpec.with_defaults(name, {"size": 2}, order="strategy")
    assert by_topic(draw_pool(runs, TOPICS, spec).entries) == {"10": ["only"], "9": ["a", "b"]}


@pytest.mark.parametrize("name", NAMES)
def test_another_seed_takes_other_documents_among_equal_ones(name: str) -> None:
    runs = [make_pooled_run({"9": {docno: 1.0}}, f"run{docno}") for docno in "abcdefgh"]
    taken = {
        tuple(draw_pool(runs, TOPICS, PoolSpec.with_defaults(name, {"size": 2}, seed=seed)).entries["docno"].sort())
        for seed in range(20)
    }
    assert len(taken) > 5


@pytest.mark.parametrize("name", NAMES)
def test_without_runs_the_pool_is_empty(name: str) -> None:
    assert draw_pool([], TOPICS, PoolSpec.with_defaults(name)).entries.height == 0


def test_weights_are_those_of_the_formulas_to_twelve_digits() -> None:
    first, last = {"9": {"a": 2.0, "b": 1.0}}, {"9": {"b": 2.0, "c": 1.0, "a": 0.0}}
    available = candidates([make_pooled_run(first, "one"), make_pooled_run(last, "two")], TOPICS, None)
    by_rrf = rrf.weigh(available, {"kappa": 60, "depth": 3}).sort("docno")["weight"].to_numpy() / UNIT
    np.testing.assert_allclose(by_rrf, [1 / 61 + 1 / 63, 1 / 62 + 1 / 61, 1 / 62], rtol=0, atol=1e-12)
    by_rbp = rbp.weigh(available, {"p": 0.8, "depth": 3}).sort("docno")["weight"].to_numpy() / UNIT
    np.testing.assert_allclose(by_rbp, [0.2 + 0.2 * 0.64, 0.2 + 0.16, 0.16], rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_the_words_name_what_is_taken_and_promise_no_depth(name: str) -> None:
    method = STRATEGIES[name]
    taken, absent = method.covers(method.defaults)
    assert taken.startswith("For each topic, the 100 documents with the largest ")
    assert absent == "Documents below position 100 of a run count as absent from it."
    assert method.judged_whole(method.defaults) == 0
