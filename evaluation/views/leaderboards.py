from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.http import FileResponse, Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from campaign.models import Task
from campaign.permissions import get_organised_task_or_404, get_task_or_404, is_organiser, signed_in
from campaign.setup.selectors.changes_of_scores import changes_after_scores
from campaign.setup.selectors.phases import moves_on
from campaign.storage.reading import open_verified
from evaluation.boards.measures_of_tasks import tells_how_much_is_judged
from evaluation.exports import asked_of_json, part_of_json
from evaluation.forms import PublishForm
from evaluation.models import Leaderboard
from evaluation.selectors.boards import board_choice, newest_leaderboard, scored_runs, working_board
from evaluation.selectors.measures import board_cautions, measures_left_out, measures_problem
from evaluation.selectors.seen import get_board_or_404
from evaluation.selectors.snapshots import READER, published_file
from evaluation.services.leaderboards import JUDGED, judged_share_add, next_snapshot_mark
from evaluation.services.leaderboards import leaderboard_publish as publish
from evaluation.views.boards import asked_set, board_context
from evaluation.views.pictures import board_picture
from judging.selectors.releases import released_table, scored_but_telling_nothing
from judging.selectors.sets import qrels_sets
from judging.set_names import DEFAULT
from pooling.selectors.pools import pools_ordered_otherwise


@require_safe
def leaderboard_latest(request: HttpRequest, campaign_slug: str, task_slug: str) -> HttpResponse:
    task = get_task_or_404(request.user, campaign_slug, task_slug)
    newest = newest_leaderboard(task)
    if newest is not None:
        return redirect(newest)
    context = {"task": task, "organises": is_organiser(request.user, task.campaign)}
    return render(request, "evaluation/leaderboard_none.html", context)


@require_safe
def leaderboard_detail(request: HttpRequest, campaign_slug: str, task_slug: str, number: int) -> HttpResponse:
    seen = get_board_or_404(request.user, campaign_slug, task_slug, number)
    leaderboard = seen.published
    of_task = Leaderboard.objects.visible_to(request.user).filter(task=seen.task).order_by("-number")
    context = {
        **board_context(request, seen),
        "leaderboard": leaderboard,
        "cautions": board_cautions(seen.qrels, seen.board.measures, remedies=False),
        "pools_ordered_otherwise": pools_ordered_otherwise(seen.task, seen.ordering, before=leaderboard.published_at),
        "numbers": list(of_task.filter(qrels__set_name=seen.qrels.set_name).values_list("number", flat=True)),
        "others": newest_of_other_sets(of_task, seen.qrels.set_name),
        "organises": seen.organises,
    }
    return render(request, "evaluation/leaderboard_detail.html", context)


@require_safe
def leaderboard_csv(request: HttpRequest, campaign_slug: str, task_slug: str, number: int) -> HttpResponseBase:
    seen = get_board_or_404(request.user, campaign_slug, task_slug, number)
    return _whole(seen.published, "csv", "text/csv; charset=utf-8")


@require_safe
def leaderboard_as_json(request: HttpRequest, campaign_slug: str, task_slug: str, number: int) -> HttpResponseBase:
    """The whole snapshot as it is stored; by one measure, or without the values by topic, if the address asks for it."""
    seen = get_board_or_404(request.user, campaign_slug, task_slug, number)
    asked = asked_of_json(seen.board.measures, request.GET)
    if asked is None:
        return _whole(seen.published, "json", "application/json")
    response = HttpResponse(part_of_json(seen, *asked), content_type="application/json")
    response["Content-Disposition"] = f'attachment; filename="{_file_name(seen.published, "json")}"'
    return response


@require_safe
def leaderboard_picture(
    request: HttpRequest, campaign_slug: str, task_slug: str, number: int, measure: str
) -> HttpResponse:
    seen = get_board_or_404(request.user, campaign_slug, task_slug, number)
    if measure not in seen.board.measures:
        raise Http404
    return board_picture(request, seen, measure)


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def leaderboard_publish(request: HttpRequest, campaign_slug: str, task_slug: str) -> HttpResponse:
    task = get_organised_task_or_404(request.user, campaign_slug, task_slug)
    if "add_judged" in request.POST:
        return _add_judged(request, task)
    set_name = asked_set(qrels_sets(task), request.GET)
    form = PublishForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            leaderboard = publish(
                actor=signed_in(request.user),
                task=task,
                note=form.cleaned_data["note"],
                seen=request.POST.get("seen", ""),
                set_name=set_name,
            )
        except ValidationError as problem:
            form.add_error(None, problem)
        else:
            messages.success(request, f"Leaderboard {leaderboard.number} is published.")
            return redirect(leaderboard)
    return render(request, "evaluation/leaderboard_publish.html", {"form": form, **_to_publish(task, set_name)})


def _to_publish(task: Task, set_name: str) -> dict[str, Any]:
    """What the question shows: the board that would be published, and what speaks against it."""
    scored, working = scored_runs(task, set_name), working_board(task, set_name)
    is_current = scored is not None and working is not None and working.mark == scored.mark
    return {
        "task": task,
        "board": scored,
        "is_current": is_current,
        "choice": board_choice(task),
        "problem": measures_problem(task, scored.qrels if scored else None),
        "consequences": moves_on(task, Task.PUBLISHED) if set_name == DEFAULT else [],
        "set_name": set_name,
        "cautions": [*measures_left_out(task, scored.qrels), *board_cautions(scored.qrels, scored.measures)]
        if scored
        else [],
        "doubtful": scored_but_telling_nothing(scored.qrels, released_table(scored.qrels, "overall")) if scored else [],
        "tells_judged": tells_how_much_is_judged(scored.measures) if scored else True,
        "judged": JUDGED,
        "changes": changes_after_scores(task),
        "mark": next_snapshot_mark(task, working) if working and is_current else "",
    }


def newest_of_other_sets(boards: "QuerySet[Leaderboard]", set_name: str) -> list[Leaderboard]:
    """The newest board by each other set of qrels, by number: they stand beside this one."""
    found: dict[str, Leaderboard] = {}
    for board in boards.exclude(qrels__set_name=set_name).select_related("task__campaign", "qrels").defer("rows"):
        found.setdefault(board.qrels.set_name, board)
    return sorted(found.values(), key=lambda board: board.number)


def _add_judged(request: HttpRequest, task: Task) -> HttpResponse:
    try:
        judged_share_add(actor=signed_in(request.user), task=task)
    except ValidationError as problem:
        messages.error(request, " ".join(problem.messages))
    else:
        messages.success(request, f"{JUDGED} is added, and the runs are being scored by it. Publish when that is done.")
    return redirect(task.url("score_board"))


def _whole(leaderboard: Leaderboard, file_format: str, content_type: str) -> HttpResponseBase:
    """The snapshot's file as it was stored; made from its rows for a board that has none."""
    name = _file_name(leaderboard, file_format)
    stored = leaderboard.as_csv if file_format == "csv" else leaderboard.as_json
    if stored:
        content = open_verified(str(stored.name), found_by=READER)
        return FileResponse(content, as_attachment=True, filename=name, content_type=content_type)
    response = HttpResponse(published_file(leaderboard, file_format), content_type=content_type)
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def _file_name(leaderboard: Leaderboard, extension: str) -> str:
    return f"{leaderboard.task.campaign.slug}-{leaderboard.task.slug}-leaderboard-{leaderboard.number}.{extension}"
