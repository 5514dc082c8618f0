"""Documents of one grade by people, graded by a model: whose runs retrieve them must tell nothing, unless it favours them."""

import numpy as np
import pytest
from scipy import stats

from evaluation.engine.analyses.family_preference import FamilyPreference, family_preference


def graded(random: np.random.Generator, *, generous: float, favour: float, topics: int = 25) -> FamilyPreference | None:
    """A weaker family: fewer of its documents are relevant. A model that errs upwards with these probabilities."""
    topic = np.repeat(np.arange(topics), 30)
    own = random.random(len(topic)) < 0.5
    relevant = random.random(len(topic)) < np.where(own, 0.2, 0.6)
    raised = random.random(len(topic)) < generous + favour * own
    people = relevant.astype(np.int64)
    return family_preference(topic, people, np.minimum(people + raised, 1), own, ~own)


def test_a_model_that_is_generous_to_all_documents_alike_favours_no_family() -> None:
    random, held, trials = np.random.default_rng(3), 0, 400
    for _ in range(trials):
        found = graded(random, generous=0.3, favour=0.0)
        assert found is not None
        held += found.low <= 0 <= found.high
    assert stats.binomtest(held, trials, 0.95).pvalue > 1e-3


def test_a_model_that_favours_its_family_is_found_out() -> None:
    random = np.random.default_rng(4)
    found = [graded(random, generous=0.1, favour=0.3) for _ in range(40)]
    assert all(one is not None and one.low > 0 for one in found)
    assert np.mean([one.steps for one in found if one]) == pytest.approx(0.3 * 0.6, abs=0.04), (
        "of irrelevant ones: .3; of others: 0"
    )


def test_where_people_err_the_side_with_more_relevant_documents_is_raised_by_a_model_that_favours_nobody() -> None:
    random = np.random.default_rng(6)
    topic = np.repeat(np.arange(400), 30)
    own = random.random(len(topic)) < 0.5
    relevant = random.random(len(topic)) < np.where(own, 0.6, 0.2)
    people, model = (relevant ^ (random.random(len(topic)) < 0.1) for _ in range(2))
    found = family_preference(topic, people.astype(np.int64), model.astype(np.int64), own, ~own)
    assert found is not None
    assert found.low > 0.05


def test_it_is_the_mean_of_differences_in_cells_by_plain_loops() -> None:
    random = np.random.default_rng(5)
    topic, people, model = (random.integers(0, most, 200) for most in (6, 3, 4))
    own, others = random.random(200) < 0.5, random.random(200) < 0.6
    by_topic = []
    for one in range(6):
        values, weights = [], []
        for grade in range(3):
            cell = (topic == one) & (people == grade)
            mine, theirs = model[cell & own & ~others], model[cell & others & ~own]
            if len(mine) and len(theirs):
                values.append(mine.mean() - theirs.mean())
                weights.append(len(mine) * len(theirs) / (len(mine) + len(theirs)))
        if values:
            by_topic.append(np.average(values, weights=weights))
    found = family_preference(topic, people, model, own, others)
    assert found is not None
    assert (found.steps, found.topics) == (pytest.approx(np.mean(by_topic)), len(by_topic))
    low, high = stats.t.interval(0.95, len(by_topic) - 1, np.mean(by_topic), stats.sem(by_topic))
    assert (found.low, found.high) == (pytest.approx(low), pytest.approx(high))


def test_without_a_document_on_either_side_nothing_is_told() -> None:
    nothing = np.zeros(0, dtype=np.int64)
    assert family_preference(nothing, nothing, nothing, nothing.astype(bool), nothing.astype(bool)) is None
    one = np.ones(3, dtype=np.int64)
    assert family_preference(one, one, one, one.astype(bool), one.astype(bool)) is None
