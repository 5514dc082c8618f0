"""The merge tournament against sorting: right orders, few comparisons, and an end whatever is answered."""

import itertools
import math
import random
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judging.preferences.tournament import ANSWERS, Pair, State, Tournament

Answers = dict[Pair, str]


def play(tournament: Tournament, answer: Callable[[Pair], str]) -> tuple[Answers, State]:
    answers: Answers = {}
    while (state := tournament.state(answers)).open:
        pair = state.open[0]
        assert pair not in answers
        answers[pair] = answer(pair)
    return answers, state


def by_worth(worth: dict[str, int]) -> Callable[[Pair], str]:
    def answer(pair: Pair) -> str:
        left, right = worth[pair[0]], worth[pair[1]]
        return "left" if left > right else "right" if right > left else "equal"

    return answer


def levels_of(worth: dict[str, int]) -> tuple[tuple[str, ...], ...]:
    """The order itself, by sorting the hidden worths."""
    return tuple(
        tuple(sorted(d for d in worth if worth[d] == one)) for one in sorted(set(worth.values()), reverse=True)
    )


WORTHS = st.lists(st.integers(0, 30), max_size=24).map(
    lambda all_: {f"D{place}": one for place, one in enumerate(all_)}
)


@settings(max_examples=60, deadline=None)
@given(WORTHS, st.integers(0, 99), st.sampled_from([0.0, 0.3]))
def test_consistent_answers_give_the_right_order_within_n_log_n_comparisons(
    worth: dict[str, int], seed: int, control: float
) -> None:
    tournament = Tournament(tuple(worth), seed, control=control)
    _, state = play(tournament, by_worth(worth))
    assert state.levels == levels_of(worth)
    assert state.ordered == len(state.levels)
    assert len(state.asked) <= tournament.bound <= len(worth) * math.log2(max(len(worth), 1))


@settings(max_examples=60, deadline=None)
@given(WORTHS, st.integers(0, 99), st.integers(1, 8))
def test_the_best_documents_are_in_order_and_the_others_share_the_last_level(
    worth: dict[str, int], seed: int, best: int
) -> None:
    tournament = Tournament(tuple(worth), seed, best=best, control=0.0)
    _, state = play(tournament, by_worth(worth))
    expected = levels_of(worth)
    assert state.levels is not None
    assert state.levels[: state.ordered] == expected[: state.ordered]
    placed = sum(map(len, expected[: state.ordered]))
    assert placed >= min(best, len(worth))
    assert len(state.levels) <= state.ordered + 1
    assert len(state.asked) <= tournament.bound


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 20), st.integers(0, 999), st.sampled_from([None, 3]))
def test_answers_that_contradict_each_other_come_to_an_end_too(n: int, seed: int, best: int | None) -> None:
    chance = random.Random(seed)
    documents = tuple(f"D{place}" for place in range(n))
    _, state = play(Tournament(documents, seed, best=best, control=0.4), lambda pair: chance.choice(ANSWERS))
    assert state.levels is not None
    assert sorted(itertools.chain(*state.levels)) == sorted(documents)


