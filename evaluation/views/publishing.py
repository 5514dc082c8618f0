"""Publishing the working board to an audience, and the previews of what each of them would see."""

from collections.abc import Mapping
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.core.signing import BadSignature, dumps, loads
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from campaign.models import Job, Task
from campaign.permissions import get_organised_task_or_404, signed_in
from campaign.setup.selectors.changes_of_scores import changes_after_scores
from campaign.setup.selectors.score_visibility_in_words import shown_in_words
from campaign.text.natural_order import natural_order
from evaluation.boards.audiences import AUDIENCES, LICENCES, SEEN_BY
from evaluation.boards.board_csv import board_csv
from evaluation.boards.measures_on_scale import tells_how_much_is_judged
from evaluation.exports import own_csv, own_json
from evaluation.forms import PublishForm
from evaluation.models import Leaderboard, WorkingBoard
from evaluation.permissions import asked_set, get_board_or_404, get_preview_or_404
from evaluation.selectors.audiences import audience_problem, names_were_shown, told_by_names
from evaluation.selectors.boards import scored_runs, stored_board, working_board
from evaluation.selectors.leaderboard_drafts import Terms, next_number
from evaluation.selectors.publication_effects import (
    ANEW,
    as_read,
    changed_since,
    failed_publication,
    fewest_teams,
    has_published,
    judged_lines,
    mark_of_read,
    publication,
    publication_said,
    what_follows,
    why_not_yet,
)
from evaluation.selectors.task_measures import board_cautions, measures_left_out
from evaluation.services.leaderboards import JUDGED, judged_share_add, next_snapshot_mark
from evaluation.services.publication_requests import leaderboard_request
from evaluation.views.boards import board_context, downloaded
from evaluation.views.leaderboards import own_context
from evaluation.views.pictures import board_picture_of
from judging.qrels.selectors.releases import released_table, scored_but_telling_nothing

READ = "what an organiser read before publishing"
"""Salt of the signature: only what this site said is shown as what it said."""
LOST = "Nothing is published: what this page said did not come back with your answer. Read it again, then publish."


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def leaderboard_publish(request: HttpRequest, campaign_slug: str, task_slug: str) -> HttpResponse:
    """Asks for audience and terms, then shows what follows from them; nothing is published before this is confirmed."""
    task = get_organised_task_or_404(request.user, campaign_slug, task_slug)
    if "add_judged" in request.POST:
        return _add_judged(request, task)
    if request.htmx and request.method != "POST":  # type: ignore[attr-defined]
        return _progress(request, task, publication(task))
    form = PublishForm(request.POST or None, task=task)
    if request.method != "POST" or "change" in request.POST or not form.is_valid():
        return _question(request, task, form)
    if problem := audience_problem(task, request.POST.get("audience", "")):
        form.add_error(None, problem)
        return _question(request, task, form)
    return _publish(request, task, form) if "confirmed" in request.POST else _confirmation(request, task, form)


def _publish(request: HttpRequest, task: Task, form: PublishForm) -> HttpResponse:
    """Publish what was read, or say what has changed since and ask again."""
    try:
        read = loads(request.POST.get("read", ""), salt=READ)
    except BadSignature:
        form.add_error(None, LOST)
        return _confirmation(request, task, form)
    try:
        published = leaderboard_request(
            actor=signed_in(request.user),
            task=task,
            audience=request.POST["audience"],
            terms=Terms(**form.cleaned_data),
            seen=request.POST.get("seen") or LOST,
            set_name=asked_set(task, request),
            names_may_be_known="names_may_be_known" in request.POST,
            read=mark_of_read(read),
        )
    except ValidationError as problem:
        form.add_error(None, problem)
        return _confirmation(request, task, form, read)
    if isinstance(published, Job):
        published.refresh_from_db()
        return redirect(_after(request, task, published) or task.url("leaderboard_publish"))
    who = AUDIENCES[published.audience]
    messages.success(request, f"Leaderboard {published.number} is published for {who}.")
    return redirect(published)


