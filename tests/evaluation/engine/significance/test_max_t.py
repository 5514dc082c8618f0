"""The step-down max-T test beside plain loops over all flips and Hall's formula, and what must change nothing."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from evaluation.engine.arrays import FloatArray, IntArray
from evaluation.engine.significance.adjusted_t import adjusted_t, asymmetry_of, t_of_adjusted
from evaluation.engine.significance.compare import compare
from evaluation.engine.significance.extents import parts
from evaluation.engine.significance.families import against_baseline, all_pairs
from evaluation.engine.significance.max_t import critical_t, max_t
from evaluation.engine.significance.paired_t import paired_t_of
from evaluation.engine.significance.randomisation import randomisation
from evaluation.engine.significance.resampling import share, signs_of
from tests.draws import examples


def by_loops(matrix: FloatArray, pairs: IntArray) -> list[float]:
    """Every flip of every topic; Student's t of each pair by scipy; Westfall and Young's step-down by its definition."""
    flips = [np.array(signs) for signs in product((1.0, -1.0), repeat=matrix.shape[1])]

    def size_of_t(differences: FloatArray) -> float:
        """By Hall's formula as he prints it, in the skewness of the sample."""
        if not differences.any():
            return 0.0
        if differences.std() < 1e-12:
            return np.inf
        t, n = float(stats.ttest_1samp(differences, 0)[0]), len(differences)
        skewness = float(stats.skew(differences))
        return abs(t + skewness * t**2 / (3 * n**0.5) + skewness**2 * t**3 / (27 * n) + skewness / (6 * n**0.5))

    of_pairs = [matrix[one] - matrix[other] for one, other in pairs.tolist()]
    seen = np.array([size_of_t(differences) for differences in of_pairs])
    drawn = np.array([[size_of_t(signs * differences) for differences in of_pairs] for signs in flips])
    p, before, left = np.zeros(len(pairs)), 0.0, list(np.argsort(-seen, kind="stable"))
    while left:
        largest = drawn[:, left].max(axis=1)
        share = (
            float(np.mean(largest >= seen[left[0]] * (1 - 1e-5)))
            if np.isfinite(seen[left[0]])
            else float(np.mean(np.isinf(largest)))
        )
        p[left[0]] = before = max(before, share)
        left = left[1:]
    return p.tolist()


@given(st.integers(0, 10_000), st.integers(2, 4), st.integers(2, 5), st.booleans())
@examples(20)
def test_p_is_that_of_plain_loops_over_all_flips(seed: int, n_runs: int, n_topics: int, in_tenths: bool) -> None:
    matrix = np.random.default_rng(seed).random((n_runs, n_topics))
    matrix = np.round(matrix, 1) if in_tenths else matrix
    pairs = all_pairs(n_runs)
    found = max_t(matrix, pairs)
    assert found.exact
    assert found.p.tolist() == pytest.approx(by_loops(matrix, pairs))


@pytest.mark.parametrize("n_topics", [4, 14, 15, 40])
def test_one_pair_that_is_symmetric_in_each_flip_has_the_p_of_the_randomisation_test(n_topics: int) -> None:
    matrix = np.vstack([np.full(n_topics, 0.5), np.zeros(n_topics)])
    pairs = all_pairs(2)
    assert max_t(matrix, pairs, 2_000, seed=3).p.tolist() == randomisation(matrix, pairs, 2_000, seed=3).p.tolist()


@given(st.integers(0, 10_000), st.sampled_from([6, 20]))
@examples(10)
def test_the_order_of_runs_and_what_is_added_to_a_topic_change_nothing(seed: int, n_topics: int) -> None:
    random = np.random.default_rng(seed)
    matrix = np.round(random.random((7, n_topics)), 2)
    matrix[3] = matrix[5]
    pairs, order = all_pairs(7), random.permutation(7)
    found = max_t(matrix, pairs, 500, seed=2)
    turned = max_t(matrix[np.argsort(order)], order[pairs][:, ::-1], 500, seed=2)
    raised = max_t(matrix + random.random(n_topics).round(2), pairs, 500, seed=2)
    assert turned.p.tolist() == found.p.tolist()
    assert raised.p.tolist() == found.p.tolist()
    assert turned.critical_t == pytest.approx(found.critical_t)
    assert found.p[pairs.tolist().index([3, 5])] == 1.0


