"""Scores and leaderboards among the tabs of a task."""

from campaign.models import Task
from campaign.navigation import Tab, newest_of
from campaign.permissions import Reader
from evaluation.models import Leaderboard


def scores_tab(reader: Reader, task: Task) -> Tab | None:
    return Tab("Scores", "score_board", ("scores/",)) if reader.organises else None


def boards_tab(reader: Reader, task: Task) -> Tab:
    """With the number of the newest board that the reader may see."""
    visible = Leaderboard.objects.of_visible_task(task, reader.user, organises=reader.organises)
    newest = newest_of(visible, "number")
    return Tab("Leaderboard", "leaderboard_latest", ("leaderboard/",), newest, hides_empty=not reader.organises)
