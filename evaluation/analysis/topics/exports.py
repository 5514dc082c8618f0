"""The topics of a board, as files."""

import math
from typing import Any, Final

from campaign.formats.spreadsheet import csv_lines
from campaign.text.natural_order import natural_order
from evaluation.analysis.topics.figures import TopicFigures
from evaluation.selectors.board_views import BoardView

COLUMNS: Final = ("low", "quarter", "median", "three_quarters", "high", "mean", "spread", "agreement")


def topic_rows(seen: BoardView, figures: TopicFigures) -> list[dict[str, Any]]:
    """One object a topic, in natural order; null where there is no number, and for the best run where several are."""
    return [topic_row(seen, figures, place) for place in places_in_natural_order(seen)]


def topic_row(seen: BoardView, figures: TopicFigures, place: int) -> dict[str, Any]:
    """The figures of the topic at this place of the board."""
    return {
        "topic": seen.board.topics[place],
        **{name: _finite(getattr(figures, name)[place]) for name in COLUMNS},
        "best": seen.board.runs[figures.best[place]].tag if figures.best_runs[place] == 1 else None,
        "best_runs": int(figures.best_runs[place]),
    }


def places_in_natural_order(seen: BoardView) -> list[int]:
    """Where the topics stand on the board, which has them in the order of their text."""
    return sorted(range(len(seen.board.topics)), key=lambda place: natural_order(seen.board.topics[place]))


def topics_csv(seen: BoardView, measure: str, figures: TopicFigures) -> str:
    rows = topic_rows(seen, figures)
    head = ["measure", "topic", *COLUMNS, "best", "best_runs"]
    return "".join(csv_lines(head, ([measure, *(row[name] for name in head[1:])] for row in rows)))


def topic_csv(seen: BoardView, measure: str, topic: str) -> str:
    """One line a run, in natural order: its value of the topic."""
    values = seen.values_by(measure)[:, seen.board.topics.index(topic)].tolist()
    rows = (
        [measure, topic, run.tag, run.team, _finite(value)]
        for run, value in sorted(zip(seen.board.runs, values, strict=True), key=lambda one: natural_order(one[0].tag))
    )
    return "".join(csv_lines(["measure", "topic", "run", "team", "value"], rows))


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
