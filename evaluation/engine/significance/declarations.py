"""Each test and each correction, declared once for commands, boards and pages; read without numpy.

`compare.RUN` and `corrections.CORRECTED` have the functions of the same names.
"""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Test:
    """`is_for`: when to choose it. `assumes`: of the topics' differences of a pair. `of_means`: it goes by means.
    `holds_together`: its p hold for all compared pairs at once, so that it takes no correction. `by_all_runs`: it does so by the
    values of all runs, whichever pairs are compared.

    `resamples`: how many it draws unless told otherwise, 0 for none. `by_common_topics`: it goes by the topics that all runs
    have, other tests by those that both runs of a pair have. `no_ranks`: why neither rank intervals nor letters follow from it,
    as a clause; empty for tests of means that keep their level where differences are about symmetric, also where
    some runs vary more than others.
    """

    name: str
    label: str
    is_for: str
    assumes: str
    of_means: bool = True
    holds_together: bool = False
    by_all_runs: bool = False
    resamples: int = 0
    by_common_topics: bool = False
    no_ranks: str = ""


@dataclass(frozen=True, slots=True)
class Correction:
    """`is_family_wise`: after it the probability of any wrong rejection is at most 1 - level."""

    name: str
    label: str
    is_for: str
    is_family_wise: bool = False


NEEDS_ALIKE: Final = "this test finds differences that are not there where some runs vary more than others"

TESTS: Final = {
    test.name: test
    for test in (
        Test(
            "max-t",
            "step-down max-T test",
            "mean differences of all pairs at once, also where some runs vary more than others; best for most boards",
            assumes="Differences of equal runs are symmetric about 0. Pairs may vary differently, and be correlated.",
            holds_together=True,
            resamples=10_000,
            by_common_topics=True,
        ),
        Test(
            "randomised-tukey",
            "randomised Tukey HSD",
            "all pairs at once, if all runs vary alike; finds what is not there where a few runs are unlike the others",
            assumes="Equal runs could change places on every topic: all pairs have equal variances and correlations.",
            holds_together=True,
            by_all_runs=True,
            resamples=100_000,
            by_common_topics=True,
            no_ranks=NEEDS_ALIKE,
        ),
        Test(
            "tukey",
            "Tukey HSD",
            "all pairs at once, if the differences are about normal and vary alike for all pairs",
            assumes="Differences are about normal, and vary alike for all pairs.",
            holds_together=True,
            by_all_runs=True,
            by_common_topics=True,
            no_ranks=NEEDS_ALIKE,
        ),
        Test(
            "t",
            "paired t-test",
            "mean differences, and the most used; robust from about 50 topics, unless differences are very skewed",
            assumes="The mean of the differences is about normal: with many topics, or where no difference is extreme.",
        ),
        Test(
            "wilcoxon",
            "Wilcoxon signed-rank test",
            "whether one run is better on more topics and by more, when a few topics have extreme differences",
            assumes="Differences are symmetric about their median.",
            of_means=False,
            no_ranks="this test goes by the ranks of differences, not by means",
        ),
        Test(
            "sign",
            "sign test",
            "only on how many topics each run wins; the weakest of the tests",
            assumes="Nothing of the size of differences: only which run is better on each topic counts.",
            of_means=False,
            no_ranks="this test goes by how many topics each run wins, not by means",
        ),
        Test(
            "randomisation",
            "paired randomisation test",
            "mean differences that are symmetric where runs are equal, whatever else their distribution",
            assumes="Differences of equal runs are symmetric about 0.",
            resamples=10_000,
        ),
        Test(
            "bootstrap",
            "bootstrap test",
            "mean differences, with intervals of their own; says too often that runs differ with fewer than about 50 topics",
            assumes="These topics stand for all topics like them: it takes more than about 50 of them.",
            resamples=10_000,
            by_common_topics=True,
            no_ranks="this test finds too many differences that are not there, the more the fewer topics there are",
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
            "at most 5 % of boards with any wrong difference, if each p by itself holds; always at least as good as Bonferroni",
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
            "the share of wrong ones among the differences shown is at most 5 % on average over boards; gives no ranks or groups",
        ),
    )
}


def why_no_ranks(test: str, correction: str, summary: str = "mean", tells: str = "relevance") -> str:
    """Say why neither rank intervals nor letters follow from the p of all pairs, as a clause; empty where they do.

    They do where any wrong difference of the means, by which runs are ranked, is improbable, and the measure
    `tells` how good a run is. `summary`: of the topics.

    >>> why_no_ranks("t", "holm"), why_no_ranks("sign", "holm")
    ('', 'this test goes by how many topics each run wins, not by means')
    >>> why_no_ranks("t", "bh")
    'they need a test or a correction that holds for all pairs together (holm, bonferroni)'
    >>> why_no_ranks("t", "holm", tells="judged")
    'this measure tells how much is judged, not how good a run is'
    """
    if tells != "relevance":
        return f"this measure tells how much is {tells}, not how good a run is"
    chosen = TESTS[test]
    if not (chosen.holds_together or CORRECTIONS[correction].is_family_wise):
        return "they need a test or a correction that holds for all pairs together (holm, bonferroni)"
    if summary == "median" and not chosen.no_ranks:
        return "runs are ranked by medians, and this test goes by means"
    return chosen.no_ranks


def ranks_do_not_follow(why: str) -> str:
    """
    >>> ranks_do_not_follow(why_no_ranks("tukey", "none"))[:55]
    'Rank intervals and letters do not follow: this test fin'
    """
    return f"Rank intervals and letters do not follow: {why}."


def test_choices() -> list[tuple[str, str]]:
    """Name and label of each test, as fields and forms offer them.

    >>> test_choices()[0]
    ('max-t', 'step-down max-T test')
    """
    return [(one.name, one.label) for one in TESTS.values()]


def correction_choices() -> list[tuple[str, str]]:
    """The same of each correction.

    >>> correction_choices()[0]
    ('none', 'none')
    """
    return [(one.name, one.label) for one in CORRECTIONS.values()]
