"""Publishing the working board to an audience, and the previews of what each of them would see."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from campaign.models import Task
from campaign.permissions import get_organised_task_or_404, signed_in
from campaign.setup.selectors.changes_of_scores import changes_after_scores
from campaign.setup.selectors.phases import moves_on
from campaign.setup.selectors.schedule import uploads_end
from campaign.setup.selectors.shown_scores import shown_in_words
from campaign.text.natural_order import natural_order
from evaluation.boards.audiences import AUDIENCES, FEWEST_TEAMS, PARTICIPANTS, PUBLIC, SEEN_BY
from evaluation.boards.files import board_csv
from evaluation.boards.measures_of_tasks import tells_how_much_is_judged
from evaluation.boards.table import judged_range, range_in_percent
from evaluation.exports import own_csv, own_json
from evaluation.forms import PublishForm
from evaluation.models import WorkingBoard
from evaluation.permissions import asked_set, get_board_or_404, get_preview_or_404
from evaluation.selectors.audiences import audience_problem, names_were_shown, told_by_names
from evaluation.selectors.boards import board_choice, is_current, scored_runs, stored_board, working_board
from evaluation.selectors.drafts import Terms
from evaluation.selectors.measures import board_cautions, measures_left_out, measures_problem
from evaluation.selectors.what_counts import runs_not_ranked, why_not_ranked
from evaluation.services.leaderboards import JUDGED, judged_share_add, next_snapshot_mark
from evaluation.services.leaderboards import leaderboard_publish as publish
from evaluation.views.boards import board_context, downloaded
from evaluation.views.leaderboards import own_context
from evaluation.views.pictures import board_picture_of
from judging.core.set_names import DEFAULT
from judging.qrels.selectors.releases import released_table, scored_but_telling_nothing


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def leaderboard_publish(request: HttpRequest, campaign_slug: str, task_slug: str) -> HttpResponse:
    task = get_organised_task_or_404(request.user, campaign_slug, task_slug)
    if "add_judged" in request.POST:
        return _add_judged(request, task)
    set_name = asked_set(task, request)
    form = PublishForm(request.POST or None, task=task)
    if request.method == "POST" and form.is_valid():
        try:
            leaderboard = publish(
                actor=signed_in(request.user),
                task=task,
                audience=request.POST.get("audience", ""),
                terms=Terms(**form.cleaned_data),
                seen=request.POST.get("seen", ""),
                set_name=set_name,
                names_may_be_known="names_may_be_known" in request.POST,
            )
        except ValidationError as problem:
            form.add_error(None, problem)
        else:
            who = AUDIENCES[leaderboard.audience]
            messages.success(request, f"Leaderboard {leaderboard.number} is published for {who}.")
            return redirect(leaderboard)
    return render(request, "evaluation/leaderboard_publish.html", {"form": form, **_to_publish(task, set_name)})


def _to_publish(task: Task, set_name: str) -> dict[str, Any]:
    """What the question shows: the board that would be published, and what speaks against it."""
    scored, working = scored_runs(task, set_name), working_board(task, set_name)
    current = is_current(working, scored)
    return {
        "task": task,
        "board": scored,
        "is_current": current,
        "choice": board_choice(task),
        "problem": measures_problem(task, scored.qrels if scored else None),
        "audiences": _audiences(task, set_name, working),
        "set_name": set_name,
        "cautions": [*measures_left_out(task, scored.qrels), *board_cautions(scored.qrels, scored.measures)]
        if scored
        else [],
        "doubtful": scored_but_telling_nothing(scored.qrels, released_table(scored.qrels, "overall")) if scored else [],
        "tells_judged": tells_how_much_is_judged(scored.measures) if scored else True,
        "judged": JUDGED,
        "changes": changes_after_scores(task),
        "not_ranked": [(run, why_not_ranked(run)) for run in runs_not_ranked(task)],
        "policy": shown_in_words(task),
        "judged_of_first": _judged_of_first(working),
        "mark": next_snapshot_mark(task, working) if working and current else "",
    }


def _judged_of_first(working: WorkingBoard | None) -> str:
    """The lowest and the highest share of judged documents among the first 10 of a run, in words; empty if unknown."""
    judged = judged_range(stored_board(str(working.board.name)).runs) if working else None
    return range_in_percent(judged) if judged else ""


def _audiences(task: Task, set_name: str, working: WorkingBoard | None) -> list[dict[str, Any]]:
    """To whom the board can be published, the narrowest first: what they see, what follows, and why not."""
    teams = {run.team for run in stored_board(str(working.board.name)).runs} if working else set()
    moved = moves_on(task, Task.PUBLISHED) if set_name == DEFAULT else []
    follows = {PUBLIC: [*moved, *uploads_end(task, qrels=True), *told_by_names(task, PUBLIC)]}
    if len(teams) < FEWEST_TEAMS:
        left_out = "lowest, median and highest are left out: they would tell the values of the others"
        follows[PARTICIPANTS] = [f"Fewer than {FEWEST_TEAMS} teams have runs, so {left_out}."]
    return [
        {
            "name": name,
            "words": words,
            "sees": SEEN_BY[name],
            "follows": follows.get(name, []),
            "problem": audience_problem(task, name),
            "to_confirm": names_were_shown(task, name),
            "preview": task.url("preview_detail", audience=name),
        }
        for name, words in AUDIENCES.items()
    ]


@require_safe
def preview_detail(request: HttpRequest, campaign_slug: str, task_slug: str) -> HttpResponse:
    """The page of the leaderboard as the audience of the address would see it."""
    seen = get_preview_or_404(request, campaign_slug, task_slug)
    set_name = asked_set(seen.task, request)
    context = {
        "audience": AUDIENCES[seen.preview],
        "leaderboard": seen.leaderboard,
        "cautions": board_cautions(seen.qrels, seen.board.measures, remedies=False),
        "organises": False,
        "set_name": set_name,
    }
    if not seen.only_own:
        context |= board_context(request, seen)
        return render(request, "evaluation/leaderboard_preview.html", context)
    working = working_board(seen.task, set_name)
    runs = stored_board(str(working.board.name)).runs if working else ()
    teams = sorted({run.team for run in runs}, key=natural_order)
    context |= own_context(request, seen) | {"teams": teams, "team": next((run.team for run in seen.board.runs), "")}
    return render(request, "evaluation/leaderboard_preview_own.html", context)


@require_safe
def preview_csv(request: HttpRequest, campaign_slug: str, task_slug: str) -> HttpResponse:
    seen = get_preview_or_404(request, campaign_slug, task_slug)
    content = own_csv(seen) if seen.only_own else board_csv(seen.board, seen.ordering)
    return downloaded(content, "text/csv; charset=utf-8", f"{seen.task.slug}-preview-{seen.preview}.csv")


@require_safe
def preview_json(request: HttpRequest, campaign_slug: str, task_slug: str) -> HttpResponse:
    seen = get_preview_or_404(request, campaign_slug, task_slug)
    content = own_json(seen) if seen.only_own else seen.exported()
    return downloaded(content, "application/json", f"{seen.task.slug}-preview-{seen.preview}.json")


@require_safe
def preview_picture(request: HttpRequest, campaign_slug: str, task_slug: str, measure: str) -> HttpResponse:
    return board_picture_of(request, get_board_or_404(request, campaign_slug, task_slug), measure)


def _add_judged(request: HttpRequest, task: Task) -> HttpResponse:
    try:
        judged_share_add(actor=signed_in(request.user), task=task)
    except ValidationError as problem:
        messages.error(request, " ".join(problem.messages))
    else:
        messages.success(request, f"{JUDGED} is added, and the runs are being scored by it. Publish when that is done.")
    return redirect(task.url("score_board"))
