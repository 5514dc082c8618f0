"""What a random sample tells of the documents outside: against a slow second way, and how often its interval holds."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from pooling.core.completeness.control import by_random_sample
from pooling.core.completeness.outside import NoEstimate, Outside
from pooling.core.strategies.strata import CHOSEN, FOUND
from tests.draws import examples

SCHEMA = {"topic": pl.String, "docno": pl.String, "stratum": pl.Int32, "relevant": pl.Boolean}
FRAME = {"topic": pl.String, "docno": pl.String, "stratum": pl.Int32}
Stratum = tuple[list[bool | None], int]


def make_pool(strata: dict[tuple[str, int], Stratum]) -> tuple[pl.DataFrame, pl.DataFrame]:
    """By topic and stratum: what the drawn documents were judged, and how many were not drawn."""
    drawn, undrawn = [], []
    for (topic, stratum), (judged, rest) in strata.items():
        drawn += [(topic, f"{stratum}d{place}", stratum, relevant) for place, relevant in enumerate(judged)]
        undrawn += [(topic, f"{stratum}u{place}", stratum) for place in range(rest)]
    return pl.DataFrame(drawn, schema=SCHEMA, orient="row"), pl.DataFrame(undrawn, schema=FRAME, orient="row")


def estimated(strata: dict[tuple[str, int], Stratum]) -> Outside:
    found = by_random_sample(*make_pool(strata))
    assert isinstance(found, Outside)
    return found


def chance(trials: float, successes: int, rate: float) -> float:
    return float(binom.cdf(successes, trials, rate))


@examples(20)
@given(st.integers(0, 12), st.integers(0, 8), st.integers(1, 200))
def test_with_one_rate_the_interval_inverts_the_binomial_test(relevant: int, others: int, undrawn: int) -> None:
    judged = relevant + others
    if not judged:
        return
    found = estimated({("1", 1): ([True] * relevant + [False] * others, undrawn)})
    rate = judged / (judged + undrawn)
    possible = range(undrawn + 1)
    low = next((m for m in possible if 1 - chance(m + relevant, relevant - 1, rate) > 0.025), undrawn)
    high = next((m - 1 for m in possible if chance(m + relevant, relevant, rate) <= 0.025), undrawn)
    assert found.expected == pytest.approx(min(relevant / rate - relevant, undrawn))
    assert (found.low, found.high) == pytest.approx((min(low, found.expected), max(high, found.expected)))


@given(st.dictionaries(st.sampled_from("123"), st.tuples(st.lists(st.booleans(), min_size=1), st.integers(1, 30))))
def test_the_expected_number_is_the_total_of_horvitz_and_thompson(topics: dict[str, Stratum]) -> None:
    strata = {(topic, 2): stratum for topic, stratum in topics.items()}
    base: dict[tuple[str, int], Stratum] = {(topic, 1): ([True, False], 0) for topic in topics}
    if not topics:
        return
    found = estimated({**base, **strata})
    total = sum(sum(judged) * (len(judged) + rest) / len(judged) for judged, rest in topics.values())
    known = sum(sum(judged) for judged, _ in topics.values())
    expected = total - known
    assert found.expected == pytest.approx(expected)
    assert found.share == pytest.approx(expected / (total + len(topics)))
    assert 0 <= found.low <= found.expected <= found.high <= sum(rest for _, rest in topics.values())


def test_a_sample_without_a_relevant_document_says_how_many_there_may_be() -> None:
    found = estimated({("1", 1): ([True], 0), ("1", 2): ([False] * 10, 90)})
    assert (found.expected, found.low, found.high) == (0, 0, 35)
    assert found.share_high == pytest.approx(35 / 36)


def test_a_topic_whose_sample_is_not_judged_at_all_is_left_out() -> None:
    judged: Stratum = ([True, False], 2)
    alone, both = estimated({("1", 1): judged}), estimated({("1", 1): judged, ("2", 1): ([None, None], 50)})
    assert (both, both.topics) == (alone, 1)
    nothing = by_random_sample(*make_pool({("2", 1): ([None], 50)}))
    assert isinstance(nothing, NoEstimate)


def test_documents_that_were_added_for_another_reason_leave_the_frame() -> None:
    entries, frame = make_pool({("1", 1): ([True, False], 2)})
    added = pl.DataFrame([("1", "1u0", 1001, True)], schema=SCHEMA, orient="row")
    found = by_random_sample(pl.concat([entries, added]), frame)
    assert isinstance(found, Outside)
    assert found.expected == pytest.approx(0.5)  # a half of the one document that is left


def test_a_pool_without_a_sample_has_no_such_estimate() -> None:
    entries, frame = make_pool({("1", 1): ([True], 0)})
    assert isinstance(by_random_sample(entries, frame), NoEstimate)
    assert isinstance(by_random_sample(entries, None), NoEstimate)


def test_an_unequal_sample_counts_each_document_by_its_probability() -> None:
    entries, frame = make_pool({("1", 1): ([True, True, False, None], 7)})
    found = by_random_sample(
        entries.with_columns(inclusion_probability=pl.Series([0.5, 0.25, 0.1, 0.8])), frame, "probability"
    )
    assert isinstance(found, Outside)
    assert found.expected == pytest.approx(1 / (0.5 * 0.75) - 1 + 1 / (0.25 * 0.75) - 1)


def drawn_by_strata(generator: np.random.Generator, relevant: int) -> tuple[Outside, int]:
    """A sample of 30 topics with two strata, 40 at 1/2 and 80 at 1/8, that share out the relevant documents at random."""
    strata, outside = {}, 0
    for topic in range(30):
        for stratum, (size, taken) in enumerate(((40, 20), (80, 10)), start=1):
            documents = generator.permutation(size) < generator.poisson(relevant / 60)
            strata[str(topic), stratum] = (documents[:taken].tolist(), size - taken)
            outside += int(documents[taken:].sum())
    return estimated(strata), outside


@pytest.mark.parametrize("relevant", [1, 20, 200])
def test_the_interval_holds_the_number_outside_at_its_level(relevant: int) -> None:
    generator = np.random.default_rng(relevant)
    draws = [drawn_by_strata(generator, relevant) for _ in range(60)]
    held = sum(found.low <= outside <= found.high for found, outside in draws)
    assert binom.cdf(held, len(draws), 0.95) > 1e-3
    errors = np.array([found.expected - outside for found, outside in draws])
    assert abs(errors.mean()) <= 4 * errors.std() / np.sqrt(len(draws)) + 1e-9


def test_the_interval_of_an_unequal_sample_holds_at_its_level() -> None:
    generator = np.random.default_rng(5)
    held = 0
    for _ in range(60):
        probabilities = generator.uniform(0.05, 1, 400)
        relevant, drawn = generator.random(400) < probabilities / 4, generator.random(400) < probabilities
        entries, frame = make_pool({("1", 1): (relevant[drawn].tolist(), int((~drawn).sum()))})
        entries = entries.with_columns(inclusion_probability=pl.Series(probabilities[drawn]))
        found = by_random_sample(entries, frame, "probability")
        assert isinstance(found, Outside)
        held += found.low <= int((relevant & ~drawn).sum()) <= found.high
    assert binom.cdf(held, 60, 0.95) > 1e-3


CANDIDATES, CONTROL = 60, 12


def judged_topic(generator: np.random.Generator, topic: str, source: int) -> tuple[list, list, int]:
    """Half of the relevant candidates came in otherwise, with as many others, whether they were drawn or not."""
    relevant = np.arange(CANDIDATES) < 16
    otherwise = np.arange(CANDIDATES) % 2 == 0
    otherwise &= np.arange(CANDIDATES) < 24
    drawn = np.zeros(CANDIDATES, dtype=bool)
    drawn[generator.permutation(CANDIDATES)[:CONTROL]] = True
    held = [
        (topic, str(place), 2 if drawn[place] else source, bool(relevant[place]), source == CHOSEN and otherwise[place])
        for place in range(CANDIDATES)
        if drawn[place] or otherwise[place]
    ]
    frame = [(topic, str(place), 2) for place in np.flatnonzero(~drawn)]
    return held, frame, int((relevant & ~drawn & ~otherwise).sum())


@pytest.mark.parametrize("source", [CHOSEN, FOUND])
def test_what_was_chosen_or_found_by_hand_does_not_bend_the_estimate(source: int) -> None:
    generator, errors = np.random.default_rng(3), []
    for _ in range(60):
        topics = [judged_topic(generator, str(topic), source) for topic in range(20)]
        schema = {**SCHEMA, "chosen": pl.Boolean}
        entries = pl.DataFrame([row for held, _, _ in topics for row in held], schema=schema, orient="row")
        frame = pl.DataFrame([row for _, left, _ in topics for row in left], schema=FRAME, orient="row")
        found = by_random_sample(entries, frame)
        assert isinstance(found, Outside)
        errors.append(found.expected - sum(outside for _, _, outside in topics))
    assert abs(np.mean(errors)) <= 3 * np.std(errors) / np.sqrt(len(errors))


def test_more_found_by_hand_than_expected_leaves_nothing_expected() -> None:
    entries, frame = make_pool({("1", 1): ([True] + [False] * 9, 10)})
    added = pl.DataFrame([("1", f"1u{place}", FOUND, True) for place in range(4)], schema=SCHEMA, orient="row")
    found = by_random_sample(pl.concat([entries, added]), frame)
    assert isinstance(found, Outside)
    assert (found.expected, found.low) == (0, 0)
    assert found.high <= 6


def test_a_sample_whose_undrawn_documents_nobody_named_says_so() -> None:
    entries, _ = make_pool({("1", 1): ([True, False], 0)})
    told = by_random_sample(entries.with_columns(inclusion_probability=pl.lit(0.5)), None, "probability")
    assert isinstance(told, NoEstimate)
    assert "does not name" in told.reason


def test_a_sample_that_other_pools_had_judged_in_part_gives_no_estimate() -> None:
    entries, frame = make_pool({("1", 1): ([True, True, None, None], 50), ("2", 1): ([True, False], 8)})
    elsewhere = entries.with_columns(elsewhere=pl.col("topic").eq("1") & pl.col("relevant").is_not_null())
    found = by_random_sample(elsewhere, frame)
    assert isinstance(found, Outside)
    assert (found.topics, found.expected) == (1, pytest.approx(4))
    alone = by_random_sample(elsewhere.filter(topic="1"), frame.filter(topic="1"))
    assert isinstance(alone, NoEstimate)
    assert "no random part" in alone.reason
    whole = elsewhere.with_columns(pl.col("relevant").fill_null(value=False))
    judged = by_random_sample(whole, frame)
    assert isinstance(judged, Outside)
    assert judged.topics == 2
