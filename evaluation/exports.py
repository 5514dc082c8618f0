"""Parts of a board: by one measure, with or without values by topic; a team's own runs; one run; the live board."""

import json
from collections.abc import Mapping
from typing import Any

from campaign.formats.spreadsheet import csv_lines
from campaign.models import Run
from evaluation.analysis.run.exports import finite, run_topics
from evaluation.analysis.topics.figures import topic_figures
from evaluation.boards.audiences import PARTICIPANTS
from evaluation.boards.snapshot import exported_runs, written_json
from evaluation.selectors.board_views import BoardView
from evaluation.selectors.run_scores import RunScores
from evaluation.selectors.score_visibility import ShownScores
from evaluation.selectors.snapshots import leaderboard_json, with_origin

WITH, WITHOUT = "1", "0"


def asked_of_json(measures: list[str], query: Mapping[str, str]) -> tuple[list[str], bool] | None:
    """By which measures and whether with values by topic the address asks for a board; None for the whole of it."""
    measure = query.get("measure", "")
    if measure not in measures and query.get("values") != WITHOUT:
        return None
    return [measure] if measure in measures else measures, query.get("values", WITH) != WITHOUT


def part_of_json(seen: BoardView, measures: list[str], with_values: bool) -> str:
    """A published board by some of its measures; its checksum is still that of the whole."""
    runs = exported_runs(seen.board, seen.values if with_values else None, measures)
    return with_origin(leaderboard_json(seen.published, runs, seen.board.topics, measures), seen.restored)


def own_csv(seen: BoardView) -> str:
    """One line for each run of the team, measure and topic, beside lowest, median and highest of all runs."""
    head = ["run", "measure", "mean", "topic", "value", "low", "median", "high"]
    lines = (
        [run["tag"], measure, of["mean"], *(row[name] for name in head[3:])]
        for run in own_runs(seen)
        for measure, of in run["measures"].items()
        for row in of["topics"]
    )
    return "".join(csv_lines(head, lines))


def own_json(seen: BoardView) -> str:
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
    return with_origin(written_json(data), seen.restored)


def own_runs(seen: BoardView) -> list[dict[str, Any]]:
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


def run_by_topic(shown: ShownScores) -> dict[str, Any] | None:
    """The table of values by topic: `measures`, and one row a topic; None where it is not shown."""
    if shown.scores is None or not shown.by_topic:
        return None
    values = shown.scores.values.T.tolist()
    return {
        "measures": shown.scores.measures,
        "rows": list(zip(shown.scores.topics, ([finite(value) for value in row] for row in values), strict=True)),
    }


def run_scores_csv(run: Run, shown: ShownScores) -> str:
    """One line a measure with its mean, then one a measure and topic where those are shown."""
    scores = _scores(shown)
    means: list[list[object]] = [
        [run.tag, measure, "all", finite(scores.means[measure])] for measure in scores.measures
    ]
    lines: list[list[object]] = []
    if shown.by_topic:
        lines = [
            [run.tag, measure, topic, finite(value)]
            for measure, values in zip(scores.measures, scores.values.tolist(), strict=True)
            for topic, value in zip(scores.topics, values, strict=True)
        ]
    return "".join(csv_lines(["run", "measure", "topic", "value"], [*means, *lines]))


def run_scores_json(run: Run, shown: ShownScores) -> str:
    scores = _scores(shown)
    data: dict[str, Any] = {
        "run": run.tag,
        "qrels": scores.qrels.version,
        "over": scores.over,
        "is_published": not shown.is_early and not shown.organises,
        "measures": {measure: {"mean": finite(scores.means[measure])} for measure in scores.measures},
    }
    if shown.by_topic:
        for measure, values in zip(scores.measures, scores.values.tolist(), strict=True):
            by_topic = {topic: finite(value) for topic, value in zip(scores.topics, values, strict=True)}
            data["measures"][measure]["topics"] = by_topic
    return json.dumps(data, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _scores(shown: ShownScores) -> RunScores:
    if shown.scores is None:
        raise ValueError("there are no scores to write")
    return shown.scores


def live_json(seen: BoardView) -> str:
    """The live board without values by topic; its qrels by their version only, for they may be secret."""
    data: dict[str, Any] = {
        "campaign": seen.task.campaign.slug,
        "task": seen.task.slug,
        "board": seen.name,
        "is_published": False,
        "qrels": seen.qrels.version,
        "tests": seen.tests["in_words"],
        "measures": seen.board.measures,
        "topics": len(seen.board.topics),
        "runs": exported_runs(seen.board),
    }
    return written_json(data)
