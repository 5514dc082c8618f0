"""Whether intervals hold, by simulation: of tau, of the topics needed, of variance components; a part of significance.md.

.venv/bin/python -m benchmarks.intervals --times 500 [--only-components]
"""

import argparse
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from evaluation.engine.analyses.rank_correlation import kendall_tau
from evaluation.engine.analyses.tau_interval import tau_interval, widened
from evaluation.engine.arrays import FloatArray
from evaluation.engine.reliability.needed_interval import NINE_OF_TEN, deviation_interval, left_interval
from evaluation.engine.reliability.split_halves import split_halves
from evaluation.engine.reliability.variance_components import generalizability, variance_components
from evaluation.engine.significance.families import all_pairs

TOPICS = (5, 10, 25, 50)
RUNS = (5, 20, 60)
KINDS = ("documents left out", "two sets of judgments", "two measures")
NOISES = ("normal", "skewed", "few topics")
HARDNESS = 0.15
TEAM = 4
"""Runs of one team, which share half of what they do on a topic."""

ABOUT = """{times:,} collections of each kind ({fewer:,} of 60 runs). Four runs are of one team: qualities differ with a
standard deviation of 0.05 between teams and 0.015 within one. A value is the quality + the topic's hardness + what the
team and what the run does on the topic, each half of a variance that differs by run (standard deviations of 0.05 to
0.12). *Skewed*: by an exponential distribution, less its mean; *few topics*: runs differ on one topic of five, the same
for all."""

OF_TAU = """Share of collections in which tau of a second set of as many topics lies in the interval by the first, where
there is one (not for tau of 1); in brackets the share in which the tau of the expected means does, which is not what is
promised. *Documents left out*: every value of one team falls on half of the topics, of others on a tenth, by little; *two
sets of judgments*, *two measures*: a second value whose quality differs by 0.01 and 0.02, and whose noise has a
correlation of 0.9 and 0.7 with that of the first."""

OF_HALVES = """Share of collections in which tau between two new sets, each of half as many topics, lies in the interval
of the part *Halves of the topics*; in brackets the share in which it lies in the range of 95 % of the draws."""

OF_NEEDED = """Share of collections in which the interval of the topics needed holds the number by the true variance,
where there is one: for a chosen pair (the deviation that nine of ten pairs stay below), and for a board (the variance
that is left). 2 runs: one pair. *Alike*: all runs vary by the same, and no two are of one team."""

OF_COMPONENTS = """Share of collections in which the intervals of variance components hold the true number, where there are
any, in percent: the variance between runs, that between topics, E rho^2, Phi. Runs are taken as they are, topics are drawn.
*Near*: the runs' qualities are a tenth as far apart; *equal*: they are the same, and E rho^2 and Phi are 0; *in tenths*:
values are cut to [0, 1] and rounded, as precisions of ten documents are, and true numbers are those of 4,000 topics."""

APART = {"": 1.0, ", near": 0.1, ", equal": 0.0}
IN_TENTHS = "in tenths"
MANY_TOPICS = 4_000


@dataclass(frozen=True)
class World:
    """Runs of known qualities and spreads: what values of new topics are drawn from. Arrays float64 (n_runs,)."""

    quality: FloatArray
    second: FloatArray
    spread: FloatArray
    team: FloatArray
    noise: str

    def differing(self, random: np.random.Generator, topics: int) -> FloatArray:
        """What teams and runs do on each topic, of mean 0: float64 (n_runs, n_topics)."""
        runs = len(self.spread)
        some = (random.random(topics) < 0.2) / np.sqrt(0.2) if self.noise == "few topics" else 1.0

        def drawn(rows: int) -> FloatArray:
            return (
                random.exponential(1, (rows, topics)) - 1
                if self.noise == "skewed"
                else random.normal(0, 1, (rows, topics))
            )

        of_teams = drawn(int(self.team.max()) + 1)[self.team.astype(int)]
        values: FloatArray = self.spread[:, np.newaxis] * np.sqrt(0.5) * (of_teams + drawn(runs)) * some
        return values


def world(random: np.random.Generator, runs: int, kind: str, noise: str) -> World:
    team = np.arange(runs) // TEAM
    quality = 0.4 + random.normal(0, 0.05, runs)[team] + random.normal(0, 0.015, runs)
    second = quality + random.normal(0, 0.01 if kind == KINDS[1] else 0.02, runs)
    if kind == KINDS[0]:
        second = quality - np.where(team == random.integers(team.max() + 1), 0.5 * 0.04, 0.1 * 0.01)
    return World(quality, second, random.uniform(0.05, 0.12, runs), team.astype(np.float64), noise)


