"""What the tests of pairs would say if unjudged documents had the highest grade: those of both runs, or of one of them alone."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np

from evaluation.engine.arrays import FloatArray, IntArray
from evaluation.engine.significance.compare import Comparisons, compare, directions
from evaluation.engine.significance.corrections import CORRECTED
from evaluation.engine.significance.declarations import TESTS
from evaluation.engine.significance.max_t_replaced import max_t_replaced
from evaluation.engine.significance.standing import DIGITS

AS_JUDGED, BOTH, FIRST, SECOND = range(4)
IS_BEST: Final = np.array([[0, 0], [1, 1], [1, 0], [0, 1]])
"""By corner: whether the unjudged documents of the first run have the highest grade, and whether those of the second one do."""


@dataclass(frozen=True, eq=False)
class Corners:
    """`pairs`: int64 (n_pairs, 2). By corner and pair, (4, n_pairs): `p`, corrected; `direction`, int64 as in `Comparisons`."""

    pairs: IntArray
    p: FloatArray
    direction: IntArray

    def decisions(self, numbers: FloatArray, alpha: float) -> IntArray:
        """Which run is shown to have the larger number: int64 (4, n_pairs), 1 the first, -1 the second, 0 none.

        `numbers`: float64 (2, n_runs), of each run as judged, and with unjudged documents of the highest grade. As on boards, a
        difference is shown where p is below alpha, and test and numbers favour the same run.
        """
        first, second = (numbers[IS_BEST[:, side]][:, self.pairs[:, side]] for side in (0, 1))
        apart = np.sign(np.round(first - second, DIGITS))
        return np.where((self.p < alpha) & (apart == self.direction), self.direction, 0)


def corners(
    judged: FloatArray,
    best: FloatArray,
    pairs: IntArray,
    test: str = "max-t",
    correction: str = "none",
    *,
    seed: int = 0,
    resamples: int | None = None,
    level: float = 0.95,
    single: bool = True,
) -> Corners:
    """Test pairs by the values as judged, with all unjudged documents of the highest grade, and with those of one run alone.

    `judged`, `best`: float64 (n_runs, n_topics), the values of each run without and with the highest grade for its unjudged
    documents. Where they are those of one run alone, all other runs keep their values as judged; the whole family is tested anew,
    by the same test, correction, level and seed, and this gives p of the pairs of this run. A document that both runs of a pair
    retrieved then counts for one of them only, which no judgments can bring about. Not `single`: p of these corners is NaN.

    >>> judged = np.array([[0.5, 0.6, 0.4, 0.5, 0.7, 0.6], [0.2, 0.4, 0.1, 0.2, 0.3, 0.2]])
    >>> best = judged + np.array([[0.0], [0.5]])
    >>> found = corners(judged, best, np.array([[0, 1]]), "t")
    >>> found.p[:, 0].round(4).tolist()
    [0.0001, 0.0019, 0.0001, 0.0019]
    >>> found.decisions(np.array([judged.mean(axis=1), best.mean(axis=1)]), 0.05)[:, 0].tolist()
    [1, -1, 1, -1]
    """
    how: dict[str, Any] = {"seed": seed, "resamples": resamples, "level": level}
    changed = _changed(judged, best)
    today = compare(judged, pairs, test, correction, **how)
    both = compare(best, pairs, test, correction, **how) if changed else today
    p = np.array([found.p_corrected for found in (today, both, today, today)])
    direction = np.array([found.direction for found in (today, both, today, today)])
    p[[FIRST, SECOND]] *= 1.0 if single else np.nan
    tested = _by_max_t if test == "max-t" else _together if TESTS[test].holds_together else _by_pair
    for run, p_alone, towards in tested(judged, best, changed if single else [], today, how):
        for side, corner in enumerate((FIRST, SECOND)):
            own = pairs[:, side] == run
            p[corner, own], direction[corner, own] = p_alone[own], towards[own]
    return Corners(pairs, p, direction)


def _changed(judged: FloatArray, best: FloatArray) -> list[int]:
    same = (judged == best) | (np.isnan(judged) & np.isnan(best))
    return np.flatnonzero(~same.all(axis=1)).tolist()


Alone: TypeAlias = Iterator[tuple[int, FloatArray, IntArray]]
"""Of each run, with its unjudged documents alone of the highest grade: corrected p and direction of all pairs."""


def _together(judged: FloatArray, best: FloatArray, runs: list[int], today: Comparisons, how: dict[str, Any]) -> Alone:
    for run in runs:
        values = judged.copy()
        values[run] = best[run]
        found = compare(values, today.pairs, today.test, **how)
        yield run, found.p_corrected, found.direction


def _by_max_t(judged: FloatArray, best: FloatArray, runs: list[int], today: Comparisons, how: dict[str, Any]) -> Alone:
    resamples = TESTS["max-t"].resamples if how["resamples"] is None else how["resamples"]
    p = max_t_replaced(judged, best, today.pairs, runs, resamples, how["seed"])
    for run, of_run in zip(runs, p, strict=True):
        values, towards = judged.copy(), today.direction.copy()
        values[run] = best[run]
        own = (today.pairs == run).any(axis=1)
        towards[own] = directions(values, today.pairs[own], "max-t")
        yield run, of_run, towards


def _by_pair(judged: FloatArray, best: FloatArray, runs: list[int], today: Comparisons, how: dict[str, Any]) -> Alone:
    """Of tests that look at no other runs: each pair is tested once for either run, and only corrected for each run."""
    if not runs:
        return
    n_pairs, n_runs = today.pairs.shape[0], len(judged)
    either = np.concatenate([today.pairs + np.array(shift) for shift in ([n_runs, 0], [0, n_runs])])
    found = compare(np.concatenate([judged, best]), either, today.test, **{**how, "resamples": today.resamples or None})
    p, towards = found.p.reshape(2, n_pairs), found.direction.reshape(2, n_pairs)
    for run in runs:
        own = [today.pairs[:, 0] == run, today.pairs[:, 1] == run]
        mixed = np.select(own, list(p), today.p)
        yield run, CORRECTED[today.correction](mixed), np.select(own, list(towards), today.direction)
