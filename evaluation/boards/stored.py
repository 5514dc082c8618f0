"""A board as stored bytes, and back: the same board gives the same bytes."""

import json
from collections.abc import Callable
from functools import lru_cache
from typing import Final

import numpy as np

from evaluation.boards import computing
from evaluation.boards.board import Board
from evaluation.engine.arrays import FloatArray

FLOAT: Final = "<f8"


def board_bytes(board: Board) -> bytes:
    """JSON without blanks, in UTF-8.

    >>> from evaluation.boards.choice import Choice
    >>> board = Board((), ("1",), (), Choice())
    >>> kept_boards(lambda name: board_bytes(board))("any").topics
    ('1',)
    """
    return json.dumps(board.to_json(), separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode()


def array_bytes(numbers: FloatArray) -> bytes:
    """float64, little-endian, row by row.

    >>> array_bytes(np.array([0.5]))
    b'\\x00\\x00\\x00\\x00\\x00\\x00\\xe0?'
    """
    return numbers.astype(FLOAT).tobytes()


def values_of(content: bytes, board: Board) -> FloatArray:
    """Values of shape (runs, measures, topics).

    >>> from evaluation.boards.choice import Choice
    >>> values_of(array_bytes(np.zeros(0)), Board((), ("1",), (), Choice())).shape
    (0, 0, 1)
    """
    return np.frombuffer(content, dtype=FLOAT).reshape(len(board.runs), len(board.columns), len(board.topics))


def p_of(content: bytes, board: Board) -> FloatArray:
    """p of shape (measures, pairs of runs); where none are kept all NaN, or without columns for more than MOST_PAIRED runs.

    >>> from evaluation.boards.choice import Choice
    >>> p_of(b"", Board((), ("1",), (), Choice())).shape
    (0, 0)
    """
    n_pairs = len(board.runs) * (len(board.runs) - 1) // 2
    if not content:
        return np.full((len(board.columns), n_pairs if len(board.runs) <= computing.MOST_PAIRED else 0), np.nan)
    return np.frombuffer(content, dtype=FLOAT).reshape(len(board.columns), n_pairs)


def kept_boards(read: Callable[[str], bytes], most: int = 8) -> Callable[[str], Board]:
    """Read boards by the names of their files, which follow from the content; the last few stay in memory.

    >>> from evaluation.boards.choice import Choice
    >>> kept_boards(lambda name: board_bytes(Board((), ("1",), (), Choice())))("boards/00/00.json").topics
    ('1',)
    """

    @lru_cache(maxsize=most)
    def board(name: str) -> Board:
        return Board.from_json(json.loads(read(name)))

    return board
