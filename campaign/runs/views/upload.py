"""The upload page: one file or several; without JavaScript in one request, with it in one request for each file."""

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from campaign.formats.check_script.make import make_check_script
from campaign.models import Run, Task
from campaign.permissions import get_or_404, get_run_or_404, get_task_or_404, signed_in
from campaign.runs.forms.upload import RunForm, Sent, refused, with_quota
from campaign.runs.selectors.check_script import script_task
from campaign.storage.room import NoRoomError, has_room
from campaign.teams.selectors.quotas import Quota, own_quotas, upload_rules
from campaign.web.forms import status_of
from campaign.web.uploads import received_at, takes_files


@takes_files
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def run_create(request: HttpRequest, campaign_slug: str, task_slug: str) -> HttpResponse:
    task = get_task_or_404(request.user, campaign_slug, task_slug)
    quotas = own_quotas(request.user, task)
    if not quotas:
        messages.info(
            request, "You can upload runs only for a team that takes part. None of your teams takes part yet."
        )
        return redirect("campaign_register", campaign_slug=task.campaign.slug)
    replaces = _replaced(request, task, quotas)
    posted = (request.POST, request.FILES) if request.method == "POST" else ()
    form = RunForm(*posted, task=task, quotas=quotas, replaces=replaces)
    sent = form.send(signed_in(request.user), task, received_at(request)) if form.is_valid() else []
    if sent:
        quotas = own_quotas(request.user, task)  # what was sent has used them up
        form.show_quotas(quotas)
    context = {"task": task, "form": form, "sent": sent, "replaces": replaces}
    if request.htmx and posted:  # type: ignore[attr-defined]  # the script sends file by file and shows each answer
        context["left"] = [(quota, with_quota(quota)) for quota in quotas]
        return render(request, "campaign/runs/_run_sent.html", context, status=status_of(form))
    if sent and not refused(sent):
        return _received(request, task, sent)
    context["refused"] = bool(posted)
    context |= {"limit": settings.UPLOAD_LIMIT_BYTES, "most_files": settings.DATA_UPLOAD_MAX_NUMBER_FILES}
    return render(
        request,
        "campaign/runs/run_create.html",
        {**context, **_rules(task, quotas, replaces)},
        status=_status(form, sent) if posted else 200,
    )


def _replaced(request: HttpRequest, task: Task, quotas: list[Quota]) -> Run | None:
    """The run of an own team that `?replace=` names."""
    tag = request.GET.get("replace", "")
    if not tag:
        return None
    run = get_run_or_404(request.user, task, tag)
    return get_or_404(Run.objects.filter(team__in=[quota.team.pk for quota in quotas]), pk=run.pk)


def _received(request: HttpRequest, task: Task, sent: list[Sent]) -> HttpResponse:
    """303: reloading the next page does not send the files twice."""
    runs = [one.run for one in sent if one.run is not None]
    if len(runs) == 1:
        return HttpResponseRedirect(runs[0].attempt_url, status=303)
    named = ", ".join(run.tag for run in runs)
    messages.success(request, f"{len(runs)} runs are received and being checked: {named}.")
    return HttpResponseRedirect(task.url("run_list"), status=303)


def _rules(task: Task, quotas: list[Quota], replaces: Run | None) -> dict[str, Any]:
    if replaces is None:
        return upload_rules(task, quotas)
    own = [quota for quota in quotas if quota.team == replaces.team]
    rules = upload_rules(task, own)
    return {**rules, "may_upload": has_room() and any(_may_replace(quota, replaces) for quota in own)}


def _may_replace(quota: Quota, run: Run) -> bool:
    return bool(quota.window.is_open and (run.counts or quota.left) and not quota.day.why_used_up())


def _status(form: RunForm, sent: list[Sent]) -> int:
    """Of a page that answers files which were refused, all or some of them."""
    is_full = any(isinstance(one.refusal, NoRoomError) for one in sent)
    return 507 if is_full else status_of(form) if form.errors else 422


@require_safe
def check_script(request: HttpRequest, campaign_slug: str, task_slug: str) -> HttpResponse:
    task = script_task(request.user, get_task_or_404(request.user, campaign_slug, task_slug))
    headers = {"Content-Disposition": f'attachment; filename="{task.file_name}"'}
    script = make_check_script(task, timezone.now())
    return HttpResponse(script, content_type="text/x-python; charset=utf-8", headers=headers)
