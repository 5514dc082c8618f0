from datetime import datetime
from typing import Annotated, cast

from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from ninja import Field, Path, Query, Router, Schema, Status

from campaign.accounts.selectors import user_by_name
from campaign.api.auth import WRITING
from campaign.api.bodies import Body
from campaign.api.fields import LARGEST, Text, one_of
from campaign.api.paging import Page, Paging, page_of
from campaign.api.paths import TEAM, TeamPath
from campaign.models import ApiToken, Invitation, Registration, Team, User, Visitor
from campaign.permissions import get_or_404, get_owned_team_or_404, get_team_or_404, is_member, is_owner, signed_in
from campaign.teams.selectors.teams import open_invitations, team_members, team_registrations
from campaign.teams.services import teams as services
from campaign.web.links import absolute

router = Router(tags=["Teams"])
InvitationId = Annotated[int, Path(ge=1, le=LARGEST)]


class TeamOut(Schema):
    slug: str = Field(description="Its part of every address, for good.")
    name: str
    affiliation: str
    url: str = Field(description="Its page.")


class MemberOut(Schema):
    username: str
    name: str
    is_owner: bool
    joined_at: datetime


class TakingPart(Schema):
    campaign: str
    state: str = one_of(Registration.STATES)


class InvitationOut(Schema):
    id: int
    email: str
    invited_at: datetime


class TeamDetail(TeamOut):
    members: list[MemberOut]
    campaigns: list[TakingPart]
    invitation_key: str | None = Field(
        description="The key of the invitation link: everyone who has it can join. Only for owners, with a token that may submit."
    )
    invitations: list[InvitationOut] = Field(description="Sent by mail and still open; only for owners.")


class TeamIn(Body):
    name: Text = Field(min_length=1, max_length=80, description="As leaderboards and papers should show it.")
    affiliation: Text = Field("", max_length=160)


class KeyIn(Body):
    key: Text = Field(min_length=1, max_length=64, description="The last step of the invitation link.")


class EmailIn(Body):
    email: Text = Field(min_length=3, max_length=254)


class UsernameIn(Body):
    username: Text = Field(min_length=1, max_length=150, description="Of a member of the team.")


@router.get("/teams", response=Page[TeamOut], summary="List my teams")
def list_teams(request: HttpRequest, paging: Query[Paging]) -> Page[TeamOut]:
    mine = Team.objects.of(request.user).order_by("pk")
    return page_of(request, mine, paging, _team)


@router.post("/teams", response={201: TeamDetail}, summary="Found a team", **WRITING)
def found_team(request: HttpRequest, response: HttpResponse, data: TeamIn) -> Status[TeamDetail]:
    """You own it, and can invite others by its key or by mail."""
    team = services.team_found(actor=signed_in(request.user), name=data.name, affiliation=data.affiliation)
    return _created(request, response, team)


@router.post("/teams/join", response={201: TeamDetail}, summary="Join a team by its key", **WRITING)
def join_team(request: HttpRequest, response: HttpResponse, data: KeyIn) -> Status[TeamDetail]:
    """Joining twice changes nothing."""
    return _created(request, response, services.team_join(actor=signed_in(request.user), key=data.key))


@router.get(TEAM, response=TeamDetail, summary="Read a team")
def read_team(request: HttpRequest, path: Path[TeamPath]) -> TeamDetail:
    """For its members, and the organisers of the campaigns that it takes part in."""
    detail = _detail(request.user, get_team_or_404(request.user, path.team))
    if not cast(ApiToken, request.auth).covers(ApiToken.SUBMIT):  # type: ignore[attr-defined]  # set by the framework
        detail.invitation_key = None  # the key lets its holder act for the team, which a token that only reads must not
    return detail


@router.put(TEAM, response=TeamDetail, summary="Rename a team", **WRITING)
def update_team(request: HttpRequest, path: Path[TeamPath], data: TeamIn) -> TeamDetail:
    """For owners. The address stays as it is."""
    team = get_owned_team_or_404(request.user, path.team)
    changed = services.team_update(
        actor=signed_in(request.user), team=team, name=data.name, affiliation=data.affiliation
    )
    return _detail(request.user, changed)


@router.post(f"{TEAM}/leave", response={204: None}, summary="Leave a team", **WRITING)
def leave_team(request: HttpRequest, path: Path[TeamPath]) -> Status[None]:
    """The last owner cannot leave while others stay or runs stand in the team's name."""
    team = get_team_or_404(request.user, path.team)
    if not is_member(request.user, team):
        raise Http404
    services.team_leave(actor=signed_in(request.user), team=team)
    return Status(204, None)


