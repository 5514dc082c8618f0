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

MANY_SKEWED: Final = 0.1
"""Of a larger share it is said what follows for the test."""
TOPICS_FOR_SKEWNESS: Final = 5
"""With fewer no pair can be farther from symmetry than the limit."""

Part = tuple[str, list[str]]


def in_words(found: Diagnostics, column: Column, choice: Choice, n_measures: int) -> list[Part]:
    """Give the parts by title, each with its sentences."""
    parts = [
        ("Conditions", list(_conditions(column, choice))),
        ("Assumption", [TESTS[choice.test].assumes]),
        ("Spread", list(_spread(found, choice))),
        ("Symmetry", list(_symmetry(found, choice))),
        ("Ties", list(_ties(found))),
        ("Smallest difference", list(_smallest(found, column, choice))),
        ("Resampling", list(_resampling(found, column, choice))),
        ("Several measures", list(_measures(n_measures))),
        (
            "Not significantly different",
            ["This is no evidence that two runs are equal: these topics do not tell them apart."],
        ),
        ("Equivalence", list(_equivalence(column, choice))),
    ]
    return [(title, sentences) for title, sentences in parts if sentences]


def _conditions(column: Column, choice: Choice) -> Iterator[str]:
    if TESTS[choice.test].of_means:
        yield "p and intervals are about the means over all topics like these. Runs and judgments are taken as they are."
    else:
        yield "Intervals are about the means over all topics like these; p is about what the test goes by, over the same topics."
        yield "Runs and judgments are taken as they are."
    yield (
        "What an assessor, or the draw of judged documents, adds to one topic is in the spread of the topics, and so in p and "
        "intervals. What an assessor adds to several topics alike is not: Reliability says what is known of it."
    )
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
    if TESTS[choice.test].by_all_runs and times > found.alike_up_to:
        yield "This test assumes that all pairs vary alike. Here they do not: it can show differences that are not there."


def _symmetry(found: Diagnostics, choice: Choice) -> Iterator[str]:
    if math.isnan(found.most_skewness) or found.n_topics < TOPICS_FOR_SKEWNESS:
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
    elif choice.test == "max-t":
        yield "The test goes by t adjusted for skewness. p of skewed pairs can still be too small, mostly with few topics."
        yield (
            "In a simulation of 20 unlike runs with a skewness near 2, some difference that is not there was shown on 16 % of "
            "boards of 10 topics, 10 % of 20 and 6 % of 50; on more with a larger skewness, or where runs differ on few topics."
        )
    else:
        yield "For skewed pairs a p of this test can be too small or too large, the more so the smaller it is."


def _ties(found: Diagnostics) -> Iterator[str]:
    if found.n_same:
        have = "has" if found.n_same == 1 else "have"
        yield f"{number_of(found.n_same, 'pair')} {have} equal values on every topic: no test tells such runs apart."
    if found.n_tied > found.n_same:
        others = found.n_tied - found.n_same
        yield f"{number_of(others, 'pair')} more {'has' if others == 1 else 'have'} equal means."


def _smallest(found: Diagnostics, column: Column, choice: Choice) -> Iterator[str]:
    least, median, topics = found.least_shown, found.median_shown, number_of(found.n_topics, "topic")
    if math.isinf(least):
        if _family(found, choice) * 2.0 ** (1 - found.n_topics) >= 1.0 - choice.level:
            yield f"With {topics} no difference can be shown, however large."
        else:
            yield f"With {topics} the first step of the test shows hardly any difference, however large."
    elif not math.isnan(least):
        unit = {"geometric mean": " of logarithms", "sum": " per topic"}.get(column.summary, "")
        yield (
            f"Some pair is significantly different from an observed mean difference{unit} of about {least:.2g} on, "
            f"half of the pairs from about {median:.2g} on or less: that depends on how each pair varies."
        )
        if choice.test == "max-t" or choice.correction == "holm":
            yield "That holds for the first step of the test; where some pairs differ, later steps can show smaller ones."


def _family(found: Diagnostics, choice: Choice) -> int:
    """By how much the correction multiplies the smallest p."""
    return found.n_pairs if choice.correction in ("holm", "bonferroni") else 1


def _resampling(found: Diagnostics, column: Column, choice: Choice) -> Iterator[str]:
    if not column.resamples:
        return
    if choice.test in ("max-t", "randomisation") and found.n_topics <= EXACT_UP_TO:
        yield "All flips of topics are counted: p has no error of drawing."
        return
    alpha, family = 1.0 - choice.level, found.n_pairs if choice.correction != "none" else 1
    error = 1.96 * math.sqrt(family * alpha * (1.0 - alpha / family) / column.resamples)
    # The permutations of one drawn order hang together: of 3 runs 86 % of other draws came within the error.
    often = "mostly" if choice.test == "randomised-tukey" else "at least 19 times in 20"
    yield f"{column.resamples:,} resamples: {often} other draws would give a p of {alpha:.2g} within ± {error:.2g}."


def _equivalence(column: Column, choice: Choice) -> Iterator[str]:
    if column.summary != "mean" or choice.margin_of(column.measure) is None:
        of_another = f" By {column.measure} none was named." if choice.margin is not None else ""
        yield f"{choice.margin_in_words[0].upper()}{choice.margin_in_words[1:]}.{of_another}"
        return
    yield (
        f"Pairs are tested for mean differences within ± {choice.margin}, by two one-sided t-tests, with and without adjusting t "
        "for skewness, and Holm’s correction for all pairs: "
        "at most 5 % of boards have any wrong equivalence where differences are about symmetric."
    )
    yield (
        "Of pairs that are much skewed to one side it is more, with few topics: 10 % of boards in simulations of 20 runs and of "
        "two, and more yet where two runs differ on few topics, but by much."
    )


def _measures(n_measures: int) -> Iterator[str]:
    if n_measures > 1:
        yield (
            f"The board has {number_of(n_measures, 'measure')}, and each is tested by itself: "
            f"a wrong difference by any of them is up to {n_measures} times as probable."
        )
