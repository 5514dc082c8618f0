from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from campaign.forms import add_errors
from campaign.models import Task
from campaign.permissions import (
    get_organised_campaign_or_404,
    require_founder,
    signed_in,
)
from campaign.setup.forms.campaigns import CampaignForm
from campaign.setup.services.campaigns import campaign_create as create
from campaign.setup.services.campaigns import campaign_open as open_
from campaign.setup.services.campaigns import campaign_update as update


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def campaign_create(request: HttpRequest) -> HttpResponse:
    require_founder(request.user)
    form = CampaignForm(request.POST or None)
    if form.is_valid():
        try:
            campaign = create(actor=signed_in(request.user), **form.cleaned_data)
        except ValidationError as problem:
            add_errors(form, problem)
        else:
            messages.success(request, f"{campaign} is created, as a draft that only you see. Now add its first task.")
            return redirect(campaign)
    return render(request, "campaign/setup/campaign_create.html", {"form": form}, status=422 if form.errors else 200)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def campaign_edit(request: HttpRequest, campaign_slug: str) -> HttpResponse:
    campaign = get_organised_campaign_or_404(request.user, campaign_slug)
    form = CampaignForm(request.POST or None, instance=campaign)
    if form.is_valid():
        try:
            changed = update(actor=signed_in(request.user), campaign=campaign, **form.cleaned_data)
        except ValidationError as problem:
            add_errors(form, problem)
        else:
            messages.success(request, "Saved.")
            return redirect(changed)
    context = {"form": form, "campaign": campaign}
    return render(request, "campaign/setup/campaign_edit.html", context, status=422 if form.errors else 200)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def campaign_open(request: HttpRequest, campaign_slug: str) -> HttpResponse:
    campaign = get_organised_campaign_or_404(request.user, campaign_slug)
    if request.method == "POST":
        open_(actor=signed_in(request.user), campaign=campaign)
        messages.success(request, f"{campaign} is open. Everybody can read it and teams can register.")
    if request.method == "POST" or campaign.opened_at is not None:
        return redirect(campaign)
    drafts = campaign.tasks.filter(phase=Task.SETUP)
    consequences = [
        "Everybody can read the campaign page: title, call and schedule.",
        "Teams can register for it.",
        *(f"The task {task} becomes visible, with its topics." for task in campaign.tasks.exclude(phase=Task.SETUP)),
        *(f"The task {task} stays hidden until you open it as well." for task in drafts),
        "An open campaign cannot be made a draft again.",
    ]
    return render(request, "campaign/setup/campaign_open.html", {"campaign": campaign, "consequences": consequences})
