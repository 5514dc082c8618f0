"""Whether tests keep what they promise, by simulation: docs/reference/significance.md.

.venv/bin/python -m benchmarks.significance --times 4000 --values "Cranfield, AP=FILE" --out docs/reference/significance.md
"""

import argparse
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
from scipy import stats

from benchmarks import corrected, intervals, kinds_of_boards, promises
from evaluation.engine.arrays import FloatArray
from evaluation.engine.significance.anova import may_be_best
from evaluation.engine.significance.compare import compare
from evaluation.engine.significance.equivalence import EQUIVALENT, equivalence
from evaluation.engine.significance.families import all_pairs
from evaluation.engine.significance.standing import standing

RUNS, TOPICS, LEVEL = 20, 50, 0.95
TESTS = (
    ("max-t", "none"),
    *(("randomised-tukey", "none"), ("tukey", "none"), ("t", "holm"), ("wilcoxon", "holm"), ("sign", "holm")),
    *(("t", "bonferroni"), ("t", "bh"), ("t", "none")),
)
FAMILY_WISE = TESTS[:7]
OF_RANKS = (*FAMILY_WISE[:6], ("randomisation", "holm"))
WITH_INTERVALS = ("max-t", "randomised-tukey", "tukey")
RESAMPLES = 999
"""Enough for a level of 5 %: 50 of them are at least as extreme as the least that is significant."""
SPACING = (0.001, 0.01)
ALIKE, WILD = 0.03, 0.15
SPREADS = {
    "18 alike, 2 wild": np.array([ALIKE] * 18 + [WILD] * 2),
    "19 alike, 1 wild": np.array([ALIKE] * 19 + [WILD]),
    "half and half": np.array([ALIKE] * 10 + [0.12] * 10),
}
NEAR, WIDE = 0.0075, 0.05
OF_MARGINS = {
    "alike": np.full(RUNS, ALIKE),
    **SPREADS,
    "half near, half wide": np.array([NEAR] * 10 + [WIDE] * 10),
}
"""Standard deviations of the runs' noise; those of `OF_MARGINS` where a margin of equivalence is looked at."""
FEW_TOPICS = (3, 5, 8)
FOR_BOOTSTRAP = (20, 25, 50)
MARGIN = 0.05
FOR_EQUIVALENCE = (5, 8, 15, 25, 50, 100)

ABOUT = """{runs} runs x {topics} topics, {times} collections of each kind; level 5 %. A value is 0.4 + the topic's hardness + the
run's quality + noise, cut to [0, 1]; hardness has a standard deviation of 0.15, noise of 0.075 to 0.125, by topic. *Equal*: all
runs have the same quality; the table gives the share of boards on which any two runs are said to differ, which should be at
most 5 % for family-wise tests. *Spaced*: neighbouring runs differ by 0.001 to 0.01; the tables give the share of boards on which
the rank set of every run holds its true rank, and the share of pairs that are found to differ. ± is half the width of the 95 %
interval of a share of boards."""

OF_UNLIKE = """Of {times:,} boards those with any wrong difference. A value is 0.5 + the topic's hardness, of standard deviation
0.05, + noise. *Alike*: noise of standard deviation 0.03; *wild*: 0.15; *half and half*: 0.03 and 0.12. *Skewed*: noise is
exponential, less its mean, so that differences of unlike runs are not symmetric about 0."""

OF_CLOSE = """Rank ranges of nearly equal runs: of {times:,} boards those on which every range holds the true rank, which should
be at least 95 %. Values as above; the runs' qualities are 0 to 0.000001. Boards show no rank ranges and no letters by tests that
do not go by means, or that do not keep their level here."""

OF_BOOTSTRAP = """Equal runs under the bootstrap test with Holm, of {times:,} boards those with any wrong difference."""

OF_EQUIVALENCE = """Half of the runs are better than the others by {margin}, which is the margin of equivalence. Of {times:,}
boards, and {of_two:,} of two runs, those on which any better run is called equivalent to a worse one, which should be at most
5 %; in brackets the share of pairs of the same quality that are shown to be equivalent. Values as for runs of which some vary
more than others; *alike*: noise of 0.03 for all; *near* and *wide*: 0.0075 and 0.05. The promise breaks, most with fewer than 50
topics, where runs that vary little are compared with better ones that vary much and are skewed: the differences are skewed to
one side, and the tests call too many of them equivalent. With 5 topics, and with 8 for 20 runs, nothing can be shown: no
p is below 2^(1 - n) before the correction."""

OF_PROMISES = """{times:,} collections of 8 topics and 60 documents, 3 runs, a pool of depth 10; all measures of grades, but those
that estimate from samples or say how much is judged. Documents outside the pool are graded at random; topics are taken from
runs at random; the pool is scored against the grades of all documents."""


