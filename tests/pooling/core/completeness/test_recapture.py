"""Capture-recapture between teams: against a slow second way, and how often its interval holds."""

from collections import Counter

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, chi2

from pooling.core.completeness.outside import NoEstimate, Outside
from pooling.core.completeness.recapture import by_recapture

HOLDERS = {"topic": pl.String, "docno": pl.String, "team": pl.Int64}


def make_judged(found: set[tuple[str, str]]) -> pl.DataFrame:
    rows = [(topic, docno, True) for topic, docno in sorted(found)]
    return pl.DataFrame(rows, schema={"topic": pl.String, "docno": pl.String, "relevant": pl.Boolean}, orient="row")


def make_holders(held: list[tuple[str, str, int]]) -> pl.DataFrame:
    return pl.DataFrame(held, schema=HOLDERS, orient="row")


@given(st.lists(st.tuples(st.sampled_from("12"), st.sampled_from("abcdefgh"), st.integers(0, 3)), min_size=1))
def test_the_bound_counts_documents_of_one_and_of_two_teams(held: list[tuple[str, str, int]]) -> None:
    pairs = {(topic, docno) for topic, docno, _ in held}
    found = by_recapture(make_judged(pairs), make_holders(held))
    teams = len({team for *_, team in held})
    if teams < 2:
        assert isinstance(found, NoEstimate)
        return
    times = Counter(Counter((topic, docno) for topic, docno, _ in set(held)).values())
    expected = (teams - 1) / teams * times[1] * (times[1] - 1) / 2 / (times[2] + 1)
    assert isinstance(found, Outside)
    assert found.expected == pytest.approx(expected)
    assert found.share == pytest.approx(expected / (expected + len(pairs)))
    assert found.low <= found.expected <= found.high
    if not expected:
        most = chi2.ppf(0.975, 2 * (times[1] + 1)) / 2
        assert found.high == pytest.approx((teams - 1) / teams * most * (most - 1) / 2 / (times[2] + 1))


def test_with_two_teams_it_is_about_lincolns_and_petersens_estimate() -> None:
    # 60 of the one, 60 of the other, 30 of both: 60 * 60 / 30 = 120 in all, 30 of them not found.
    documents = [("1", str(place), 0) for place in range(60)] + [("1", str(place), 1) for place in range(30, 90)]
    found = by_recapture(make_judged({(topic, docno) for topic, docno, _ in documents}), make_holders(documents))
    assert isinstance(found, Outside)
    assert found.expected == pytest.approx(30, rel=0.06)


def test_without_relevant_documents_of_teams_there_is_no_estimate() -> None:
    two = make_holders([("1", "a", 0), ("1", "b", 1)])
    assert isinstance(by_recapture(make_judged({("1", "c")}), two), NoEstimate)
    assert isinstance(by_recapture(make_judged({("1", "a")}), two.head(1)), NoEstimate)


@pytest.mark.parametrize(("teams", "chance"), [(3, 0.3), (8, 0.2), (12, 0.6)])
def test_the_interval_holds_the_number_outside_if_teams_find_documents_independently(teams: int, chance: float) -> None:
    generator = np.random.default_rng(teams)
    held = 0
    for _ in range(80):
        finds = generator.random((200, teams)) < chance
        rows = [("1", str(document), team) for document, team in np.argwhere(finds).tolist()]
        found = by_recapture(make_judged({(topic, docno) for topic, docno, _ in rows}), make_holders(rows))
        assert isinstance(found, Outside)
        held += found.low <= int((~finds.any(axis=1)).sum()) <= found.high
    assert binom.cdf(held, 80, 0.95) > 1e-3


def test_it_is_a_lower_bound_where_documents_differ_in_how_easily_they_are_found() -> None:
    generator = np.random.default_rng(1)
    finds = generator.random((4000, 6)) < generator.beta(0.4, 1.2, (4000, 1))
    rows = [("1", str(document), team) for document, team in np.argwhere(finds).tolist()]
    found = by_recapture(make_judged({(topic, docno) for topic, docno, _ in rows}), make_holders(rows))
    assert isinstance(found, Outside)
    assert found.high < int((~finds.any(axis=1)).sum())
