"""PURE: how far the answers of an assessor to pairs of documents go together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Matrix: TypeAlias = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Consistency:
    """Counts over the answers of one assessor to the pairs of one topic.

    `pairs`: pairs as shown first, of which `left`, `right` and `equal` were answered so. `repeats`: pairs shown again with sides
    swapped, of which `agreeing` had the same answer about the documents, and `same_side` the same side both times. `triples`:
    three documents of which all three pairs were compared; `intransitive`: those that no order with ties can hold.
    """

    pairs: int
    left: int
    right: int
    equal: int
    repeats: int
    agreeing: int
    same_side: int
    triples: int
    intransitive: int


def consistency(first: Mapping[tuple[str, str], str], again: Mapping[tuple[str, str], str]) -> Consistency:
    """Count what goes together. `first`: (left, right) to "left", "right" or "equal"; `again`: the same of the repeats.

    A triple is intransitive if a is at least as good as b, b as c and c as a, and one of the three is better. Counted by
    (trace(W^3) - trace(E^3)) / 3, W the matrix of "at least as good", E that of "equal": each has one such cycle.

    >>> answers = {("a", "b"): "left", ("b", "c"): "left", ("c", "a"): "left"}
    >>> counts = consistency(answers, {("b", "a"): "left"})
    >>> counts.triples, counts.intransitive, counts.repeats, counts.agreeing, counts.same_side
    (1, 1, 1, 0, 1)
    """
    said = list(first.values())
    both = [(first[right, left], answer) for (left, right), answer in again.items() if (right, left) in first]
    documents = sorted({docno for pair in first for docno in pair})
    better, equal = _relations(documents, first)
    weak, compared = better + equal, better + better.T + equal
    swapped = {"left": "right", "right": "left"}
    return Consistency(
        pairs=len(said),
        left=said.count("left"),
        right=said.count("right"),
        equal=said.count("equal"),
        repeats=len(both),
        agreeing=sum(swapped.get(one, one) == other for one, other in both),
        same_side=sum(one == other != "equal" for one, other in both),
        triples=_closed_walks(compared) // 6,
        intransitive=(_closed_walks(weak) - _closed_walks(equal)) // 3,
    )


def untested_chains(documents: Sequence[str], decided: Mapping[tuple[str, str], str]) -> list[tuple[str, str]]:
    """Give the pairs (better, worse) that were not compared, although a third document stands between them by two answers.

    >>> untested_chains(["a", "b", "c"], {("a", "b"): "left", ("c", "b"): "right"})
    [('a', 'c')]
    """
    better, equal = _relations(documents, decided)
    compared = better + better.T + equal
    rows, columns = np.nonzero((better @ better > 0) & (compared == 0))
    return [(documents[row], documents[column]) for row, column in zip(rows.tolist(), columns.tolist(), strict=True)]


def _relations(documents: Sequence[str], answers: Mapping[tuple[str, str], str]) -> tuple[Matrix, Matrix]:
    """Two matrices int64 (n, n) of 0 and 1: the document of the row is better than that of the column; they are equal."""
    place = {docno: index for index, docno in enumerate(documents)}
    better = np.zeros((len(place), len(place)), dtype=np.int64)
    equal = np.zeros_like(better)
    codes = np.array([(place[left], place[right]) for left, right in answers], dtype=np.int64).reshape(-1, 2)
    said = np.array(list(answers.values()), dtype=np.str_)
    lefts, rights = codes[:, 0], codes[:, 1]
    is_left, is_right, is_equal = said == "left", said == "right", said == "equal"
    better[lefts[is_left], rights[is_left]] = 1
    better[rights[is_right], lefts[is_right]] = 1
    equal[lefts[is_equal], rights[is_equal]] = 1
    return better, np.maximum(equal, equal.T)


def _closed_walks(matrix: Matrix) -> int:
    """Count the closed walks of length three: trace(matrix^3)."""
    return int(((matrix @ matrix) * matrix.T).sum())
