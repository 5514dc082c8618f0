"""The working board: private to the organisers, never public."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_POST

from campaign.permissions import get_organised_task_or_404, get_run_or_404, get_task_or_404, is_organiser, signed_in
from evaluation.boards.rows import sorted_rows
from evaluation.boards.table import BoardTable
from evaluation.exports import board_csv
from evaluation.selectors import newest_qrels, run_evaluation, scoring, scoring_job, working_board
from evaluation.services.scoring import scores_request
from evaluation.views.pictures import board_picture


@require_GET
@login_required
def score_board(request: HttpRequest, campaign: str, task: str) -> HttpResponse:
    found = get_organised_task_or_404(request.user, campaign, task)
    progress = {"task": found, "job": scoring_job(found)}
    if request.htmx:  # type: ignore[attr-defined]
        return render(request, "evaluation/_score_progress.html", progress)
    board = working_board(found)
    context = {
        **progress,
        "scoring": scoring(found),
        "board": board,
        "table": BoardTable.of(board.measures, board.rows, request.GET) if board and board.rows else None,
        "leaderboard": found.leaderboards.defer("rows").first(),
    }
    return render(request, "evaluation/score_board.html", context)


@require_POST
@login_required
def score_all(request: HttpRequest, campaign: str, task: str) -> HttpResponse:
    found = get_organised_task_or_404(request.user, campaign, task)
    if newest_qrels(found) is None:
        messages.error(request, "There are no qrels yet: release or import them first.")
    else:
        scores_request(actor=signed_in(request.user), task=found)
        messages.success(request, "Scoring has been asked for. This page shows how far it is.")
    return redirect(found.url("score_board"))


@require_GET
@login_required
def score_board_csv(request: HttpRequest, campaign: str, task: str) -> HttpResponse:
    found = get_organised_task_or_404(request.user, campaign, task)
    board = working_board(found)
    if board is None or not board.rows:
        raise Http404
    response = HttpResponse(
        board_csv(board.measures, sorted_rows(board.rows, board.measures[0])), content_type="text/csv; charset=utf-8"
    )
    response["Content-Disposition"] = f'attachment; filename="{found.slug}-working-scores.csv"'
    return response


@require_GET
@login_required
def scores_picture(request: HttpRequest, campaign: str, task: str, measure: str) -> HttpResponse:
    found = get_organised_task_or_404(request.user, campaign, task)
    board = working_board(found)
    if board is None or measure not in board.measures or not board.rows:
        raise Http404
    return board_picture(request, board.rows, measure, board.topics)


@require_GET
def scores_card(request: HttpRequest, campaign: str, task: str) -> HttpResponse:
    """The scores' card on the task overview: what it tells depends on the reader."""
    found = get_task_or_404(request.user, campaign, task)
    organises = is_organiser(request.user, found.campaign)
    context = {
        "task": found,
        "organises": organises,
        "leaderboard": found.leaderboards.first(),
        "scoring": scoring(found) if organises else None,
    }
    return render(request, "evaluation/_scores_card.html", context)


@require_GET
@login_required
def run_scores(request: HttpRequest, campaign: str, task: str, tag: str) -> HttpResponse:
    """A run's scores on its page: for organisers as soon as they exist, for its team once they are published."""
    found = get_task_or_404(request.user, campaign, task)
    run = get_run_or_404(request.user, found, tag)
    organises = is_organiser(request.user, found.campaign)
    evaluation = run_evaluation(run, published_only=not organises)
    return render(
        request,
        "evaluation/_run_scores.html",
        {"run": run, "evaluation": evaluation, "organises": organises, "task": found},
    )
