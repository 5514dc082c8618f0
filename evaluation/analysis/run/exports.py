"""A run of a board, as files."""

import math
from typing import Any

from campaign.formats.spreadsheet import csv_lines
from campaign.text.natural_order import natural_order
from evaluation.analysis.topics.figures import TopicFigures
from evaluation.boards.snapshot import cells_of
from evaluation.selectors.board_views import BoardView


def run_topics(seen: BoardView, place: int, measure: str, figures: TopicFigures) -> list[dict[str, Any]]:
    """The value of each topic beside the lowest, median and highest of all runs; null where the topic is left out.

    Topics in natural order.
    """
    values = seen.values_by(measure)[place].tolist()
    return [
        {
            "topic": topic,
            "value": finite(values[column]),
            "low": finite(figures.low[column]),
            "median": finite(figures.median[column]),
            "high": finite(figures.high[column]),
        }
        for column, topic in sorted(enumerate(seen.board.topics), key=lambda one: natural_order(one[1]))
    ]


def run_topics_csv(seen: BoardView, place: int, measure: str, figures: TopicFigures) -> str:
    """One line a topic."""
    tag = seen.board.runs[place].tag
    head = ["topic", "value", "low", "median", "high"]
    rows = run_topics(seen, place, measure, figures)
    return "".join(
        csv_lines(["run", "measure", *head], ([tag, measure, *(row[name] for name in head)] for row in rows))
    )


def run_json(seen: BoardView, place: int, measure: str, figures: TopicFigures) -> dict[str, Any]:
    """The run by all measures, and its topics by one."""
    run = seen.board.runs[place]
    return {
        "board": seen.name,
        "run": run.tag,
        "team": run.team,
        "kind": run.kind,
        "cells": {column.measure: cells_of(column)[place] for column in seen.board.columns},
        "measure": measure,
        "topics": run_topics(seen, place, measure, figures),
    }


def finite(value: float) -> float | None:
    """The number, or null where there is none."""
    return float(value) if math.isfinite(value) else None
