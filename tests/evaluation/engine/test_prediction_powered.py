"""Corrected means: unbiased whatever the model says, with intervals that hold as often as they claim."""

import numpy as np
import pytest
from scipy import stats

from benchmarks.corrected import GAINS, KINDS, MODELS, holds, sampled
from evaluation.engine.prediction_powered import CorrectedMean, prediction_powered_mean
from evaluation.engine.significance.paired_t import mean_interval

TOPICS, DOCUMENTS, DRAWN, DEPTH = 40, 60, 15, 10
STRATUM = np.repeat(np.arange(TOPICS), DOCUMENTS)


def population(generous: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Weights of P@10, true relevance, and a model that takes a share of the documents that are not relevant for relevant."""
    generator = np.random.default_rng(7)
    relevant = (generator.random((TOPICS, DOCUMENTS)) < 0.3).astype(float)
    missed, added = generator.random((2, TOPICS, DOCUMENTS))
    model = np.where(relevant > 0, missed < 0.9, added < generous).astype(float)
    weights = np.zeros((TOPICS, DOCUMENTS))
    weights[:, :DEPTH] = 1 / DEPTH
    return weights.ravel(), relevant.ravel(), model.ravel()


def draw(relevant: np.ndarray, seed: int, drawn: int = DRAWN) -> np.ndarray:
    keys = np.random.default_rng(seed).random((TOPICS, DOCUMENTS))
    places = keys.argsort(axis=1).argsort(axis=1)
    return np.where(places.ravel() < drawn, relevant, np.nan)


def estimates(generous: float, power: float | None = None, samples: int = 600) -> tuple[float, list[CorrectedMean]]:
    weights, relevant, model = population(generous)
    truth = float((weights * relevant).sum()) / TOPICS
    return truth, [
        prediction_powered_mean(weights, model, draw(relevant, seed), STRATUM, TOPICS, highest=1.0, power=power)
        for seed in range(samples)
    ]


@pytest.mark.parametrize("generous", [0.1, 0.5], ids=["a good model", "a generous one"])
def test_the_interval_holds_the_value_by_people_as_often_as_it_says(generous: float) -> None:
    truth, found = estimates(generous)
    held = np.mean([one.low <= truth <= one.high for one in found])
    assert held >= 0.95 - 3 * np.sqrt(0.95 * 0.05 / 600)
    assert abs(np.mean([one.mean for one in found]) - truth) < 0.004


def test_no_interval_around_the_value_by_a_generous_model_alone_holds_that_by_people() -> None:
    truth, [found] = estimates(0.5, samples=1)
    weights, _, model = population(0.5)
    by_topic = (weights * model).reshape(TOPICS, DOCUMENTS).sum(axis=1)
    [low], [high] = mean_interval(by_topic[np.newaxis])
    assert found.model == pytest.approx(by_topic.mean())
    assert truth < low < high


def test_a_good_model_makes_the_interval_narrower_than_the_sample_alone_and_a_useless_one_hardly_wider() -> None:
    widths = {}
    for generous in (0.02, 0.9):
        for power in (None, 0.0):
            _, found = estimates(generous, power, samples=40)
            widths[generous, power] = np.mean([one.high - one.low for one in found])
    assert widths[0.02, None] < 0.6 * widths[0.02, 0.0]
    assert widths[0.9, None] < 1.02 * widths[0.9, 0.0]


def test_where_all_is_judged_the_mean_is_that_of_people_and_the_interval_a_point() -> None:
    weights, relevant, model = population(0.5)
    found = prediction_powered_mean(weights, model, relevant, STRATUM, TOPICS, highest=1.0)
    truth = float((weights * relevant).sum()) / TOPICS
    assert (found.mean, found.low, found.high) == (pytest.approx(truth), pytest.approx(truth), pytest.approx(truth))


def test_in_one_stratum_it_is_the_mean_of_predictions_plus_the_mean_error_of_the_sample() -> None:
    generator = np.random.default_rng(3)
    predicted, true = generator.random((2, 500))
    observed = np.where(np.arange(500) < 80, true, np.nan)
    found = prediction_powered_mean(
        np.full(500, 1 / 500), predicted, observed, np.zeros(500, dtype=int), 1, highest=1.0, power=1.0
    )
    error = true[:80] - predicted[:80]
    assert found.mean == pytest.approx(predicted.mean() + error.mean())


def test_the_interval_is_that_of_plain_loops_over_both_sides() -> None:
    weights, relevant, model = population(0.3)
    observed = draw(relevant, 5)
    found = prediction_powered_mean(weights, model, observed, STRATUM, TOPICS, highest=1.0, power=0.8)
    factor, left = DOCUMENTS / DRAWN, 1 - DRAWN / DOCUMENTS
    sides = []
    for sign in (1, -1):
        seen = [factor * sign * w * (y - 0.8 * f) for w, y, f in zip(weights, observed, model, strict=True) if y == y]
        seen = [value for value in seen if value > 0]
        others = zip(weights[np.isnan(observed)], model[np.isnan(observed)], strict=True)
        most = max(factor * w * (1 - 0.8 * f if sign > 0 else 0.8 * f) for w, f in others)
        value, variance = sum(seen), left * sum(one**2 for one in seen)
        with_one, of_one = value + most, variance + left * most**2
        low = stats.gamma.ppf(0.025, value**2 / variance, scale=variance / value)
        high = stats.gamma.ppf(0.975, with_one**2 / of_one, scale=of_one / with_one)
        sides.append((value, low, high))
    (added, least_added, most_added), (taken, least_taken, most_taken) = sides
    assert found.low == pytest.approx(found.mean - np.hypot(added - least_added, most_taken - taken) / TOPICS)
    assert found.high == pytest.approx(found.mean + np.hypot(most_added - added, taken - least_taken) / TOPICS)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("measure", GAINS)
def test_the_interval_holds_also_for_rare_documents_small_strata_and_unequal_weights(measure: str, kind: str) -> None:
    gains, random = GAINS[measure], np.random.default_rng(2)
    cases = [(model, size) for model in MODELS for size in ((5, 10), (20, 30), (20, 100))]
    missed = 0
    for model, (topics, judged) in cases:
        drawn = [sampled(random, kind, model, gains, topics, judged) for _ in range(10)]
        missed += sum(not holds(one, topics, gains.max())[0] for one in drawn)
    assert missed <= 10 * len(cases) * 0.05


def test_a_sample_without_a_relevant_document_is_no_proof_that_there_is_none() -> None:
    weights, relevant, _ = population(0.0)
    observed = np.where(np.isnan(draw(relevant, 1)), np.nan, 0.0)
    found = prediction_powered_mean(weights, np.zeros_like(weights), observed, STRATUM, TOPICS, highest=1.0)
    assert found.mean == found.low == 0
    of_zero = -np.log(0.025) * DOCUMENTS / DRAWN / DEPTH / TOPICS
    assert found.high == pytest.approx(of_zero, rel=0.15)


def test_limits_lie_within_what_is_possible() -> None:
    weights, relevant, model = population(0.5)
    weights = weights * (np.arange(len(weights)) < DOCUMENTS)
    observed = draw(relevant, 1)
    found = prediction_powered_mean(weights, model, observed, STRATUM, TOPICS, highest=1.0)
    unjudged = weights[np.isnan(observed)].sum()
    known = np.nansum(weights * observed)
    assert known / TOPICS <= found.low <= found.mean <= found.high <= (known + unjudged) / TOPICS + 1e-12


def test_strata_of_one_drawn_document_are_put_together_and_the_interval_still_holds() -> None:
    weights, relevant, model = population(0.5)
    weights = np.full_like(weights, 1 / DOCUMENTS)
    truth = float((weights * relevant).sum()) / TOPICS
    drawn = [draw(relevant, seed, drawn=1) for seed in range(300)]
    found = [prediction_powered_mean(weights, model, one, STRATUM, TOPICS, highest=1.0) for one in drawn]
    assert np.mean([one.low <= truth <= one.high for one in found]) >= 0.92


def test_with_a_stratum_of_which_nothing_was_drawn_there_is_no_corrected_mean() -> None:
    weights, relevant, model = population(0.5)
    nothing = np.where(STRATUM == 0, np.nan, relevant)
    found = prediction_powered_mean(weights, model, nothing, STRATUM, TOPICS, highest=1.0)
    assert np.isnan(found.mean)
    assert not found.has_interval


def test_a_mean_that_the_judged_documents_rule_out_is_never_given_and_the_nearest_possible_one_is_nearer_to_the_truth() -> (
    None
):
    random, cut = np.random.default_rng(4), 0
    for model in [*MODELS] * 75:
        of = sampled(random, "unequal", model, GAINS["P@10"], 5, 10)
        observed = np.where(of.drawn, of.people, np.nan)
        found = prediction_powered_mean(of.weight, of.model, observed, of.stratum, 5, highest=1.0)
        least = np.nansum(of.weight * observed) / 5
        most = least + of.weight[~of.drawn].sum() / 5
        assert least - 1e-12 <= found.low <= found.mean <= found.high <= most + 1e-12 <= 1 + 1e-11
        factor = np.bincount(of.stratum) / np.bincount(of.stratum[of.drawn], minlength=of.stratum.max() + 1)
        errors = of.weight * (np.nan_to_num(observed) - found.power * of.model) * of.drawn
        uncut = found.power * found.model + (factor[of.stratum] * errors).sum() / 5
        truth = (of.weight * of.people).sum() / 5
        cut += abs(uncut - found.mean) > 1e-9
        assert abs(found.mean - truth) <= abs(uncut - truth) + 1e-12
    assert cut > 5


def test_where_all_documents_that_count_are_judged_the_mean_is_that_of_people_whatever_the_others_are() -> None:
    weights, model = np.array([0.5, 0.5, 0.0, 0.0]), np.ones(4)
    observed = np.array([0.0, 0.0, np.nan, np.nan])
    found = prediction_powered_mean(weights, model, observed, np.zeros(4, dtype=int), 1, highest=1.0)
    assert (found.low, found.mean, found.high) == (0, 0, 0)


def test_without_topics_nothing_is_known() -> None:
    found = prediction_powered_mean(np.zeros(0), np.zeros(0), np.zeros(0), np.zeros(0, dtype=int), 0, highest=1.0)
    assert np.isnan([found.model, found.mean, found.low, found.high]).all()
