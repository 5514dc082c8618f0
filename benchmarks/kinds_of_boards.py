"""How often the default test is wrong on boards of many kinds: its section of docs/reference/significance.md.

.venv/bin/python -m benchmarks.kinds_of_boards --times 400 --values "Cranfield, AP=values.csv"
"""

import argparse
import csv
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TypeAlias

import numpy as np
from scipy import stats

from evaluation.engine.arrays import FloatArray
from evaluation.engine.significance.compare import compare
from evaluation.engine.significance.families import all_pairs

Board: TypeAlias = Callable[[np.random.Generator, int], FloatArray]
"""Gives values, (n_runs, n_topics), of runs with the same expected values."""

TOPICS = (10, 20, 50, 100)
MANY_RUNS = 100
RESAMPLES = 999
HALF = np.array([0.03] * 10 + [0.12] * 10)
TWO_WILD = np.array([0.03] * 18 + [0.15] * 2)

ABOUT = """Boards with any wrong difference, and in brackets those on which the intervals of all differences hold, by the default
test: of {times:,} boards of equal runs each ({few:,} of {many} runs), 20 runs where no other number is named. Where differences
are symmetric, at most 5 % and at least 95 % is promised: all rows before those that are skewed. *Skewed*: noise is exponential,
less its mean (skewness 2), times .03 or more, so that differences of unlike runs have a skewness of about 2. *Very skewed*:
lognormal. *Heavy tails*: Student's t of 3 degrees of freedom. *Near-duplicates*: ten pairs whose noise differs by a thirtieth.
*One topic of five*: skewed, and runs differ on a fifth of the topics, the same for all: of 50 topics 10 count. *Reciprocal
rank*: 1 / rank, ranks geometric; half of the runs have one hardness, the others two of the same mean. Real runs: of topics
drawn with replacement the values of 15 runs less their mean, with a sign by a coin for all runs of the topic."""


def noisy(spread: FloatArray, noise: Callable[[np.random.Generator, tuple[int, int]], FloatArray]) -> Board:
    def board(random: np.random.Generator, topics: int) -> FloatArray:
        values: FloatArray = random.normal(0, 0.05, topics) + spread[:, np.newaxis] * noise(
            random, (len(spread), topics)
        )
        return values

    return board


def normal(random: np.random.Generator, shape: tuple[int, int]) -> FloatArray:
    return random.normal(0, 1, shape)


def skewed(random: np.random.Generator, shape: tuple[int, int]) -> FloatArray:
    return random.exponential(1, shape) - 1


def very_skewed(random: np.random.Generator, shape: tuple[int, int]) -> FloatArray:
    values: FloatArray = (random.lognormal(0, 1, shape) - np.exp(0.5)) / np.sqrt(np.exp(2) - np.e)
    return values


def heavy(random: np.random.Generator, shape: tuple[int, int]) -> FloatArray:
    values: FloatArray = random.standard_t(3, shape) / np.sqrt(3)
    return values


def of_one_topic_in_five(random: np.random.Generator, shape: tuple[int, int]) -> FloatArray:
    return skewed(random, shape) * (random.random(shape[1]) < 0.2)


def near_duplicates(random: np.random.Generator, topics: int) -> FloatArray:
    return np.repeat(random.normal(0, 0.09, (10, topics)), 2, axis=0) + random.normal(0, 0.003, (20, topics))


def in_tenths(random: np.random.Generator, topics: int) -> FloatArray:
    values: FloatArray = 0.4 + random.normal(0, 0.15, topics) + random.normal(0, 0.1, (20, topics))
    return np.round(values, 1)


def reciprocal_ranks(random: np.random.Generator, topics: int) -> FloatArray:
    """Runs of equal expected values: half with one hardness, half with two of the same mean."""
    middle = _mean_of_reciprocal(0.4)
    easy, hard = 0.7, 0.15
    share = (middle - _mean_of_reciprocal(hard)) / (_mean_of_reciprocal(easy) - _mean_of_reciprocal(hard))
    chance = np.where(random.random((20, topics)) < share, easy, hard)
    chance[:10] = 0.4
    values: FloatArray = 1.0 / random.geometric(chance)
    return values


