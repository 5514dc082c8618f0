from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from campaign.models import Task
from campaign.permissions import get_or_404, get_organised_task_or_404, get_task_or_404, is_organiser, signed_in
from campaign.setup.selectors.changes_of_scores import changes_after_scores
from campaign.setup.selectors.phases import moves_on
from evaluation.boards.measures_of_tasks import tells_how_much_is_judged
from evaluation.boards.rows import Row
from evaluation.boards.table import BoardTable
from evaluation.exports import board_csv, leaderboard_json
from evaluation.forms import PublishForm
from evaluation.models import Leaderboard
from evaluation.selectors.boards import working_board
from evaluation.selectors.measures import board_cautions, measures_left_out, measures_problem
from evaluation.services.leaderboards import JUDGED, judged_share_add, next_snapshot_mark
from evaluation.services.leaderboards import leaderboard_publish as publish
from evaluation.views.pictures import board_picture
from judging.selectors.releases import released_table, scored_but_telling_nothing
from pooling.selectors.pools import pools_ordered_otherwise


@require_safe
def leaderboard_latest(request: HttpRequest, campaign_slug: str, task_slug: str) -> HttpResponse:
    task = get_task_or_404(request.user, campaign_slug, task_slug)
    newest = task.leaderboards.order_by("-number").defer("rows").first()
    if newest is not None:
        return redirect(newest)
    context = {"task": task, "organises": is_organiser(request.user, task.campaign)}
    return render(request, "evaluation/leaderboard_none.html", context)


@require_safe
def leaderboard_detail(request: HttpRequest, campaign_slug: str, task_slug: str, number: int) -> HttpResponse:
    leaderboard = _get_leaderboard_or_404(request, campaign_slug, task_slug, number)
    context = {
        "task": leaderboard.task,
        "leaderboard": leaderboard,
        "table": BoardTable.of(leaderboard.measures, _rows(leaderboard), request.GET, leaderboard.tests),
        "topics": leaderboard.tests["topics"],
        "cautions": board_cautions(leaderboard.qrels, leaderboard.measures, remedies=False),
        "ordering": leaderboard.ordering,
        "pools_ordered_otherwise": pools_ordered_otherwise(
            leaderboard.task, leaderboard.ordering, before=leaderboard.published_at
        ),
        "numbers": list(leaderboard.task.leaderboards.order_by("-number").values_list("number", flat=True)),
        "organises": is_organiser(request.user, leaderboard.task.campaign),
    }
    return render(request, "evaluation/leaderboard_detail.html", context)


@require_safe
def leaderboard_csv(request: HttpRequest, campaign_slug: str, task_slug: str, number: int) -> HttpResponse:
    leaderboard = _get_leaderboard_or_404(request, campaign_slug, task_slug, number)
    content = board_csv(leaderboard.measures, _rows(leaderboard), leaderboard.ordering)
    return _download(leaderboard, content, "csv", "text/csv; charset=utf-8")


@require_safe
def leaderboard_as_json(request: HttpRequest, campaign_slug: str, task_slug: str, number: int) -> HttpResponse:
    leaderboard = _get_leaderboard_or_404(request, campaign_slug, task_slug, number)
    return _download(leaderboard, leaderboard_json(leaderboard), "json", "application/json")


@require_safe
def leaderboard_picture(
    request: HttpRequest, campaign_slug: str, task_slug: str, number: int, measure: str
) -> HttpResponse:
    leaderboard = _get_leaderboard_or_404(request, campaign_slug, task_slug, number)
    if measure not in leaderboard.measures:
        raise Http404
    response = board_picture(request, _rows(leaderboard), measure, leaderboard.tests["topics"], leaderboard.tests)
    response["Cache-Control"] = "private, max-age=3600"  # a snapshot never changes
    return response


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def leaderboard_publish(request: HttpRequest, campaign_slug: str, task_slug: str) -> HttpResponse:
    task = get_organised_task_or_404(request.user, campaign_slug, task_slug)
    if "add_judged" in request.POST:
        return _add_judged(request, task)
    form = PublishForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            leaderboard = publish(
                actor=signed_in(request.user),
                task=task,
                note=form.cleaned_data["note"],
                seen=request.POST.get("seen", ""),
            )
        except ValidationError as problem:
            form.add_error(None, problem)
        else:
            messages.success(request, f"Leaderboard {leaderboard.number} is published.")
            return redirect(leaderboard)
    board = working_board(task)
    context = {
        "task": task,
        "form": form,
        "board": board,
        "problem": measures_problem(task, board.qrels if board else None),
        "consequences": moves_on(task, Task.PUBLISHED),
        "cautions": [*measures_left_out(task, board.qrels), *board_cautions(board.qrels, board.measures)]
        if board
        else [],
        "doubtful": scored_but_telling_nothing(board.qrels, released_table(board.qrels, "overall")) if board else [],
        "tells_judged": tells_how_much_is_judged(board.measures) if board else True,
        "judged": JUDGED,
        "changes": changes_after_scores(task),
        "seen": next_snapshot_mark(task, board) if board and board.rows else "",
    }
    return render(request, "evaluation/leaderboard_publish.html", context)


def _add_judged(request: HttpRequest, task: Task) -> HttpResponse:
    try:
        judged_share_add(actor=signed_in(request.user), task=task)
    except ValidationError as problem:
        messages.error(request, " ".join(problem.messages))
    else:
        messages.success(request, f"{JUDGED} is added, and the runs are being scored by it. Publish when that is done.")
    return redirect(task.url("score_board"))


def _get_leaderboard_or_404(request: HttpRequest, campaign_slug: str, task_slug: str, number: int) -> Leaderboard:
    task = get_task_or_404(request.user, campaign_slug, task_slug)
    visible = Leaderboard.objects.visible_to(request.user).select_related("task__campaign", "qrels", "published_by")
    return get_or_404(visible, task=task, number=number)


def _rows(leaderboard: Leaderboard) -> list[Row]:
    return [Row.from_json(row) for row in leaderboard.rows]


def _download(leaderboard: Leaderboard, content: str, extension: str, content_type: str) -> HttpResponse:
    response = HttpResponse(content, content_type=content_type)
    name = f"{leaderboard.task.campaign.slug}-{leaderboard.task.slug}-leaderboard-{leaderboard.number}.{extension}"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
