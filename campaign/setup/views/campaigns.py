from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from campaign.formats.picture_heads import SUFFIXES
from campaign.models import Task
from campaign.permissions import (
    get_campaign_or_404,
    get_organised_campaign_or_404,
    require_founder,
    signed_in,
)
from campaign.setup.forms.campaigns import CampaignForm, OpenForm
from campaign.setup.forms.profiles import ProfileForm
from campaign.setup.selectors.edits import edits_since, newest_edit, with_edits
from campaign.setup.selectors.phases import opening_consequences, task_to_open_with
from campaign.setup.selectors.schedule import run_window
from campaign.setup.services.campaigns import campaign_create as create
from campaign.setup.services.campaigns import campaign_open as open_
from campaign.setup.services.campaigns import campaign_update as update
from campaign.setup.services.profiles import campaign_describe
from campaign.storage.reading import verified_bytes
from campaign.web.forms import result_of, status_of


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def campaign_create(request: HttpRequest) -> HttpResponse:
    require_founder(request.user)
    form = CampaignForm(request.POST or None)
    if campaign := result_of(form, lambda: create(actor=signed_in(request.user), **form.cleaned_data)):
        messages.success(request, f"{campaign} is created, as a draft that only you see. Now add its first task.")
        return redirect("task_create", campaign_slug=campaign.slug)
    return render(request, "campaign/setup/campaign_create.html", {"form": form}, status=422 if form.errors else 200)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def campaign_edit(request: HttpRequest, campaign_slug: str) -> HttpResponse:
    campaign = get_organised_campaign_or_404(request.user, campaign_slug)
    stored = CampaignForm(instance=get_organised_campaign_or_404(request.user, campaign_slug))
    edits = edits_since(request.user, campaign, request.POST, stored)
    form = CampaignForm(with_edits(request.POST, edits, stored) if edits else request.POST or None, instance=campaign)
    if not edits and (
        changed := result_of(
            form, lambda: update(actor=signed_in(request.user), campaign=campaign, **form.cleaned_data)
        )
    ):
        messages.success(request, "Saved.")
        return redirect(changed)
    context = {"form": form, "campaign": campaign, "edits": edits, "seen": newest_edit(campaign)}
    status = 409 if edits else 422 if form.errors else 200
    return render(request, "campaign/setup/campaign_edit.html", context, status=status)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def campaign_open(request: HttpRequest, campaign_slug: str) -> HttpResponse:
    campaign = get_organised_campaign_or_404(request.user, campaign_slug)
    form = OpenForm(request.POST if request.method == "POST" else None, task=task_to_open_with(campaign))
    if request.method == "POST" and form.is_valid():
        try:
            open_(actor=signed_in(request.user), campaign=campaign, task=form.opened)
        except ValidationError as problem:
            messages.error(request, problem.messages[0])
        else:
            said = f"{campaign} is open. Everybody can read it and teams can register."
            messages.success(request, f"{said} {_said_of_runs(form.opened)}" if form.opened else said)
            if form.opened:
                return redirect(form.opened)
    if request.method == "POST" or campaign.opened_at is not None:
        return redirect(campaign)
    context = {"campaign": campaign, "consequences": opening_consequences(campaign, form.task), "form": form}
    return render(request, "campaign/setup/campaign_open.html", context)


def _said_of_runs(task: Task) -> str:
    opened = Task.objects.select_related("campaign").get(pk=task.pk)
    return run_window(opened).why_closed or f"{opened} is open for runs."


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def campaign_profile(request: HttpRequest, campaign_slug: str) -> HttpResponse:
    campaign = get_organised_campaign_or_404(request.user, campaign_slug)
    posted = (request.POST, request.FILES) if request.method == "POST" else ()
    form = ProfileForm(*posted, instance=get_organised_campaign_or_404(request.user, campaign_slug))
    if changed := result_of(
        form, lambda: campaign_describe(actor=signed_in(request.user), campaign=campaign, **form.cleaned_data)
    ):
        messages.success(request, "Saved.")
        return redirect(changed)
    context = {"form": form, "campaign": campaign}
    return render(request, "campaign/setup/campaign_profile.html", context, status=status_of(form))


@require_safe
def campaign_logo(request: HttpRequest, campaign_slug: str) -> HttpResponse:
    """The picture with the type that was found in it; the site's headers forbid browsers to guess another."""
    campaign = get_campaign_or_404(request.user, campaign_slug)
    types = {suffix: content_type for content_type, suffix in SUFFIXES.items()}
    name = campaign.logo.name or ""
    content_type = types.get(f".{name.rpartition('.')[2]}")
    if content_type is None:
        raise Http404
    content = verified_bytes(name, found_by="a page with the logo of a campaign")
    return HttpResponse(content, content_type=content_type, headers={"Content-Disposition": "inline"})
