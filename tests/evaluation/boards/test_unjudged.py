"""What a board keeps of the tests in which unjudged documents have the highest grade."""

import json

import numpy as np
import pytest

from evaluation.analysis.assumptions.unjudged_words import if_unjudged_were_best_in_words
from evaluation.boards import unjudged as module
from evaluation.boards.anonymous import anonymous_board
from evaluation.boards.board import Board, RunFacts
from evaluation.boards.choice import BASELINE, BEST_OF_TEAMS, Choice
from evaluation.boards.computing import Computed, compute_board
from evaluation.boards.live import untested
from evaluation.boards.own import own_board
from evaluation.boards.stored import NoBoardError, board_bytes, read_board
from evaluation.boards.unjudged import Unjudged
from evaluation.engine.arrays import FloatArray
from evaluation.engine.significance.corners import AS_JUDGED, BOTH, FIRST, SECOND
from evaluation.engine.significance.families import all_pairs

DRAW = np.random.default_rng(5)
TAGS = ["one", "two", "three", "four"]
JUDGED = np.array([[0.6], [0.5], [0.3], [0.1]]) + DRAW.normal(0, 0.05, (4, 15))
BEST = JUDGED + np.array([[0.0], [0.02], [0.4], [0.1]])
T = Choice("t", "holm")


def computed(
    order: list[int], choice: Choice = T, best: FloatArray | None = BEST, measures: tuple[str, ...] = ("P@5", "AP")
) -> Computed:
    facts = [RunFacts(TAGS[place], f"team {place // 2}", "automatic", 15) for place in order]
    values = np.repeat(JUDGED[order][:, np.newaxis], len(measures), axis=1)
    if_best = None if best is None else best[order]
    return compute_board(facts, measures, [str(topic) for topic in range(15)], values, choice, values_if_best=if_best)


def told_of(board: Board) -> Unjudged:
    assert board.unjudged is not None
    return board.unjudged


def by_tags(board: Board) -> dict[tuple[str, str], list[tuple[float, int]]]:
    """Of each ordered pair of tags p and decision as judged, of both, of the first and of the second run."""
    found, told = {}, told_of(board)
    for place, (one, other) in enumerate(all_pairs(len(board.runs)).tolist()):
        cells = [
            (round(float(p), 12), int(of)) for p, of in zip(told.p[:, place], told.decisions[:, place], strict=True)
        ]
        both = board.runs[one].tag, board.runs[other].tag
        found[both] = cells
        turned = [cells[place] for place in (AS_JUDGED, BOTH, SECOND, FIRST)]
        found[both[::-1]] = [(p, -of) for p, of in turned]
    return found


def sentences(board: Board, measure: str = "P@5") -> str:
    return " ".join(if_unjudged_were_best_in_words(board, measure))


def test_neither_the_order_of_the_runs_nor_pseudonyms_change_what_is_said_of_a_pair() -> None:
    one, other = computed([0, 1, 2, 3]).board, computed([2, 0, 3, 1]).board
    assert by_tags(one) == by_tags(other)
    hidden = anonymous_board(one, ["z", "b", "y", "a"], {"team 0": "x", "team 1": "y"}).board
    names = dict(zip(["z", "b", "y", "a"], TAGS, strict=True))
    assert {(names[a], names[b]): cells for (a, b), cells in by_tags(hidden).items()} == by_tags(one)


def test_the_decisions_as_judged_are_those_of_the_board() -> None:
    found = computed([0, 1, 2, 3])
    told = told_of(found.board)
    assert told.tested.all()
    assert (told.p[AS_JUDGED] == found.p[0]).all()
    assert ((told.decisions[AS_JUDGED] != 0) == (found.p[0] < 0.05)).all()
    cells = by_tags(found.board)["two", "three"]
    assert [decision for _, decision in cells] == [1, -1, 1, -1]


def test_only_pairs_that_the_board_tests_are_told_and_by_its_own_family() -> None:
    against = told_of(computed([0, 1, 2, 3], Choice("t", "holm", BASELINE, "two")).board)
    assert against.tested.tolist() == [True, False, False, True, True, False]
    for choice in (Choice("max-t", "none", BEST_OF_TEAMS, resamples=200), Choice("t", "holm", BEST_OF_TEAMS)):
        found = computed([0, 1, 2, 3], choice)
        told = told_of(found.board)
        assert told.tested.sum() == 1
        assert told.p[AS_JUDGED][told.tested] == found.p[0][told.tested]
        assert not told.decisions[:, ~told.tested].any()


def test_a_stored_board_is_read_again_and_one_from_before_lacks_this_part() -> None:
    board = computed([0, 1, 2, 3]).board
    again = told_of(read_board(board_bytes(board)))
    assert np.array_equal(again.p[1:], told_of(board).p[1:])
    assert np.array_equal(again.decisions, told_of(board).decisions)
    data = json.loads(board_bytes(board))
    del data["unjudged"]
    assert read_board(json.dumps(data).encode()).unjudged is None
    for forged in ({"p_both": [0.5]}, {"decisions": {}}, {"changes_values": 1}):
        bad = {**board.to_json(), "unjudged": {**told_of(board).to_json(), **forged}}
        with pytest.raises(NoBoardError):
            read_board(json.dumps(bad).encode())


def test_a_board_without_tests_or_of_own_runs_keeps_nothing_of_it() -> None:
    board = computed([0, 1, 2, 3]).board
    assert own_board(board, [0]).unjudged is None
    assert untested(board).unjudged is None


def test_sentences_count_the_pairs_and_say_where_nothing_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    said = sentences(computed([0, 1, 2, 3]).board)
    assert "the result of 2 of 6 tested pairs would change." in said
    assert "The result of 2 changes in at least one case; that of 4 is the same in all four." in said
    assert "These are scenarios" not in said
    assert "is told by the first measure only: P@5." in sentences(computed([0, 1, 2, 3]).board, "AP")
    assert "By AP these are scenarios" in sentences(computed([0, 1, 2, 3], measures=("AP",)).board, "AP")
    assert "no value by P@5 would change, and p would be the same." in sentences(
        computed([0, 1, 2, 3], best=JUDGED).board
    )
    assert "were not kept by topic, as in version 1.0" in sentences(computed([0, 1, 2, 3], best=None).board)
    assert "no pair is tested" in sentences(computed([0]).board)
    no_bound = computed([0, 1, 2, 3], measures=("bpref",)).board
    assert no_bound.unjudged is None
    assert "bpref does not take them for not relevant" in sentences(no_bound, "bpref")
    monkeypatch.setattr(module, "MOST_TESTED_AGAIN", {"t": 23})
    few = computed([0, 1, 2, 3]).board
    assert told_of(few).corners == [BOTH]
    assert "By this test it is not computed for so many pairs what those of one run alone would change" in sentences(
        few
    )
    assert read_board(board_bytes(few)).unjudged is not None
    monkeypatch.setattr(module, "MOST_RUNS", 3)
    assert computed([0, 1, 2, 3]).board.unjudged is None


def test_a_board_of_too_many_runs_says_so() -> None:
    many = compute_board(
        [RunFacts(f"r{run}", "team", "automatic", 2) for run in range(101)],
        ["P@5"],
        ["1", "2"],
        np.zeros((101, 1, 2)),
        T,
        values_if_best=np.ones((101, 2)),
    ).board
    assert many.unjudged is None
    assert sentences(many) == "What they would change is told of at most 100 runs."
