"""Extrapolation of depth slices: against a general optimiser, and how often its interval holds under its curves."""

import numpy as np
import numpy.typing as npt
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar
from scipy.stats import binom

from pooling.core.completeness.outside import NoEstimate, Outside
from pooling.core.completeness.slices import by_slices
from tests.draws import examples

DEPTH, HORIZON = 20, 200
PLACES = {"geometric": np.arange(1, HORIZON + 1.0), "power": np.log(np.arange(1, HORIZON + 1.0))}


def make_entries(counts: npt.NDArray[np.int64]) -> pl.DataFrame:
    """Relevant documents by topic and position."""
    rows = [
        (str(topic), f"{position}-{place}", position + 1, True)
        for (topic, position), count in np.ndenumerate(counts)
        for place in range(count)
    ]
    rows += [(str(topic), "other", 1, False) for topic in range(len(counts))]
    schema = {"topic": pl.String, "docno": pl.String, "best_position": pl.UInt32, "relevant": pl.Boolean}
    return pl.DataFrame(rows, schema=schema, orient="row")


def fitted(counts: npt.NDArray[np.int64], places: npt.NDArray[np.float64]) -> tuple[float, float]:
    """The negative likelihood and what is expected below the depth, by a general optimiser."""

    def unlikely(slope: float) -> float:
        terms = np.exp(-slope * places[:DEPTH])
        expected = counts.sum() * terms / terms.sum()
        return float(expected.sum() - (counts * np.log(expected)).sum())

    best = minimize_scalar(unlikely, bounds=(0, 3), method="bounded", options={"xatol": 1e-10})
    terms = np.exp(-best.x * places)
    return best.fun, float(counts.sum() * terms[DEPTH:].sum() / terms[:DEPTH].sum())


@examples(25)
@given(st.lists(st.integers(0, 6), min_size=DEPTH, max_size=DEPTH).filter(lambda counts: sum(map(bool, counts)) > 2))
def test_the_curve_is_the_likelier_of_the_two(counts: list[int]) -> None:
    array = np.array([counts])
    found = by_slices(make_entries(array), DEPTH, HORIZON)
    (geometric, by_geometric), (power, by_power) = (fitted(array[0], places) for places in PLACES.values())
    if abs(geometric - power) < 1e-3:
        return
    assert isinstance(found, Outside)
    assert ("geometric" if geometric < power else "power") in found.assumption
    assert found.expected == pytest.approx(by_geometric if geometric < power else by_power, rel=0.02, abs=0.01)


@pytest.mark.parametrize(("curve", "slope"), [("geometric", 0.15), ("power", 1.5), ("power", 1.1)])
def test_the_interval_holds_the_number_outside_if_documents_become_rarer_along_such_a_curve(
    curve: str, slope: float
) -> None:
    generator = np.random.default_rng(3)
    means = np.exp(-slope * PLACES[curve])
    means *= 12 / means[:DEPTH].sum()
    held = 0
    for _ in range(60):
        counts = generator.poisson(np.outer(generator.gamma(2.0, 0.5, 30), means))
        found = by_slices(make_entries(counts[:, :DEPTH]), DEPTH, HORIZON)
        assert isinstance(found, Outside)
        held += found.low <= counts[:, DEPTH:].sum() <= found.high
    assert binom.cdf(held, 60, 0.95) > 1e-3


def test_a_part_that_is_judged_at_random_tells_the_same_as_all() -> None:
    generator = np.random.default_rng(4)
    counts = generator.poisson(np.outer(np.ones(60), 3 * np.exp(-0.15 * PLACES["geometric"][:DEPTH])))
    whole = make_entries(counts)
    part = whole.with_columns(
        relevant=pl.when(pl.Series(generator.random(whole.height) < 0.5)).then(pl.col("relevant"))
    )
    sampled = whole.filter(pl.Series(generator.random(whole.height) < 0.5)).with_columns(inclusion_probability=0.5)
    [all_found, half, sample] = [by_slices(entries, DEPTH, HORIZON) for entries in (whole, part, sampled)]
    assert isinstance(all_found, Outside)
    assert isinstance(half, Outside)
    assert isinstance(sample, Outside)
    relevant = counts.sum() + all_found.expected
    for found, entries in ((half, part), (sample, sampled)):
        assert int(entries["relevant"].sum()) + found.expected == pytest.approx(relevant, rel=0.1)


def test_what_was_found_deeper_is_not_expected_again() -> None:
    counts = np.array([[8, 4, 2, 1]])
    deeper = pl.DataFrame({"topic": ["0"], "docno": ["x"], "best_position": [9], "relevant": [True]})
    entries = make_entries(counts)
    more = pl.concat([entries, deeper.cast(entries.schema)])
    [before, after] = [by_slices(table, 4, HORIZON) for table in (entries, more)]
    assert isinstance(before, Outside)
    assert isinstance(after, Outside)
    assert after.expected == pytest.approx(max(before.expected - 1, 0))


def test_a_shallow_pool_or_one_without_relevant_documents_has_no_such_estimate() -> None:
    assert isinstance(by_slices(make_entries(np.array([[3, 2, 1]])), 3, HORIZON), NoEstimate)
    assert isinstance(by_slices(make_entries(np.array([[0] * 9])), 9, HORIZON), NoEstimate)
    assert isinstance(by_slices(make_entries(np.array([[9, 9] + [0] * 9])), 9, HORIZON), NoEstimate)


def test_the_same_judgments_always_give_the_same_interval() -> None:
    entries = make_entries(np.array([[5, 3, 2, 1, 1], [4, 0, 2, 0, 1]]))
    assert by_slices(entries, 5, HORIZON) == by_slices(entries.reverse(), 5, HORIZON)