def equal(random: np.random.Generator) -> FloatArray:
    return _values(random, np.zeros(RUNS))


def equal_in_tenths(random: np.random.Generator) -> FloatArray:
    """As precisions of ten documents are: many sums of topics are equal."""
    return np.round(equal(random), 1)


def unlike(random: np.random.Generator, kind: str, *, skewed: bool = False, topics: int = TOPICS) -> FloatArray:
    """Runs of the same expected values, of which some vary more than others; `skewed`: by noise that is exponential."""
    noise = random.exponential(1, (RUNS, topics)) - 1 if skewed else random.normal(0, 1, (RUNS, topics))
    values: FloatArray = 0.5 + random.normal(0, 0.05, topics) + OF_MARGINS[kind][:, np.newaxis] * noise
    return values


def alike_in_tenths(random: np.random.Generator, topics: int) -> FloatArray:
    """So few topics that two runs often differ by the same on each."""
    return np.round(equal(random)[:, :topics], 1)


def close(random: np.random.Generator, kind: str, *, skewed: bool) -> tuple[FloatArray, FloatArray]:
    """As `unlike`, with qualities that differ by next to nothing, so that there is a true rank."""
    quality = np.linspace(0, 1e-6, RUNS)[random.permutation(RUNS)]
    return unlike(random, kind, skewed=skewed) + quality[:, np.newaxis], quality


def rank_ranges_hold(values: FloatArray, quality: FloatArray, test: str, correction: str) -> bool:
    """Whether every true rank is in its range, by the ranges that a board would show if its tests had any."""
    resamples = RESAMPLES if test in ("max-t", "randomised-tukey") else None
    found = compare(values, all_pairs(RUNS), test, correction, resamples=resamples)
    stands = standing(
        values.mean(axis=1), found.pairs, found.p_corrected, 1 - LEVEL, direction=found.direction, lettered=False
    )
    true = stats.rankdata(-quality)
    return bool(((stands.best <= true) & (true <= stands.worst)).all())


def intervals_hold(values: FloatArray, test: str) -> bool:
    """Whether the intervals of all differences hold 0, which is what all expected differences are."""
    found = compare(values, all_pairs(RUNS), test, resamples=RESAMPLES)
    return bool(((found.low <= 0) & (found.high >= 0)).all())


