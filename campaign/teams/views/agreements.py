from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from campaign.models import Campaign
from campaign.permissions import get_or_404, get_organised_campaign_or_404, signed_in
from campaign.setup.selectors.agreements import RETIRING, counted_agreements
from campaign.setup.services.agreements import agreement_create, agreement_replace, agreement_retire
from campaign.teams.exports import agreements_csv, csv_answer
from campaign.teams.forms.registrations import AgreementForm
from campaign.teams.selectors.acceptances import acceptances, lacking_registrations
from campaign.web.forms import act_and_tell, result_of


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def agreement_list(request: HttpRequest, campaign_slug: str) -> HttpResponse:
    campaign = get_organised_campaign_or_404(request.user, campaign_slug)
    form = AgreementForm(request.POST or None)
    if new := result_of(
        form, lambda: agreement_create(actor=signed_in(request.user), campaign=campaign, **form.cleaned_data)
    ):
        messages.success(request, f"Teams are asked to accept “{new}” from now on.")
        return redirect("agreement_list", campaign_slug=campaign.slug)
    context = {
        "campaign": campaign,
        "form": form,
        "agreements": counted_agreements(campaign),
        "lacking": _lacking(campaign),
    }
    return render(request, "campaign/setup/agreement_list.html", context, status=422 if form.errors else 200)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def agreement_edit(request: HttpRequest, campaign_slug: str, agreement_id: int) -> HttpResponse:
    """A new wording. The old one is retired, since what was accepted must not change."""
    campaign = get_organised_campaign_or_404(request.user, campaign_slug)
    old = get_or_404(counted_agreements(campaign), pk=agreement_id)
    form = AgreementForm(request.POST or None, initial={"title": old.title, "text": old.text})
    if new := result_of(
        form, lambda: agreement_replace(actor=signed_in(request.user), agreement=old, **form.cleaned_data)
    ):
        messages.success(request, f"“{new}” has another wording. Teams are asked to accept it before they submit.")
        return redirect("agreement_list", campaign_slug=campaign.slug)
    context = {"campaign": campaign, "agreement": old, "form": form}
    return render(request, "campaign/setup/agreement_edit.html", context, status=422 if form.errors else 200)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def agreement_retired(request: HttpRequest, campaign_slug: str, agreement_id: int) -> HttpResponse:
    campaign = get_organised_campaign_or_404(request.user, campaign_slug)
    old = get_or_404(counted_agreements(campaign), pk=agreement_id)
    if request.method != "POST":
        context = {"campaign": campaign, "agreement": old, "consequences": RETIRING}
        return render(request, "campaign/setup/agreement_retire.html", context)
    told = f"Teams need not accept “{old}” any more. Earlier acceptances stay on record."
    act_and_tell(request, lambda: agreement_retire(actor=signed_in(request.user), agreement=old), told)
    return redirect("agreement_list", campaign_slug=campaign.slug)


@login_required
@require_safe
def agreement_record(request: HttpRequest, campaign_slug: str) -> HttpResponse:
    campaign = get_organised_campaign_or_404(request.user, campaign_slug)
    return csv_answer(agreements_csv(acceptances(campaign)), f"{campaign.slug}-agreements.csv")


def _lacking(campaign: Campaign) -> int:
    """Return the number of teams that take part without having accepted all agreements."""
    return lacking_registrations(campaign.registrations.approved()).count()
