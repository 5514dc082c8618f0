"""Agreement of assessors against statsmodels, a published example and second implementations over pairs."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from statsmodels.stats.inter_rater import cohens_kappa
from statsmodels.stats.inter_rater import fleiss_kappa as fleiss_of_statsmodels

from judging.agreement.figures import (
    alpha_interval,
    cohen_kappa,
    coincidences,
    confusion,
    fleiss_kappa,
    krippendorff_alpha,
    overlap,
    strictness,
    votes,
)

SCALE = [0, 1, 2, 3]
NAN = np.nan
some_grades = arrays(
    np.float64, st.tuples(st.integers(1, 12), st.integers(2, 5)), elements=st.sampled_from([0.0, 1.0, 2.0, 3.0])
)
grades_with_gaps = arrays(
    np.float64, st.tuples(st.integers(1, 12), st.integers(2, 5)), elements=st.sampled_from([0.0, 1.0, 2.0, 3.0, NAN])
)

# Four observers, twelve units, values 1 to 5 (Krippendorff 2011, Computing Krippendorff's Alpha-Reliability, section C).
PUBLISHED = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, NAN, NAN, NAN],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NAN, 3],
        [NAN, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NAN],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NAN],
    ]
).T


@pytest.mark.parametrize(("level", "alpha"), [("nominal", 0.743), ("ordinal", 0.815)])
def test_alpha_of_the_published_example(level, alpha):
    assert round(krippendorff_alpha(coincidences(votes(PUBLISHED, [1, 2, 3, 4, 5])), level), 3) == alpha


def alpha_by_pairs(grades, level):
    """Over all ordered pairs of grades of one document, and of all grades that can be paired."""
    rows = [[grade for grade in row if not np.isnan(grade)] for row in grades.tolist()]
    rows = [row for row in rows if len(row) > 1]
    pooled = [grade for row in rows for grade in row]

    def distance(one, other):
        if level == "nominal":
            return float(one != other)
        low, high = sorted((one, other))
        between = sum(pooled.count(grade) for grade in SCALE if low <= grade <= high)
        return (between - (pooled.count(low) + pooled.count(high)) / 2) ** 2

    observed = sum(sum(distance(*pair) for pair in permutations(row, 2)) / (len(row) - 1) for row in rows)
    expected = sum(distance(*pair) for pair in permutations(pooled, 2))
    return 1 - (len(pooled) - 1) * observed / expected if expected else float("nan")


@pytest.mark.parametrize("level", ["nominal", "ordinal"])
@given(grades_with_gaps)
def test_alpha_is_that_of_all_pairs(level, grades):
    found = krippendorff_alpha(coincidences(votes(grades, SCALE)), level)
    assert found == pytest.approx(alpha_by_pairs(grades, level), nan_ok=True)


@pytest.mark.parametrize(("weights", "name"), [("none", None), ("linear", "linear"), ("quadratic", "quadratic")])
@given(grades=arrays(np.float64, (15, 2), elements=st.sampled_from([0.0, 1.0, 2.0, 3.0])))
def test_cohens_kappa_is_that_of_statsmodels(weights, name, grades):
    table = confusion(grades[:, 0], grades[:, 1], SCALE)
    found = cohen_kappa(table, weights)
    if np.isnan(found):  # both gave one grade only: statsmodels divides by zero
        assert (table.sum(axis=0) > 0).sum() == (table.sum(axis=1) > 0).sum() == 1
    else:
        with np.errstate(invalid="ignore", divide="ignore"):  # in figures that are not compared
            assert found == pytest.approx(float(cohens_kappa(table, wt=name).kappa))


@given(some_grades)
def test_fleiss_kappa_is_that_of_statsmodels(grades):
    counted = votes(grades, SCALE)
    found = fleiss_kappa(counted)
    if np.isnan(found):
        assert len(np.unique(grades)) == 1
    else:
        assert found == pytest.approx(fleiss_of_statsmodels(counted))


def test_fleiss_kappa_refuses_documents_with_different_numbers_of_grades():
    with pytest.raises(ValueError, match="the same number of assessors"):
        fleiss_kappa(np.array([[2, 0], [1, 0]]))


@given(grades_with_gaps)
def test_no_figure_depends_on_the_order_of_documents_or_assessors(grades):
    turned = grades[::-1, ::-1]
    table = coincidences(votes(grades, SCALE))
    assert np.allclose(table, coincidences(votes(turned, SCALE)))
    assert np.allclose(table, table.T)
    assert np.allclose(strictness(grades), strictness(turned)[::-1], equal_nan=True)


@given(grades_with_gaps)
def test_strictness_is_the_mean_difference_to_the_others_of_each_shared_document(grades):
    for assessor in range(grades.shape[1]):
        differences = []
        for row in grades:
            others = [grade for place, grade in enumerate(row) if place != assessor and not np.isnan(grade)]
            if others and not np.isnan(row[assessor]):
                differences.append(sum(others) / len(others) - row[assessor])
        expected = sum(differences) / len(differences) if differences else float("nan")
        assert strictness(grades)[assessor] == pytest.approx(expected, nan_ok=True)


def test_overlap_is_the_share_of_what_either_found_that_both_found():
    first, second = np.array([True, True, True, False]), np.array([True, False, False, True])
    assert overlap(first, second) == 0.25
    assert np.isnan(overlap(~first & first, second & ~second))


@pytest.mark.parametrize("n_topics", [5, 10, 40])
@pytest.mark.parametrize("level", ["nominal", "ordinal"])
def test_the_interval_of_alpha_holds_the_true_one_as_often_as_it_says(n_topics, level):
    """Assessors who copy each other with a probability of .3 to .9, by topic: alpha is .6 in the long run."""
    generator, held, trials = np.random.default_rng(7), 0, 600
    for _ in range(trials):
        tables = []
        for _ in range(n_topics):
            first = generator.integers(0, 4, 30)
            copied = generator.random(30) < generator.uniform(0.3, 0.9)
            second = np.where(copied, first, generator.integers(0, 4, 30))
            tables.append(coincidences(votes(np.stack([first, second], axis=1).astype(float), SCALE)))
        low, high = alpha_interval(np.stack(tables), level)
        held += low <= 0.6 <= high
    assert 0.95 - 3 * np.sqrt(0.95 * 0.05 / trials) <= held / trials <= 0.985


def test_there_is_no_interval_of_one_topic_nor_of_grades_that_all_agree():
    tables = np.stack([coincidences(votes(PUBLISHED[part], [1, 2, 3, 4, 5])) for part in (slice(0, 6), slice(6, 12))])
    low, high = alpha_interval(tables)
    assert low < krippendorff_alpha(tables.sum(axis=0)) < high <= 1
    assert alpha_interval(np.concatenate([tables, np.zeros((3, 5, 5))])) == (low, high), (
        "topics without a pair do not count"
    )
    agreed = coincidences(votes(np.array([[0.0, 0.0], [1.0, 1.0]]), SCALE))
    for nothing in (tables[:1], np.stack([agreed] * 4)):
        assert np.isnan(alpha_interval(nothing)).all()


def test_where_one_topic_has_all_disagreement_the_interval_is_still_one():
    agreed = coincidences(votes(np.array([[0.0, 0.0], [1.0, 1.0]]), SCALE))
    other = coincidences(votes(np.array([[0.0, 1.0], [1.0, 1.0]]), SCALE))
    low, high = alpha_interval(np.stack([agreed, agreed, other]))
    assert low < krippendorff_alpha(2 * agreed + other) < high <= 1
