from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from campaign.forms.errors import add_errors
from campaign.forms.teams import RegistrationForm
from campaign.models.fields import zone_named
from campaign.permissions import get_campaign_or_404, signed_in
from campaign.selectors.teams import registered_teams, tasks_with_readiness_for_runs, unregistered_teams
from campaign.services.teams import team_register


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def campaign_register(request: HttpRequest, campaign: str) -> HttpResponse:
    """Before: asks which team. Afterwards: says what comes next."""
    found = get_campaign_or_404(request.user, campaign)
    teams = unregistered_teams(request.user, found)
    form = RegistrationForm(request.POST or None, teams=teams)
    if form.is_valid():
        team = form.cleaned_data["team"]
        try:
            team_register(actor=signed_in(request.user), team=team, campaign=found)
        except ValidationError as problem:
            add_errors(form, problem)
        else:
            messages.success(request, f"{team} takes part in {found}.")
            return redirect("campaign_register", campaign=found.slug)
    context = {
        "campaign": found,
        "zone": zone_named(found.time_zone),
        "form": form,
        "teams": teams,
        "registered": registered_teams(request.user, found),
        "tasks": tasks_with_readiness_for_runs(request.user, found),
    }
    return render(request, "campaign/register.html", context, status=422 if form.errors else 200)
