"""Whether intervals hold what assessors and draws add, by simulation: docs/reference/error-budget.md.

.venv/bin/python -m benchmarks.error_budget --out docs/reference/error-budget.md
"""

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.judged_samples import SAMPLED, Sampled, draw, full_values, make_topics, values_under
from evaluation.engine.arrays import FloatArray, IntArray
from evaluation.engine.measures.names.registry import parse_measure
from evaluation.engine.reliability.error_budget import (
    deviation_by_assessors,
    deviation_by_draws,
    half_width,
    half_width_over_groups,
)
from evaluation.engine.reliability.parts.error_budget import DRAWS
from evaluation.engine.reliability.redrawing import thinned

TOPICS = 50
DESIGNS = {
    "an assessor of its own for each topic": [1] * 50,
    "25 assessors, 2 topics each": [2] * 25,
    "10 assessors, 5 topics each": [5] * 10,
    "10 assessors with 20, 10, 5, 4, 3, 3, 2, 1, 1 and 1 topics": [20, 10, 5, 4, 3, 3, 2, 1, 1, 1],
    "5 assessors, 10 topics each": [10] * 5,
    "5 assessors with 30, 10, 5, 3 and 2 topics": [30, 10, 5, 3, 2],
    "3 assessors with 17, 17 and 16 topics": [17, 17, 16],
    "one assessor": [50],
}
LEANINGS = ("normal", "skewed", "one in five leans")
SHARES = (0.0, 0.1, 0.3, 0.6)

ABOUT = """Written by `benchmarks.error_budget`. What [the report *Reliability*](reliability.md) says of its part *Where the
uncertainty comes from*, tried on data of which the truth is known; [decision 93](../decisions/0093-one-error-budget.md) says why
it is computed so."""

OF_INTERVALS = """{topics} topics, {times:,} boards of each kind. The difference of two runs on a topic is the expected one + what
the topic adds + what its assessor adds to all topics that he or she judges. *Share*: of the variance on one topic, what the
assessor adds to all; an assessor who is only more lenient adds to means, and little to differences. *Normal*; *skewed*:
assessors and topics by an exponential distribution; *one in five leans*: assessors add nothing, but one in five much, topics
are normal. The cells are the shares of boards on which the interval holds the expected difference, which should be 95 %: first
the interval of boards, then that over groups of topics that share no assessor, and in brackets its median width in widths of
the first. For fewer than 5 groups reports give none; what it would be is here in italics."""

OF_ASSESSORS = """{times:,} boards of {topics} fixed topics of which 10 were judged twice. What an assessor adds to a topic's
value has a standard deviation of 0.05, normal or skewed. *Own*: everybody judges one topic. *Two people*: the same two judge
all topics, and half of the variance is what a person adds to all of them. Cells: the root of the mean estimated variance,
divided by the true standard deviation of the mean over the {topics} topics."""

OF_DRAWS = """Topics of 100 pooled documents, 5 to 40 % of them relevant, four runs. *20 %*: a random sample of 20 of the 100
documents; *strata*: all of the 10 documents that the runs rank highest, 20 % of the others; *by probability*: each
drawn by itself, those that runs rank high likelier, 28 on average. Standard deviations: of {draws:,} draws for
{topics} fixed topics, that of the mean of a run and of the difference of two over the draws, what the report
estimates of it (root of the mean variance), and the ratio. Held: of {boards:,} boards of 50 new topics, each with a
draw of its own, the share of the intervals of boards that hold the expected value if all documents were judged; and
the share that hold the expected value of the estimates. Where the second is near 95 % and the first is not, the
estimator is biased: no interval holds that."""


def differences(
    random: np.random.Generator, times: int, sizes: list[int], share: float, leaning: str
) -> tuple[FloatArray, IntArray]:
    """Of two equal runs on each topic, float64 (times, n_topics), and who judged it, int64 (n_topics,)."""
    groups = np.repeat(np.arange(len(sizes)), sizes)
    topics, people = (times, len(groups)), (times, len(sizes))
    leans = leaning == "one in five leans"
    of_people = ((random.random(people) < 0.2) - 0.2) / 0.4 if leans else _noise(random, people, leaning)
    of_topics = _noise(random, topics, leaning)
    return np.sqrt(share) * of_people[:, groups] + np.sqrt(1.0 - share) * of_topics, groups


def _noise(random: np.random.Generator, shape: tuple[int, ...], kind: str) -> FloatArray:
    return random.exponential(1.0, shape) - 1.0 if kind == "skewed" else random.normal(0.0, 1.0, shape)


def intervals_hold(
    random: np.random.Generator, times: int, sizes: list[int], share: float, leaning: str
) -> tuple[float, float, float]:
    """How often both intervals hold the expected difference of 0, and the median of their widths' ratio; NaN for one group."""
    values, groups = differences(random, times, sizes, share, leaning)
    missed, by_topics = np.abs(values.mean(axis=1)), half_width(values)
    by_groups = half_width_over_groups(values, groups, fewest=2)
    held = float((missed <= by_topics).mean())
    if by_groups is None:
        return held, np.nan, np.nan
    return held, float((missed <= by_groups).mean()), float(np.median(by_groups / by_topics))


def assessors_told(random: np.random.Generator, times: int, leaning: str, *, two_people: bool) -> float:
    """The root of the mean estimated variance by the true standard deviation of a mean over TOPICS fixed topics."""
    twice, spread = 10, 0.05
    of_topics = _noise(random, (times, 2, 1, twice), leaning)
    of_people = _noise(random, (times, 2, 1, 1), leaning) if two_people else np.zeros((times, 2, 1, 1))
    scale = np.sqrt(0.5) if two_people else 1.0
    values = 0.4 + spread * scale * (of_topics + of_people)
    found = np.array([deviation_by_assessors(board, TOPICS)[0] for board in values])
    true = spread * np.sqrt(0.5 / TOPICS + 0.5) if two_people else spread / np.sqrt(TOPICS)
    return float(np.sqrt(np.square(found).mean()) / true)


