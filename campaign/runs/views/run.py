from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from campaign.collection.selectors.corrections import errata_after
from campaign.models import Run
from campaign.permissions import get_run_or_404, get_task_or_404, is_member, is_organiser, signed_in
from campaign.runs.forms.details import RunEditForm, RunLinksForm
from campaign.runs.forms.upload import with_quota
from campaign.runs.selectors.details import answer_facts, metadata_facts
from campaign.runs.selectors.pooled import pools_in_words
from campaign.runs.selectors.progress import other_attempts, run_progress, shown_problems
from campaign.runs.selectors.reading import known_damage
from campaign.runs.services.submission import require_withdrawable, run_link
from campaign.runs.services.submission import run_edit as edit
from campaign.runs.services.submission import run_withdraw as withdraw
from campaign.setup.selectors.schedule import run_window
from campaign.storage.downloads import download_answer, sign_in_first
from campaign.storage.quarantine import DamagedFileError
from campaign.teams.selectors.quotas import own_quotas
from campaign.text.plurals import number_of
from campaign.web.forms import is_done

COUNTING = (Run.RECEIVED, Run.VALID)


@login_required
@require_safe
def run_detail(request: HttpRequest, campaign_slug: str, task_slug: str, tag: str) -> HttpResponse:
    run = _run(request, campaign_slug, task_slug, tag)
    context = {
        "others": other_attempts(request.user, run),
        "damage": known_damage(run),
        "errata": errata_after(run.task, run.submitted_at),
        **_may(request, run),
    }
    return render(request, "campaign/runs/run_detail.html", {**_state(request, run), **context})


@login_required
@require_safe
def run_state(request: HttpRequest, campaign_slug: str, task_slug: str, tag: str) -> HttpResponse:
    """The progress of the check: on the run's page, or in a word (`?brief`) beside the file that was just sent."""
    run = _run(request, campaign_slug, task_slug, tag)
    brief, context = "brief" in request.GET, _state(request, run)
    if brief and request.htmx and context["progress"].is_unfinished:  # type: ignore[attr-defined]
        return HttpResponse(status=204)  # the same words again would be read out again
    if not brief and request.htmx and not context["progress"].is_unfinished:  # type: ignore[attr-defined]
        return _with_outcome(run_detail(request, campaign_slug, task_slug, tag))
    if brief and is_member(request.user, run.team):  # a rejected run gives its quota back
        context["left"] = [(one, with_quota(one)) for one in own_quotas(request.user, run.task) if one.team == run.team]
    return render(request, f"campaign/runs/_run_{'outcome' if brief else 'state'}.html", context)


