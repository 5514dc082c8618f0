"""PURE: what the tests of a board assume, what its values say of that, and what the tests leave open, in sentences."""

import math
from collections.abc import Iterator
from typing import Final

from campaign.text.plurals import number_of
from evaluation.boards.board import Column
from evaluation.boards.choice import Choice
from evaluation.engine.significance.declarations import TESTS
from evaluation.engine.significance.diagnostics import Diagnostics
from evaluation.engine.significance.resampling import EXACT_UP_TO

ALIKE: Final = 2.0
"""Up to so many times the smallest standard deviation the largest counts as like it."""
MANY_SKEWED: Final = 0.1
"""A larger share of skewed pairs is no chance: about a twentieth is where differences are normal."""
TOPICS_FOR_T: Final = 20

Part = tuple[str, list[str]]


def in_words(found: Diagnostics, column: Column, choice: Choice, n_measures: int) -> list[Part]:
    """Give the parts by title, each with its sentences."""
    parts = [
        ("Conditions", list(_conditions(column))),
        ("Assumption", [TESTS[choice.test].assumes]),
        ("Spread", list(_spread(found, choice))),
        ("Symmetry", list(_symmetry(found, choice))),
        ("Ties", list(_ties(found))),
        ("Smallest difference", list(_smallest(found, column, choice))),
        ("Resampling", list(_resampling(found, column, choice))),
        ("Several measures", list(_measures(n_measures))),
        ("Not shown to differ", ["This is no evidence that two runs are equal: these topics do not tell them apart."]),
    ]
    return [(title, sentences) for title, sentences in parts if sentences]


def _conditions(column: Column) -> Iterator[str]:
    yield "p and intervals say what other topics like these would show. Runs and judgments are taken as they are."
    if column.unjudged_meaning != "none":
        yield "Documents without a judgment count as not relevant."


def _spread(found: Diagnostics, choice: Choice) -> Iterator[str]:
    if math.isnan(found.least_deviation):
        return
    times = found.most_deviation / found.least_deviation
    yield (
        f"The standard deviation of the topics’ differences of a pair is between {found.least_deviation:.4f} and "
        f"{found.most_deviation:.4f}, the largest {times:.1f} times the smallest."
    )
    if TESTS[choice.test].by_all_runs and times > ALIKE:
        yield "This test assumes that all pairs vary alike. Here they do not: it can show differences that are not there."


def _symmetry(found: Diagnostics, choice: Choice) -> Iterator[str]:
    if math.isnan(found.most_skewness):
        return
    n = found.n_pairs - found.n_same
    yield (
        f"The differences of {found.n_skewed:,} of {number_of(n, 'pair')} are skewed: farther from symmetry than those of 19 of "
        f"20 pairs of normal differences. The largest skewness is {found.most_skewness:.2f}."
    )
    if found.n_skewed <= MANY_SKEWED * n:
        return
    if not TESTS[choice.test].of_means:
        yield "For skewed pairs this test and the means can favour different runs."
    elif found.n_topics < TOPICS_FOR_T or choice.test not in ("t", "bootstrap"):
        yield "For skewed pairs a p of this test can be somewhat too small or too large."


def _ties(found: Diagnostics) -> Iterator[str]:
    if found.n_same:
        have = "has" if found.n_same == 1 else "have"
        yield f"{number_of(found.n_same, 'pair')} {have} equal values on every topic: no test tells such runs apart."
    if found.n_tied > found.n_same:
        others = found.n_tied - found.n_same
        yield f"{number_of(others, 'pair')} more {'has' if others == 1 else 'have'} equal means."


def _smallest(found: Diagnostics, column: Column, choice: Choice) -> Iterator[str]:
    least, median = found.least_shown, found.median_shown
    if math.isinf(least):
        yield f"With {number_of(found.n_topics, 'topic')} no difference can be shown, however large."
    elif not math.isnan(least):
        unit = " of logarithms" if column.summary == "geometric mean" else ""
        yield (
            f"The pair that varies least is shown to differ from a mean difference{unit} of about {least:.2g} on, "
            f"the median pair from about {median:.2g} on."
        )
        if choice.test == "max-t" or choice.correction == "holm":
            yield "That holds for the first step of the test; where some pairs differ, later steps can show smaller ones."


def _resampling(found: Diagnostics, column: Column, choice: Choice) -> Iterator[str]:
    if not column.resamples:
        return
    if choice.test == "max-t" and found.n_topics <= EXACT_UP_TO:
        yield "All flips of topics are counted: p is exact."
        return
    alpha = 1.0 - choice.level
    error = 1.96 * math.sqrt(alpha * choice.level / column.resamples)
    yield (
        f"{column.resamples:,} resamples: 19 times in 20 other draws would give a p of {alpha:.2g} within ± {error:.2g}."
    )


def _measures(n_measures: int) -> Iterator[str]:
    if n_measures > 1:
        yield (
            f"The board has {number_of(n_measures, 'measure')}, and each is tested by itself: "
            f"a wrong difference by any of them is up to {n_measures} times as probable."
        )
