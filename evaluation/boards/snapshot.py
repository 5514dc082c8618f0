"""What is published: plain data with a checksum that everybody can compute again from the exported file."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from evaluation.engine.arrays import FloatArray

CHECKED = ("leaderboard", "measures", "note", "qrels", "runs", "tests", "topics")
"""The parts of an exported leaderboard that its checksum covers."""

Values = dict[str, dict[str, list[float | None]]]


def digest(data: Mapping[str, Any]) -> str:
    """SHA-256 of the checked parts as JSON: keys sorted, no blanks, everything beyond ASCII escaped.

    >>> board = dict.fromkeys(CHECKED, "")
    >>> digest({**board, "title": "new"}) == digest(board), digest({**board, "note": "new"}) == digest(board)
    (True, False)
    """
    text = json.dumps({part: data[part] for part in CHECKED}, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def values_by_run(tags: list[str], measures: list[str], values: FloatArray) -> Values:
    """`{run tag: {measure: values in the order of the topics}}` of an array (runs, measures, topics); NaN becomes `None`.

    >>> import numpy as np
    >>> values_by_run(["bm25"], ["AP", "Judged@5"], np.array([[[0.25, 0.0], [0.2, np.nan]]]))
    {'bm25': {'AP': [0.25, 0.0], 'Judged@5': [0.2, None]}}
    """
    with_none = np.where(np.isnan(values), np.array(None), values).tolist()
    return {tag: dict(zip(measures, of_run, strict=True)) for tag, of_run in zip(tags, with_none, strict=True)}


def with_values(rows: list[dict[str, Any]], values: Values) -> list[dict[str, Any]]:
    """The rows of a leaderboard, each with its run's values per topic: what means and tests were computed from.

    >>> with_values([{"tag": "bm25"}], {"bm25": {"AP": [0.25, 0.75]}})
    [{'tag': 'bm25', 'values': {'AP': [0.25, 0.75]}}]
    """
    return [{**row, "values": values.get(row["tag"], {})} for row in rows]
