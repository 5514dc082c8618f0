from collections.abc import Callable
from dataclasses import dataclass

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST

from campaign.models import Campaign, Registration, Team
from campaign.permissions import get_campaign_or_404, get_or_404, signed_in
from campaign.setup.selectors.agreements import current_agreements
from campaign.teams.forms.teams import AgreementsForm, RegistrationForm
from campaign.teams.selectors.acceptances import missing_agreements
from campaign.teams.selectors.teams import (
    has_runs,
    own_registrations,
    tasks_with_readiness_for_runs,
    unregistered_teams,
)
from campaign.teams.services.acceptances import agreements_accept
from campaign.teams.services.registrations import registration_withdraw as withdraw
from campaign.teams.services.registrations import team_register
from campaign.web.forms import act_and_tell, is_done, result_of
from campaign.web.links import return_address


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def campaign_register(request: HttpRequest, campaign_slug: str) -> HttpResponse:
    """Before: asks which team. Afterwards: where its registration stands, and what comes next."""
    campaign = get_campaign_or_404(request.user, campaign_slug)
    teams = unregistered_teams(request.user, campaign)
    form = RegistrationForm(request.POST or None, teams=teams, agreements=current_agreements(campaign))
    if _is_registered(request, campaign, form, lambda: form.cleaned_data["team"]):
        return redirect("campaign_register", campaign_slug=campaign.slug)
    return _page(request, campaign, form)


def _is_registered(
    request: HttpRequest, campaign: Campaign, form: RegistrationForm | AgreementsForm, team: Callable[[], Team]
) -> bool:
    actor = signed_in(request.user)
    registration = result_of(
        form, lambda: team_register(actor=actor, team=team(), campaign=campaign, accepted=form.accepted)
    )
    if registration is not None:
        messages.success(request, _message(registration))
    return registration is not None


@login_required
@require_POST
def registration_accept(request: HttpRequest, campaign_slug: str, team_slug: str) -> HttpResponse:
    """Agreements that came after the registration."""
    registration = _own_registration(request, campaign_slug, team_slug)
    form = _agreements_form(registration, request.POST)
    actor, campaign, team = signed_in(request.user), registration.campaign, registration.team
    if is_done(form, lambda: agreements_accept(actor=actor, team=team, campaign=campaign, agreements=form.accepted)):
        messages.success(request, f"Accepted for {team}; your name and the time are recorded.")
        return redirect(
            return_address(request) or reverse("campaign_register", kwargs={"campaign_slug": campaign_slug})
        )
    return _page(request, campaign, answered=(registration, form))


@login_required
@require_POST
def registration_ask(request: HttpRequest, campaign_slug: str, team_slug: str) -> HttpResponse:
    """A refused team asks again."""
    registration = _own_registration(request, campaign_slug, team_slug)
    campaign = registration.campaign
    form = _agreements_form(registration, request.POST)
    if _is_registered(request, campaign, form, lambda: registration.team):
        return redirect("campaign_register", campaign_slug=campaign_slug)
    return _page(request, campaign, answered=(registration, form))


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def registration_withdraw(request: HttpRequest, campaign_slug: str, team_slug: str) -> HttpResponse:
    registration = _own_registration(request, campaign_slug, team_slug)
    if request.method == "POST":
        told = f"{registration.team} is not registered for {registration.campaign} any more."
        act_and_tell(request, lambda: withdraw(actor=signed_in(request.user), registration=registration), told)
        return redirect("campaign_register", campaign_slug=campaign_slug)
    consequences = [
        f"{registration.team} does not take part in {registration.campaign}. Its members cannot submit runs.",
        "You can register it again for as long as the campaign takes teams.",
        "The agreements that were accepted stay on record.",
    ]
    context = {"registration": registration, "campaign": registration.campaign, "consequences": consequences}
    return render(request, "campaign/teams/registration_withdraw.html", context)


@dataclass(frozen=True, slots=True)
class Entry:
    """One of the reader's teams on the page. `form`: the agreements that it has still to accept."""

    registration: Registration
    form: AgreementsForm
    has_runs: bool


def _page(
    request: HttpRequest,
    campaign: Campaign,
    form: RegistrationForm | None = None,
    answered: tuple[Registration, AgreementsForm] | None = None,
) -> HttpResponse:
    teams = unregistered_teams(request.user, campaign)
    form = form or RegistrationForm(teams=teams, agreements=current_agreements(campaign))
    entries = [_entry(registration, answered) for registration in own_registrations(request.user, campaign)]
    taking_part = [entry.registration for entry in entries if entry.registration.state == Registration.APPROVED]
    refused = form.errors or (answered and answered[1].errors)
    context = {
        "campaign": campaign,
        "form": form,
        "teams": teams,
        "entries": entries,
        "takes_part": taking_part,
        "tasks": tasks_with_readiness_for_runs(request.user, campaign),
        "next": return_address(request),
        "refused": refused,
    }
    return render(request, "campaign/teams/register.html", context, status=422 if refused else 200)


def _entry(registration: Registration, answered: tuple[Registration, AgreementsForm] | None) -> Entry:
    is_answered = answered is not None and answered[0].pk == registration.pk
    form = answered[1] if answered and is_answered else _agreements_form(registration)
    return Entry(registration, form, has_runs(registration))


def _agreements_form(registration: Registration, data: QueryDict | None = None) -> AgreementsForm:
    missing = missing_agreements(registration.team, registration.campaign)
    return AgreementsForm(data, agreements=missing, auto_id=f"id_{registration.pk}_%s")


def _own_registration(request: HttpRequest, campaign_slug: str, team_slug: str) -> Registration:
    campaign = get_campaign_or_404(request.user, campaign_slug)
    return get_or_404(own_registrations(request.user, campaign), team__slug=team_slug)


def _message(registration: Registration) -> str:
    if registration.state == Registration.APPROVED:
        return f"{registration.team} takes part in {registration.campaign}."
    return f"{registration.team} has asked to take part. You get a mail when the organisers have decided."
