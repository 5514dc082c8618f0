"""The curves of runs that a board holds: computed with the scores of a run, kept as plain data."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Final, Self

import numpy as np

from evaluation.engine.analyses.curves import (
    gain_curves,
    mean_interpolated_curve,
    pooled_interpolated_curve,
    roc_area,
    roc_at_rates,
)
from evaluation.engine.arrays import FloatArray, IntArray
from evaluation.engine.averaging import mean_over_topics
from evaluation.engine.gains import Gain
from evaluation.engine.judgments import JudgmentError
from evaluation.engine.ranked_run import RankedRun

RANKS: Final[IntArray] = np.array([1, 2, 3, 5, 10, 20, 50, 100])
"""Ranks at which gain is cumulated."""
OF_RUNS: Final = ("macro", "micro", "gain", "discounted")
OF_QRELS: Final = ("ideal", "ideal_discounted")


@dataclass(frozen=True, slots=True)
class CurveSettings:
    """`level`: the lowest relevant grade. `gain`: of grades. `collection_size`: documents in the collection, None if unknown."""

    level: int
    gain: Gain
    collection_size: int | None

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def curves_of_run(ranked: RankedRun, settings: CurveSettings) -> dict[str, Any]:
    """Compute the curves of one run as plain data: lists of finite numbers, means over all topics of the judgments.

    `macro`, `micro`: interpolated precision at 11 recall levels, averaged and pooled. `gain`, `ideal`, `discounted`,
    `ideal_discounted`: at `RANKS`. `roc`: the true positive rate at `FALSE_POSITIVE_RATES`, `area` below it; null where the
    size of the collection is not known, or cannot hold the judged documents.

    >>> import polars as pl
    >>> from evaluation.engine.judgments import Judgments
    >>> from evaluation.engine.ranking import rank_run
    >>> judgments = Judgments.from_table(pl.DataFrame({"topic": "1", "subtopic": "0", "docno": ["a", "b"], "grade": [3, 0]}))
    >>> run = pl.DataFrame({"topic": "1", "docno": ["b", "a"], "score": [3.0, 2.0]})
    >>> found = curves_of_run(rank_run(run, judgments), CurveSettings(1, "linear", 4))
    >>> found["macro"][:2], found["gain"][:2], found["ideal"][:2], round(found["area"], 3)
    ([0.5, 0.5], [0.0, 3.0], [3.0, 3.0], 0.667)
    """
    gains = gain_curves(ranked, RANKS, settings.gain).mean()
    roc, area = _roc(ranked, settings)
    return {
        "settings": settings.to_json(),
        "macro": mean_interpolated_curve(ranked, settings.level).tolist(),
        "micro": pooled_interpolated_curve(ranked, settings.level).tolist(),
        **{name: getattr(gains, name).tolist() for name in ("gain", "ideal", "discounted", "ideal_discounted")},
        "roc": None if roc is None else roc.tolist(),
        "area": area,
    }


def _roc(ranked: RankedRun, settings: CurveSettings) -> tuple[FloatArray | None, float | None]:
    if settings.collection_size is None:
        return None, None
    try:
        at_rates = roc_at_rates(ranked, settings.collection_size, settings.level)
        areas = roc_area(ranked, settings.collection_size, settings.level)
    except JudgmentError:  # documents were judged that the collection does not list
        return None, None
    return mean_over_topics(at_rates), float(mean_over_topics(areas))


@dataclass(frozen=True, eq=False)
class BoardCurves:
    """The curves of all runs of a board, rows in the order of its runs; float64, finite.

    `macro`, `micro`: (n_runs, 11). `gain`, `discounted`: (n_runs, n_ranks); `ideal`, `ideal_discounted`: (n_ranks,).
    `roc`: (n_runs, n_rates), `area`: (n_runs,); None where the size of the collection is not known.
    """

    settings: CurveSettings
    macro: FloatArray
    micro: FloatArray
    gain: FloatArray
    discounted: FloatArray
    ideal: FloatArray
    ideal_discounted: FloatArray
    roc: FloatArray | None
    area: FloatArray | None

    def of(self, places: IntArray) -> "BoardCurves":
        """The curves of the runs at these places, in this order."""
        chosen: dict[str, Any] = {name: getattr(self, name)[places] for name in OF_RUNS}
        roc: dict[str, Any] = {
            name: None if getattr(self, name) is None else getattr(self, name)[places] for name in ("roc", "area")
        }
        return replace(self, **chosen, **roc)

    def to_json(self) -> dict[str, Any]:
        numbers = {name: getattr(self, name).tolist() for name in (*OF_RUNS, *OF_QRELS)}
        roc = {"roc": None if self.roc is None else self.roc.tolist()}
        return {
            "settings": self.settings.to_json(),
            **numbers,
            **roc,
            "area": None if self.area is None else self.area.tolist(),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        arrays: dict[str, Any] = {name: np.array(data[name], dtype=np.float64) for name in (*OF_RUNS, *OF_QRELS)}
        roc: dict[str, Any] = {
            name: None if data[name] is None else np.array(data[name], dtype=np.float64) for name in ("roc", "area")
        }
        return cls(CurveSettings(**data["settings"]), **arrays, **roc)


def curves_of_board(stored: Sequence[Mapping[str, Any] | None]) -> BoardCurves | None:
    """Put the curves of runs under each other; None where one lacks them, or was computed with other settings than the rest.

    >>> curves_of_board([None]) is None
    True
    """
    runs = [of_run for of_run in stored if of_run]
    if not runs or len(runs) < len(stored) or any(of_run["settings"] != runs[0]["settings"] for of_run in runs):
        return None
    has_roc = all(of_run["roc"] is not None for of_run in runs)
    listed = {name: [of_run[name] for of_run in runs] for name in OF_RUNS}
    roc = {name: [of_run[name] for of_run in runs] if has_roc else None for name in ("roc", "area")}
    ideals = {name: runs[0][name] for name in OF_QRELS}
    return BoardCurves.from_json({"settings": runs[0]["settings"], **listed, **ideals, **roc})
