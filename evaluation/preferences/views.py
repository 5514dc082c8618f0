"""The scores of runs by an order of preferences: private to the organisers."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from campaign.formats.spreadsheet import csv_lines
from campaign.permissions import get_organised_task_or_404, signed_in
from campaign.text.natural_order import natural_order
from campaign.web.forms import act_and_tell
from evaluation.boards.table import BoardTable
from evaluation.boards.tests_in_words import said_of_tests
from evaluation.preferences.selectors import PreferenceBoard, preference_board, preference_scoring_job
from evaluation.preferences.services import preference_scores_request
from judging.models import PreferenceOrder
from judging.permissions import get_preference_order_or_404


@login_required
@require_safe
def preference_scores(request: HttpRequest, campaign_slug: str, task_slug: str, version: int) -> HttpResponse:
    task = get_organised_task_or_404(request.user, campaign_slug, task_slug)
    order = get_preference_order_or_404(request.user, task, version)
    board = preference_board(order)
    topics = len(order.topics)
    table = BoardTable.of(board.board, request.GET.dict(), said_of_tests(board.board.choice)) if board.board else None
    columns = sorted(range(topics), key=lambda column: natural_order(order.topic_numbers[column]))
    by_run = board.values[:, columns].tolist()
    context = {
        "task": task,
        "order": order,
        "board": board,
        "table": table,
        "topics": topics,
        "numbers": [order.topic_numbers[column] for column in columns],
        "job": preference_scoring_job(order),
        "runs": [(line.tag, by_run[line.place]) for line in table.rows] if table else [],
    }
    return render(request, "evaluation/preferences/scores.html", context)


@login_required
@require_POST
def preference_score(request: HttpRequest, campaign_slug: str, task_slug: str, version: int) -> HttpResponse:
    task = get_organised_task_or_404(request.user, campaign_slug, task_slug)
    order = get_preference_order_or_404(request.user, task, version)
    asked = "Scoring has been asked for. Reload this page in a moment."
    act_and_tell(request, lambda: preference_scores_request(actor=signed_in(request.user), order=order), asked)
    return redirect(task.url("preference_scores", version=version))


@login_required
@require_safe
def preference_scores_download(request: HttpRequest, campaign_slug: str, task_slug: str, version: int) -> HttpResponse:
    task = get_organised_task_or_404(request.user, campaign_slug, task_slug)
    order = get_preference_order_or_404(request.user, task, version)
    content = _scores_csv(order, preference_board(order))
    response = HttpResponse(content, content_type="text/csv; charset=utf-8")
    name = f"{task.campaign.slug}-{task.slug}-preferences-v{version}-scores.csv"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def _scores_csv(order: PreferenceOrder, board: PreferenceBoard) -> str:
    """One line a run: the mean, then the value of each topic of the order."""
    head = ["run", "team", "kind", "topics_answered", "mean", *(f"topic {number}" for number in order.topic_numbers)]
    runs = board.board.runs if board.board else ()
    means = board.board.columns[0].mean.tolist() if board.board else []
    lines = (
        [run.tag, run.team, run.kind, run.topics_answered, mean, *by_topic]
        for run, mean, by_topic in zip(runs, means, board.values.tolist(), strict=True)
    )
    return "".join(csv_lines(head, lines))
