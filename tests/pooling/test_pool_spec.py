from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pooling.strategies.ordering import ORDERS
from pooling.strategies.spec import PoolSpec, PoolSpecError

specs = st.builds(
    PoolSpec,
    depth=st.integers(1, 1000),
    max_priority=st.none() | st.integers(1, 100),
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
        ({"depth": 0}, "depth is a whole number from 1 to 1000"),
        ({"depth": 1001}, "not “1001”"),
        ({"depth": True}, "depth is a whole number"),
        ({"depth": "10"}, "depth is a whole number"),
        ({"seed": -1}, "seed is a whole number from 0"),
        ({"seed": 2**63}, "seed is a whole number from 0"),
        ({"max_priority": 0}, "max_priority is a whole number from 1"),
        ({"order": "alphabetical"}, "Use one of: random, docno"),
        ({"strategy": "top"}, "Use one of: depth-k"),
        ({"strategy": ["depth-k"]}, "Use one of: depth-k"),
        ({"runs": []}, "at least one run tag"),
        ({"runs": [""]}, "at least one run tag"),
        ({"runs": "bm25"}, "a list of run tags"),
        ({"color": "red"}, "no setting color"),
        ("depth 10", "an object with names and values"),
    ],
)
def test_a_wrong_setting_is_refused_with_a_message_that_names_it(values: Any, message: str) -> None:
    with pytest.raises(PoolSpecError, match=message):
        PoolSpec.from_json(values)


def test_the_order_in_which_runs_are_named_does_not_matter() -> None:
    assert PoolSpec(runs=("b", "a", "b")) == PoolSpec(runs=("a", "b"))
