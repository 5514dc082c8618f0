"""How much is judged, and the topics whose judgments tell little."""

from typing import Any, Final

import numpy as np

from evaluation.engine.arrays import FloatArray
from evaluation.engine.measures.names.registry import parse_measure
from evaluation.engine.missing_topics import compared_values
from evaluation.engine.reliability.collection import Collection
from evaluation.engine.scoring import score_ranked

JUDGED_AT: Final = (10, 100)
FEW: Final = 5
"""A topic with fewer relevant documents tells runs apart by chance."""
NEARLY_ALL: Final = 0.9


def judged(of: Collection) -> list[dict[str, Any]]:
    """The share of the first documents that is judged, mean over the topics that a run answers."""
    scored = score_ranked(of.runs, [parse_measure(f"Judged@{k}") for k in JUDGED_AT])
    rows = [compared_values(one, of.judgments) for one in scored]
    return [
        {"run": name, **{f"first_{k}": _mean(row[place]) for place, k in enumerate(JUDGED_AT)}}
        for name, row in zip(of.names, rows, strict=True)
    ]


def few_relevant(of: Collection) -> dict[str, list[str]]:
    """The topics with none, one or two, and three or four relevant documents."""
    named, relevant = np.array(of.judgments.topics), of.judgments.num_rel(of.settings.level)
    return {
        "none": named[relevant == 0].tolist(),
        "one_or_two": named[(relevant > 0) & (relevant <= 2)].tolist(),
        "below_five": named[(relevant > 2) & (relevant < FEW)].tolist(),
    }


def nearly_all_relevant(of: Collection) -> list[dict[str, Any]]:
    """The topics of whose judged documents more than nine of ten are relevant."""
    relevant = of.judgments.num_rel(of.settings.level)
    counted = relevant + of.judgments.num_nonrel(of.settings.level)
    return [
        {"topic": of.judgments.topics[place], "relevant": int(relevant[place]), "judged": int(counted[place])}
        for place in np.flatnonzero(relevant > NEARLY_ALL * counted)
    ]


def _mean(values: FloatArray) -> float | None:
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else None
