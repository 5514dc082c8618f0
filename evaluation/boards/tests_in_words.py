"""What a board says of its tests and means: of a stored board what held when it was published."""

from collections.abc import Mapping
from typing import Any, Final

from campaign.text.plurals import listed, number_of
from evaluation.boards.choice import Choice
from evaluation.boards.measures_in_words import scores_missed_topics_as_empty

CUT: Final = "cut to the range of the measure"
OF_MEANS: dict[str, Any] = {
    "interval": f"t interval of the expected mean over topics, {CUT}",
    "mean": "over the topics of the qrels that are scored, but those removed or for feedback; "
    "a topic without an answer gets the measure's worst value",
    "left_out": "measures of how much is judged: over the topics that the run answers",
}
"""Stored with every board."""


def said_of_tests(choice: Choice) -> dict[str, Any]:
    """What a board stores of its tests: the choice of the organisers, the words for it, and how means are made.

    >>> found = said_of_tests(Choice("t", "holm"))
    >>> found["in_words"], found["level"]
    ('paired t-test, Holm-corrected, all pairs of runs', 0.95)
    """
    return {**choice.to_json(), "in_words": choice.in_words, **OF_MEANS}


def missed_in_words(measure: str) -> str:
    """Say what a topic without an answer counts by a measure on a board.

    >>> missed_in_words("AP"), missed_in_words("utility")
    ("gets the measure's worst value", 'scores as an empty ranking does')
    """
    if scores_missed_topics_as_empty(measure):
        return "scores as an empty ranking does"
    return "gets the measure's worst value"


def counts_in_words(tests: Mapping[str, Any]) -> list[str]:
    """What the page of a board says of the topics that its numbers leave out.

    >>> counts_in_words({"topics_removed": [{"topic": "4", "reason": "a typo", "after_scores": True}]})
    ['1 topic removed from scoring: 4 (a typo; after scores had been computed)']
    """
    said = []
    removed = tests.get("topics_removed", [])
    if removed:
        of_each = [
            f"{one['topic']} ({one['reason']}{'; after scores had been computed' if one['after_scores'] else ''})"
            for one in removed
        ]
        said.append(f"{number_of(len(removed), 'topic')} removed from scoring: {listed(of_each)}")
    if feedback := tests.get("topics_for_feedback", []):
        said.append(f"{number_of(len(feedback), 'topic')} for feedback, in no mean and no test: {listed(feedback)}")
    return said