def values_of_topics(random: np.random.Generator, of: World, kind: str, topics: int) -> tuple[FloatArray, FloatArray]:
    """The values of each run on new topics, before and after, or under both: float64 (n_runs, n_topics) each."""
    hardness, differing = random.normal(0, HARDNESS, topics), of.differing(random, topics)
    first = of.quality[:, np.newaxis] + hardness + differing
    if kind == KINDS[0]:
        loss = of.quality - of.second
        share = np.where(loss > 0.01, 0.5, 0.1)[:, np.newaxis]
        fallen = random.random(first.shape) < share
        return first, first - fallen * random.exponential(1, first.shape) * loss[:, np.newaxis] / share
    alike = 0.9 if kind == KINDS[1] else 0.7
    other = alike * differing + np.sqrt(1 - alike**2) * of.differing(random, topics)
    return first, of.second[:, np.newaxis] + hardness + other


def tau_holds(random: np.random.Generator, runs: int, topics: int, kind: str, noise: str) -> tuple[bool, bool] | None:
    """Whether the interval holds tau of other topics, and that of the expected means; None where there is no interval."""
    of = world(random, runs, kind, noise)
    now, other = (values_of_topics(random, of, kind, topics) for _ in range(2))
    interval = tau_interval(*now)
    if interval is None:
        return None
    new = kendall_tau(*(values.mean(axis=1) for values in other))
    return _within(new, interval), _within(kendall_tau(of.quality, of.second), interval)


