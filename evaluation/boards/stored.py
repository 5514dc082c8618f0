"""A board as stored bytes, and back: the same board gives the same bytes."""

import json
from collections.abc import Callable
from functools import lru_cache
from typing import Final

import numpy as np

from campaign.formats.json_values import json_value
from campaign.formats.shapes import FLAG, NUMBER, TEXT, WHOLE, Shape, choice_of, list_of, object_of, or_null, record
from evaluation.boards import computing
from evaluation.boards.board import FLOATS, INTS, VERSION, Board
from evaluation.boards.choice import FAMILIES
from evaluation.boards.curves import OF_QRELS, RANKS
from evaluation.boards.unjudged import DECISIONS, OTHERS
from evaluation.engine.analyses.curves import FALSE_POSITIVE_RATES
from evaluation.engine.arrays import FloatArray
from evaluation.engine.measures.names.registry import parse_measure
from evaluation.engine.significance.declarations import CORRECTIONS, TESTS

FLOAT: Final = "<f8"
RUN: Final = record(
    {
        "tag": TEXT,
        "team": TEXT,
        "kind": TEXT,
        "topics_answered": WHOLE,
        "unjudged": or_null(NUMBER),
        "answers": object_of(TEXT),
    }
)
CHOICE: Final = {
    "test": choice_of(TESTS),
    "correction": choice_of(CORRECTIONS),
    "family": choice_of(FAMILIES),
    "baseline": TEXT,
    "named_before_scores": FLAG,
    "level": NUMBER,
    "seed": WHOLE,
    "resamples": or_null(WHOLE),
}
"""What is said of the tests, by name."""
MARGIN: Final = {
    "margin": or_null(Shape("a number above 0", lambda value: NUMBER.fits(value) and value > 0)),
    "margin_measure": TEXT,
    "margin_named_at": TEXT,
}
"""Not said by boards that were published before there were margins."""
DECISION: Final = Shape("-1, 0 or 1", lambda value: WHOLE.fits(value) and -1 <= value <= 1)
CURVES_OF: Final = {"macro": 11, "micro": 11, "gain": len(RANKS), "discounted": len(RANKS)}


def board_bytes(board: Board) -> bytes:
    """JSON without blanks, in UTF-8.

    >>> from evaluation.boards.choice import Choice
    >>> board = Board((), ("1",), (), Choice())
    >>> kept_boards(lambda name: board_bytes(board))("any").topics
    ('1',)
    """
    return json.dumps(board.to_json(), separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode()


class NoBoardError(ValueError):
    """Stored bytes that are no board; the message says why, in a sentence."""


def read_board(content: bytes) -> Board:
    """The board of stored bytes that somebody may have written by hand. Raises NoBoardError.

    >>> from evaluation.boards.choice import Choice
    >>> read_board(board_bytes(Board((), ("1",), (), Choice()))).topics
    ('1',)
    >>> read_board(b'{"runs": 7}')
    Traceback (most recent call last):
        ...
    evaluation.boards.stored.NoBoardError: The stored board is no board.
    """
    try:
        data = json_value(content)
        n_runs = len(data["runs"])
        if not _shape(n_runs).fits(data):
            raise NoBoardError("The stored board is no board.")
        if data.get("version", 0) > VERSION:
            raise NoBoardError("The stored board is of a later version.")
        for column in data["columns"]:
            parse_measure(column["measure"])
        return Board.from_json(data)
    except NoBoardError:
        raise
    except (ValueError, TypeError, LookupError, RecursionError) as problem:
        raise NoBoardError("The stored board is no board.") from problem


def _shape(n_runs: int) -> Shape:
    column = {
        "measure": TEXT,
        "summary": TEXT,
        "lower_is_better": FLAG,
        "letters": list_of(TEXT, n_runs),
        "unjudged_meaning": choice_of(["bounds", "scenarios", "none"]),
        "resamples": WHOLE,
        "notes": list_of(TEXT),
        **dict.fromkeys(FLOATS, list_of(or_null(NUMBER), n_runs)),
        **dict.fromkeys(INTS, list_of(WHOLE, n_runs)),
    }
    curves = {
        "settings": record({"level": WHOLE, "gain": TEXT, "collection_size": or_null(WHOLE)}),
        **{name: list_of(list_of(NUMBER, length), n_runs) for name, length in CURVES_OF.items()},
        **dict.fromkeys(OF_QRELS, list_of(NUMBER, len(RANKS))),
        "roc": or_null(list_of(list_of(NUMBER, len(FALSE_POSITIVE_RATES)), n_runs)),
        "area": or_null(list_of(NUMBER, n_runs)),
    }
    parts = {
        "runs": list_of(RUN),
        "topics": list_of(TEXT),
        "columns": list_of(record(column)),
        "choice": record(CHOICE, MARGIN),
    }
    # Boards that were published before do not say what unjudged documents would change, nor the version of their tests.
    later = {"unjudged": or_null(_unjudged_shape(n_runs)), "version": WHOLE}
    return record({**parts, "curves": or_null(record(curves))}, later)


def _unjudged_shape(n_runs: int) -> Shape:
    n_pairs = n_runs * (n_runs - 1) // 2
    decisions = record(dict.fromkeys(DECISIONS, list_of(DECISION, n_pairs)))
    p = dict.fromkeys(OTHERS, list_of(or_null(NUMBER), n_pairs))
    return record({**p, "decisions": decisions, "changes_values": FLAG, "has_single": FLAG})


def require_arrays(board: Board, values: bytes, p_of_pairs: bytes) -> None:
    """Raise NoBoardError unless the stored numbers are those of a board of this size.

    >>> from evaluation.boards.choice import Choice
    >>> require_arrays(Board((), ("1",), (), Choice()), b"", b"")
    """
    if len(values) != 8 * len(board.runs) * len(board.columns) * len(board.topics):
        raise NoBoardError("It does not hold one value for each run, measure and topic.")
    n_pairs = len(board.runs) * (len(board.runs) - 1) // 2
    if p_of_pairs and len(p_of_pairs) != 8 * len(board.columns) * n_pairs:
        raise NoBoardError("It does not hold one p for each measure and pair of runs.")


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

    All who ask for a name get the same board, so its arrays are read-only.

    >>> from evaluation.boards.choice import Choice
    >>> kept_boards(lambda name: board_bytes(Board((), ("1",), (), Choice())))("boards/00/00.json").topics
    ('1',)
    """

    @lru_cache(maxsize=most)
    def board(name: str) -> Board:
        found = Board.from_json(json.loads(read(name)))
        for part in filter(None, (*found.columns, found.curves, found.unjudged)):
            for value in vars(part).values():
                if isinstance(value, np.ndarray):
                    value.setflags(write=False)
        return found

    return board
