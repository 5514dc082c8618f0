"""Every measure is compared with the oracles that its declaration names: no more, no fewer, and none on paper only.

A comparison counts for the measures whose values it notices: the test is run with each of them moved, and must fail.
"""

from importlib import import_module
from pathlib import Path

import pytest

from evaluation.engine.measures.names.registry import known_measures
from evaluation.engine.scoring import score_run
from tests.evaluation.engine.comparisons import COMPARISONS, Comparison, compared_by
from tests.evaluation.engine.random_collections import make_ranking


@pytest.fixture(scope="module")
def comparisons() -> list[Comparison]:
    for path in Path(__file__).parent.glob("test_*.py"):
        import_module(f"tests.evaluation.engine.{path.stem}")
    return COMPARISONS


def test_every_measure_is_compared_with_the_oracles_that_it_declares(comparisons):
    compared = {definition.name: set() for definition in known_measures()}
    for comparison in comparisons:
        names = comparison.compared
        assert names, f"{comparison.test.__name__} compares nothing"
        for name in names:
            compared[name].add(comparison.oracle)
    declared = {
        definition.name: set() if isinstance(definition.oracles, str) else set(definition.oracles)
        for definition in known_measures()
    }
    assert compared == declared


def test_a_measure_without_an_oracle_says_why():
    for definition in known_measures():
        assert definition.oracles, definition.name
        if isinstance(definition.oracles, str):
            assert definition.oracles.endswith("."), definition.name


def test_what_is_computed_and_not_compared_does_not_count():
    def computes_three_and_looks_at_two() -> None:
        values = score_run(*make_ranking([1, 0, 1]), ["P@1", "RR", "AP", "P@3"]).values[:, 0]
        assert values[1] == 1.0
        assert values[3] == 2 / 3

    assert compared_by(computes_three_and_looks_at_two) == {"P", "RR"}


def test_values_of_0_are_no_comparison():
    def looks_at_nothing_found() -> None:
        assert score_run(*make_ranking([0, 0]), ["AP"]).values[0, 0] == 0.0

    assert compared_by(looks_at_nothing_found) == set()
