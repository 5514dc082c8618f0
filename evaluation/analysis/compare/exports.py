"""Two runs compared, as files."""

from typing import Any

from campaign.formats.spreadsheet import csv_lines
from evaluation.analysis.compare.selectors import Compared


def compared_csv(compared: Compared) -> str:
    """One line a topic, from the largest difference in favour of a on."""
    a, b = compared.tags
    rows = by_topic(compared)
    head = ["measure", "topic", "a", "b", "value_a", "value_b", "difference", "median", "decides"]
    lines = (
        [compared.measure, row["topic"], a, b, row["a"], row["b"], row["difference"], row["median"], row["decides"]]
        for row in rows
    )
    return "".join(csv_lines(head, lines))


def compared_json(compared: Compared) -> dict[str, Any]:
    """The comparison with its tests and every topic."""
    a, b = compared.tags
    tests, runs = compared.tests, compared.runs
    return {
        "board": compared.seen.name,
        "measure": compared.measure,
        "a": a,
        "b": b,
        "difference": tests.difference,
        "low": tests.low,
        "high": tests.high,
        "effect_size": tests.effect_size,
        "p_corrected": compared.p_corrected,
        "corrected_by": compared.seen.board.choice.in_words,
        "p_uncorrected": tests.p,
        "wins": runs.wins,
        "losses": runs.losses,
        "ties": runs.ties,
        "topics": by_topic(compared),
    }


def by_topic(compared: Compared) -> list[dict[str, Any]]:
    """The topics that both runs have, in the order of their differences."""
    runs, topics = compared.runs, compared.seen.board.topics
    return [
        {
            "topic": topics[topic],
            "a": float(runs.a[topic]),
            "b": float(runs.b[topic]),
            "difference": float(runs.difference[topic]),
            "median": float(runs.median[topic]),
            "decides": bool(runs.decides[topic]),
        }
        for topic in runs.order.tolist()
    ]
