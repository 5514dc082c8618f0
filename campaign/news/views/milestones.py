from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from campaign.news.forms import MilestoneForm
from campaign.news.selectors.calendar import MILESTONE_REMOVED, milestones_of
from campaign.news.services.milestones import milestone_add, milestone_remove, milestone_update
from campaign.permissions import get_or_404, get_organised_campaign_or_404, signed_in
from campaign.web.forms import act_and_tell, result_of


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def milestone_list(request: HttpRequest, campaign_slug: str) -> HttpResponse:
    campaign = get_organised_campaign_or_404(request.user, campaign_slug)
    form = MilestoneForm(request.POST or None, campaign=campaign)
    if added := result_of(
        form, lambda: milestone_add(actor=signed_in(request.user), campaign=campaign, **form.cleaned_data)
    ):
        messages.success(request, f"“{added}” is added.")
        return redirect("milestone_list", campaign_slug=campaign.slug)
    context = {"campaign": campaign, "form": form, "milestones": milestones_of(campaign)}
    return render(request, "campaign/news/milestone_list.html", context, status=422 if form.errors else 200)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def milestone_edit(request: HttpRequest, campaign_slug: str, milestone_id: int) -> HttpResponse:
    campaign = get_organised_campaign_or_404(request.user, campaign_slug)
    milestone = get_or_404(campaign.milestones.all(), pk=milestone_id)
    form = MilestoneForm(request.POST or None, campaign=campaign, instance=milestone)
    if changed := result_of(
        form, lambda: milestone_update(actor=signed_in(request.user), milestone=milestone, **form.cleaned_data)
    ):
        messages.success(request, f"“{changed}” is saved.")
        return redirect("milestone_list", campaign_slug=campaign.slug)
    context = {"campaign": campaign, "form": form}
    return render(request, "campaign/news/milestone_edit.html", context, status=422 if form.errors else 200)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def milestone_removed(request: HttpRequest, campaign_slug: str, milestone_id: int) -> HttpResponse:
    campaign = get_organised_campaign_or_404(request.user, campaign_slug)
    milestone = get_or_404(campaign.milestones.all(), pk=milestone_id)
    if request.method != "POST":
        context = {"campaign": campaign, "milestone": milestone, "consequences": MILESTONE_REMOVED}
        return render(request, "campaign/news/milestone_remove.html", context)
    told = f"“{milestone}” is removed."
    act_and_tell(request, lambda: milestone_remove(actor=signed_in(request.user), milestone=milestone), told)
    return redirect("milestone_list", campaign_slug=campaign.slug)
