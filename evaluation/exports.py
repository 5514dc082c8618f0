"""Parts of a published board as JSON: by one measure, with or without the values by topic."""

from collections.abc import Mapping

from evaluation.boards.snapshot import exported_runs
from evaluation.selectors.seen import SeenBoard
from evaluation.selectors.snapshots import leaderboard_json

WITH, WITHOUT = "1", "0"


def asked_of_json(measures: list[str], query: Mapping[str, str]) -> tuple[list[str], bool] | None:
    """By which measures and whether with values by topic the address asks for a board; None for the whole of it."""
    measure = query.get("measure", "")
    if measure not in measures and query.get("values") != WITHOUT:
        return None
    return [measure] if measure in measures else measures, query.get("values", WITH) != WITHOUT


def part_of_json(seen: SeenBoard, measures: list[str], with_values: bool) -> str:
    """A published board by some of its measures; its checksum is still that of the whole."""
    runs = exported_runs(seen.board, seen.values if with_values else None, measures)
    return leaderboard_json(seen.published, runs, measures)
