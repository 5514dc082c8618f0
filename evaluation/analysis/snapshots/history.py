"""PURE: the ranks of runs on the published boards of a task, one after the other."""

from collections.abc import Sequence
from dataclasses import dataclass

from evaluation.boards.board import Board
from evaluation.boards.snapshot import best_first


@dataclass(frozen=True, slots=True)
class RankHistory:
    """`numbers`: of the boards, the earliest first. `ranks`: by tag one for each board, None where the run is not on it.

    Runs of the newest board come first, the best of them first; then those that are gone, the newest board first.
    """

    measure: str
    numbers: tuple[int, ...]
    ranks: dict[str, tuple[int | None, ...]]


def rank_history(boards: Sequence[tuple[int, Board]], measure: str) -> RankHistory:
    """The ranks by a measure of quality that all of these boards have.

    `boards`: number and board, the earliest first. Scores are left out: those by other qrels or other topics do not compare.

    >>> rank_history([], "AP")
    RankHistory(measure='AP', numbers=(), ranks={})
    """
    ranks: dict[str, list[int | None]] = {}
    for place in reversed(range(len(boards))):
        board = boards[place][1]
        first = board.column(measure).rank_first
        for run in best_first(board, measure).tolist():
            of_run = ranks.setdefault(board.runs[run].tag, [None] * len(boards))
            of_run[place] = int(first[run]) or None
    return RankHistory(measure, tuple(number for number, _ in boards), {tag: tuple(row) for tag, row in ranks.items()})
