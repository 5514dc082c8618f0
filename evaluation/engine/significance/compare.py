"""One entry to all tests: pairs of runs compared by a test and a correction, with differences, intervals and effect sizes."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final, Self

import numpy as np

from evaluation.engine.arrays import BoolArray, FloatArray, IntArray
from evaluation.engine.significance.adjusted_t import asymmetry_of, t_of_adjusted
from evaluation.engine.significance.anova import tukey_half_width, tukey_hsd
from evaluation.engine.significance.bootstrap import bootstrap_intervals, bootstrap_shift
from evaluation.engine.significance.corrections import CORRECTED, resamples_needed
from evaluation.engine.significance.declarations import TESTS, Test
from evaluation.engine.significance.families import by_parts, parts_of
from evaluation.engine.significance.max_t import critical_t, max_t
from evaluation.engine.significance.paired_t import moments, paired_t_of, signs_of_differences
from evaluation.engine.significance.randomisation import randomisation
from evaluation.engine.significance.randomised_tukey import randomised_tukey
from evaluation.engine.significance.ranges import cut_to
from evaluation.engine.significance.sign import sign_direction, sign_test
from evaluation.engine.significance.wilcoxon import rank_direction, wilcoxon

MOST_RESAMPLES: Final = 1_000_000
"""More are not drawn to make a smallest p reach the level: ten seconds for 100 runs and 50 topics."""
PAIRS_AT_ONCE: Final = 200
"""Pairs whose differences are resampled together: 16 MB for each 10,000 resamples of 200 pairs."""


@dataclass(frozen=True)
class Found:
    """What a test says: p, and the interval of the mean difference where the test has one of its own; arrays (n_pairs,)."""

    p: FloatArray
    interval: tuple[FloatArray, FloatArray] | None = None
    resamples: int = 0


Run = Callable[[FloatArray, IntArray, int, int, float], Found]
"""Of matrix, pairs, resamples, seed and level."""


@dataclass(frozen=True)
class Comparisons:
    """Pairs of runs compared: arrays (n_pairs,), differences first minus second.

    `difference`: of the means over the topics that both have, or that all runs have where the test goes by these; NaN without
    such a topic. `low`, `high`: its interval; `effect_size`: the difference over the standard deviation of the topics'
    differences; `p`, `p_corrected`. `direction`: int64, what the test goes by is
    higher for the first run (1) or for the second (-1): the mean, or of rank tests the ranks and the wins. `resamples` is 0
    for tests that draw none.
    `notes`: what was decided for the caller, in words.
    """

    pairs: IntArray
    difference: FloatArray
    low: FloatArray
    high: FloatArray
    effect_size: FloatArray
    p: FloatArray
    p_corrected: FloatArray
    direction: IntArray
    test: str
    correction: str
    seed: int
    resamples: int
    notes: tuple[str, ...] = ()

    def of_pairs(self, places: IntArray) -> Self:
        """These of the pairs, with the p that hold for all of them."""
        by_pair = ("pairs", "difference", "low", "high", "effect_size", "p", "p_corrected", "direction")
        return replace(self, **{name: getattr(self, name)[places] for name in by_pair})


def compare(
    matrix: FloatArray,
    pairs: IntArray,
    test: str = "max-t",
    correction: str = "none",
    *,
    seed: int = 0,
    resamples: int | None = None,
    level: float = 0.95,
    most_apart: float = np.inf,
) -> Comparisons:
    """Compare pairs of runs on their topics; `matrix` float64 (n_runs, n_topics), NaN for a topic that a run lacks.

    Intervals are those of the test where it has its own (simultaneous for max-t, tukey and randomised-tukey, BCa for bootstrap),
    and Student's t intervals otherwise. They end at `most_apart`, by how much two values can differ, and at minus that.
    Resamples are raised to what the correction needs for the smallest p to be significant, at most to 1,000,000;
    asked for by number, they are kept. Tests that hold for all compared pairs take no correction.

    >>> values = np.array([[0.2, 0.4, 0.6, 0.3], [0.3, 0.5, 0.8, 0.4]])
    >>> found = compare(values, np.array([[0, 1]]), "t", "holm")
    >>> found.difference.round(3).tolist(), found.p_corrected.round(3).tolist()
    ([-0.125], [0.015])
    """
    chosen = TESTS[test]
    if chosen.holds_together and correction != "none":
        raise ValueError(f"{test} holds for all compared pairs at once: it takes no correction.")
    drawn, notes = _resamples(chosen, correction, len(pairs), resamples, 1.0 - level)
    if chosen.by_common_topics and np.isnan(matrix).any():
        shared, n_topics = int((~np.isnan(matrix)).all(axis=0).sum()), matrix.shape[1]
        notes = (*notes, f"{test} and differences go by the topics that every run has: {shared:,} of {n_topics:,}.")
        matrix = matrix[:, ~np.isnan(matrix).any(axis=0)]
    by_t = paired_t_of(matrix, pairs, level)
    found = RUN[test](matrix, pairs, drawn, seed, level)
    low, high = found.interval if found.interval is not None else (by_t.low, by_t.high)
    low, high = cut_to(low, high, -most_apart, most_apart)
    direction = directions(matrix, pairs, test)
    tested = (found.p, CORRECTED[correction](found.p), direction, test, correction, seed, found.resamples, notes)
    difference = np.where(_have_topics(matrix, pairs), by_t.difference, np.nan)
    return Comparisons(pairs, difference, low, high, by_t.effect_size, *tested)


def nothing_compared(test: str, correction: str, seed: int, note: str) -> Comparisons:
    """Comparisons of no pairs, with the reason in words.

    >>> found = nothing_compared("t", "holm", 1, "Too many runs.")
    >>> found.p_corrected.size, found.notes
    (0, ('Too many runs.',))
    """
    none, no_direction = np.zeros(0), np.zeros(0, dtype=np.int64)
    pairs = np.zeros((0, 2), dtype=np.int64)
    return Comparisons(pairs, none, none, none, none, none, none, no_direction, test, correction, seed, 0, (note,))


def directions(matrix: FloatArray, pairs: IntArray, test: str) -> IntArray:
    """In which run's favour the test would find a difference, more being better: int64 (n_pairs,) as in `Comparisons`.

    >>> values = np.array([[0.5, 0.5, 0.5, 0.5], [0.4, 0.4, 0.4, 0.9]])
    >>> [directions(values, np.array([[0, 1]]), test).tolist() for test in ("t", "sign")]
    [[-1], [1]]
    """
    if test in RANKED:
        return by_parts(lambda part: RANKED[test](matrix, part), pairs)
    if TESTS[test].by_common_topics:
        matrix = matrix[:, ~np.isnan(matrix).any(axis=0)]
    return signs_of_differences(matrix, pairs)


def _have_topics(matrix: FloatArray, pairs: IntArray) -> BoolArray:
    """Mark pairs of which both runs have a topic: bool (n_pairs,)."""
    known = ~np.isnan(matrix)
    return by_parts(lambda part: np.logical_or.reduce(known[part[:, 0]] & known[part[:, 1]], axis=1), pairs)


def _resamples(
    test: Test, correction: str, n_pairs: int, asked: int | None, alpha: float
) -> tuple[int, tuple[str, ...]]:
    needed = 0 if test.holds_together or correction == "none" else resamples_needed(n_pairs, alpha)
    if not test.resamples:
        return 0, ()
    if asked is not None:
        few = needed / 10 > asked
        return asked, (f"{asked:,} resamples can make no p significant after {correction}.",) if few else ()
    raised = min(max(test.resamples, needed), MOST_RESAMPLES)
    if raised == test.resamples:
        return raised, ()
    return raised, (f"Resamples raised from {test.resamples:,} to {raised:,}, for {n_pairs:,} comparisons.",)


def _t(matrix: FloatArray, pairs: IntArray, resamples: int, seed: int, level: float) -> Found:
    return Found(paired_t_of(matrix, pairs, level).p)


def _of_pairs(p_of: Callable[[FloatArray, IntArray], FloatArray]) -> Run:
    """Run a test that gives p of each pair by itself, and nothing else."""
    return lambda matrix, pairs, resamples, seed, level: Found(by_parts(lambda part: p_of(matrix, part), pairs))


def _randomisation(matrix: FloatArray, pairs: IntArray, resamples: int, seed: int, level: float) -> Found:
    found = randomisation(matrix, pairs, resamples, seed)
    return Found(found.p, resamples=found.resamples)


def _bootstrap(matrix: FloatArray, pairs: IntArray, resamples: int, seed: int, level: float) -> Found:
    found = bootstrap_shift(matrix, pairs, resamples, seed)
    parts = np.array_split(pairs, max(1, -(-len(pairs) // PAIRS_AT_ONCE)))
    drawn = min(resamples, TESTS["bootstrap"].resamples)
    intervals = [bootstrap_intervals(matrix[part[:, 0]] - matrix[part[:, 1]], level, drawn, seed) for part in parts]
    low, high = (np.concatenate(sides) for sides in zip(*intervals, strict=True))
    interval = np.where(np.isnan(low), -np.inf, low), np.where(np.isnan(high), np.inf, high)
    return Found(found.p, interval, found.resamples)


def _tukey(matrix: FloatArray, pairs: IntArray, resamples: int, seed: int, level: float) -> Found:
    return Found(tukey_hsd(matrix, pairs), _simultaneous(matrix, pairs, tukey_half_width(matrix, level)))


def _randomised_tukey(matrix: FloatArray, pairs: IntArray, resamples: int, seed: int, level: float) -> Found:
    found = randomised_tukey(matrix, pairs, resamples, seed, level)
    return Found(found.p, _simultaneous(matrix, pairs, found.half_width), found.resamples)


def _max_t(matrix: FloatArray, pairs: IntArray, resamples: int, seed: int, level: float) -> Found:
    found = max_t(matrix, pairs, resamples, seed, level)
    known = matrix[:, ~np.isnan(matrix).any(axis=0)]
    if np.isinf(found.critical_t):
        nothing = np.full(len(pairs), np.inf)
        return Found(found.p, (-nothing, nothing), found.resamples)
    # Flips of runs that differ say how they vary about 0, and not about their differences: an interval goes by both.
    centred = critical_t(known - known.mean(axis=1, keepdims=True), pairs, resamples, seed, level)
    critical = max(found.critical_t, centred)
    intervals = [_interval(known[part[:, 0]] - known[part[:, 1]], critical) for part in parts_of(pairs)]
    low, high = (np.concatenate(sides) for sides in zip(*intervals, strict=True))
    return Found(found.p, (low, high), found.resamples)


def _interval(differences: FloatArray, critical: float) -> tuple[FloatArray, FloatArray]:
    """The mean differences less which no adjusted t exceeds the critical one: not symmetric, as differences are not."""
    if np.isinf(critical):
        return np.full(len(differences), -np.inf), np.full(len(differences), np.inf)
    difference, error, _ = moments(differences)
    asymmetry, most = asymmetry_of(differences), np.full(len(differences), critical)
    t_low, t_high = t_of_adjusted(-most, asymmetry), t_of_adjusted(most, asymmetry)
    return difference - t_high * error, difference - t_low * error


def _simultaneous(matrix: FloatArray, pairs: IntArray, half_width: float) -> tuple[FloatArray, FloatArray]:
    known = matrix[:, ~np.isnan(matrix).any(axis=0)]
    if not known.shape[1]:
        return np.full(len(pairs), -half_width), np.full(len(pairs), half_width)
    difference = by_parts(lambda part: (known[part[:, 0]] - known[part[:, 1]]).mean(axis=1), pairs)
    return difference - half_width, difference + half_width


RUN: Final[dict[str, Run]] = {
    "max-t": _max_t,
    "t": _t,
    "wilcoxon": _of_pairs(wilcoxon),
    "sign": _of_pairs(sign_test),
    "randomisation": _randomisation,
    "bootstrap": _bootstrap,
    "tukey": _tukey,
    "randomised-tukey": _randomised_tukey,
}

RANKED: Final = {"sign": sign_direction, "wilcoxon": rank_direction}
"""Tests that do not go by the mean difference, and what they go by."""
