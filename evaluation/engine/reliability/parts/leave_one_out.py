"""What the order of the runs rests on: the documents of one team, those of one kind of system, one topic."""

import math
from collections.abc import Sequence
from typing import Any

from evaluation.engine.arrays import IntArray
from evaluation.engine.reliability.collection import Collection, PartMissing, Step, finite, groups_of
from evaluation.engine.reliability.topics_left_out import topics_left_out
from evaluation.engine.reliability.unique_documents import groups_left_out


def by_teams(of: Collection, step: Step) -> list[dict[str, Any]]:
    if "" in of.teams:
        raise PartMissing("The board does not name the teams.")
    if len(set(of.teams)) < 2:
        raise PartMissing("There is one team only: everything was found by it alone.")
    redrawn = of.settings.redrawn
    rows = _without(of, "team", of.teams, step, None if redrawn is None else [one.leaving for one in redrawn])
    if redrawn is not None:
        never = dict(zip(groups_of(of.teams)[0], (one.never_judged for one in redrawn), strict=True))
        rows = [{**row, "never_judged": never[row["team"]]} for row in rows]
    return rows


def by_kinds(of: Collection, step: Step) -> list[dict[str, Any]]:
    if not of.kinds or "" in of.kinds:
        raise PartMissing("The kinds of the systems are not told.")
    if len(set(of.kinds)) < 2:
        raise PartMissing(f"All runs are of one kind: {of.kinds[0]}.")
    return _without(of, "kind", of.kinds, step)


def _without(
    of: Collection, what: str, labels: Sequence[str], step: Step, leaving: Sequence[IntArray] | None = None
) -> list[dict[str, Any]]:
    """One object a group with pooled runs; `what`: the key under which it has its label."""
    of.require_whole_documents()
    named, groups = groups_of(labels)
    depths = of.require_depths()
    left_out = groups_left_out(of.runs, groups, of.first, depths, of.settings.level, step, leaving)
    pooled = set(groups[depths > 0].tolist())
    return [
        {
            what: label,
            "unique": found.unique,
            "tau": finite(found.tau),
            "tau_interval": found.tau_interval and list(found.tau_interval),
            "largest_fall": found.largest_fall,
            "falling_run": of.names[found.falling_run] if found.largest_fall else None,
            "change_of_best_run": found.change,
        }
        for group, (label, found) in enumerate(zip(named, left_out, strict=True))
        if group in pooled
    ]


def without_a_topic(of: Collection) -> list[dict[str, Any]]:
    found = topics_left_out(of.ordering_values())
    return [
        {
            "topic": topic,
            "tau": finite(found.tau[place]),
            "tau_ap": finite(found.tau_ap[place]) if math.isfinite(found.tau[place]) else None,
            "largest_fall": int(found.largest_fall[place]),
            "falling_run": of.names[int(found.falling_run[place])] if found.largest_fall[place] else None,
        }
        for place, topic in enumerate(of.judgments.topics)
    ]
