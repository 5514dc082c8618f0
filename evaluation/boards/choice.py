"""What the organiser of a task chooses for its board: the test, its correction, and which runs are compared."""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final, Self

from evaluation.engine.significance.declarations import CORRECTIONS, TESTS, why_no_ranks

ALL_PAIRS: Final = "all pairs"
BASELINE: Final = "baseline"
BEST_OF_TEAMS: Final = "best of teams"
FAMILIES: Final = {
    ALL_PAIRS: "all pairs of runs",
    BASELINE: "every run against the baseline",
    BEST_OF_TEAMS: "all pairs of the best runs of teams",
}
"""Which runs are compared, and in words."""

FAMILIES_ARE_FOR: Final = {
    ALL_PAIRS: "rank intervals, letters and the runs that may be the best need it",
    BASELINE: "finds more differences from one run; only with a baseline that was named before there were scores",
    BEST_OF_TEAMS: "compares teams by their best runs, which are chosen by their scores; only the max-T test allows for that",
}


@dataclass(frozen=True, slots=True)
class Choice:
    """`baseline`: the tag of the run that others are marked against; empty for none.

    `named_before_scores`: whether the baseline was chosen before the task had any score. `resamples`: None for the test's own.
    `margin`: of equivalence, in units of `margin_measure`; None for none. `margin_named_at`: when it was named, ISO in UTC, which
    was before there were scores.
    """

    test: str = "max-t"
    correction: str = "none"
    family: str = ALL_PAIRS
    baseline: str = ""
    named_before_scores: bool = False
    level: float = 0.95
    seed: int = 1
    resamples: int | None = None
    margin: float | None = None
    margin_measure: str = ""
    margin_named_at: str = ""

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    def why_no_ranks(self, summary: str = "mean", tells: str = "relevance") -> str:
        """Say why neither rank intervals nor letters of runs that are ranked by this summary follow; empty where they do.

        `tells`: what the measure tells of a run.

        >>> Choice().why_no_ranks(), Choice("wilcoxon", "holm").why_no_ranks()
        ('', 'this test goes by the ranks of differences, not by means')
        >>> Choice("t", "holm", BASELINE).why_no_ranks()
        'they need comparisons of all pairs of runs'
        """
        if self.family != ALL_PAIRS and tells == "relevance":
            return "they need comparisons of all pairs of runs"
        return why_no_ranks(self.test, self.correction, summary, tells)

    @property
    def chosen_by_scores(self) -> bool:
        """Whether the compared runs are chosen by the scores that are tested, and p are as if they were not.

        >>> Choice("t", "holm", BEST_OF_TEAMS).chosen_by_scores, Choice(family=BEST_OF_TEAMS).chosen_by_scores
        (True, False)
        """
        return self.family == BEST_OF_TEAMS and not TESTS[self.test].holds_together

    def margin_of(self, measure: str) -> float | None:
        """The margin of equivalence by this measure; None where none was named for it."""
        return self.margin if measure == self.margin_measure else None

    @property
    def margin_in_words(self) -> str:
        """
        >>> Choice().margin_in_words
        'no equivalence margin was named before there were scores'
        >>> Choice(margin=0.02, margin_measure="AP", margin_named_at="2026-11-28T09:30:00+00:00").margin_in_words
        'equivalence margin: 0.02 by AP, named on 2026-11-28 at 09:30 UTC, before there were scores'
        """
        if self.margin is None:
            return "no equivalence margin was named before there were scores"
        day, time = self.margin_named_at[:10], self.margin_named_at[11:16]
        named = f"named on {day} at {time} UTC, before there were scores"
        return f"equivalence margin: {self.margin} by {self.margin_measure}, {named}"

    @property
    def in_words(self) -> str:
        """The test, its correction and the comparisons, as terms of a board.

        >>> Choice().in_words, Choice("t", "holm", "baseline", "bm25").in_words
        ('step-down max-T test, all pairs of runs', 'paired t-test, Holm-corrected, every run against the baseline')
        """
        corrected = "" if self.correction == "none" else f", {CORRECTIONS[self.correction].label}-corrected"
        return f"{TESTS[self.test].label}{corrected}, {FAMILIES[self.family]}"

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        return cls(**data)


def choice_problems(choice: Choice) -> dict[str, str]:
    """What does not go together, by the name of the field: in words for the organiser.

    >>> choice_problems(Choice("t", "none"))
    {'correction': 'Without a correction, some of many comparisons seem to differ by chance: choose Holm.'}
    >>> choice_problems(Choice()), choice_problems(Choice(family="baseline", test="t", correction="holm"))
    ({}, {'baseline': 'Name the run that all others are compared with.'})
    """
    problems, test = {}, TESTS[choice.test]
    if test.by_all_runs and choice.family != ALL_PAIRS:
        problems["test"] = f"{test.label} compares all pairs of runs: choose another test, or all pairs."
    elif test.holds_together and choice.correction != "none":
        problems["correction"] = f"The {test.label} holds for all compared pairs at once: choose none."
    elif not test.holds_together and choice.correction == "none":
        problems["correction"] = "Without a correction, some of many comparisons seem to differ by chance: choose Holm."
    if choice.family == BASELINE and not choice.baseline:
        problems["baseline"] = "Name the run that all others are compared with."
    if choice.margin is not None and not (math.isfinite(choice.margin) and choice.margin > 0):
        problems["margin"] = "A margin is a number above 0."
    return problems


def changes_in_words(before: Choice, after: Choice) -> list[str]:
    """The changes of the choice; empty when it stays as it is.

    >>> changes_in_words(Choice(), Choice(baseline="bm25"))
    ['baseline named: bm25']
    """
    said = []
    if before.test != after.test:
        said.append(f"test changed from {TESTS[before.test].label} to {TESTS[after.test].label}")
    if before.correction != after.correction:
        said.append(
            f"correction changed from {CORRECTIONS[before.correction].label} to {CORRECTIONS[after.correction].label}"
        )
    if before.family != after.family:
        said.append(f"comparisons changed from {FAMILIES[before.family]} to {FAMILIES[after.family]}")
    if before.baseline != after.baseline:
        named = f"named: {after.baseline}" if after.baseline else "removed"
        said.append(f"baseline {named}" if not before.baseline else f"baseline {before.baseline} replaced; {named}")
    if (before.margin, before.margin_measure) != (after.margin, after.margin_measure):
        said.append("equivalence margin removed" if after.margin is None else after.margin_in_words)
    return said
