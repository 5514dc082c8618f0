"""How long tests of all pairs take, as ratios to scipy and to plain loops in the same process: 100 runs x 50 topics.

    .venv/bin/python -m benchmarks.significance_speed

A peer that would take minutes is timed on a few pairs and multiplied; the page says which.
"""

import argparse
import json
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np
from scipy import stats

from evaluation.engine.arrays import FloatArray, IntArray
from evaluation.engine.significance.anova import tukey_hsd
from evaluation.engine.significance.bootstrap import bootstrap_intervals
from evaluation.engine.significance.compare import compare
from evaluation.engine.significance.families import all_pairs, parts_of
from evaluation.engine.significance.groups import letter_groups, letters
from evaluation.engine.significance.max_t import max_t
from evaluation.engine.significance.max_t_replaced import max_t_replaced
from evaluation.engine.significance.paired_t import paired_t
from evaluation.engine.significance.randomisation import randomisation
from evaluation.engine.significance.randomised_tukey import randomised_tukey
from evaluation.engine.significance.wilcoxon import wilcoxon

RUNS, TOPICS, MEASURES = 100, 50, 8
TIMES = 3


@dataclass(frozen=True)
class Contest:
    """`ours` is run whole; `peer` a share of the work, which `of_all` multiplies to the whole."""

    name: str
    ours: Callable[[], Any]
    peer: Callable[[], Any]
    of_all: float
    target: float
    seconds: float


def made_up(runs: int = RUNS, topics: int = TOPICS, seed: int = 1) -> FloatArray:
    random = np.random.default_rng(seed)
    hardness, quality = random.normal(0, 0.15, topics), np.linspace(0, 0.1, runs)[:, np.newaxis]
    values: FloatArray = np.clip(0.4 + hardness + quality + random.normal(0, 0.1, (runs, topics)), 0, 1)
    return values


NO_LIMIT = float("inf")
"""Of the seconds that a test may take."""


