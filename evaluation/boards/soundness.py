"""Whether a board says what follows from its own values, and its served files say what the board does."""

import csv
from collections.abc import Iterator, Mapping
from io import StringIO
from typing import Any

import numpy as np

from campaign.formats.spreadsheet import csv_lines
from evaluation.boards.board import Board
from evaluation.boards.snapshot import CHECKED, digest
from evaluation.boards.unjudged import if_unjudged_were_best
from evaluation.engine.arrays import FloatArray, IntArray
from evaluation.engine.measures.names.registry import parse_measure
from evaluation.engine.missing_topics import summary_of_compared
from evaluation.engine.significance.corners import AS_JUDGED

MEANS_AGREE_WITHIN = 1e-9
"""Relative: means are written as decimal numbers in JSON, and are computed by sums whose order may differ."""
P_AGREE_WITHIN = 1e-12
"""Absolute, besides: of p far below any level other machines have other last digits."""


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
        elif not column.rank_first.any() and definition.tells != "relevance":
            continue
        elif not _ranked(column.mean, column.rank_first, lower_is_better=column.lower_is_better):
            yield f"Its ranks by {column.measure} are not those of the numbers."


def _ranked(means: FloatArray, rank_first: IntArray, *, lower_is_better: bool) -> bool:
    """Whether no run that is clearly worse has the better rank; means that agree closely may share one."""
    order = np.argsort(rank_first, kind="stable")
    goodness = (-means if lower_is_better else means)[order]
    steps = np.diff(goodness[np.isfinite(goodness)])
    return bool((steps <= MEANS_AGREE_WITHIN).all())


def problems_of_unjudged(
    board: Board, values: FloatArray, p_of_pairs: FloatArray, if_best: FloatArray | None
) -> Iterator[str]:
    """What of the part on unjudged documents does not follow from the values, with p by the first measure, a sentence each.

    `values`: float64 (n_runs, n_measures, n_topics). `p_of_pairs`: float64 (n_measures, n_pairs). `if_best`: float64
    (n_runs, n_topics), by the first measure with unjudged documents of the highest grade; where it is None, only the case as
    judged is compared.

    >>> from evaluation.boards.board import RunFacts
    >>> from evaluation.boards.choice import Choice
    >>> from evaluation.boards.computing import compute_board
    >>> values, if_best = np.array([[[0.2, 0.4, 0.5]], [[0.3, 0.6, 0.8]]]), np.array([[0.5, 0.4, 0.5], [0.9, 0.9, 0.8]])
    >>> facts = [RunFacts(tag, "north", "automatic", 3) for tag in ("bm25", "dense")]
    >>> found = compute_board(facts, ["P@5"], ["1", "2", "3"], values, Choice("t", "holm"), values_if_best=if_best)
    >>> list(problems_of_unjudged(found.board, values, found.p, if_best))
    []
    >>> list(problems_of_unjudged(found.board, values, found.p, if_best / 2))
    ['Its tests by P@5 if unjudged documents were best are not what its scores give.']
    """
    stored, measure = board.unjudged, board.measures[0]
    if stored is None:
        return
    best = values[:, 0] if if_best is None else if_best
    again = if_unjudged_were_best(values[:, 0], best, measure, board.choice, p_of_pairs[0])
    if again is None:
        yield f"It has tests by {measure} if unjudged documents were best, and none can be made."
        return
    if not _agree(again.p[AS_JUDGED], p_of_pairs[0]):
        yield f"Its p by {measure} are not what its values by topic give."
    others = [corner for corner in again.corners if if_best is not None and corner in stored.corners]
    decided = [AS_JUDGED, *others]
    same = np.array_equal(again.decisions[decided], stored.decisions[decided])
    if if_best is not None and again.changes_values != stored.changes_values:
        same = False
    if not same or not _agree(again.p[others], stored.p[others]):
        yield f"Its tests by {measure} if unjudged documents were best are not what its scores give."


def _agree(again: FloatArray, stored: FloatArray) -> bool:
    return np.allclose(again, stored, rtol=MEANS_AGREE_WITHIN, atol=P_AGREE_WITHIN, equal_nan=True)


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
