"""The live board: everybody sees it where the policy of the task says so; not published, and changing."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from campaign.permissions import is_organiser
from campaign.setup.selectors.score_visibility_in_words import is_untested, shown_in_words
from evaluation.boards.board_csv import board_csv
from evaluation.exports import live_json
from evaluation.selectors.board_views import BoardView
from evaluation.selectors.score_visibility import get_live_board_or_404
from evaluation.views.boards import board_context, downloaded
from evaluation.views.pictures import board_picture_of


@require_safe
def live_board(request: HttpRequest, campaign_slug: str, task_slug: str) -> HttpResponse:
    task, seen = get_live_board_or_404(request.user, campaign_slug, task_slug)
    context = {
        **(board_context(request, seen) if seen else {}),
        "task": task,
        "policy": shown_in_words(task),
        "is_untested": is_untested(task),
        "organises": is_organiser(request.user, task.campaign),
    }
    return render(request, "evaluation/live_board.html", context)


@require_safe
def live_csv(request: HttpRequest, campaign_slug: str, task_slug: str) -> HttpResponse:
    seen = _live_or_404(request, campaign_slug, task_slug)
    content = board_csv(seen.board, seen.ordering)
    return downloaded(content, "text/csv; charset=utf-8", f"{seen.task.slug}-live-board.csv")


@require_safe
def live_as_json(request: HttpRequest, campaign_slug: str, task_slug: str) -> HttpResponse:
    seen = _live_or_404(request, campaign_slug, task_slug)
    return downloaded(live_json(seen), "application/json", f"{seen.task.slug}-live-board.json")


@require_safe
def live_picture(request: HttpRequest, campaign_slug: str, task_slug: str, measure: str) -> HttpResponse:
    return board_picture_of(request, _live_or_404(request, campaign_slug, task_slug), measure)


def _live_or_404(request: HttpRequest, campaign_slug: str, task_slug: str) -> BoardView:
    _, seen = get_live_board_or_404(request.user, campaign_slug, task_slug)
    if seen is None:
        raise Http404
    return seen