def _mean_of_reciprocal(chance: float) -> float:
    return float(-chance * np.log(chance) / (1 - chance))


def real(path: Path) -> Board:
    """Values in CSV with the columns run, topic and value: less the mean of each topic, which has a sign by a coin."""
    with path.open(newline="", encoding="utf-8") as file:
        values = {(row["run"], row["topic"]): float(row["value"]) for row in csv.DictReader(file)}
    runs, topics_of = (sorted({key[place] for key in values}) for place in (0, 1))
    matrix = np.array([[values[run, topic] for topic in topics_of] for run in runs])
    matrix -= matrix.mean(axis=0)

    def board(random: np.random.Generator, topics: int) -> FloatArray:
        signs = np.where(random.random(topics) < 0.5, -1.0, 1.0)
        return matrix[:, random.integers(0, matrix.shape[1], topics)] * signs

    return board


KINDS: dict[str, Board] = {
    "alike": noisy(np.full(20, 0.1), normal),
    "half and half": noisy(HALF, normal),
    "half and half, heavy tails": noisy(HALF, heavy),
    "near-duplicates": near_duplicates,
    "values in tenths": in_tenths,
    "2 runs": noisy(np.array([0.03, 0.12]), normal),
    f"{MANY_RUNS} runs": noisy(np.repeat([0.03, 0.12], MANY_RUNS // 2), normal),
    "reciprocal rank": reciprocal_ranks,
    "18 alike, 2 wild, skewed": noisy(TWO_WILD, skewed),
    "half and half, skewed": noisy(HALF, skewed),
    "half and half, one topic of five": noisy(HALF, of_one_topic_in_five),
    "2 runs, skewed": noisy(np.array([0.03, 0.12]), skewed),
    f"{MANY_RUNS} runs, skewed": noisy(np.repeat([0.03, 0.12], MANY_RUNS // 2), skewed),
    "half and half, very skewed": noisy(HALF, very_skewed),
}


def outcome(values: FloatArray, test: str = "max-t", correction: str = "none") -> tuple[bool, bool]:
    """Whether any pair is said to differ, and whether all intervals hold 0."""
    pairs, resamples = all_pairs(len(values)), RESAMPLES if test == "max-t" else None
    found = compare(values, pairs, test, correction, resamples=resamples)
    return bool(found.p_corrected.min() < 0.05), bool(((found.low <= 0) & (found.high >= 0)).all())


def rows(times: int, seed: int, more: Sequence[tuple[str, Board]] = ()) -> Iterator[str]:
    yield from ABOUT.format(times=times, few=times // 10, many=MANY_RUNS).splitlines()
    yield from (
        "",
        f"| runs | {' | '.join(f'{topics} topics' for topics in TOPICS)} |",
        f"| --- |{' ---: |' * len(TOPICS)}",
    )
    for name, board in [*KINDS.items(), *more]:
        n = times // 10 if name.startswith(str(MANY_RUNS)) else times
        yield f"| {name} | {' | '.join(_cell(board, topics, n, seed) for topics in TOPICS)} |"


def _cell(board: Board, topics: int, times: int, seed: int) -> str:
    random = np.random.default_rng(seed)
    found = np.array([outcome(board(random, topics)) for _ in range(times)])
    wrong, held = found.mean(axis=0)
    low, high = stats.binomtest(int(found[:, 0].sum()), times).proportion_ci(method="wilson")
    return f"{100 * wrong:.1f} % ± {100 * (high - low) / 2:.1f} ({100 * held:.1f})"


def named(text: str) -> tuple[str, Board]:
    name, _, path = text.partition("=")
    return name, real(Path(path))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--values", type=named, action="append", default=[], metavar="NAME=FILE")
    options = parser.parse_args()
    print("\n".join(rows(options.times, options.seed, options.values)))


if __name__ == "__main__":
    main()
