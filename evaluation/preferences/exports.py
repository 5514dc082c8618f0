"""The scores by an order of preferences as a file."""

from campaign.formats.spreadsheet import csv_lines
from evaluation.preferences.selectors import PreferenceBoard
from judging.models import PreferenceOrder


def preference_scores_csv(order: PreferenceOrder, board: PreferenceBoard) -> str:
    """One line a run: the mean, then the value of each topic of the order."""
    head = ["run", "team", "kind", "topics_answered", "mean", *(f"topic {number}" for number in order.topic_numbers)]
    runs = board.board.runs if board.board else ()
    means = board.board.columns[0].mean.tolist() if board.board else []
    lines = (
        [run.tag, run.team, run.kind, run.topics_answered, mean, *by_topic]
        for run, mean, by_topic in zip(runs, means, board.values.tolist(), strict=True)
    )
    return "".join(csv_lines(head, lines))
