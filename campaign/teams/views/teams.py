from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from campaign.models import Team
from campaign.permissions import get_owned_team_or_404, get_team_or_404, is_member, is_owner, signed_in
from campaign.teams.forms.teams import InvitationForm, TeamForm
from campaign.teams.selectors.teams import (
    invited_team,
    joined_team,
    open_invitations,
    own_teams,
    sees_addresses,
    team_members,
    team_registrations,
)
from campaign.teams.services import teams as services
from campaign.web.forms import result_of
from campaign.web.links import absolute, return_address


@login_required
@require_safe
def team_list(request: HttpRequest) -> HttpResponse:
    return render(request, "campaign/teams/team_list.html", {"teams": own_teams(request.user)})


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def team_create(request: HttpRequest) -> HttpResponse:
    back = return_address(request)
    form = TeamForm(request.POST or None)
    if team := result_of(form, lambda: services.team_found(actor=signed_in(request.user), **form.cleaned_data)):
        messages.success(request, f"{team} is founded, and you own it. Invite others by the link on its page.")
        return redirect(back or team)
    context = {"form": form, "back": back}
    return render(request, "campaign/teams/team_create.html", context, status=422 if form.errors else 200)


@login_required
@require_safe
def team_detail(request: HttpRequest, team_slug: str) -> HttpResponse:
    return team_page(request, get_team_or_404(request.user, team_slug))


def team_page(request: HttpRequest, team: Team, form: InvitationForm | None = None) -> HttpResponse:
    """Also the answer to an invitation that cannot be sent: `form` has the errors."""
    owns = is_owner(request.user, team)
    join = reverse("team_join", kwargs={"key": team.invitation_key})
    members = list(team_members(team))
    context = {
        "team": team,
        "members": members,
        "sees_addresses": sees_addresses(request.user, team),
        "registrations": team_registrations(request.user, team),
        "owns": owns,
        "other_owner": any(member.is_owner and member.user_id != request.user.pk for member in members),
        "belongs": is_member(request.user, team),
        "invitation": absolute(join) if owns else "",
        "invitations": open_invitations(team) if owns else [],
        "form": form or InvitationForm(),
    }
    return render(request, "campaign/teams/team_detail.html", context, status=422 if form else 200)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def team_edit(request: HttpRequest, team_slug: str) -> HttpResponse:
    team = get_owned_team_or_404(request.user, team_slug)
    form = TeamForm(request.POST or None, instance=team)
    if changed := result_of(
        form, lambda: services.team_update(actor=signed_in(request.user), team=team, **form.cleaned_data)
    ):
        messages.success(request, "Saved.")
        return redirect(changed)
    context = {"form": form, "team": get_owned_team_or_404(request.user, team_slug)}
    return render(request, "campaign/teams/team_edit.html", context, status=422 if form.errors else 200)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def team_join(request: HttpRequest, key: str) -> HttpResponse:
    team = invited_team(key) or joined_team(request.user, key)
    if team is None:
        return render(request, "campaign/teams/team_join.html", {"team": None}, status=404)
    if is_member(request.user, team):
        messages.info(request, f"You are a member of {team}.")
        return redirect(team)
    if request.method == "POST":
        try:
            services.team_join(actor=signed_in(request.user), key=key)
        except ValidationError:  # used or withdrawn a moment ago
            return render(request, "campaign/teams/team_join.html", {"team": None}, status=404)
        messages.success(request, f"You have joined {team}.")
        return redirect(team)
    return render(request, "campaign/teams/team_join.html", {"team": team, "members": team_members(team)})


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def team_leave(request: HttpRequest, team_slug: str) -> HttpResponse:
    team = _own_team_or_404(request, team_slug)
    if request.method == "POST":
        try:
            services.team_leave(actor=signed_in(request.user), team=team)
        except ValidationError as problem:
            messages.error(request, problem.messages[0])
            return redirect(team)
        messages.success(request, f"You have left {team}.")
        return redirect("team_list")
    consequences = ["You no longer see its runs and their scores.", "To come back you need an invitation link."]
    return render(request, "campaign/teams/team_leave.html", {"team": team, "consequences": consequences})


def _own_team_or_404(request: HttpRequest, team_slug: str) -> Team:
    team = get_team_or_404(request.user, team_slug)
    if not is_member(request.user, team):
        raise Http404
    return team
