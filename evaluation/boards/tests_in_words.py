"""What a board says of its tests and means: of a stored board what held when it was published."""

from collections.abc import Mapping
from typing import Any

from evaluation.boards.measures_in_words import scores_missed_topics_as_empty

LEVEL = 0.95
ALL_PAIRS = "all pairs of runs by one measure"
WORST_VALUE = "over all topics of the qrels; a topic without an answer gets the measure's worst value"
TESTS: dict[str, Any] = {
    "test": "paired t-test, two-sided",
    "correction": "Holm",
    "family": ALL_PAIRS,
    "level": LEVEL,
    "interval": "t interval of the expected mean over topics",
    "mean": WORST_VALUE,
    "left_out": "measures of how much is judged: over the topics that the run answers",
}
"""Stored with every board. Boards of before hold other words for what was done otherwise, and none for the rest."""


def family_in_words(tests: Mapping[str, Any]) -> str:
    """Say for how many comparisons the p-values of a board are corrected.

    >>> family_in_words(TESTS), family_in_words({"family": "every run against the best run of the measure"})
    ('all pairs of runs', 'the comparisons with the best run')
    """
    return "all pairs of runs" if tests["family"] == ALL_PAIRS else "the comparisons with the best run"


def missed_in_words(tests: Mapping[str, Any], measure: str) -> str:
    """Say what a topic without an answer counts by a measure on a board.

    >>> missed_in_words(TESTS, "AP"), missed_in_words(TESTS, "utility")
    ("gets the measure's worst value", 'scores as an empty ranking does')
    >>> missed_in_words({"mean": "over all topics of the qrels; a topic without an answer counts 0"}, "AP")
    'scores as an empty ranking does, mostly 0'
    """
    if tests["mean"] != WORST_VALUE:
        return "scores as an empty ranking does, mostly 0"
    return (
        "scores as an empty ranking does"
        if scores_missed_topics_as_empty(measure)
        else "gets the measure's worst value"
    )