def _progress(request: HttpRequest, task: Task, job: Job | None) -> HttpResponse:
    """How far the job is that publishes; when it has ended, the reader is led on."""
    response = render(request, "evaluation/_publish_progress.html", {"task": task, "job": job})
    if job is None or not job.is_unfinished:
        response["HX-Redirect"] = (job and _after(request, task, job)) or task.url("leaderboard_publish")
    return response


def _after(request: HttpRequest, task: Task, job: Job) -> str:
    """The page of what the job has published, with a message that says so; empty where it has not."""
    if not has_published(job):
        return ""
    messages.success(request, job.message)
    boards = Leaderboard.objects.filter(task=task, audience=job.arguments["asked"]["audience"])
    board = boards.order_by("number").last()
    return board.get_absolute_url() if board else ""


def _confirmation(
    request: HttpRequest, task: Task, form: PublishForm, read: Mapping[str, Any] | None = None
) -> HttpResponse:
    """What publishing would do now; `read`: what was confirmed before, to name what is not so any more."""
    set_name, audience = asked_set(task, request), request.POST["audience"]
    scored, working = scored_runs(task, set_name), working_board(task, set_name)
    if working is None or scored is None or not scored.runs or why_not_yet(task, set_name):
        return _question(request, task, form)
    said = publication_said(signed_in(request.user), task, set_name, audience)
    mark = next_snapshot_mark(task, working)
    changes = changed_since(read, said) if read is not None else []
    if read is not None and not changes and request.POST.get("seen") != mark:
        changes = [ANEW]
    context = {
        "task": task,
        "form": form,
        "number": next_number(task),
        "audience": audience,
        "words": AUDIENCES[audience],
        "said": said,
        "changes": changes,
        "licence": LICENCES[form.cleaned_data["licence"]],
        "to_confirm": names_were_shown(task, audience),
        "mark": mark,
        "read": dumps(as_read(said), salt=READ, compress=True),
    }
    return render(request, "evaluation/leaderboard_publish_confirm.html", context)


def _question(request: HttpRequest, task: Task, form: PublishForm) -> HttpResponse:
    """Asks to whom, and under which terms; says what speaks against it, also that it cannot be done yet."""
    set_name = asked_set(task, request)
    scored, working = scored_runs(task, set_name), working_board(task, set_name)
    cautions = (
        [*measures_left_out(task, scored.qrels), *board_cautions(scored.qrels, scored.measures)] if scored else []
    )
    context = {
        "task": task,
        "form": form,
        "chosen": request.POST.get("audience", ""),
        "board": scored,
        "why_not_yet": why_not_yet(task, set_name),
        "audiences": _audiences(task, set_name, working),
        "set_name": set_name,
        "cautions": cautions,
        "doubtful": scored_but_telling_nothing(scored.qrels, released_table(scored.qrels, "overall")) if scored else [],
        "tells_judged": tells_how_much_is_judged(scored.measures) if scored else True,
        "judged": JUDGED,
        "judged_lines": judged_lines(task, working),
        "changes": changes_after_scores(task),
        "policy": shown_in_words(task),
        "job": publication(task),
        "failed": failed_publication(task),
    }
    return render(request, "evaluation/leaderboard_publish.html", context)


def _audiences(task: Task, set_name: str, working: WorkingBoard | None) -> list[dict[str, Any]]:
    """To whom the board can be published, the narrowest first: what they see, what follows, and why not."""
    return [
        {
            "name": name,
            "words": words,
            "sees": SEEN_BY[name],
            "follows": [
                *fewest_teams(name, working),
                *what_follows(task, set_name, name),
                *told_by_names(task, name),
            ],
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
    context |= own_context(request, seen) | {
        "whole": None,
        "teams": teams,
        "team": next((run.team for run in seen.board.runs), ""),
    }
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
