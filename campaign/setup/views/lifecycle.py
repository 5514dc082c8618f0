"""Closing, archiving and deleting campaigns, deleting tasks in their set-up, and restoring what was deleted."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from campaign.models import Campaign, Task
from campaign.permissions import get_organised_campaign_or_404, get_organised_task_or_404, signed_in
from campaign.setup.forms.lifecycle import ActForm, DeleteForm, RestoreForm
from campaign.setup.selectors.lifecycle import (
    ARCHIVE,
    CLOSE,
    DELETE,
    REOPEN,
    TASK_DELETED,
    UNARCHIVE,
    Way,
    deleted_by_kind,
    task_deletion_blockers,
    ways_of,
)
from campaign.setup.services import deletions, lifecycle
from campaign.text.plurals import listed
from campaign.web.forms import act_and_tell, is_done, status_of

TOLD = {
    CLOSE: "{} is closed.",
    REOPEN: "{} is open again.",
    ARCHIVE: "{} is archived: nothing in it changes any more.",
    UNARCHIVE: "{} is out of the archive. It is still closed.",
}


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def campaign_state(request: HttpRequest, campaign_slug: str) -> HttpResponse:
    """Without `to`: what can be done. With it: what that means. POST: do it."""
    campaign = get_organised_campaign_or_404(request.user, campaign_slug)
    asked = request.POST.get("act", "") if request.method == "POST" else request.GET.get("to", "")
    ways = ways_of(campaign)
    way = next((way for way in ways if way.act == asked and not way.why_not), None)
    if way is None:
        context = {"campaign": campaign, "ways": ways, "refused": request.method == "POST"}
        return render(request, "campaign/setup/campaign_state.html", context, status=422 if context["refused"] else 200)
    if way.act == DELETE:
        return _delete(request, campaign, way)
    if request.method != "POST":
        return _ask(request, campaign, way, ActForm(initial={"act": way.act}))
    act, told = lifecycle.ACTS[way.act], TOLD[way.act].format(campaign)
    act_and_tell(request, lambda: act(actor=signed_in(request.user), campaign=campaign), told)
    return redirect(campaign)


def _delete(request: HttpRequest, campaign: Campaign, way: Way) -> HttpResponse:
    form = _delete_form(request, campaign)
    if is_done(form, lambda: deletions.campaign_delete(actor=signed_in(request.user), campaign=campaign)):
        return _deleted(request, campaign)
    return _ask(request, campaign, way, form)


def _ask(request: HttpRequest, campaign: Campaign, way: Way, form: ActForm) -> HttpResponse:
    context = {"campaign": campaign, "way": way, "form": form, "verdict": "Not deleted."}
    return render(request, "campaign/setup/campaign_state_confirm.html", context, status=status_of(form))


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def task_delete(request: HttpRequest, campaign_slug: str, task_slug: str) -> HttpResponse:
    task = get_organised_task_or_404(request.user, campaign_slug, task_slug)
    held = listed(task_deletion_blockers(task))
    form = _delete_form(request, task)
    if is_done(form, lambda: deletions.task_delete(actor=signed_in(request.user), task=task)):
        return _deleted(request, task)
    context = {"task": task, "held": held, "form": form, "consequences": TASK_DELETED}
    return render(request, "campaign/setup/task_delete.html", context, status=status_of(form))


def _delete_form(request: HttpRequest, row: Campaign | Task) -> DeleteForm:
    return DeleteForm(request.POST or None, slug=row.slug, initial={"act": DELETE})


def _deleted(request: HttpRequest, row: Campaign | Task) -> HttpResponse:
    messages.success(request, f"{row} is deleted. You can restore it here.")
    return redirect("deleted_list")


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def deleted_list(request: HttpRequest) -> HttpResponse:
    """What the reader's campaigns have lost within the last thirty days; POST restores one of it."""
    user = signed_in(request.user)
    if request.method == "POST":
        form = RestoreForm(request.POST)
        if form.is_valid():
            kinds = {"campaign": deletions.campaign_restore, "task": deletions.task_restore}
            restore, pk = kinds[form.cleaned_data["kind"]], form.cleaned_data["pk"]
            act_and_tell(request, lambda: restore(actor=user, pk=pk), "It is restored as it was.")
        else:
            messages.error(request, deletions.GONE)
        return redirect("deleted_list")
    return render(request, "campaign/setup/deleted_list.html", {"deleted": deleted_by_kind(user)})
