"""Whether a board says what follows from its own values, and its served files say what the board does."""

import csv
from collections.abc import Iterator, Mapping
from io import StringIO
from typing import Any

import numpy as np

from campaign.formats.spreadsheet import csv_lines
from evaluation.boards.board import Board
from evaluation.boards.snapshot import CHECKED, digest
from evaluation.engine.arrays import FloatArray, IntArray
from evaluation.engine.measures.names.registry import parse_measure
from evaluation.engine.missed_topics import summary_of_compared

MEANS_AGREE_WITHIN = 1e-9
"""Relative: means are written as decimal numbers in JSON, and are computed by sums whose order may differ."""


def problems_of_numbers(board: Board, values: FloatArray) -> Iterator[str]:
    """What of its means and ranks does not follow from the values (runs, measures, topics), a sentence each.

    >>> from evaluation.boards.board import RunFacts
    >>> from evaluation.boards.choice import Choice
    >>> from evaluation.boards.computing import compute_board
    >>> values = np.array([[[0.25, 0.5]]])
    >>> board = compute_board([RunFacts("bm25", "north", "automatic", 1)], ["AP"], ["1", "2"], values, Choice()).board
    >>> list(problems_of_numbers(board, values)), list(problems_of_numbers(board, values + 0.1))
    ([], ['Its AP is not what its values by topic give.'])
    """
    for place, column in enumerate(board.columns):
        definition = parse_measure(column.measure).definition
        means = np.array([summary_of_compared(of_run, definition) for of_run in values[:, place]])
        if not np.allclose(means, column.mean, rtol=MEANS_AGREE_WITHIN, atol=0.0, equal_nan=True):
            yield f"Its {column.measure} is not what its values by topic give."
        elif not _ranked(column.mean, column.rank_first, lower_is_better=column.lower_is_better):
            yield f"Its ranks by {column.measure} are not those of the numbers."


def _ranked(means: FloatArray, rank_first: IntArray, *, lower_is_better: bool) -> bool:
    """Whether no run that is clearly worse has the better rank; means that agree closely may share one."""
    order = np.argsort(rank_first, kind="stable")
    goodness = (-means if lower_is_better else means)[order]
    steps = np.diff(goodness[np.isfinite(goodness)])
    return bool((steps <= MEANS_AGREE_WITHIN).all())


def problems_of_served(data: Any, sha256: str, qrels_sha256: str) -> Iterator[str]:
    """What keeps the JSON of a leaderboard from being what is cited by this SHA-256, and rests on these qrels.

    >>> board = {**dict.fromkeys(CHECKED, ""), "qrels": {"sha256": "ab"}}
    >>> list(problems_of_served(board, digest(board), "ab")), list(problems_of_served(board, digest(board), "cd"))
    ([], ['The file that it serves names other qrels than its row.'])
    """
    if not isinstance(data, dict) or not isinstance(data.get("qrels", {}), dict):
        yield "The file that it serves is no leaderboard."
        return
    if not set(CHECKED) <= set(data) or digest(data) != sha256:
        yield "The SHA-256 by which it is cited is not that of the file that it serves."
    if data.get("qrels", {}).get("sha256") != qrels_sha256:
        yield "The file that it serves names other qrels than its row."


def problems_of_copies(data: Mapping[str, Any], text: str, board: Board) -> Iterator[str]:
    """Where the JSON of a leaderboard, or its CSV, names other runs, teams or means than the board.

    >>> from evaluation.boards.board import RunFacts
    >>> from evaluation.boards.choice import Choice
    >>> from evaluation.boards.computing import compute_board
    >>> facts = [RunFacts("bm25", "north", "automatic", 1)]
    >>> board = compute_board(facts, ["AP"], ["1"], np.array([[[0.25]]]), Choice()).board
    >>> data = {"runs": [{"tag": "bm25", "team": "north", "cells": {"AP": {"mean": 0.25}}}]}
    >>> text = "run,team,AP\\nbm25,north,0.25\\n"
    >>> list(problems_of_copies(data, text, board))
    []
    >>> list(problems_of_copies(data, text.replace("north", "south"), board))
    ['The CSV file that it serves has other runs, teams or means than its JSON file.']
    """
    means = [[None if np.isnan(mean) else float(mean) for mean in column.mean] for column in board.columns]
    of_board = [[run.tag, run.team, *of_run] for run, *of_run in zip(board.runs, *means, strict=True)]
    try:
        of_json = [_facts(run, board.measures) for run in data["runs"]]
    except (KeyError, TypeError):
        of_json = []
    if sorted(of_json, key=repr) != sorted(of_board, key=repr):
        yield "The JSON file that it serves has other runs, teams or means than its board."
    head = ["run", "team", *board.measures]
    if _columns(text, head) != _columns("".join(csv_lines(head, of_json)), head):
        yield "The CSV file that it serves has other runs, teams or means than its JSON file."


def _facts(run: Mapping[str, Any], measures: list[str]) -> list[Any]:
    return [run["tag"], run["team"], *(run["cells"][measure]["mean"] for measure in measures)]


def _columns(text: str, names: list[str]) -> list[list[str | None]]:
    rows = csv.DictReader(StringIO(text, newline=""))
    return [[row.get(name) for name in names] for row in rows]