def _with_outcome(page: HttpResponse) -> HttpResponse:
    """Replaces the whole content: buttons and other attempts change with the outcome. A reload would announce nothing."""
    page["HX-Retarget"] = page["HX-Reselect"] = "#main"
    page["HX-Reswap"] = "outerHTML"
    return page


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def run_edit(request: HttpRequest, campaign_slug: str, task_slug: str, tag: str) -> HttpResponse:
    run = _run(request, campaign_slug, task_slug, tag)
    if not _may(request, run)["may_edit"]:
        messages.info(request, "The details of this run cannot be changed any more. Ask an organiser.")
        return redirect(run.attempt_url)
    form = RunEditForm(request.POST or None, task=run.task, run=run)
    if is_done(form, lambda: edit(actor=signed_in(request.user), run=run, **form.cleaned_data)):
        messages.success(request, f"The details of {run} are changed.")
        return redirect(run.attempt_url)
    context = {"task": run.task, "run": run, "form": form}
    return render(request, "campaign/runs/run_edit.html", context, status=422 if form.errors else 200)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def run_links(request: HttpRequest, campaign_slug: str, task_slug: str, tag: str) -> HttpResponse:
    run = _run(request, campaign_slug, task_slug, tag)
    if not _may(request, run)["may_link"]:
        messages.info(request, "This run does not count and has no links: there is nothing to take away.")
        return redirect(run.attempt_url)
    form = RunLinksForm(request.POST or None, instance=run)
    if is_done(form, lambda: run_link(actor=signed_in(request.user), run=run, **form.cleaned_data)):
        messages.success(request, f"The links of {run} are changed.")
        return redirect(run.attempt_url)
    context = {"task": run.task, "run": run, "form": form}
    return render(request, "campaign/runs/run_links.html", context, status=422 if form.errors else 200)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def run_withdraw(request: HttpRequest, campaign_slug: str, task_slug: str, tag: str) -> HttpResponse:
    run = _run(request, campaign_slug, task_slug, tag)
    if request.method == "POST":
        try:
            withdraw(actor=signed_in(request.user), run=run)
        except ValidationError as problem:
            messages.error(request, problem.messages[0])
        else:
            messages.success(request, f"{run} is withdrawn. Its tag and its place in the quota are free again.")
        return redirect(run.attempt_url)
    try:
        require_withdrawable(signed_in(request.user), run)
    except ValidationError as problem:
        messages.warning(request, problem.messages[0])
        return redirect(run.attempt_url)
    consequences = [
        f"It is the run of {run.team}, {number_of(run.lines or 0, 'line')}, received {run.submitted_at:%-d %b %Y, %H:%M} UTC.",
        "It is not scored any more, and no new pool takes it. A frozen pool and a published leaderboard stay as they are.",
        "Its tag and its place in the quota are free again. The file is kept, and the withdrawal is logged.",
        "You cannot undo this; the same file can be uploaded again for as long as the task takes your runs.",
    ]
    if run.replaces is not None:
        consequences.insert(2, f"Attempt {run.replaces.attempt}, which it replaced, does not come back.")
    return render(
        request, "campaign/runs/run_withdraw.html", {"task": run.task, "run": run, "consequences": consequences}
    )


@require_safe
def run_download(request: HttpRequest, campaign_slug: str, task_slug: str, tag: str) -> HttpResponseBase:
    if not request.user.is_authenticated:
        return sign_in_first(request, "run_detail", campaign_slug, task_slug, tag)
    run = _run(request, campaign_slug, task_slug, tag)
    try:
        return download_answer(
            request, str(run.file.name), filename=run.file_name, content_type="application/octet-stream",
            found_by="a download of a run",
        )  # fmt: skip
    except DamagedFileError as problem:
        messages.error(request, str(problem))
        return redirect(run.attempt_url)


def _run(request: HttpRequest, campaign_slug: str, task_slug: str, tag: str) -> Run:
    task = get_task_or_404(request.user, campaign_slug, task_slug)
    return get_run_or_404(request.user, task, tag, request.GET.get("attempt", ""))


def _may(request: HttpRequest, run: Run) -> dict[str, bool]:
    """The actions of the reader on the run now."""
    organises = is_organiser(request.user, run.task.campaign)
    in_time = run_window(run.task, run.team).is_open
    changes = run.counts and (organises or in_time)
    sends = in_time and is_member(request.user, run.team)
    links = run.counts or organises or bool(run.paper_url or run.code_url)
    of_run = {"may_withdraw": changes, "may_edit": changes, "may_link": links}
    return {**of_run, "may_send": sends, "may_replace": sends and run.counts}


def _state(request: HttpRequest, run: Run) -> dict[str, Any]:
    progress = run_progress(run)
    counting = None if run.counts else other_attempts(request.user, run).filter(state__in=COUNTING).first()
    may_send = run_window(run.task, run.team).is_open and is_member(request.user, run.team)
    is_last = counting is None or (run.state == Run.REJECTED and counting.attempt < run.attempt)
    return {
        "task": run.task,
        "run": run,
        "progress": progress,
        "problems": shown_problems(run),
        "pools": pools_in_words(run),
        "organises": is_organiser(request.user, run.task.campaign),
        "may_send": may_send,
        "counting": counting,
        "sends_again": may_send and not run.counts and is_last,
        "answers": answer_facts(run.task.questions, run.answers),
        "metadata": metadata_facts(run.metadata),
        "state_url": f"{run.task.url('run_state', tag=run.tag)}?attempt={run.attempt}",
    }
