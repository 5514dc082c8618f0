"""What fewer runs would have found."""

from typing import Any

import numpy as np

from evaluation.engine.arrays import BoolArray
from evaluation.engine.reliability.collection import Collection, PartMissing, groups_of
from evaluation.engine.reliability.saturation import last_gain
from evaluation.engine.reliability.saturation import saturation as shares_found
from evaluation.engine.reliability.unique_documents import found_by


def saturation(of: Collection) -> dict[str, Any]:
    """The share of the relevant documents that so many pooled runs, and so many teams of them, are expected to find."""
    pooled = of.require_depths() > 0
    of_runs = found_by(of.runs, of.depths, of.settings.level)[pooled]
    if not of_runs.shape[1]:
        raise PartMissing("The judgments hold no relevant document.")
    teams = [team for team, is_pooled in zip(of.teams, pooled.tolist(), strict=True) if is_pooled]
    return {"relevant": int(of_runs.shape[1]), "runs": _curve(of_runs), "teams": _of_teams(teams, of_runs)}


def _of_teams(teams: list[str], of_runs: BoolArray) -> dict[str, Any] | None:
    if "" in teams:
        return None
    named, groups = groups_of(teams)
    return _curve(np.array([of_runs[groups == group].any(axis=0) for group in range(len(named))]))


def _curve(found: BoolArray) -> dict[str, Any]:
    finders = found.sum(axis=0)
    shares = shares_found(finders, len(found))
    return {"shares": shares.tolist(), "last_adds": last_gain(shares, len(finders))}