def test_no_p_is_below_what_so_many_topics_can_give_and_then_no_interval_ends() -> None:
    for n_topics in range(1, 8):
        matrix = np.array([np.linspace(0.5, 0.6, n_topics), np.linspace(0.1, 0.3, n_topics)])
        found = compare(matrix, all_pairs(2), "max-t")
        assert found.p[0] == 2.0 ** (1 - n_topics)
        assert np.isinf(found.high[0]) == (found.p[0] >= 0.05)


def test_a_topic_that_a_run_lacks_is_left_out_of_all_pairs() -> None:
    matrix = np.random.default_rng(4).random((3, 12))
    lacking = np.column_stack([matrix, [0.9, np.nan, 0.1]])
    pairs = all_pairs(3)
    assert max_t(lacking, pairs).p.tolist() == max_t(matrix, pairs).p.tolist()
    assert max_t(np.full((3, 4), np.nan), pairs).p.tolist() == [1.0, 1.0, 1.0]
    assert max_t(matrix, np.zeros((0, 2), dtype=np.int64)).p.tolist() == []


def test_a_pair_whose_interval_leaves_out_zero_is_shown_to_differ() -> None:
    random = np.random.default_rng(5)
    for topics in (8, 25):
        matrix = random.random((12, topics)) + np.linspace(0, 0.5, 12)[:, np.newaxis]
        found = compare(matrix, all_pairs(12), "max-t", resamples=999)
        apart = (found.low > 0) | (found.high < 0)
        assert apart.any()
        assert (found.p[apart] < 0.05).all()


def test_fewer_pairs_have_smaller_p_and_a_p_never_grows_with_its_statistic() -> None:
    matrix = np.random.default_rng(6).random((10, 30))
    every, few = max_t(matrix, all_pairs(10), 999), max_t(matrix, against_baseline(0, 10), 999)
    of_first = every.p[:9]
    assert (few.p <= of_first + 1e-12).all()
    asymmetry = asymmetry_of(matrix[all_pairs(10)[:, 0]] - matrix[all_pairs(10)[:, 1]])
    by_t = np.argsort(-np.abs(adjusted_t(paired_t_of(matrix, all_pairs(10)).t, asymmetry)))
    assert (np.diff(every.p[by_t]) >= 0).all()


def test_many_pairs_in_blocks_have_the_p_of_one_block(monkeypatch: pytest.MonkeyPatch) -> None:
    matrix = np.random.default_rng(7).random((40, 20))
    pairs = all_pairs(40)
    whole = max_t(matrix, pairs, 700)
    monkeypatch.setattr("evaluation.engine.significance.extents.PAIRS_AT_ONCE", 100)
    monkeypatch.setattr("evaluation.engine.significance.max_t.SIGNS_AT_ONCE", 33)
    cut = max_t(matrix, pairs, 700)
    assert cut.p.tolist() == whole.p.tolist()
    assert cut.critical_t == pytest.approx(whole.critical_t)


