"""PURE: which curves a board holds, and what a page or a file shows of them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from evaluation.boards.curves import RANKS, BoardCurves
from evaluation.engine.analyses.curves import FALSE_POSITIVE_RATES, RECALL_LEVELS
from evaluation.engine.arrays import FloatArray

MACRO, ROC = "macro", "roc"
KINDS: Final[Mapping[str, str]] = {
    MACRO: "Recall and precision, macro",
    "micro": "Recall and precision, micro",
    "gain": "Cumulated gain",
    "discounted": "Discounted cumulated gain",
    ROC: "ROC",
}
READ_AS: Final[Mapping[str, str]] = {
    MACRO: "Interpolated at 11 recall levels, mean over topics: every topic counts alike.",
    "micro": "Interpolated at 11 recall levels, all topics pooled rank by rank: every relevant document counts alike.",
    "gain": "Mean over topics. Ideal: the judged documents in their best order.",
    "discounted": "Mean over topics, gain / log2(rank + 1). Ideal: the judged documents in their best order.",
    ROC: "Mean over topics. Area: of the pairs of a relevant and another document, the share in the right order.",
}
AXES: Final[Mapping[str, tuple[str, str]]] = {
    MACRO: ("recall", "precision"),
    "micro": ("recall", "precision"),
    "gain": ("rank", "cumulated gain"),
    "discounted": ("rank", "discounted cumulated gain"),
    ROC: ("false positive rate", "true positive rate"),
}


@dataclass(frozen=True, eq=False)
class Shown:
    """The curves of one kind: `x` float64 (n_points,), `y` float64 (n_runs, n_points) in the order of the board's runs.

    `ideal`: float64 (n_points,), `area`: float64 (n_runs,); None where the kind has none.
    """

    kind: str
    x: FloatArray
    y: FloatArray
    ideal: FloatArray | None = None
    area: FloatArray | None = None


def kinds_of(curves: BoardCurves) -> dict[str, str]:
    """The kinds that a board holds, by the name in addresses: no ROC where the size of the collection is not known.

    >>> flat = np.zeros((1, 11))
    >>> from evaluation.boards.curves import CurveSettings
    >>> curves = BoardCurves(CurveSettings(1, "linear", None), flat, flat, flat, flat, flat[0], flat[0], None, None)
    >>> list(kinds_of(curves))
    ['macro', 'micro', 'gain', 'discounted']
    """
    return {kind: label for kind, label in KINDS.items() if kind != ROC or curves.roc is not None}


def shown(curves: BoardCurves, kind: str) -> Shown:
    """The curves of a kind; of one that the board lacks, those of the first.

    >>> from evaluation.boards.curves import CurveSettings
    >>> flat, gain = np.zeros((1, 11)), np.zeros((1, 8))
    >>> curves = BoardCurves(CurveSettings(1, "linear", None), flat, flat, gain, gain, gain[0], gain[0], None, None)
    >>> shown(curves, "gain").x.tolist()[-1], shown(curves, "roc").kind
    (100.0, 'macro')
    """
    ranks = RANKS.astype(np.float64)
    if kind == "gain":
        return Shown(kind, ranks, curves.gain, ideal=curves.ideal)
    if kind == "discounted":
        return Shown(kind, ranks, curves.discounted, ideal=curves.ideal_discounted)
    if kind == ROC and curves.roc is not None:
        return Shown(kind, FALSE_POSITIVE_RATES, curves.roc, area=curves.area)
    if kind == "micro":
        return Shown(kind, RECALL_LEVELS, curves.micro)
    return Shown(MACRO, RECALL_LEVELS, curves.macro)


@dataclass(frozen=True, eq=False)
class Field:
    """The recall-precision curves of all runs, level by level: float64 (11,) each."""

    low: FloatArray
    median: FloatArray
    high: FloatArray


def field_of(curves: BoardCurves) -> Field:
    """The lowest, median and highest precision of all runs at each recall level, each of perhaps another run.

    >>> from evaluation.boards.curves import CurveSettings
    >>> macro, gain = np.array([[0.5] * 11, [0.1] * 11]), np.zeros((2, 8))
    >>> curves = BoardCurves(CurveSettings(1, "linear", None), macro, macro, gain, gain, gain[0], gain[0], None, None)
    >>> field_of(curves).median[:2].tolist()
    [0.3, 0.3]
    """
    return Field(curves.macro.min(axis=0), np.median(curves.macro, axis=0), curves.macro.max(axis=0))
