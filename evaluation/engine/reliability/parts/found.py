"""What fewer runs would have found."""

from typing import Any

import numpy as np

from evaluation.engine.arrays import BoolArray
from evaluation.engine.reliability.collection import Collection, PartMissing, groups_of
from evaluation.engine.reliability.saturation import last_gain
from evaluation.engine.reliability.saturation import saturation as shares_found
from evaluation.engine.reliability.unique_documents import found_by


def saturation(of: Collection) -> dict[str, Any]:
    """The share of the relevant documents that so many runs, and so many teams, are expected to find."""
    of_runs = found_by(of.runs, of.require_depth(), of.settings.level)
    if not of_runs.shape[1]:
        raise PartMissing("The judgments hold no relevant document.")
    return {"relevant": int(of_runs.shape[1]), "runs": _curve(of_runs), "teams": _of_teams(of, of_runs)}


def _of_teams(of: Collection, of_runs: BoolArray) -> dict[str, Any] | None:
    if "" in of.teams:
        return None
    named, groups = groups_of(of.teams)
    return _curve(np.array([of_runs[groups == group].any(axis=0) for group in range(len(named))]))


def _curve(found: BoolArray) -> dict[str, Any]:
    finders = found.sum(axis=0)
    shares = shares_found(finders, len(found))
    return {"shares": shares.tolist(), "last_adds": last_gain(shares, len(finders))}
