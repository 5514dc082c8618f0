"""Scores and leaderboards in the line of a task's rooms."""

from campaign.models import Task
from campaign.permissions import Reader
from campaign.rooms import Room, newest_of
from evaluation.models import Leaderboard


def scores_room(reader: Reader, task: Task) -> Room | None:
    return Room("Scores", "score_board", ("scores/",)) if reader.organises else None


def boards_room(reader: Reader, task: Task) -> Room:
    """With the number of the newest board that the reader may see."""
    visible = Leaderboard.objects.of_visible_task(task, reader.user, organises=reader.organises)
    newest = newest_of(visible, "number")
    return Room("Leaderboard", "leaderboard_latest", ("leaderboard/",), newest, hides_empty=not reader.organises)
