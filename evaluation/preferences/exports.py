"""The scores by an order of preferences as a file."""

from campaign.formats.spreadsheet import csv_lines
from evaluation.preferences.selectors import PreferenceBoard
from judging.models import PreferenceOrder


def preference_scores_csv(order: PreferenceOrder, board: PreferenceBoard) -> str:
    """One line a run: the mean, then the value of each topic of the order."""
    by_tag = dict(zip(board.tags, board.values.tolist(), strict=True))
    head = ["run", "team", "kind", "topics_answered", "mean", *(f"topic {number}" for number in order.topic_numbers)]
    lines = (
        [row.tag, row.team, row.kind, row.topics_answered, next(iter(row.cells.values())).mean, *by_tag[row.tag]]
        for row in board.rows
    )
    return "".join(csv_lines(head, lines))