def halves_hold(random: np.random.Generator, runs: int, topics: int, noise: str) -> tuple[bool, bool]:
    """Whether the interval, and the range of the draws, hold tau between two new sets of half as many topics."""
    of = world(random, runs, KINDS[1], noise)
    now, *new = (values_of_topics(random, of, KINDS[1], n)[0] for n in (topics, topics // 2, topics // 2))
    drawn = split_halves(now).known
    tau = kendall_tau(*(values.mean(axis=1) for values in new))
    low, high = np.quantile(drawn, (0.025, 0.975))
    return _within(tau, widened(float(drawn.mean()), drawn, topics)), _within(tau, (float(low), float(high)))


def needed_holds(random: np.random.Generator, runs: int, topics: int, noise: str) -> tuple[bool, bool] | None:
    """Whether the intervals hold the true deviation that nine of ten pairs stay below, and the true variance that is left."""
    of = _world_of(random, runs, noise)
    first, second = all_pairs(runs).T
    variances = _variances_of_pairs(of)
    values = values_of_topics(random, of, KINDS[1], topics)[0]
    chosen, board = deviation_interval(values[first] - values[second]), left_interval(values)
    if chosen is None or board is None:
        return None
    usual = float(np.quantile(np.sqrt(variances), NINE_OF_TEN))
    return _within(usual, chosen), _within(float(variances.mean()) / 2, board)


def components_hold(
    random: np.random.Generator, runs: int, topics: int, noise: str, apart: float = 1.0
) -> tuple[bool, bool, bool, bool] | None:
    """Whether the intervals hold the true variance between runs and between topics, E rho^2 and Phi; None without intervals."""
    of = _world_of(random, runs, "normal" if noise == IN_TENTHS else noise)
    of = replace(of, quality=of.quality.mean() + apart * (of.quality - of.quality.mean()))
    values = values_of_topics(random, of, KINDS[1], topics)[0]
    left = float(_variances_of_pairs(of).mean()) / 2
    between_topics = HARDNESS**2 + float(np.square(of.spread).mean()) - left
    between_runs = float(of.quality.var(ddof=1))
    if noise == IN_TENTHS:
        values, many = (
            _in_tenths(of_topics) for of_topics in (values, values_of_topics(random, of, KINDS[1], MANY_TOPICS)[0])
        )
        parts = variance_components(many)
        between_runs, between_topics, left = parts.runs, parts.topics, parts.left
    found = generalizability(values)
    relative, absolute = (ratio.coefficient_interval(topics) for ratio in (found.relative, found.absolute))
    if found.runs_interval is None or found.topics_interval is None or relative is None or absolute is None:
        return None
    return (
        _within(between_runs, found.runs_interval),
        _within(between_topics, found.topics_interval),
        _within(between_runs / (between_runs + left / topics), relative),
        _within(between_runs / (between_runs + (between_topics + left) / topics), absolute),
    )


def _world_of(random: np.random.Generator, runs: int, noise: str) -> World:
    of = world(random, runs, KINDS[1], "normal" if noise == "alike" else noise)
    return replace(of, spread=np.full(runs, 0.1), team=np.arange(runs, dtype=np.float64)) if noise == "alike" else of


def _variances_of_pairs(of: World) -> FloatArray:
    """Of the differences between two runs, over topics: float64 (n_pairs,)."""
    first, second = all_pairs(len(of.spread)).T
    shared = np.where(of.team[first] == of.team[second], of.spread[first] * of.spread[second], 0.0)
    variances: FloatArray = of.spread[first] ** 2 + of.spread[second] ** 2 - shared
    return variances


def _in_tenths(values: FloatArray) -> FloatArray:
    return np.round(np.clip(values, 0, 1), 1).astype(np.float64)


def _within(value: float, interval: tuple[float, float]) -> bool:
    return interval[0] - 1e-9 <= value <= interval[1] + 1e-9


def rows(times: int, seed: int) -> Iterator[str]:
    """The lines of the part of the page."""
    yield from ABOUT.format(times=times, fewer=times // 5).splitlines()
    yield from (*rows_of_tau(times, seed), *rows_of_halves(times, seed), *rows_of_needed(times, seed))
    yield from rows_of_components(times, seed)


def rows_of_tau(times: int, seed: int) -> Iterator[str]:
    yield from ("", *OF_TAU.splitlines(), "", *_head("kind | noise | runs"))
    for kind in KINDS:
        for noise in NOISES[:2]:
            for runs in RUNS:
                shares = [_shares(times, seed, runs, _of_tau(runs, topics, kind, noise)) for topics in TOPICS]
                yield f"| {kind} | {noise} | {runs} | {' | '.join(_tau_cell(share) for share in shares)} |"


def rows_of_halves(times: int, seed: int) -> Iterator[str]:
    yield from ("", *OF_HALVES.splitlines(), "", *_head("noise | runs", TOPICS[1:]))
    for noise in NOISES[:2]:
        for runs in RUNS:
            shares = [_shares(times, seed, runs, _of_halves(runs, topics, noise)) for topics in TOPICS[1:]]
            yield f"| {noise} | {runs} | {' | '.join(_tau_cell(share) for share in shares)} |"


def rows_of_needed(times: int, seed: int) -> Iterator[str]:
    yield from ("", *OF_NEEDED.splitlines(), "", *_head("noise | runs", TOPICS[1:]))
    for noise in (*NOISES, "alike"):
        for runs in (2, *RUNS):
            shares = [_shares(times, seed, runs, _of_needed(runs, topics, noise)) for topics in TOPICS[1:]]
            yield f"| {noise} | {runs} | {' | '.join('{:.1f} %, {:.1f} %'.format(*share) for share in shares)} |"


def rows_of_components(times: int, seed: int) -> Iterator[str]:
    yield from ("", *OF_COMPONENTS.splitlines(), "", *_head("noise | runs", TOPICS[1:]))
    kinds = [(f"{noise}{near}", noise, apart) for noise in NOISES[:2] for near, apart in APART.items()]
    others = [(noise, noise, 1.0) for noise in (NOISES[2], "alike", IN_TENTHS)]
    for name, noise, apart in (*kinds, *others):
        for runs in (2, *RUNS):
            shares = [_shares(times, seed, runs, _of_components(runs, n, noise, apart)) for n in TOPICS[1:]]
            yield f"| {name} | {runs} | {' | '.join(_components_cell(share) for share in shares)} |"


Outcome = Callable[[np.random.Generator], tuple[bool, ...] | None]


def _of_tau(runs: int, topics: int, kind: str, noise: str) -> Outcome:
    return lambda random: tau_holds(random, runs, topics, kind, noise)


def _of_halves(runs: int, topics: int, noise: str) -> Outcome:
    return lambda random: halves_hold(random, runs, topics, noise)


def _of_needed(runs: int, topics: int, noise: str) -> Outcome:
    return lambda random: needed_holds(random, runs, topics, noise)


def _of_components(runs: int, topics: int, noise: str, apart: float) -> Outcome:
    return lambda random: components_hold(random, runs, topics, noise, apart)


def _components_cell(shares: FloatArray) -> str:
    return ", ".join(f"{share:.1f}" for share in shares)


def _shares(times: int, seed: int, runs: int, outcome: Outcome) -> FloatArray:
    """Of each of the outcomes in percent, among those where there are any: float64 (n_outcomes,)."""
    random = np.random.default_rng(seed)
    found = [outcome(random) for _ in range(times if runs < RUNS[-1] else times // 5)]
    shares: FloatArray = 100 * np.array(
        [outcomes for outcomes in found if outcomes is not None], dtype=np.float64
    ).mean(axis=0)
    return shares


def _tau_cell(shares: FloatArray) -> str:
    return "{:.1f} % ({:.1f})".format(*shares)


def _head(columns: str, topics: tuple[int, ...] = TOPICS) -> Iterator[str]:
    yield f"| {columns} | {' | '.join(f'{n} topics' for n in topics)} |"
    yield "|" + " --- |" * (columns.count("|") + 1) + " ---: |" * len(topics)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only-components", action="store_true")
    options = parser.parse_args()
    for row in (rows_of_components if options.only_components else rows)(options.times, options.seed):
        print(row, flush=True)


if __name__ == "__main__":
    main()
