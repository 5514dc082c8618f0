"""What is published: plain data with a checksum that everybody can compute again from the exported file."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from evaluation.boards.board import Board, Column
from evaluation.engine.arrays import FloatArray, IntArray
from evaluation.engine.significance.standing import DIGITS

CHECKED: Final = ("leaderboard", "measures", "note", "qrels", "runs", "tests", "topics")
"""The parts of an exported leaderboard that its checksum covers."""

CELLS: Final = (
    *("mean", "low", "high", "rank_first", "rank_last", "rank_best", "rank_worst", "letters"),
    *("difference", "p", "p_corrected", "unjudged_best", "topics"),
)
"""What is exported of a run by a measure: the fields of `Column`."""


def digest(data: Mapping[str, Any]) -> str:
    """SHA-256 of the checked parts as JSON: keys sorted, no blanks, everything beyond ASCII escaped.

    >>> board = dict.fromkeys(CHECKED, "")
    >>> digest({**board, "title": "new"}) == digest(board), digest({**board, "note": "new"}) == digest(board)
    (True, False)
    """
    text = json.dumps({part: data[part] for part in CHECKED}, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def written_json(data: Mapping[str, Any]) -> str:
    """JSON in UTF-8, a line for each part and for each of the `runs`; ValueError for a number that JSON does not have.

    With an indentation `json` writes value by value in Python: twice the time, and a quarter more bytes.

    >>> print(written_json({"task": "tip", "runs": [{"tag": "bm25"}, {"tag": "dense"}]}), end="")
    {
    "task": "tip",
    "runs": [
    {"tag": "bm25"},
    {"tag": "dense"}
    ]
    }
    """
    parts = (f"{_line(name)}: {_list(part) if name == 'runs' else _line(part)}" for name, part in data.items())
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _list(values: Sequence[Any]) -> str:
    return "[\n" + ",\n".join(map(_line, values)) + "\n]"


def _line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def best_first(board: Board, measure: str) -> IntArray:
    """The places of the runs from the best mean to the worst, equal ones by tag: int64 (n_runs,).

    >>> from evaluation.boards.board import RunFacts
    >>> from evaluation.boards.choice import Choice
    >>> from evaluation.boards.computing import compute_board
    >>> facts = [RunFacts(tag, "north", "automatic", 1) for tag in ("bm25", "dense")]
    >>> values = np.array([[[0.25]], [[0.5]]])
    >>> board = compute_board(facts, ["AP"], ["1"], values, Choice("t", "holm")).board
    >>> best_first(board, "AP").tolist()
    [1, 0]
    """
    tags = np.argsort(np.argsort([run.tag for run in board.runs], kind="stable"), kind="stable")
    column = board.column(measure)
    found: IntArray = np.lexsort((tags, -np.round(column.goodness, DIGITS), column.rank_first))
    return found


def exported_runs(
    board: Board, values: FloatArray | None = None, measures: Sequence[str] | None = None
) -> list[dict[str, Any]]:
    """One object a run, the best by the first measure first; `values` float64 (runs, all measures of the board, topics).

    Null stands where there is no number, and for ranks that the tests cannot tell.

    >>> from evaluation.boards.board import RunFacts
    >>> from evaluation.boards.choice import Choice
    >>> from evaluation.boards.computing import compute_board
    >>> facts = [RunFacts(tag, "north", "automatic", 1) for tag in ("bm25", "dense")]
    >>> values = np.array([[[0.25]], [[0.5]]])
    >>> board = compute_board(facts, ["AP"], ["1"], values, Choice("t", "holm")).board
    >>> [(run["tag"], run["cells"]["AP"]["mean"], run["values"]) for run in exported_runs(board, values)]
    [('dense', 0.5, {'AP': [0.5]}), ('bm25', 0.25, {'AP': [0.25]})]
    """
    chosen = board.measures if measures is None else list(measures)
    columns = [cells_of(board.column(measure)) for measure in chosen]
    places = [board.measures.index(measure) for measure in chosen]
    runs = []
    for run in best_first(board, board.measures[0]).tolist():
        facts = board.runs[run]
        row: dict[str, Any] = {
            "tag": facts.tag,
            "team": facts.team,
            "kind": facts.kind,
            "topics_answered": facts.topics_answered,
            "unjudged_at_10": facts.unjudged,
            "answers": dict(facts.answers),
            "cells": {measure: of_runs[run] for measure, of_runs in zip(chosen, columns, strict=True)},
        }
        if values is not None:
            by_topic = (_with_none(values[run, place]) for place in places)
            row["values"] = dict(zip(chosen, by_topic, strict=True))
        runs.append(row)
    return runs


def cells_of(column: Column) -> list[dict[str, Any]]:
    """What is exported of every run by one measure, in the order of the board's runs.

    >>> from evaluation.boards.board import RunFacts
    >>> from evaluation.boards.choice import Choice
    >>> from evaluation.boards.computing import compute_board
    >>> facts = [RunFacts("bm25", "north", "automatic", 1)]
    >>> board = compute_board(facts, ["AP"], ["1"], np.array([[[0.25]]]), Choice("t", "holm")).board
    >>> [cell] = cells_of(board.column("AP"))
    >>> cell["mean"], cell["low"], cell["rank_best"], cell["letters"]
    (0.25, None, 1, 'a')
    """
    listed: dict[str, Any] = column.to_json()
    parts = [listed[name] for name in CELLS]
    cells = [dict(zip(CELLS, of_run, strict=True)) for of_run in zip(*parts, strict=True)]
    for cell in cells:
        for rank in ("rank_first", "rank_last", "rank_best", "rank_worst"):
            cell[rank] = cell[rank] or None
        cell["lower_is_better"] = column.lower_is_better
        cell["summary"] = column.summary
    return cells


def _with_none(numbers: FloatArray) -> list[float | None]:
    with_none: list[float | None] = np.where(np.isnan(numbers), np.array(None), numbers).tolist()
    return with_none
