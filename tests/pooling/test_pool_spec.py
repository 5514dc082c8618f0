from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pooling.core.strategies.judging_order import ORDERS
from pooling.core.strategies.parameters import PoolSpecError
from pooling.core.strategies.spec import PoolSpec
from tests.pooling.makers import depth_k, make_pooled_run

specs = st.builds(
    depth_k,
    depth=st.integers(1, 1000),
    max_priority=st.none() | st.integers(1, 100),
    runs_per_team=st.none() | st.integers(1, 100),
    order=st.sampled_from(list(ORDERS)),
    seed=st.integers(0, 2**63 - 1),
    runs=st.none() | st.lists(st.text(min_size=1), min_size=1).map(tuple),
)


@given(specs)
def test_a_spec_comes_back_from_its_json_as_it_was(spec: PoolSpec) -> None:
    assert PoolSpec.from_json(spec.to_json()) == spec


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"parameters": {"depth": 0}}, "depth is a whole number from 1 to 1,000"),
        ({"parameters": {"depth": 1001}}, "not “1001”"),
        ({"parameters": {"depth": True}}, "depth is a whole number"),
        ({"parameters": {"depth": "10"}}, "depth is a whole number"),
        ({"parameters": {}}, "depth-k needs the parameter depth"),
        ({"parameters": {"depth": 1, "size": 2}}, "depth-k has no parameter size"),
        ({"parameters": [10]}, "parameters must be an object"),
        ({"parameters": {1: 2}}, "parameters must be an object"),
        ({"seed": -1}, "seed is a whole number from 0"),
        ({"seed": 2**63}, "seed is a whole number from 0"),
        ({"runs_per_team": 0}, "runs_per_team is a whole number from 1"),
        ({"runs_per_team": "2"}, "not “2”"),
        ({"max_priority": 0}, "max_priority is a whole number from 1"),
        ({"order": "alphabetical"}, "Use one of: random, docno"),
        ({"strategy": "top"}, "Use one of: depth-k"),
        ({"strategy": ["depth-k"]}, "Use one of: depth-k"),
        ({"runs": []}, "at least one run tag"),
        ({"runs": [""]}, "at least one run tag"),
        ({"runs": "bm25"}, "a list of run tags"),
        ({"depth": 10}, "no setting depth"),
    ],
)
def test_a_wrong_setting_is_refused_with_a_message_that_names_it(values: Any, message: str) -> None:
    with pytest.raises(PoolSpecError, match=message):
        PoolSpec.from_json({"strategy": "depth-k", "parameters": {"depth": 10}, **values})


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("depth 10", "must be an object"),
        ({"parameters": {"depth": 10}}, "needs the setting strategy"),
        ({"strategy": "depth-k"}, "needs the setting parameters"),
    ],
)
def test_a_value_that_is_no_spec_is_refused(value: Any, message: str) -> None:
    with pytest.raises(PoolSpecError, match=message):
        PoolSpec.from_json(value)


def test_the_order_in_which_runs_are_named_does_not_matter() -> None:
    assert depth_k(runs=("b", "a", "b")) == depth_k(runs=("a", "b"))


def test_a_setting_that_is_not_used_is_not_stored() -> None:
    own = {"strategy": "depth-k", "parameters": {"depth": 3}, "order": "random", "seed": 0}
    assert depth_k(3).to_json() == {**own, "run_order": "score", "reference": "10"}


@given(
    st.lists(st.tuples(st.sampled_from("xyz"), st.integers(1, 3)), max_size=8),
    st.none() | st.integers(1, 3),
    st.none() | st.integers(1, 3),
    st.randoms(use_true_random=False),
)
def test_of_each_team_the_first_runs_by_priority_and_tag_are_taken(
    described: list[tuple[str, int]], most: int | None, max_priority: int | None, random: Any
) -> None:
    runs = [
        make_pooled_run({}, f"run{index}", team, priority)
        for index, (team, priority) in enumerate(random.sample(described, len(described)))
    ]
    spec = depth_k(runs_per_team=most, max_priority=max_priority)
    left = [run.tag for run in runs if max_priority is None or run.priority <= max_priority]
    expected = set(left)
    for team in "xyz":
        own = sorted((run.priority, run.tag) for run in runs if run.team == team and run.tag in left)
        expected -= {tag for _, tag in own[len(own) if most is None else most :]}
    assert [run.tag for run in spec.taken(runs)] == [run.tag for run in runs if run.tag in expected]


def test_a_spec_with_defaults_gives_every_parameter_of_the_strategy() -> None:
    assert PoolSpec.with_defaults() == depth_k(10)
    assert PoolSpec.with_defaults("depth-k", {"depth": 3}, seed=1) == depth_k(3, seed=1)
    with pytest.raises(PoolSpecError, match="no strategy “top”"):
        PoolSpec.with_defaults("top")


def test_the_parameters_of_a_spec_cannot_be_changed() -> None:
    with pytest.raises(TypeError):
        depth_k(3).parameters["depth"] = 4


def test_a_spec_names_its_strategy_and_its_parameters_in_words() -> None:
    assert depth_k(3).drawn_by == "depth-k, k = 3"
