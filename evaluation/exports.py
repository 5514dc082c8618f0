"""A board as files: CSV for spreadsheets, JSON for programs."""

import json
from typing import Any

from campaign.formats.spreadsheet import csv_lines
from campaign.ordering import Ordering
from evaluation.boards.measures_in_words import parameters_in_words
from evaluation.boards.rows import Row
from evaluation.boards.snapshot import with_values
from evaluation.models import Leaderboard
from evaluation.selectors.boards import leaderboard_values

CELL_COLUMNS = ("mean", "low", "high", "difference", "p", "p_holm", "topics")


def board_csv(measures: list[str], rows: list[Row], ordering: Ordering) -> str:
    """One line a run; means under the measure's name, then its interval and test under `measure:column`; the order of runs."""
    header = [measure if column == "mean" else f"{measure}:{column}" for measure in measures for column in CELL_COLUMNS]
    order = ["run_order", "reference"]
    lines = csv_lines(
        ["run", "team", "kind", "topics_answered", *header, *order],
        ([*_csv_row(row, measures), ordering.run_order, ordering.reference] for row in rows),
    )
    return "".join(lines)


def _csv_row(row: Row, measures: list[str]) -> list[object]:
    cells = [getattr(row.cells[measure], column) for measure in measures for column in CELL_COLUMNS]
    return [row.tag, row.team, row.kind, row.topics_answered, *cells]


def leaderboard_json(leaderboard: Leaderboard) -> str:
    """The whole snapshot, with every run's values per topic: enough to compute each of its numbers again."""
    data: dict[str, Any] = {
        "campaign": leaderboard.task.campaign.slug,
        "task": leaderboard.task.slug,
        "leaderboard": leaderboard.number,
        "published_at": leaderboard.published_at.isoformat(),
        "qrels": leaderboard.qrels.checksums,
        "sha256": leaderboard.sha256,
        "tests": leaderboard.tests,
        "measures": leaderboard.measures,
        "depends_on": {measure: parameters_in_words(measure) for measure in leaderboard.measures},
        "topics": leaderboard.qrels.topics,
        "runs": with_values(leaderboard.rows, leaderboard_values(leaderboard)),
        "note": leaderboard.note,
    }
    return json.dumps(data, indent=1, ensure_ascii=False) + "\n"
