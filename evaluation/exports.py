"""Parts of a published board: by one measure, with or without values by topic; a team's own runs, of a board for participants."""

import json
from collections.abc import Mapping
from typing import Any

from campaign.formats.spreadsheet import csv_lines
from evaluation.boards.audiences import PARTICIPANTS
from evaluation.boards.snapshot import exported_runs
from evaluation.closer.one_run.exports import finite, run_topics
from evaluation.closer.topics.figures import topic_figures
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


def own_csv(seen: SeenBoard) -> str:
    """One line for each run of the team, measure and topic, beside lowest, median and highest of all runs."""
    head = ["run", "measure", "mean", "topic", "value", "low", "median", "high"]
    lines = (
        [run["tag"], measure, of["mean"], *(row[name] for name in head[3:])]
        for run in own_runs(seen)
        for measure, of in run["measures"].items()
        for row in of["topics"]
    )
    return "".join(csv_lines(head, lines))


def own_json(seen: SeenBoard) -> str:
    """The runs of the team by all measures, each topic beside lowest, median and highest of all runs."""
    leaderboard = seen.snapshot
    data: dict[str, Any] = {
        "campaign": seen.task.campaign.slug,
        "task": seen.task.slug,
        "leaderboard": leaderboard.number,
        "audience": PARTICIPANTS,
        "note": leaderboard.note,
        "licence": leaderboard.licence,
        "terms": leaderboard.terms,
        "runs": own_runs(seen),
    }
    return json.dumps(data, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def own_runs(seen: SeenBoard) -> list[dict[str, Any]]:
    """Each run of the team: its tag, and by measure its mean and its topics."""
    figures = {
        column.measure: topic_figures(seen.values_of_all_by(column.measure), lower_is_better=column.lower_is_better)
        for column in seen.board.columns
    }
    return [
        {
            "tag": run.tag,
            "measures": {
                column.measure: {
                    "mean": finite(float(column.mean[place])),
                    "topics": run_topics(seen, place, column.measure, figures[column.measure]),
                }
                for column in seen.board.columns
            },
        }
        for place, run in enumerate(seen.board.runs)
    ]
