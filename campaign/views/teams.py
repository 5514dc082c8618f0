from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from campaign.forms.errors import add_errors
from campaign.forms.teams import OwnerForm, TeamForm
from campaign.models import Membership, Team
from campaign.permissions import get_owned_team_or_404, get_team_or_404, is_member, is_owner, signed_in
from campaign.selectors.teams import invited_team, own_teams, team_members, team_registrations
from campaign.services import teams as services
from campaign.views.returning import return_address


@login_required
@require_safe
def team_list(request: HttpRequest) -> HttpResponse:
    return render(request, "campaign/team_list.html", {"teams": own_teams(request.user)})


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def team_create(request: HttpRequest) -> HttpResponse:
    back = return_address(request)
    form = TeamForm(request.POST or None)
    if form.is_valid():
        try:
            team = services.team_create(actor=signed_in(request.user), **form.cleaned_data)
        except ValidationError as problem:
            add_errors(form, problem)
        else:
            messages.success(request, f"{team} is founded, and you own it. Invite others by the link on its page.")
            return redirect(back or team)
    context = {"form": form, "back": back}
    return render(request, "campaign/team_create.html", context, status=422 if form.errors else 200)


@login_required
@require_safe
def team_detail(request: HttpRequest, team: str) -> HttpResponse:
    found = get_team_or_404(request.user, team)
    owns = is_owner(request.user, found)
    join = reverse("team_join", kwargs={"key": found.invitation_key})
    context = {
        "team": found,
        "members": team_members(found),
        "registrations": team_registrations(request.user, found),
        "owns": owns,
        "belongs": is_member(request.user, found),
        "invitation": request.build_absolute_uri(join) if owns else "",
    }
    return render(request, "campaign/team_detail.html", context)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def team_join(request: HttpRequest, key: str) -> HttpResponse:
    team = invited_team(key)
    if team is None:
        return render(request, "campaign/team_join.html", {"team": None}, status=404)
    if is_member(request.user, team):
        messages.info(request, f"You are a member of {team}.")
        return redirect(team)
    if request.method == "POST":
        services.team_join(actor=signed_in(request.user), key=key)
        messages.success(request, f"You have joined {team}.")
        return redirect(team)
    return render(request, "campaign/team_join.html", {"team": team, "members": team_members(team)})


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def team_leave(request: HttpRequest, team: str) -> HttpResponse:
    found = _own_team_or_404(request, team)
    if request.method == "POST":
        try:
            services.team_leave(actor=signed_in(request.user), team=found)
        except ValidationError as problem:
            messages.error(request, problem.messages[0])
            return redirect(found)
        messages.success(request, f"You have left {found}.")
        return redirect("team_list")
    consequences = ["You see its runs and their scores no more.", "To come back you need an invitation link."]
    return render(request, "campaign/team_leave.html", {"team": found, "consequences": consequences})


@login_required
@require_POST
def team_invitation(request: HttpRequest, team: str) -> HttpResponse:
    found = get_owned_team_or_404(request.user, team)
    services.team_renew_invitation(actor=signed_in(request.user), team=found)
    messages.success(request, "The team has another invitation link. The one before does not work any more.")
    return redirect(found)


@login_required
@require_POST
def team_owner(request: HttpRequest, team: str) -> HttpResponse:
    found = get_owned_team_or_404(request.user, team)
    form = OwnerForm(request.POST, team=found)
    if form.is_valid():
        member: Membership = form.cleaned_data["member"]
        services.team_make_owner(actor=signed_in(request.user), team=found, user=member.user)
        messages.success(request, f"{member.user} is an owner now.")
    else:
        messages.error(request, "This person is no member of the team any more.")
    return redirect(found)


def _own_team_or_404(request: HttpRequest, team: str) -> Team:
    found = get_team_or_404(request.user, team)
    if not is_member(request.user, found):
        raise Http404
    return found
