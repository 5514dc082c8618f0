"""Curves of a board as plain data."""

import dataclasses
import json

import numpy as np
import pytest

from evaluation.boards.board import Board, RunFacts
from evaluation.boards.choice import Choice
from evaluation.boards.curves import CurveSettings, curves_of_board, curves_of_run
from evaluation.boards.stored import board_bytes, kept_boards
from evaluation.engine.ranking import rank_run
from tests.evaluation.engine.random_collections import make_ranking

SETTINGS = CurveSettings(1, "linear", 20)


def stored(grades: list[int], settings: CurveSettings = SETTINGS) -> dict[str, object]:
    found: dict[str, object] = json.loads(json.dumps(curves_of_run(rank_run(*make_ranking(grades)), settings)))
    return found


def board(*runs: list[int]) -> Board:
    facts = tuple(RunFacts(f"run{place}", "north", "automatic", 1) for place in range(len(runs)))
    return Board(facts, ("1",), (), Choice(), curves_of_board([stored(grades) for grades in runs]))


def test_a_stored_board_has_the_same_curves_() -> None:
    made = board([1, 0, 1], [0, 1, 1])
    kept = kept_boards(lambda name: board_bytes(made))("any").curves
    assert made.curves is not None
    assert kept is not None
    assert kept.to_json() == made.curves.to_json()


def test_nobody_can_change_a_number_of_a_board_that_others_read_too() -> None:
    kept = kept_boards(lambda name: board_bytes(board([1, 0, 1], [0, 1, 1])))
    assert kept("any") is kept("any")
    assert kept("any").curves is not None
    with pytest.raises(ValueError, match="read-only"):
        kept("any").curves.macro[0] = 0.5  # type: ignore[union-attr]  # said above


def test_a_stored_board_without_curves_has_none() -> None:
    made = dataclasses.replace(board([1, 0, 1]), curves=None)
    assert kept_boards(lambda name: board_bytes(made))("any").curves is None


def test_a_board_cut_to_fewer_runs_does_not_keep_the_curves_of_all() -> None:
    made = board([1, 0, 1], [0, 1, 1])
    with pytest.raises(ValueError, match="curves of 2, board of 1"):
        dataclasses.replace(made, runs=made.runs[:1])


def test_runs_of_other_settings_or_without_curves_give_a_board_without_curves() -> None:
    other = stored([1, 0], dataclasses.replace(SETTINGS, level=2))
    assert curves_of_board([stored([1, 0]), None]) is None
    assert curves_of_board([stored([1, 0]), other]) is None
    assert curves_of_board([]) is None


def test_a_collection_that_cannot_hold_the_judged_documents_gives_no_roc_curve() -> None:
    found = stored([1, 0, 1], dataclasses.replace(SETTINGS, collection_size=2))
    assert (found["roc"], found["area"]) == (None, None)
    known = curves_of_board([stored([1, 0, 1])])
    assert known is not None
    assert known.roc is not None
    assert np.isfinite(known.roc).all()
    unknown = curves_of_board([found])
    assert unknown is not None
    assert unknown.roc is None