def contests(values: FloatArray, pairs: IntArray) -> list[Contest]:
    few = pairs[:: len(pairs) // 3][:3]
    half, other, of_half = values[: RUNS // 2], values[: RUNS // 2] + 0.2 * values[RUNS // 2 :], all_pairs(RUNS // 2)
    return [
        Contest(
            "randomisation, 10,000 flips",
            lambda: randomisation(values, pairs, 10_000),
            lambda: [_permutation_test(values[a], values[b]) for a, b in few],
            *(len(pairs) / len(few), 500, 0.3),
        ),
        Contest(
            "step-down max-T, 10,000 flips (peer: the randomisation test here)",
            lambda: max_t(values, pairs, 10_000),
            lambda: randomisation(values, pairs, 10_000),
            *(1, 1 / 3, NO_LIMIT),
        ),
        Contest(
            "max-T of 50 runs, each with other values (peer: each family)",
            lambda: max_t_replaced(half, other, of_half, range(len(half))),
            lambda: max_t(half, of_half),
            *(len(half), 5, 10),
        ),
        Contest(
            "randomised Tukey HSD, 100,000 permutations",
            lambda: randomised_tukey(values, pairs, 100_000),
            lambda: _column_loop(values, 2_000),
            *(50, 20, NO_LIMIT),
        ),
        Contest(
            "paired t",
            lambda: paired_t(values[pairs[:, 0]], values[pairs[:, 1]]),
            lambda: [stats.ttest_rel(values[a], values[b]) for a, b in pairs[::5]],
            *(5, 100, NO_LIMIT),
        ),
        Contest(
            "Wilcoxon",
            lambda: wilcoxon(values, pairs),
            lambda: [stats.wilcoxon(values[a], values[b]) for a, b in pairs[::50]],
            *(50, 1, NO_LIMIT),
        ),
        Contest(
            "bootstrap intervals of all runs, 10,000 draws",
            lambda: bootstrap_intervals(values),
            lambda: [_bootstrap(run) for run in values[:3]],
            *(RUNS / 3, 100, NO_LIMIT),
        ),
        Contest(
            "two-way Tukey HSD (peer: one-way, 12 runs)",
            lambda: tukey_hsd(values, pairs),
            lambda: stats.tukey_hsd(*values[:12]),
            *(len(pairs) / 66, 1, NO_LIMIT),
        ),
        *_letters(),
    ]


def _letters() -> list[Contest]:
    """Of 1,000 runs: 128 groups whatever their order, and many more than are looked for. Peer: the t-tests of all pairs."""
    two = np.array([[False, True], [True, False]])
    order = np.random.default_rng(1).permutation(994)
    few = np.kron(np.kron(np.eye(7, dtype=bool), two), np.ones((71, 71), dtype=bool))[np.ix_(order, order)]
    values, pairs = made_up(1000), all_pairs(1000)
    many = np.zeros((1000, 1000), dtype=bool)
    shown = pairs[paired_t(values[pairs[:, 0]], values[pairs[:, 1]]).p < 0.001]
    many[shown[:, 0], shown[:, 1]] = many[shown[:, 1], shown[:, 0]] = True
    return [
        Contest(
            f"letters of 1,000 runs, {said} (peer: t-tests of their pairs)",
            lambda differs=differs: letters(letter_groups(differs), len(differs)),  # type: ignore[misc]
            lambda: [paired_t(values[part[:, 0]], values[part[:, 1]]) for part in parts_of(pairs)],
            *(1, 1, 1.0),
        )
        for said, differs in (("128 groups", few), ("too many groups", many))
    ]


def _permutation_test(x: FloatArray, y: FloatArray) -> Any:
    def mean_difference(a: FloatArray, b: FloatArray, axis: int) -> FloatArray:
        found: FloatArray = np.mean(a - b, axis=axis)
        return found

    return stats.permutation_test(
        (x, y), mean_difference, permutation_type="samples", vectorized=True, n_resamples=10_000
    )


def _bootstrap(values: FloatArray) -> Any:
    return stats.bootstrap((values,), np.mean, n_resamples=10_000, method="BCa")


def _column_loop(values: FloatArray, permutations: int) -> FloatArray:
    random, ranges = np.random.default_rng(0), np.empty(permutations)
    for number in range(permutations):
        permuted = np.empty_like(values)
        for topic in range(values.shape[1]):
            permuted[:, topic] = random.permutation(values[:, topic])
        ranges[number] = np.ptp(permuted.mean(axis=1))
    return ranges


def seconds(work: Callable[[], Any], times: int = TIMES) -> float:
    taken = []
    for _ in range(times):
        start = perf_counter()
        work()
        taken.append(perf_counter() - start)
    return median(taken)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    values = made_up()
    pairs = all_pairs(RUNS)
    rows = []
    for contest in contests(values, pairs):
        contest.ours()
        ours, peer = seconds(contest.ours), seconds(contest.peer, 1) * contest.of_all
        fine = peer / ours >= contest.target and ours <= contest.seconds
        rows.append({"name": contest.name, "ours": ours, "peer": peer, "ratio": peer / ours, "target": contest.target})
        if not options.json:
            print(
                f"{contest.name:50} {ours:8.3f} s  peer {peer:8.1f} s  {peer / ours:7.0f}x  {'' if fine else 'MISSED'}"
            )
    more = seconds(lambda: randomisation(values, pairs, 100_000), 1)
    board = seconds(lambda: [compare(made_up(seed=number), pairs) for number in range(MEASURES)], 1)
    if options.json:
        print(json.dumps({"rows": rows, "randomisation of 100,000 flips": more, "board of 8 measures": board}))
    else:
        print(
            f"randomisation, 100,000 flips: {more:.2f} s; a board of {MEASURES} measures, default test: {board:.2f} s"
        )


if __name__ == "__main__":
    main()
