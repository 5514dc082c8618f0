"""Whom a board can be published to."""

from campaign.models import Task
from evaluation.boards.audiences import ANONYMOUS, AUDIENCES, PUBLIC
from evaluation.models import Leaderboard


def audience_problem(task: Task, audience: str) -> str:
    """Why the board of the task cannot be published to this audience; empty if it can."""
    if audience not in AUDIENCES:
        return "Choose who may see the leaderboard."
    if audience == ANONYMOUS and task.scores_shown == Task.LIVE:
        return "The live board names the runs: by its scores everybody could tell whose they are."
    if audience == ANONYMOUS:
        public = Leaderboard.objects.filter(task=task, audience=PUBLIC).order_by("number").first()
        if public is not None:
            return f"Leaderboard {public.number} names the runs publicly: by its scores everybody could tell whose they are."
    return ""