@pytest.mark.parametrize("slope", [0.0, 0.02, 0.2])
def test_p_and_critical_t_are_those_of_the_largest_of_every_pair(slope: float) -> None:
    """With 20 runs most extents are left out: nothing that counts may be among them."""
    random = np.random.default_rng(11)
    matrix = random.random((20, 25)) + slope * np.arange(20)[:, np.newaxis]
    pairs, resamples = all_pairs(20), 800
    signs, _ = signs_of(25, resamples, 5)
    differences = matrix[pairs[:, 0]] - matrix[pairs[:, 1]]
    seen = adjusted_t_of(differences)
    order = np.argsort(seen)
    drawn = np.array([adjusted_t_of(differences * flip) for flip in signs])[:, order]
    largest = np.maximum.accumulate(drawn, axis=1)
    p = np.empty(len(pairs))
    p[order] = np.maximum.accumulate(share((largest >= seen[order] - 1e-7).sum(axis=0), resamples)[::-1])[::-1]
    for level in (0.5, 0.95, 0.998, 0.9999):
        found = max_t(matrix, pairs, resamples, seed=5, level=level)
        assert found.p.tolist() == p.tolist()
        shown = [
            of for of in np.sort(largest[:, -1]) if (1 + (largest[:, -1] > of).sum()) / (1 + resamples) < 1 - level
        ]
        critical = shown[0] if level < 0.9999 else np.inf
        assert found.critical_t == pytest.approx(critical)
        assert critical_t(matrix, pairs, resamples, seed=5, level=level) == pytest.approx(critical)


def adjusted_t_of(values: FloatArray) -> FloatArray:
    """By scipy, of each row or of one."""
    t = stats.ttest_1samp(values, 0, axis=-1).statistic
    return np.abs(adjusted_t(t, stats.skew(values, axis=-1) / values.shape[-1] ** 0.5))


@given(
    st.integers(0, 10_000),
    st.sampled_from(["normal", "outliers", "tenths", "constant"]),
    st.sampled_from([2, 7, 40, 900]),
)
@examples(40)
def test_what_is_left_out_as_too_small_is_never_above_what_it_was_left_out_for(
    seed: int, kind: str, n_topics: int
) -> None:
    random = np.random.default_rng(seed)
    values = {
        "normal": random.normal(0, 1, (30, n_topics)),
        "outliers": random.standard_t(1.2, (30, n_topics)),
        "tenths": random.integers(0, 11, (30, n_topics)) / 10.0,
        "constant": np.repeat(random.random((30, 1)), n_topics, axis=1) + 1e-9 * random.normal(0, 1, (30, n_topics)),
    }[kind]
    flips = np.where(random.random((n_topics, 300)) < 0.5, -1.0, 1.0)
    above = random.random(300) * np.sqrt(n_topics) * random.choice([0.2, 0.6, 1.0])
    for part in parts(values, all_pairs(30)):
        every, some = part.extents(flips), part.extents(flips, above)
        matters = (every > above) | (some > 0)
        assert np.abs(every - some)[matters].max(initial=0.0) < 1e-9
        assert (some[~matters] == 0).all()


def test_most_pairs_are_left_out_where_others_lie_farther_apart() -> None:
    part = next(parts(np.random.default_rng(3).random((20, 50)), all_pairs(20)))
    flips = np.where(np.random.default_rng(4).random((50, 300)) < 0.5, -1.0, 1.0)
    assert np.mean(part.extents(flips, np.full(300, 3.0)) > 0) < 0.05


@given(st.floats(-50, 50), st.floats(-1, 1))
@examples(40)
def test_one_t_belongs_to_each_adjusted_t_and_is_greater_for_a_greater_one(t: float, asymmetry: float) -> None:
    values, same = np.array([t, t + 0.01]), np.full(2, asymmetry)
    adjusted = adjusted_t(values, same)
    assert adjusted[0] <= adjusted[1]
    assert t_of_adjusted(adjusted, same).tolist() == pytest.approx(values.tolist(), abs=1e-3)
    assert adjusted_t(-values, -same).tolist() == (-adjusted).tolist()


def test_the_interval_of_a_pair_that_few_topics_tell_apart_holds_zero_where_p_is_not_small() -> None:
    random = np.random.default_rng(8)
    for _ in range(20):
        matrix = random.exponential(1, (6, 10)) * (np.arange(10) < random.integers(1, 6))
        found = compare(matrix, all_pairs(6), "max-t")
        assert (found.p >= 0.05).all()
        assert ((found.low <= 0) & (found.high >= 0)).all()