def at_margin(random: np.random.Generator, kind: str, topics: int, *, skewed: bool) -> FloatArray:
    """As `unlike`; the second half of the runs is better than the first by the margin."""
    values = unlike(random, kind, skewed=skewed, topics=topics)
    values[RUNS // 2 :] += MARGIN
    return values


def called_equivalent(values: FloatArray) -> tuple[bool, float]:
    """Whether any pair at the margin is said to be equivalent, and the share of pairs of the same quality that are."""
    pairs = all_pairs(len(values))
    said = np.array(equivalence(values, pairs, MARGIN).in_words(1 - LEVEL)) == EQUIVALENT
    differ = (pairs[:, 0] < len(values) // 2) & (pairs[:, 1] >= len(values) // 2)
    return bool(said[differ].any()), float(said[~differ].mean()) if len(values) > 2 else np.nan


def spaced(random: np.random.Generator) -> tuple[FloatArray, FloatArray]:
    quality = np.cumsum(random.uniform(*SPACING, RUNS))[random.permutation(RUNS)]
    return _values(random, quality), quality


def _values(random: np.random.Generator, quality: FloatArray) -> FloatArray:
    hardness = random.normal(0, 0.15, TOPICS)
    noise = random.normal(0, 0.1, (RUNS, TOPICS)) * (0.75 + 0.5 * random.random(TOPICS))
    values: FloatArray = np.clip(0.4 + hardness + quality[:, np.newaxis] + noise, 0, 1)
    return values


def any_rejection(values: FloatArray, test: str, correction: str) -> bool:
    return smallest_p(values, test, correction) < 1 - LEVEL


def smallest_p(values: FloatArray, test: str, correction: str) -> float:
    return float(_p(values, test, correction).min())


def rank_sets_hold(values: FloatArray, quality: FloatArray, test: str, correction: str) -> tuple[bool, float]:
    """Whether every true rank is in its set, and the share of pairs that are found to differ."""
    pairs, p = all_pairs(RUNS), _p(values, test, correction)
    found = standing(values.mean(axis=1), pairs, p, 1 - LEVEL)
    true = stats.rankdata(-quality)
    return bool(((found.best <= true) & (true <= found.worst)).all()), float((p < 1 - LEVEL).mean())


def _p(values: FloatArray, test: str, correction: str) -> FloatArray:
    resamples = RESAMPLES if test in ("max-t", "randomised-tukey") else None
    return compare(values, all_pairs(RUNS), test, correction, resamples=resamples).p_corrected


def margin(share: float, times: int) -> float:
    low, high = stats.binomtest(round(share * times), times).proportion_ci(method="wilson")
    return float(high - low) / 2


def page(times: int, seed: int, real: Sequence[tuple[str, kinds_of_boards.Board]] = ()) -> str:
    lines = [
        "# Do the tests keep what they promise?",
        "",
        "Written by `python -m benchmarks.significance`. Do not edit.",
        "",
    ]
    lines += ABOUT.format(runs=RUNS, topics=TOPICS, times=f"{times:,}").splitlines()
    lines += [
        "",
        "## Equal runs",
        "",
        "| test | correction | boards with any wrong difference |",
        "| --- | --- | ---: |",
    ]
    lines += _rows(times, seed, lambda random, test: float(any_rejection(equal(random), *test)), TESTS)
    lines += ["", "## Equal runs by a measure of ten steps, as P@10", ""]
    lines += ["| test | correction | boards with any wrong difference |", "| --- | --- | ---: |"]
    lines += _rows(times, seed, lambda random, test: float(any_rejection(equal_in_tenths(random), *test)), FAMILY_WISE)
    lines += _unlike_runs(times // 4, seed)
    lines += _close_runs(times // 10, seed)
    lines += _few_topics(times // 4, seed)
    lines += ["", "## The default test on boards of many kinds", "", *kinds_of_boards.rows(times // 10, seed, real)]
    lines += equivalent_runs(times // 4, seed)
    lines += ["", "## Runs spaced by 0.001 to 0.01", ""]
    lines += ["| test | correction | all true ranks in their sets |", "| --- | --- | ---: |"]
    lines += _rows(times, seed, lambda random, test: float(rank_sets_hold(*spaced(random), *test)[0]), FAMILY_WISE)
    lines += ["", "| test | correction | pairs found to differ |", "| --- | --- | ---: |"]
    found = _rows(times, seed, lambda random, test: rank_sets_hold(*spaced(random), *test)[1], TESTS)
    lines += [f"{row.partition(' ±')[0]} |" for row in found]
    best, size = _best(times, seed)
    lines += ["", "The set of runs that may be the best holds the truly best one in"]
    lines += [
        f"{100 * best:.1f} % ± {100 * margin(best, times):.1f} of the collections, and {size:.1f} runs on average.",
        "",
        "## Bounds, topics left out, exact measures",
        "",
        *OF_PROMISES.format(times=times // 10).splitlines(),
        "",
        *promises.rows(times // 10, seed),
        "",
        "## Intervals of tau, of the topics needed and of variance components",
        "",
        *intervals.rows(times // 8, seed),
        "",
        "## Intervals of corrected scores",
        "",
        *corrected.rows(times // 8, seed),
        "",
    ]
    return "\n".join(lines)


def _unlike_runs(times: int, seed: int) -> Iterator[str]:
    yield from (
        "",
        "## Equal runs, of which some vary more than others",
        "",
        *OF_UNLIKE.format(times=times).splitlines(),
        "",
    )
    kinds = [(kind, kind, False) for kind in SPREADS] + [(f"{kind}, skewed", kind, True) for kind in [*SPREADS][:1]]
    yield f"| test | correction | {' | '.join(name for name, _, _ in kinds)} |"
    yield f"| --- | --- |{' ---: |' * len(kinds)}"
    for test, correction in FAMILY_WISE:
        shares = [
            _share(times, seed, lambda random: any_rejection(unlike(random, kind, skewed=skewed), test, correction))  # noqa: B023
            for _, kind, skewed in kinds
        ]
        yield f"| {test} | {correction} | {' | '.join(shares)} |"
    yield from (
        "",
        "Boards on which the intervals of all differences hold them all, which should be at least 95 %:",
        "",
    )
    yield f"| test | {' | '.join(name for name, _, _ in kinds)} |"
    yield f"| --- |{' ---: |' * len(kinds)}"
    for test in WITH_INTERVALS:
        shares = [
            _share(times, seed, lambda random: intervals_hold(unlike(random, kind, skewed=skewed), test))  # noqa: B023
            for _, kind, skewed in kinds
        ]
        yield f"| {test} | {' | '.join(shares)} |"


def _close_runs(times: int, seed: int) -> Iterator[str]:
    yield from ("", *OF_CLOSE.format(times=times).splitlines(), "")
    kinds = [(kind, skewed) for skewed in (False, True) for kind in ("18 alike, 2 wild", "half and half")]
    yield f"| test | correction | {' | '.join(kind + ', skewed' * skewed for kind, skewed in kinds)} |"
    yield f"| --- | --- |{' ---: |' * len(kinds)}"
    for test, correction in OF_RANKS:
        shares = [
            _share(
                times,
                seed,
                lambda random: rank_ranges_hold(*close(random, kind, skewed=skewed), test, correction),  # noqa: B023
            )
            for kind, skewed in kinds
        ]
        yield f"| {test} | {correction} | {' | '.join(shares)} |"
    times //= 4
    yield from ("", *OF_BOOTSTRAP.format(times=times).splitlines(), "")
    yield f"| {' | '.join(f'{topics} topics' for topics in FOR_BOOTSTRAP)} |"
    yield f"|{' ---: |' * len(FOR_BOOTSTRAP)}"
    shares = [
        _share(times, seed, lambda random: any_rejection(equal(random)[:, :topics], "bootstrap", "holm"))  # noqa: B023
        for topics in FOR_BOOTSTRAP
    ]
    yield f"| {' | '.join(shares)} |"


def _few_topics(times: int, seed: int) -> Iterator[str]:
    yield from (
        "",
        "## Equal runs with few topics, by a measure of ten steps",
        "",
        f"Of {times:,} boards those with any wrong difference.",
        "",
    )
    yield f"| test | correction | {' | '.join(f'{topics} topics' for topics in FEW_TOPICS)} |"
    yield f"| --- | --- |{' ---: |' * len(FEW_TOPICS)}"
    for test, correction in FAMILY_WISE:
        shares = [
            _share(times, seed, lambda random: any_rejection(alike_in_tenths(random, topics), test, correction))  # noqa: B023
            for topics in FEW_TOPICS
        ]
        yield f"| {test} | {correction} | {' | '.join(shares)} |"


def equivalent_runs(times: int, seed: int) -> Iterator[str]:
    yield from ("", "## Runs that differ by the margin of equivalence", "")
    yield from (*OF_EQUIVALENCE.format(margin=MARGIN, times=times, of_two=4 * times).splitlines(), "")
    yield f"| runs | {' | '.join(f'{topics} topics' for topics in FOR_EQUIVALENCE)} |"
    yield f"| --- |{' ---: |' * len(FOR_EQUIVALENCE)}"
    of_two = ("alike", "half near, half wide")
    for kind, only_two in [*((kind, False) for kind in OF_MARGINS), *((kind, True) for kind in of_two)]:
        for skewed in (False, True):
            boards = 4 * times if only_two else times
            cells = [_equivalent(boards, seed, kind, topics, skewed, only_two) for topics in FOR_EQUIVALENCE]
            yield f"| {'2 runs of ' * only_two}{kind}{', skewed' * skewed} | {' | '.join(cells)} |"


def _equivalent(times: int, seed: int, kind: str, topics: int, skewed: bool, only_two: bool) -> str:
    random = np.random.default_rng(seed)
    boards = (at_margin(random, kind, topics, skewed=skewed) for _ in range(times))
    found = [called_equivalent(values[[0, -1]] if only_two else values) for values in boards]
    wrong, right = (float(np.mean(of_boards)) for of_boards in zip(*found, strict=True))
    return f"{100 * wrong:.1f} % ± {100 * margin(wrong, times):.1f}{'' if only_two else f' ({100 * right:.0f} %)'}"


def _share(times: int, seed: int, outcome: Callable[[np.random.Generator], bool]) -> str:
    random = np.random.default_rng(seed)
    share = float(np.mean([outcome(random) for _ in range(times)]))
    return f"{100 * share:.1f} % ± {100 * margin(share, times):.1f}"


def _rows(
    times: int,
    seed: int,
    outcome: Callable[[np.random.Generator, tuple[str, str]], float],
    tests: tuple[tuple[str, str], ...],
) -> Iterator[str]:
    """Every test sees the same collections."""
    for test in tests:
        random = np.random.default_rng(seed)
        share = float(np.mean([outcome(random, test) for _ in range(times)]))
        yield f"| {test[0]} | {test[1]} | {100 * share:.1f} % ± {100 * margin(share, times):.1f} |"


def _best(times: int, seed: int) -> tuple[float, float]:
    random = np.random.default_rng(seed)
    sets = [
        (may_be_best(values), int(np.argmax(quality))) for values, quality in (spaced(random) for _ in range(times))
    ]
    return float(np.mean([found[best] for found, best in sets])), float(np.mean([found.sum() for found, _ in sets]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=4000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--values",
        type=kinds_of_boards.named,
        action="append",
        default=[],
        metavar="NAME=FILE",
        help="of real runs, CSV",
    )
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    options.out.write_text(page(options.times, options.seed, options.values), encoding="utf-8")


if __name__ == "__main__":
    main()
