"""A board as CSV for spreadsheets."""

from typing import Final

from campaign.formats.runs.order_setting import Ordering
from campaign.formats.spreadsheet import csv_lines
from evaluation.boards.board import Board
from evaluation.boards.snapshot import CELLS, exported_runs

FACTS: Final = ("tag", "team", "kind", "topics_answered", "unjudged_at_10")
SAID: Final = ("run_order", "reference", "test", "correction", "family", "baseline")


def board_csv(board: Board, ordering: Ordering) -> str:
    """One line a run; means under the measure's name, everything else of it under `measure:column`; then what was tested.

    >>> import numpy as np
    >>> from evaluation.boards.board import RunFacts
    >>> from evaluation.boards.choice import Choice
    >>> from evaluation.boards.computing import compute_board
    >>> facts = [RunFacts("bm25", "north", "automatic", 1)]
    >>> board = compute_board(facts, ["AP"], ["1"], np.array([[[0.25]]]), Choice()).board
    >>> board_csv(board, Ordering("score", "9")).splitlines()[1].split(",")[:6]
    ['bm25', 'north', 'automatic', '1', '', '0.25']
    """
    columns = [(measure, name) for measure in board.measures for name in CELLS]
    header = [measure if name == "mean" else f"{measure}:{name}" for measure, name in columns]
    choice = board.choice
    said = [ordering.run_order, ordering.reference, choice.test, choice.correction, choice.family, choice.baseline]
    lines = csv_lines(
        ["run", *FACTS[1:], *header, *SAID],
        (
            [
                *(run[name] for name in FACTS),
                *(run["cells"][measure][name] for measure, name in columns),
                *said,
            ]
            for run in exported_runs(board)
        ),
    )
    return "".join(lines)