@settings(max_examples=30, deadline=None)
@given(WORTHS, st.integers(0, 99), st.randoms())
def test_the_state_depends_on_the_answers_and_not_on_the_order_in_which_they_came(
    worth: dict[str, int], seed: int, shuffler: random.Random
) -> None:
    tournament = Tournament(tuple(worth), seed, control=0.3)
    answers, _ = play(tournament, by_worth(worth))
    some = list(answers.items())[: len(answers) // 2]
    before = tournament.state(dict(some))
    shuffler.shuffle(some)
    other_way = tuple(reversed(tuple(worth)))
    assert Tournament(other_way, seed, control=0.3).state(dict(some)) == before


@settings(max_examples=30, deadline=None)
@given(WORTHS, st.integers(0, 99), st.randoms())
def test_any_of_the_open_pairs_may_be_answered_next(worth: dict[str, int], seed: int, chooser: random.Random) -> None:
    tournament, answers = Tournament(tuple(worth), seed, control=0.2), {}
    while (state := tournament.state(answers)).open:
        pair = chooser.choice(state.open)
        assert tournament.allows(pair, answers)
        answers[pair] = by_worth(worth)(pair)
    assert state.levels == levels_of(worth)


@pytest.mark.parametrize("n", [0, 1])
def test_nothing_is_compared_where_there_is_nothing_to_compare(n: int) -> None:
    state = Tournament(("a",)[:n], seed=5).state({})
    assert state.is_finished
    assert state.levels == (("a",),)[:n]


def test_two_documents_need_one_comparison_and_its_repeat_has_the_sides_swapped() -> None:
    tournament = Tournament(("a", "b"), seed=5, control=1.0)
    [(left, right)] = tournament.state({}).open
    state = tournament.state({(left, right): "equal"})
    assert (state.open, state.levels, state.left) == (((right, left),), (("a", "b"),), 1)
    assert tournament.state({(left, right): "equal", (right, left): "left"}).is_finished


def test_a_repeat_never_changes_the_order() -> None:
    worth = {f"D{place}": place for place in range(9)}
    truthful = by_worth(worth)
    tournament = Tournament(tuple(worth), seed=3, control=0.5)
    swapped = {"left": "right", "right": "left"}
    answers, state = play(
        tournament,
        lambda pair: truthful(pair) if pair == tournament.sides(*pair) else swapped[truthful(pair)],
    )
    assert any(pair != tournament.sides(*pair) for pair in answers)
    assert state.levels == levels_of(worth)


def test_a_pair_is_not_shown_again_right_after_it() -> None:
    worth = {f"D{place}": place for place in range(16)}
    answers, _ = play(Tournament(tuple(worth), seed=7, control=0.3), by_worth(worth))
    shown = list(answers)
    distances = [
        shown.index((right, left)) - place for place, (left, right) in enumerate(shown) if (right, left) in shown
    ]
    assert distances
    assert min(abs(distance) for distance in distances) > 1


def test_about_half_of_the_pairs_have_their_first_document_on_the_left() -> None:
    tournament = Tournament((), seed=11)
    pairs = [(f"A{place}", f"B{place}") for place in range(1000)]
    assert 430 < sum(tournament.sides(*pair) == pair for pair in pairs) < 570


def test_documents_of_elsewhere_swapped_sides_and_undrawn_repeats_are_not_allowed() -> None:
    tournament = Tournament(("a", "b"), seed=2, control=0.0)
    [(left, right)] = tournament.state({}).open
    assert tournament.allows((left, right), {})
    assert not tournament.allows((right, left), {(left, right): "left"})
    assert not tournament.allows((left, "c"), {})
    assert not tournament.allows((left, left), {})
    assert not Tournament(("a", "b"), seed=2, control=1.0).allows((right, left), {})


def test_the_pairs_ahead_are_those_that_come_after_each_answer() -> None:
    tournament = Tournament(tuple("abcdefgh"), seed=4)
    ahead = tournament.ahead({}, 3)
    assert ahead is not None
    for first, second in itertools.product(ANSWERS, repeat=2):
        answers: Answers = {}
        node = ahead
        for answer in (first, second):
            answers[node["left"], node["right"]] = answer
            node = node["after"][answer]
        assert tournament.state(answers).open[0] == (node["left"], node["right"])
    assert ahead["after"]["left"]["after"]["left"]["after"] == {}
    [last] = Tournament(("a", "b"), seed=1, control=0.0).state({}).open
    assert Tournament(("a", "b"), seed=1, control=0.0).ahead({last: "left"}, 3) is None


def test_what_is_left_falls_to_nothing_and_is_never_too_low_without_control_pairs() -> None:
    worth = {f"D{place}": place for place in range(13)}
    for best in (None, 4):
        tournament = Tournament(tuple(worth), seed=1, best=best, control=0.0)
        answers, _ = play(tournament, by_worth(worth))
        lefts = [
            tournament.state(dict(itertools.islice(answers.items(), count))).left for count in range(len(answers) + 1)
        ]
        assert all(left >= len(answers) - count for count, left in enumerate(lefts))
        assert (lefts[0], lefts[-1]) == (tournament.bound, 0)


def test_the_bounds_that_the_guide_names() -> None:
    ten, twenty = (tuple(f"D{place}" for place in range(n)) for n in (10, 20))
    assert [Tournament(ten, 1).bound, Tournament(twenty, 1).bound, Tournament(twenty, 1, best=10).bound] == [25, 69, 60]


@pytest.mark.parametrize(("documents", "best"), [(10, None), (20, None), (20, 10)])
def test_control_pairs_of_a_tenth_come_on_top_of_the_bound_with_about_one_for_five_pairs(
    documents: int, best: int | None
) -> None:
    worth = {f"D{place}": place for place in range(documents)}
    shown = needed = 0
    for seed in range(40):
        answers, state = play(Tournament(tuple(worth), seed, best=best, control=0.1), by_worth(worth))
        shown, needed = shown + len(answers), needed + len(state.asked)
    assert 1.15 < shown / needed < 1.25
