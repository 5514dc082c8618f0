"""Each test and each correction, declared once for commands, boards and pages; read without numpy.

`compare.RUN` and `corrections.CORRECTED` have the functions of the same names.
"""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Test:
    """`is_for`: when to choose it. `holds_together`: its p hold for all compared pairs at once, so that it takes no correction.
    `by_all_runs`: it does so by the values of all runs, whichever pairs are compared.

    `resamples`: how many it draws unless told otherwise, 0 for none. `by_common_topics`: it goes by the topics that all runs
    have, other tests by those that both runs of a pair have.
    """

    name: str
    label: str
    is_for: str
    holds_together: bool = False
    by_all_runs: bool = False
    resamples: int = 0
    by_common_topics: bool = False


@dataclass(frozen=True, slots=True)
class Correction:
    """`is_family_wise`: after it the probability of any wrong rejection is at most 1 - level."""

    name: str
    label: str
    is_for: str
    is_family_wise: bool = False


TESTS: Final = {
    test.name: test
    for test in (
        Test(
            "max-t",
            "step-down max-T test",
            "mean differences of all pairs at once, also where some runs vary more than others; best for most boards",
            holds_together=True,
            resamples=10_000,
            by_common_topics=True,
        ),
        Test(
            "randomised-tukey",
            "randomised Tukey HSD",
            "all pairs at once, if all runs vary alike; finds what is not there where a few runs are unlike the others",
            holds_together=True,
            by_all_runs=True,
            resamples=100_000,
            by_common_topics=True,
        ),
        Test(
            "tukey",
            "Tukey HSD",
            "all pairs at once, if the differences are about normal and vary alike for all pairs",
            holds_together=True,
            by_all_runs=True,
            by_common_topics=True,
        ),
        Test("t", "paired t-test", "mean differences; robust from about 20 topics, and the most used"),
        Test(
            "wilcoxon",
            "Wilcoxon signed-rank test",
            "whether one run is better on more topics and by more, when a few topics have extreme differences",
        ),
        Test("sign", "sign test", "only on how many topics each run wins; the weakest of the tests"),
        Test(
            "randomisation",
            "paired randomisation test",
            "mean differences without assumptions about how values are distributed",
            resamples=10_000,
        ),
        Test(
            "bootstrap",
            "bootstrap test",
            "mean differences, with intervals of their own; says too often that runs differ below 20 topics",
            resamples=10_000,
            by_common_topics=True,
        ),
    )
}
"""By the names that commands and boards use, in the order in which pages offer them."""

CORRECTIONS: Final = {
    correction.name: correction
    for correction in (
        Correction("none", "none", "only for the tests that hold for all compared pairs at once, which need none"),
        Correction(
            "holm",
            "Holm",
            "at most 5 % of boards with any wrong difference; always at least as good as Bonferroni",
            is_family_wise=True,
        ),
        Correction(
            "bonferroni",
            "Bonferroni",
            "the same promise as Holm, by a rule that fits in one line; finds fewer differences",
            is_family_wise=True,
        ),
        Correction(
            "bh",
            "Benjamini-Hochberg",
            "at most 5 % of the differences shown are wrong on average; ranks and groups are not derived from it",
        ),
    )
}


def holds_for_all(test: str, correction: str) -> bool:
    """Whether the p of all pairs hold at once, so that any wrong difference among them is improbable.

    >>> holds_for_all("tukey", "none"), holds_for_all("t", "holm"), holds_for_all("t", "bh")
    (True, True, False)
    """
    return TESTS[test].holds_together or CORRECTIONS[correction].is_family_wise
