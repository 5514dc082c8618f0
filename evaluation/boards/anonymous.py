"""A board with pseudonyms in the place of names, in an order that tells nothing of the names."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from evaluation.boards.board import Board, Column
from evaluation.engine.arrays import FloatArray, IntArray
from evaluation.engine.significance.families import all_pairs, places_of


@dataclass(frozen=True, eq=False)
class Anonymous:
    """`order`: int64 (n_runs,), the place on the board with names of each run of `board`."""

    board: Board
    order: IntArray

    def values(self, values: FloatArray) -> FloatArray:
        """Values of shape (n_runs, ...) in the order of the anonymous board."""
        reordered: FloatArray = values[self.order]
        return reordered

    def p_of_pairs(self, p: FloatArray) -> FloatArray:
        """p of shape (n_measures, n_pairs), or without columns, in the order of the anonymous board's pairs."""
        if not p.shape[1]:
            return p
        n_runs = len(self.order)
        pairs = self.order[all_pairs(n_runs)].reshape(-1, 2)
        reordered: FloatArray = p[:, places_of(pairs, n_runs)]
        return reordered


def anonymous_board(board: Board, tags: Sequence[str], teams: Mapping[str, str]) -> Anonymous:
    """Replace tags and teams, drop answers to questions, which describe a system, and order the runs by their pseudonyms.

    `tags`: the pseudonym of each run of the board, all different. `teams`: pseudonym by name of the team.

    >>> from evaluation.boards.board import RunFacts
    >>> from evaluation.boards.choice import Choice
    >>> runs = (RunFacts("bm25", "north", "automatic", 1), RunFacts("dense", "south", "automatic", 1, answers={"Uses": "BERT"}))
    >>> found = anonymous_board(Board(runs, ("1",), (), Choice()), ["run-z", "run-b"], {"north": "team-x", "south": "team-y"})
    >>> [(run.tag, run.team, dict(run.answers)) for run in found.board.runs], found.order.tolist()
    ([('run-b', 'team-y', {}), ('run-z', 'team-x', {})], [1, 0])
    """
    order = np.argsort(np.array(tags, dtype=np.str_), kind="stable").astype(np.int64)
    renamed = [
        replace(run, tag=tag, team=teams[run.team], answers={}) for run, tag in zip(board.runs, tags, strict=True)
    ]
    runs = tuple(renamed[place] for place in order.tolist())
    of_baseline = board.index(board.choice.baseline)
    # A baseline that left the board since then would be known by its tag.
    choice = replace(board.choice, baseline="" if of_baseline is None else tags[of_baseline])
    columns = tuple(reordered(column, order) for column in board.columns)
    curves = None if board.curves is None else board.curves.of(order)
    unjudged = None if board.unjudged is None else board.unjudged.of(order)
    cut = replace(board, runs=runs, columns=columns, choice=choice, curves=curves, unjudged=unjudged)
    return Anonymous(cut, order)


def reordered(column: Column, places: IntArray) -> Column:
    """The column of the runs at these places, in this order.

    >>> from evaluation.boards.board import RunFacts
    >>> from evaluation.boards.choice import Choice
    >>> from evaluation.boards.computing import compute_board
    >>> facts = [RunFacts(tag, "north", "automatic", 1) for tag in ("bm25", "dense")]
    >>> board = compute_board(facts, ["AP"], ["1"], np.array([[[0.25]], [[0.5]]]), Choice()).board
    >>> reordered(board.column("AP"), np.array([1])).mean.tolist()
    [0.5]
    """
    changed: dict[str, Any] = {
        field.name: getattr(column, field.name)[places]
        for field in fields(column)
        if isinstance(getattr(column, field.name), np.ndarray)
    }
    return replace(column, **changed, letters=tuple(column.letters[place] for place in places.tolist()))


def changes_without_names(changes: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Changes after scores, as boards keep them; those of the baseline without the run that it names.

    >>> changes_without_names([{"at": "2026-05-01T10:00:00", "changes": ["baseline named: bm25", "measures added: P@5"]}])
    [{'at': '2026-05-01T10:00:00', 'changes': ['baseline changed', 'measures added: P@5']}]
    """
    return [
        {
            **change,
            "changes": ["baseline changed" if said.startswith("baseline ") else said for said in change["changes"]],
        }
        for change in changes
    ]
