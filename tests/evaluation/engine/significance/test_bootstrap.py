"""Bootstrap intervals and tests against scipy and the level that they state."""

import os
import subprocess
import sys

import numpy as np
import pytest
from scipy import stats

from evaluation.engine.significance import bootstrap
from evaluation.engine.significance.bootstrap import bootstrap_intervals, bootstrap_shift
from evaluation.engine.significance.families import all_pairs
from tests.evaluation.engine.significance.values import make_matrix
from tests.places import REPOSITORY


@pytest.mark.parametrize(("method", "of_scipy"), [("percentile", "percentile"), ("bca", "BCa")])
def test_intervals_come_near_to_those_of_scipy(method: str, of_scipy: str) -> None:
    matrix = make_matrix(3, 40) ** 3
    low, high = bootstrap_intervals(matrix, resamples=20_000, seed=1, method=method)
    for row, found in enumerate(zip(low, high, strict=True)):
        expected = stats.bootstrap(
            (matrix[row],), np.mean, n_resamples=20_000, method=of_scipy, rng=np.random.default_rng(2)
        ).confidence_interval
        assert found == pytest.approx((expected.low, expected.high), abs=0.003)


def test_an_interval_holds_the_expected_mean_nearly_as_often_as_it_says() -> None:
    held = 0
    for seed in range(250):
        values = np.random.default_rng(seed).exponential(1.0, (1, 60))
        low, high = bootstrap_intervals(values, resamples=1000, seed=seed)
        held += bool(low[0] <= 1.0 <= high[0])
    assert 0.90 <= held / 250 <= 0.97


def test_runs_are_resampled_over_their_own_topics() -> None:
    matrix = make_matrix(2, 20)
    lacking = matrix.copy()
    lacking[1, :3] = np.nan
    low, high = bootstrap_intervals(lacking, seed=3)
    alone = bootstrap_intervals(matrix[1:, 3:], seed=3)
    assert (low[1], high[1]) == (alone[0][0], alone[1][0])
    assert (low[0], high[0]) == tuple(end[0] for end in bootstrap_intervals(matrix[:1], seed=3))


def test_equal_values_have_an_interval_of_themselves_and_no_topic_has_none() -> None:
    low, high = bootstrap_intervals(np.full((1, 8), 0.25))
    assert (low[0], high[0]) == (0.25, 0.25)
    assert np.isnan(bootstrap_intervals(np.full((1, 3), np.nan))[0]).all()


def test_the_shift_test_keeps_its_level_and_finds_what_the_t_test_finds() -> None:
    matrix = make_matrix(6, 60, spread=0.15)
    found = bootstrap_shift(matrix, all_pairs(6), 5000, seed=1)
    of_t = [stats.ttest_rel(matrix[one], matrix[other]).pvalue for one, other in all_pairs(6)]
    assert found.p == pytest.approx(of_t, abs=0.05)
    rejected = sum(
        bootstrap_shift(np.random.default_rng(seed).normal(0, 1, (2, 40)), all_pairs(2), 400, seed).p[0] < 0.05
        for seed in range(250)
    )
    assert 0.03 <= rejected / 250 <= 0.09


@pytest.mark.parametrize("level", [0.0, 0.5, 0.95, 0.999])
@pytest.mark.parametrize("resamples", [1, 2, 99, 1000])
@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_the_ends_are_the_quantiles_of_all_resampled_means(level: float, resamples: int, method: str) -> None:
    rng = np.random.default_rng(3)
    matrices = [rng.random((20, 30)), rng.random((3, 40)) ** 20, (rng.random((5, 12)) < 0.1) * 1.0, rng.random((2, 1))]
    for matrix in matrices:
        found = bootstrap_intervals(matrix, level, resamples, 7, method)
        with pytest.MonkeyPatch.context() as changed:
            changed.setattr(bootstrap, "BEYOND", 1e6)  # all values are sorted
            of_all = bootstrap_intervals(matrix, level, resamples, 7, method)
        np.testing.assert_array_equal(found, of_all)
        if method == "percentile":
            times = np.random.default_rng(7).multinomial(
                matrix.shape[1], np.full(matrix.shape[1], 1 / matrix.shape[1]), resamples
            )
            means = matrix @ times.T / matrix.shape[1]
            assert np.allclose(found, np.quantile(means, [(1 - level) / 2, (1 + level) / 2], axis=1), atol=1e-9)


def test_intervals_are_the_same_bytes_in_any_number_of_threads_and_every_time() -> None:
    code = (
        "import hashlib, numpy as np; from evaluation.engine.significance.bootstrap import bootstrap_intervals as made;"
        "matrix = np.random.default_rng(1).random((70, 200));"
        "print([hashlib.sha256(np.array(made(matrix, resamples=3000)).tobytes()).hexdigest() for _ in range(3)])"
    )
    printed = {
        subprocess.run(
            [sys.executable, "-c", code],
            cwd=REPOSITORY,
            env={**os.environ, "OPENBLAS_NUM_THREADS": threads},
            capture_output=True,
            check=True,
            text=True,
        ).stdout
        for threads in ("1", "2")
    }
    assert len(printed) == 1
    assert len(set(printed.pop().strip("[]\n").split(", "))) == 1
