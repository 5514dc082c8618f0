"""The working board: private to the organisers, never public."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from campaign.permissions import get_organised_task_or_404, get_run_or_404, get_task_or_404, is_organiser, signed_in
from evaluation.boards.rows import sorted_rows
from evaluation.boards.table import BoardTable
from evaluation.boards.tests_in_words import TESTS
from evaluation.exports import board_csv
from evaluation.selectors.boards import Board, working_board
from evaluation.selectors.measures import board_cautions, measures_left_out
from evaluation.selectors.scores import is_up_to_date, run_evaluation, scoring, scoring_job
from evaluation.services.scoring import scores_request
from evaluation.views.pictures import board_picture
from evaluation.waiting import scores_to_publish
from judging.selectors.releases import latest_qrels
from pooling.selectors.pools import pools_ordered_otherwise


@require_safe
@login_required
def score_board(request: HttpRequest, campaign_slug: str, task_slug: str) -> HttpResponse:
    task = get_organised_task_or_404(request.user, campaign_slug, task_slug)
    progress = {"task": task, "job": scoring_job(task)}
    if request.htmx:  # type: ignore[attr-defined]
        return render(request, "evaluation/_score_progress.html", progress)
    board = working_board(task)
    context = {
        **progress,
        "scoring": scoring(task),
        "board": board,
        "table": _table(board, request) if board and board.rows else None,
        "cautions": [*measures_left_out(task, board.qrels), *board_cautions(board.qrels, board.measures)]
        if board
        else [],
        "leaderboard": task.leaderboards.defer("rows").first(),
        "ordering": task.ordering,
        "pools_ordered_otherwise": pools_ordered_otherwise(task, task.ordering),
    }
    return render(request, "evaluation/score_board.html", context)


def _table(board: Board, request: HttpRequest) -> BoardTable:
    return BoardTable.of(board.measures, board.rows, request.GET, {**TESTS, "topics": board.topics})


@require_POST
@login_required
def score_all(request: HttpRequest, campaign_slug: str, task_slug: str) -> HttpResponse:
    task = get_organised_task_or_404(request.user, campaign_slug, task_slug)
    if latest_qrels(task) is None:
        messages.error(request, "There are no qrels yet: release or import them first.")
    else:
        scores_request(actor=signed_in(request.user), task=task)
        messages.success(request, "Scoring has been asked for. This page shows how far it is.")
    return redirect(task.url("score_board"))


@require_safe
@login_required
def score_board_csv(request: HttpRequest, campaign_slug: str, task_slug: str) -> HttpResponse:
    task = get_organised_task_or_404(request.user, campaign_slug, task_slug)
    board = working_board(task)
    if board is None or not board.rows:
        raise Http404
    response = HttpResponse(
        board_csv(board.measures, sorted_rows(board.rows, board.measures[0]), board.ordering),
        content_type="text/csv; charset=utf-8",
    )
    response["Content-Disposition"] = f'attachment; filename="{task.slug}-working-scores.csv"'
    return response


@require_safe
@login_required
def scores_picture(request: HttpRequest, campaign_slug: str, task_slug: str, measure: str) -> HttpResponse:
    task = get_organised_task_or_404(request.user, campaign_slug, task_slug)
    board = working_board(task)
    if board is None or measure not in board.measures or not board.rows:
        raise Http404
    return board_picture(request, board.rows, measure, board.topics)


@require_safe
def scores_card(request: HttpRequest, campaign_slug: str, task_slug: str) -> HttpResponse:
    """The scores' card on the task overview: what it tells depends on the reader."""
    task = get_task_or_404(request.user, campaign_slug, task_slug)
    organises = is_organiser(request.user, task.campaign)
    context = {
        "task": task,
        "organises": organises,
        "leaderboard": task.leaderboards.first(),
        "scoring": scoring(task) if organises else None,
        "waits": next(scores_to_publish(signed_in(request.user), [task]), None) if organises else None,
    }
    return render(request, "evaluation/_scores_card.html", context)


@require_safe
@login_required
def run_scores(request: HttpRequest, campaign_slug: str, task_slug: str, tag: str) -> HttpResponse:
    """A run's scores: for organisers as soon as they exist, for its team once they are published.

    A page of its own; to htmx of the run's page only the part that stands there.
    """
    task = get_task_or_404(request.user, campaign_slug, task_slug)
    run = get_run_or_404(request.user, task, tag)
    organises = is_organiser(request.user, task.campaign)
    evaluation = run_evaluation(run, published_only=not organises)
    template = "evaluation/_run_scores.html" if request.htmx else "evaluation/run_scores.html"  # type: ignore[attr-defined]
    context = {
        "run": run,
        "evaluation": evaluation,
        "is_outdated": organises and evaluation is not None and not is_up_to_date(evaluation),
        "organises": organises,
        "task": task,
    }
    return render(request, template, context)