@router.post(f"{TEAM}/invitation-key", response=TeamDetail, summary="Make another invitation key", **WRITING)
def renew_invitation_key(request: HttpRequest, path: Path[TeamPath]) -> TeamDetail:
    """For owners. The key before does not work any more."""
    team = get_owned_team_or_404(request.user, path.team)
    return _detail(request.user, services.team_renew_invitation(actor=signed_in(request.user), team=team))


@router.post(f"{TEAM}/invitations", response={201: InvitationOut}, summary="Invite by mail", **WRITING)
def invite(request: HttpRequest, response: HttpResponse, path: Path[TeamPath], data: EmailIn) -> Status[InvitationOut]:
    """For owners. The mail holds a link that lets one person join; asking again sends it again."""
    team = get_owned_team_or_404(request.user, path.team)
    invitation = services.team_invite(actor=signed_in(request.user), team=team, email=data.email)
    response["Location"] = absolute(f"/api/v1/teams/{team.slug}")
    return Status(201, _invitation(invitation))


@router.delete(f"{TEAM}/invitations/{{invitation}}", response={204: None}, summary="Withdraw an invitation", **WRITING)
def withdraw_invitation(request: HttpRequest, path: Path[TeamPath], invitation: InvitationId) -> Status[None]:
    """For owners. The link in the mail stops working."""
    team = get_owned_team_or_404(request.user, path.team)
    waiting = get_or_404(open_invitations(team), pk=invitation)
    services.invitation_withdraw(actor=signed_in(request.user), invitation=waiting)
    return Status(204, None)


@router.post(f"{TEAM}/owners", response=TeamDetail, summary="Make a member an owner", **WRITING)
def make_owner(request: HttpRequest, path: Path[TeamPath], data: UsernameIn) -> TeamDetail:
    """For owners; this is also how a team is handed over before one leaves it."""
    team = get_owned_team_or_404(request.user, path.team)
    services.team_make_owner(actor=signed_in(request.user), team=team, user=_member(team, data.username))
    return _detail(request.user, team)


@router.post(f"{TEAM}/step-down", response=TeamDetail, summary="Stop being an owner", **WRITING)
def step_down(request: HttpRequest, path: Path[TeamPath]) -> TeamDetail:
    """For owners, where another owner is there. You stay as a member."""
    team = get_owned_team_or_404(request.user, path.team)
    services.team_give_up_ownership(actor=signed_in(request.user), team=team)
    return _detail(request.user, team)


@router.delete(f"{TEAM}/members/{{username}}", response={204: None}, summary="Remove a member", **WRITING)
def remove_member(request: HttpRequest, path: Path[TeamPath], username: str) -> Status[None]:
    """For owners. The team gets another invitation key."""
    team = get_owned_team_or_404(request.user, path.team)
    member = get_or_404(team_members(team), user=user_by_name(username))
    services.team_remove_member(actor=signed_in(request.user), team=team, user=member.user)
    return Status(204, None)


def _created(request: HttpRequest, response: HttpResponse, team: Team) -> Status[TeamDetail]:
    response["Location"] = absolute(f"/api/v1/teams/{team.slug}")
    return Status(201, _detail(request.user, team))


def _member(team: Team, username: str) -> User:
    membership = team_members(team).filter(user=user_by_name(username)).first()
    if membership is None:
        raise ValidationError({"username": f"“{username}” is no member of this team."})
    return membership.user


def _team(team: Team) -> TeamOut:
    return TeamOut(slug=team.slug, name=team.name, affiliation=team.affiliation, url=absolute(team.get_absolute_url()))


def _detail(user: Visitor, team: Team) -> TeamDetail:
    owns = is_owner(user, team)
    members = [
        MemberOut(username=m.user.username, name=str(m.user), is_owner=m.is_owner, joined_at=m.joined_at)
        for m in team_members(team)
    ]
    registrations = team_registrations(user, team).order_by("pk")
    return TeamDetail(
        **_team(team).model_dump(),
        members=members,
        campaigns=[TakingPart(campaign=entry.campaign.slug, state=entry.state) for entry in registrations],
        invitation_key=team.invitation_key if owns else None,
        invitations=[_invitation(invitation) for invitation in open_invitations(team)] if owns else [],
    )


def _invitation(invitation: Invitation) -> InvitationOut:
    return InvitationOut(id=invitation.pk, email=invitation.email, invited_at=invitation.invited_at)
