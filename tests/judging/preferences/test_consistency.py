"""Counts of contradictions against counting triple by triple."""

import itertools
import random

import pytest

from judging.preferences.consistency import consistency
from judging.preferences.tournament import ANSWERS, Tournament


def holds(values: dict[str, int], answers: dict[tuple[str, str], str]) -> bool:
    said = {"left": 1, "right": -1, "equal": 0}
    return all(
        (values[left] > values[right]) - (values[left] < values[right]) == said[answer]
        for (left, right), answer in answers.items()
    )


def triple_by_triple(answers: dict[tuple[str, str], str]) -> tuple[int, int]:
    """Triples that were compared in full, and those for which none of all orders with ties holds."""
    documents = sorted({docno for pair in answers for docno in pair})
    compared = intransitive = 0
    for three in itertools.combinations(documents, 3):
        inside = {pair: answer for pair, answer in answers.items() if set(pair) <= set(three)}
        if len(inside) == 3:
            compared += 1
            orders = (dict(zip(three, values, strict=True)) for values in itertools.product(range(3), repeat=3))
            intransitive += not any(holds(order, inside) for order in orders)
    return compared, intransitive


@pytest.mark.parametrize("seed", range(6))
def test_intransitive_triples_are_those_that_no_order_with_ties_holds(seed: int) -> None:
    chance = random.Random(seed)
    pairs = [pair for pair in itertools.combinations("abcdefg", 2) if chance.random() < 0.8]
    answers = {(pair if chance.random() < 0.5 else pair[::-1]): chance.choice(ANSWERS) for pair in pairs}
    counts = consistency(answers, {})
    assert (counts.triples, counts.intransitive) == triple_by_triple(answers)


def test_the_side_that_is_chosen_whatever_stands_there_shows_in_the_repeats() -> None:
    tournament = Tournament(tuple("abcdefghij"), seed=3, control=0.6)
    answers: dict[tuple[str, str], str] = {}
    while (state := tournament.state(answers)).open:
        answers[state.open[0]] = "left"
    first = {pair: answer for pair, answer in answers.items() if pair == tournament.sides(*pair)}
    again = {pair: answer for pair, answer in answers.items() if pair not in first}
    counts = consistency(first, again)
    assert counts.repeats == len(again) > 0
    assert (counts.agreeing, counts.same_side) == (0, counts.repeats)
    assert (counts.left, counts.right, counts.equal) == (len(first), 0, 0)


def test_the_tournament_shows_pairs_that_find_an_assessor_who_goes_round_in_circles() -> None:
    """Each document is better than the next ones round the table: no sorting alone would notice it."""
    documents = [f"D{place:02d}" for place in range(15)]
    tournament = Tournament(tuple(documents), seed=1, control=0.3)
    answers: dict[tuple[str, str], str] = {}
    while (state := tournament.state(answers)).open:
        left, right = state.open[0]
        ahead = (documents.index(right) - documents.index(left)) % len(documents)
        answers[left, right] = "left" if ahead <= len(documents) // 2 else "right"
    asked = {pair: answers[pair] for pair in state.asked}
    shown_first = {pair: answer for pair, answer in answers.items() if pair == tournament.sides(*pair)}
    assert consistency(asked, {}).intransitive == 0
    assert consistency(shown_first, {}).intransitive > 0


def test_no_answers_at_all_are_no_contradiction() -> None:
    counts = consistency({}, {})
    assert (counts.pairs, counts.repeats, counts.triples, counts.intransitive) == (0, 0, 0, 0)
