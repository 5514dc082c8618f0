"""All tests by one entry."""

import numpy as np
import pytest
from scipy import stats

from evaluation.engine.significance.anova import tukey_half_width, tukey_hsd, two_way_anova
from evaluation.engine.significance.compare import MOST_RESAMPLES, RUN, compare
from evaluation.engine.significance.corrections import CORRECTED
from evaluation.engine.significance.declarations import CORRECTIONS, TESTS
from evaluation.engine.significance.families import against_baseline, all_pairs
from evaluation.engine.significance.randomised_tukey import randomised_tukey

VALUES = np.random.default_rng(4).random((5, 20)) + np.arange(5)[:, np.newaxis] * 0.12
PAIRS = all_pairs(5)


def test_each_declared_test_and_correction_can_be_run() -> None:
    assert (RUN.keys(), CORRECTED.keys()) == (TESTS.keys(), CORRECTIONS.keys())


@pytest.mark.parametrize("test", TESTS)
def test_every_test_gives_p_above_0_and_an_interval_around_the_difference(test: str) -> None:
    found = compare(VALUES, PAIRS, test)
    assert ((found.p > 0) & (found.p <= 1)).all()
    assert (found.low < found.difference).all()
    assert (found.difference < found.high).all()
    assert found.difference == pytest.approx(VALUES[PAIRS[:, 0]].mean(axis=1) - VALUES[PAIRS[:, 1]].mean(axis=1))
    assert found.resamples == TESTS[test].resamples


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize(
    "matrix",
    [
        np.zeros((2, 5)),
        np.full((3, 1), 0.5),
        np.array([[0.1, 0.2, 0.3], [0.2, 0.3, 0.4]]),
        np.array([[0.1, np.nan, 0.3], [np.nan, 0.3, np.nan]]),
        np.empty((2, 0)),
        np.array([[0.1, 0.9], [0.4, 0.2]]),
    ],
    ids=["identical runs", "one topic", "constant differences", "no topic in common", "no topics", "two topics"],
)
def test_no_input_gives_a_p_that_is_no_number(test: str, matrix: np.ndarray) -> None:
    found = compare(matrix, all_pairs(len(matrix)), test)
    for values in (found.low, found.high, found.p, found.p_corrected):
        assert not np.isnan(values).any()
    assert np.isnan(found.difference).all() == (not (~np.isnan(matrix)).all(axis=0).any())
    n_topics = (~np.isnan(matrix)).all(axis=0).sum()
    assert np.isnan(found.effect_size).all() == (n_topics < 2)
    assert ((found.p >= 0) & (found.p <= 1)).all()
    if (matrix == matrix[:1]).all():
        assert (found.p == 1).all()


def test_one_run_alone_has_no_pairs_and_no_p() -> None:
    for test in TESTS:
        assert len(compare(VALUES[:1], all_pairs(1), test).p) == 0


def test_resamples_rise_to_what_the_family_needs_and_too_few_are_said_to_be_too_few() -> None:
    raised = compare(VALUES, PAIRS, "randomisation", "holm")
    assert (raised.resamples, raised.notes) == (10_000, ())
    values = np.random.default_rng(1).random((25, 30))
    pairs = all_pairs(25)
    found = compare(values, pairs, "randomisation", "bonferroni")
    assert found.resamples == 60_000 == 10 * len(pairs) / 0.05
    assert found.notes == ("Resamples raised from 10,000 to 60,000, for 300 comparisons.",)
    assert compare(values, pairs, "randomisation", "bonferroni", resamples=999).notes == (
        "999 resamples can make no p significant after bonferroni.",
    )
    assert MOST_RESAMPLES >= 10 * 4950 / 0.05


def test_a_correction_is_refused_for_tests_that_hold_for_all_pairs() -> None:
    with pytest.raises(ValueError, match="tukey holds for all compared pairs at once"):
        compare(VALUES, PAIRS, "tukey", "holm")


@pytest.mark.parametrize("correction", CORRECTIONS)
def test_p_is_corrected_for_the_pairs_of_the_family_only(correction: str) -> None:
    pairs = against_baseline(2, 5)
    found = compare(VALUES, pairs, "t", correction)
    alone = [stats.ttest_rel(VALUES[one], VALUES[other]).pvalue for one, other in pairs]
    assert found.p == pytest.approx(alone)
    assert found.p_corrected == pytest.approx(CORRECTED[correction](np.array(alone)))


def test_the_simultaneous_intervals_leave_0_out_exactly_where_p_is_below_the_level() -> None:
    for test in ("tukey", "randomised-tukey"):
        found = compare(VALUES, PAIRS, test)
        assert ((found.low > 0) | (found.high < 0)).tolist() == (found.p < 0.05).tolist()
        assert 0 < (found.p < 0.05).sum() < len(PAIRS)


def test_the_half_width_of_tukeys_intervals_is_the_quantile_of_the_studentized_range() -> None:
    table = two_way_anova(VALUES)
    quantile = stats.studentized_range.ppf(0.95, 5, table.freedom_left)
    assert tukey_half_width(VALUES) == pytest.approx(quantile * np.sqrt(table.mean_square_left / 20), rel=1e-7)
    apart = VALUES.copy()
    apart[1] = apart[0] + tukey_half_width(VALUES)
    assert tukey_hsd(VALUES, PAIRS).min() > 0


@pytest.mark.parametrize("resamples", [99, 199, 650, 999, 1000])
def test_a_difference_of_half_the_randomised_width_is_the_least_that_is_significant(resamples: int) -> None:
    for seed in range(40):
        whole = np.random.default_rng(seed).integers(0, 5, (4, 12)) + np.arange(4)[:, np.newaxis] * 0.5
        pairs = all_pairs(4)
        found = randomised_tukey(whole, pairs, resamples, seed=3)
        apart = np.abs(whole[pairs[:, 0]].mean(axis=1) - whole[pairs[:, 1]].mean(axis=1))
        assert ((apart > found.half_width) == (found.p < 0.05)).all()


def test_topics_that_some_run_lacks_are_named_where_a_test_needs_all() -> None:
    lacking = VALUES.copy()
    lacking[0, 0] = np.nan
    told = f"{lacking.shape[1] - 1} of {lacking.shape[1]}"
    for test in ("max-t", "tukey", "randomised-tukey", "bootstrap"):
        assert compare(lacking, PAIRS, test).notes == (
            f"{test} and differences go by the topics that every run has: {told}.",
        )
        assert (compare(lacking, PAIRS, test).p == compare(VALUES[:, 1:], PAIRS, test).p).all()
    assert compare(lacking, PAIRS, "t").notes == ()


@pytest.mark.parametrize("test", TESTS)
def test_a_difference_and_its_interval_are_of_the_same_topics_also_where_a_run_lacks_some(test: str) -> None:
    lacking = VALUES.copy()
    lacking[0, :8] = np.nan
    lacking[:4, :8] += 2.0
    found = compare(lacking, PAIRS, test, resamples=500)
    own = lacking[:, 8:] if TESTS[test].by_common_topics else lacking
    apart = [np.nanmean(own[one] - own[other]) for one, other in PAIRS]
    assert found.difference == pytest.approx(apart)
    assert ((found.low < found.difference) & (found.difference < found.high)).all()