def _runs(values: FloatArray) -> FloatArray:
    return values


def _neighbours(values: FloatArray) -> FloatArray:
    return values[:-1] - values[1:]


PARTS = (_runs, _neighbours)


def draws_told(random: np.random.Generator, sampled: Sampled, topics: int, draws: int) -> tuple[FloatArray, FloatArray]:
    """The true standard deviation over draws of means and of differences, and what is estimated: float64 (2,) each."""
    world, measure = make_topics(random, topics), parse_measure(sampled.measure)
    means, variances = [], []
    for _ in range(draws):
        judged = draw(world, sampled, random)
        means.append(values_under(world, judged, measure).mean(axis=1))
        kind = measure.definition.judgments
        anew = [values_under(world, thinned(judged, kind, random), measure) for _ in range(DRAWS)]
        variances.append([np.square(deviation_by_draws(np.array([part(v) for v in anew]))) for part in PARTS])
    true = [np.array(part).var(axis=0, ddof=1).mean() for part in (means, np.diff(means, axis=1))]
    estimated = [np.mean([both[place] for both in variances]) for place in (0, 1)]
    return np.sqrt(true), np.sqrt(estimated)


def boards_hold(random: np.random.Generator, sampled: Sampled, boards: int) -> FloatArray:
    """Shares of intervals that hold: float64 (2, 2), means and differences by the expected value of all, and of samples."""
    measure = parse_measure(sampled.measure)
    estimates, whole = [], []
    for _ in range(boards):
        world = make_topics(random, TOPICS)
        whole.append(full_values(world, parse_measure(sampled.whole)))
        estimates.append(values_under(world, draw(world, sampled, random), measure))
    shares = np.empty((2, 2))
    for row, part in enumerate(PARTS):
        means = np.array([part(values).mean(axis=1) for values in estimates])
        halves = np.array([half_width(part(values)) for values in estimates])
        of_all = np.array([part(values).mean(axis=1) for values in whole]).mean(axis=0)
        for column, true in enumerate((of_all, means.mean(axis=0))):
            shares[row, column] = (np.abs(means - true) <= halves).mean()
    return shares


def page(times: int, seed: int) -> str:
    parts = (of_intervals(times, seed), of_assessors(times, seed), of_draws(times // 40, seed))
    return "\n".join([
        "# Do the intervals hold what assessors and draws add?", "", *ABOUT.splitlines(), "",
        *(line for part in parts for line in part),
    ])  # fmt: skip


def of_intervals(times: int, seed: int) -> Iterator[str]:
    yield from ("## Assessors of several topics", "", *OF_INTERVALS.format(topics=TOPICS, times=times).splitlines(), "")
    yield f"| who judged | leanings | {' | '.join(f'share {share:.0%}'.replace('%', ' %') for share in SHARES)} |"
    yield f"| --- | --- |{' ---: |' * len(SHARES)}"
    for design, sizes in DESIGNS.items():
        for leaning in LEANINGS:
            random = np.random.default_rng(seed)
            cells = [_cell(*intervals_hold(random, times, sizes, share, leaning), len(sizes)) for share in SHARES]
            yield f"| {design} | {leaning} | {' | '.join(cells)} |"
    yield ""


def _cell(by_topics: float, by_groups: float, width: float, n_groups: int) -> str:
    if np.isnan(by_groups):
        return f"{100 * by_topics:.1f} %, none"
    mark = "*" if n_groups < 5 else ""
    return f"{100 * by_topics:.1f} %, {mark}{100 * by_groups:.1f} % ({width:.1f}){mark}"


def of_assessors(times: int, seed: int) -> Iterator[str]:
    yield from ("## Topics judged twice", "", *OF_ASSESSORS.format(topics=TOPICS, times=times).splitlines(), "")
    yield "| what assessors add | own | two people |"
    yield "| --- | ---: | ---: |"
    for leaning in LEANINGS[:2]:
        told = [assessors_told(np.random.default_rng(seed), times, leaning, two_people=two) for two in (False, True)]
        yield f"| {leaning} | {told[0]:.2f} | {told[1]:.2f} |"
    yield ""


def of_draws(times: int, seed: int) -> Iterator[str]:
    topics = 20
    yield from ("## Drawn judgments", "", *OF_DRAWS.format(draws=times, topics=topics, boards=times).splitlines(), "")
    columns = (
        "SD of means: true, estimated",
        "SD of differences",
        "means held: all judged, estimates",
        "differences held",
    )
    yield f"| sample | measure | {' | '.join(columns)} |"
    yield "| --- | --- | ---: | ---: | ---: | ---: |"
    for sampled in SAMPLED:
        random = np.random.default_rng(seed)
        true, told = draws_told(random, sampled, topics, times)
        held = 100 * boards_hold(random, sampled, times)
        ratios = [f"{true[part]:.4f}, {told[part]:.4f} ({told[part] / true[part]:.2f})" for part in (0, 1)]
        shares = [f"{held[part, 0]:.1f} %, {held[part, 1]:.1f} %" for part in (0, 1)]
        yield f"| {sampled.name} | {sampled.measure} | {' | '.join(ratios)} | {' | '.join(shares)} |"
    yield ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=8000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    options.out.write_text(page(options.times, options.seed), encoding="utf-8")


if __name__ == "__main__":
    main()
