"""Corrected means: unbiased whatever the model says, with intervals that hold as often as they claim."""

import numpy as np
import pytest

from evaluation.engine.prediction_powered import LEAST_JUDGED, CorrectedMean, prediction_powered_mean
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
        prediction_powered_mean(weights, model, draw(relevant, seed), STRATUM, TOPICS, power=power)
        for seed in range(samples)
    ]


@pytest.mark.parametrize("generous", [0.1, 0.5], ids=["a good model", "a generous one"])
def test_the_interval_holds_the_value_by_people_as_often_as_it_says(generous: float) -> None:
    truth, found = estimates(generous)
    held = np.mean([one.low <= truth <= one.high for one in found])
    assert 0.925 <= held <= 0.975
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
    found = prediction_powered_mean(weights, model, relevant, STRATUM, TOPICS)
    truth = float((weights * relevant).sum()) / TOPICS
    assert (found.mean, found.low, found.high) == (pytest.approx(truth), pytest.approx(truth), pytest.approx(truth))


def test_in_one_stratum_it_is_the_mean_of_predictions_plus_the_mean_error_of_the_sample() -> None:
    generator = np.random.default_rng(3)
    predicted, true = generator.random((2, 500))
    observed = np.where(np.arange(500) < 80, true, np.nan)
    found = prediction_powered_mean(np.full(500, 1 / 500), predicted, observed, np.zeros(500, dtype=int), 1, power=1.0)
    error = true[:80] - predicted[:80]
    assert found.mean == pytest.approx(predicted.mean() + error.mean())
    half = 1.959963985 * np.sqrt((1 - 80 / 500) * error.var(ddof=1) / 80)
    assert found.high - found.mean == pytest.approx(half)


def test_strata_of_one_drawn_document_are_put_together_and_the_interval_still_holds() -> None:
    weights, relevant, model = population(0.5)
    weights = np.full_like(weights, 1 / DOCUMENTS)
    truth = float((weights * relevant).sum()) / TOPICS
    found = [
        prediction_powered_mean(weights, model, draw(relevant, seed, drawn=1), STRATUM, TOPICS) for seed in range(300)
    ]
    assert np.mean([one.low <= truth <= one.high for one in found]) >= 0.92


def test_of_too_few_judged_documents_or_a_stratum_without_any_there_is_no_interval() -> None:
    weights, relevant, model = population(0.5)
    weights = weights * (np.arange(len(weights)) < DOCUMENTS)
    found = prediction_powered_mean(weights, model, draw(relevant, 1), STRATUM, TOPICS)
    assert found.judged < LEAST_JUDGED
    assert not found.has_interval
    nothing = np.where(STRATUM == 0, np.nan, relevant)
    assert np.isnan(prediction_powered_mean(weights, model, nothing, STRATUM, TOPICS).mean)
