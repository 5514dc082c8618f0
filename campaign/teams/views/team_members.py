"""Invitations and members of a team, for its owners."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from campaign.models import Invitation, Membership
from campaign.permissions import get_or_404, get_owned_team_or_404, signed_in
from campaign.teams.forms.teams import InvitationForm, MemberForm
from campaign.teams.selectors.teams import open_invitations, team_members
from campaign.teams.services import teams as services
from campaign.teams.views.teams import team_page
from campaign.web.forms import act_and_tell, result_of


@login_required
@require_POST
def team_invitation(request: HttpRequest, team_slug: str) -> HttpResponse:
    """Another link."""
    team = get_owned_team_or_404(request.user, team_slug)
    message = "The team has another invitation link. The one before does not work any more."
    act_and_tell(request, lambda: services.team_renew_invitation(actor=signed_in(request.user), team=team), message)
    return redirect(team)


@login_required
@require_POST
def team_invite(request: HttpRequest, team_slug: str) -> HttpResponse:
    team = get_owned_team_or_404(request.user, team_slug)
    form = InvitationForm(request.POST)
    if invitation := result_of(
        form, lambda: services.team_invite(actor=signed_in(request.user), team=team, **form.cleaned_data)
    ):
        messages.success(request, f"An invitation goes to {invitation.email}.")
        return redirect(team)
    return team_page(request, team, form)


@login_required
@require_POST
def invitation_send(request: HttpRequest, team_slug: str, invitation_id: int) -> HttpResponse:
    invitation = _open_invitation(request, team_slug, invitation_id)
    actor = signed_in(request.user)
    message = f"The invitation goes to {invitation.email} once more."
    act_and_tell(request, lambda: services.invitation_send_again(actor=actor, invitation=invitation), message)
    return redirect(invitation.team)


@login_required
@require_POST
def invitation_withdraw(request: HttpRequest, team_slug: str, invitation_id: int) -> HttpResponse:
    invitation = _open_invitation(request, team_slug, invitation_id)
    actor = signed_in(request.user)
    message = f"The link sent to {invitation.email} does not work any more."
    act_and_tell(request, lambda: services.invitation_withdraw(actor=actor, invitation=invitation), message)
    return redirect(invitation.team)


@login_required
@require_POST
def team_owner(request: HttpRequest, team_slug: str) -> HttpResponse:
    team = get_owned_team_or_404(request.user, team_slug)
    form = MemberForm(request.POST, team=team)
    if form.is_valid():
        member: Membership = form.cleaned_data["member"]
        actor = signed_in(request.user)
        message = f"{member.user} is an owner now."
        act_and_tell(request, lambda: services.team_make_owner(actor=actor, team=team, user=member.user), message)
    else:
        messages.error(request, "This person is no member of the team any more.")
    return redirect(team)


@login_required
@require_POST
def team_give_up(request: HttpRequest, team_slug: str) -> HttpResponse:
    team = get_owned_team_or_404(request.user, team_slug)
    actor = signed_in(request.user)
    message = "You are a member without ownership now: you can submit runs, and the owners manage the team."
    act_and_tell(request, lambda: services.team_give_up_ownership(actor=actor, team=team), message)
    return redirect(team)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def team_remove(request: HttpRequest, team_slug: str, member_id: int) -> HttpResponse:
    team = get_owned_team_or_404(request.user, team_slug)
    membership = get_or_404(team_members(team), pk=member_id)
    if request.method == "POST":
        actor = signed_in(request.user)
        message = f"{membership.user} is no member any more, and the team has another invitation link."
        act_and_tell(
            request, lambda: services.team_remove_member(actor=actor, team=team, user=membership.user), message
        )
        return redirect(team)
    consequences = [
        f"{membership.user} sees the team's runs and scores no more and cannot submit.",
        "What they submitted stays the team's.",
        "The team gets another invitation link: the old one stops working.",
    ]
    context = {"team": team, "membership": membership, "consequences": consequences}
    return render(request, "campaign/teams/team_remove.html", context)


def _open_invitation(request: HttpRequest, team_slug: str, invitation_id: int) -> Invitation:
    team = get_owned_team_or_404(request.user, team_slug)
    return get_or_404(open_invitations(team).select_related("team"), pk=invitation_id)
