"""The one door to boards: the working one, a published snapshot, or a preview of one, as its reader may see it."""

from django.http import Http404, HttpRequest

from campaign.models import Task
from campaign.permissions import get_or_404, get_organised_task_or_404, get_task_or_404, is_organiser, signed_in
from evaluation.boards.audiences import PARTICIPANTS
from evaluation.models import Leaderboard
from evaluation.selectors.board_views import (
    BoardView,
    PreviewView,
    leaderboard_view,
    of_team,
    preview_view,
    working_view,
)
from judging.core.set_names import DEFAULT
from judging.qrels.selectors.qrels_sets import qrels_sets


def get_board_or_404(
    request: HttpRequest, campaign_slug: str, task_slug: str, number: int | None = None, *, shows_own: bool = False
) -> BoardView:
    """The board of an address; without a number a preview if the address names an audience, else the working board.

    Http404 where there is none, and for boards of which the reader sees the own runs only, unless the page `shows_own`.
    """
    user = request.user
    board: BoardView | None
    if _in_address(request, "audience"):
        board = get_preview_or_404(request, campaign_slug, task_slug)
    elif number is None:
        board = working_view(user, get_organised_task_or_404(user, campaign_slug, task_slug))
    else:
        task = get_task_or_404(user, campaign_slug, task_slug)
        boards = Leaderboard.objects.of_visible_task(task, user, organises=is_organiser(user, task.campaign))
        related = boards.select_related("task__campaign", "qrels", "published_by")
        board = leaderboard_view(user, get_or_404(related, number=number))
    if board is None or (board.only_own and not shows_own):
        raise Http404
    return board


def get_preview_or_404(request: HttpRequest, campaign_slug: str, task_slug: str) -> PreviewView:
    """The working board as the audience in the address would see it if it were published.

    Participants see it as the team of the run in the address, or as the team that `team` names. Http404 where there is no board.
    """
    task = get_organised_task_or_404(request.user, campaign_slug, task_slug)
    audience = _in_address(request, "audience")
    whole = preview_view(signed_in(request.user), task, audience, asked_set(task, request))
    if whole is None:
        raise Http404
    if audience != PARTICIPANTS:
        return whole
    return of_team(whole, run=_in_address(request, "tag"), team=request.GET.get("team", ""))


def asked_set(task: Task, request: HttpRequest) -> str:
    """The set of qrels that an address asks for by `set`; the default one if the task has no such set."""
    asked = request.GET.get("set", DEFAULT)
    return asked if asked in qrels_sets(task) else DEFAULT


def _in_address(request: HttpRequest, name: str) -> str:
    match = request.resolver_match
    return "" if match is None else str(match.kwargs.get(name, ""))
