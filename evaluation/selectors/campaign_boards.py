"""The boards of several tasks, for the page of their campaign."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import F, OuterRef, Subquery

from campaign.models import Task, Visitor
from campaign.text.plurals import number_of
from evaluation.boards.audiences import AUDIENCES
from evaluation.models import Leaderboard
from judging.core.set_names import DEFAULT

MOST_NEW = 5
OF_BOARD = ("task_id", "number", "audience", "run_ids", "published_at", "qrels__version", "qrels__set_name")
"""What an entry needs of a leaderboard."""


@dataclass(frozen=True, slots=True)
class PublishedBoard:
    """`seen_by` and `made_from`: its audience, and the qrels and runs that it rests on, in words."""

    task: Task
    number: int
    url: str
    published_at: datetime
    seen_by: str
    made_from: str


def published_boards(user: Visitor, tasks: Sequence[Task]) -> list[PublishedBoard]:
    """What the visitor may see, task by task, the newest first; in one query."""
    if not tasks:
        return []
    boards = Leaderboard.objects.visible_to(user).filter(task__in=tasks).select_related("qrels").only(*OF_BOARD)
    by_task: dict[int, list[Leaderboard]] = {}
    for board in boards.order_by("-number"):
        by_task.setdefault(board.task_id, []).append(board)
    return [_listed(board, task) for task in tasks for board in by_task.get(task.pk, [])]


def newest_boards(user: Visitor) -> list[PublishedBoard]:
    """Those that were published last on the whole site, of each task the newest that the visitor sees; in one query."""
    visible = Leaderboard.objects.visible_to(user).filter(qrels__set_name=DEFAULT)
    of_task = visible.filter(task=OuterRef("task")).order_by("-number").values("number")[:1]
    newest = visible.alias(newest=Subquery(of_task)).filter(number=F("newest"))
    named = ("task__slug", "task__title", "task__campaign__slug", "task__campaign__title")
    boards = newest.select_related("qrels", "task__campaign").only(*OF_BOARD, *named)
    return [_listed(board, board.task) for board in boards.order_by("-published_at", "-pk")[:MOST_NEW]]


def _listed(board: Leaderboard, task: Task) -> PublishedBoard:
    return PublishedBoard(
        task=task,
        number=board.number,
        url=task.url("leaderboard_detail", number=board.number),
        published_at=board.published_at,
        seen_by=str(AUDIENCES[board.audience]),
        made_from=f"{board.qrels}, {number_of(len(board.run_ids), 'run')}",
    )
