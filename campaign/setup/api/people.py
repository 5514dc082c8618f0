"""Who organises and judges: roles, invitations to them, and the answer of the person who is invited."""

from datetime import datetime
from typing import Annotated, Literal

from django.http import HttpRequest
from ninja import Field, Path, Router, Schema, Status

from campaign.accounts.selectors import user_by_name
from campaign.api.auth import ORGANISING, WRITING
from campaign.api.bodies import Body
from campaign.api.fields import LARGEST, Text, one_of
from campaign.api.forms import accepted
from campaign.api.paths import CAMPAIGN, CampaignPath
from campaign.models import Role, RoleInvitation
from campaign.permissions import get_or_404, get_organised_campaign_or_404, signed_in
from campaign.setup.forms.people import RoleForm
from campaign.setup.selectors.people import campaign_roles, own_invitations, waiting_invitations
from campaign.setup.services import people as services

router = Router(tags=["Organising: campaigns"])
PEOPLE = f"{CAMPAIGN}/people"
ROLES = (Role.ORGANISER, Role.ASSESSOR)
RoleName = Literal["organiser", "assessor"]
Key = Annotated[int, Path(ge=1, le=LARGEST)]


class PersonOut(Schema):
    username: str
    name: str
    role: str = one_of(ROLES)


class RoleInvitationOut(Schema):
    id: int
    campaign: str
    username: str = Field(description="Empty: whoever reads the mail at `email`.")
    email: str
    role: str = one_of(ROLES)
    invited_by: str
    invited_at: datetime
    is_open: bool = Field(
        description="false: nobody can accept it, since 30 days are over or the inviter is no longer an organiser. Invite again."
    )


class PeopleOut(Schema):
    people: list[PersonOut]
    invitations: list[RoleInvitationOut] = Field(description="Those that wait for an answer.")


class PersonIn(Body):
    person: Text = Field(min_length=1, max_length=254, description="User name, or a mail address, which gets a link.")
    role: Literal["organiser", "assessor", "in place"] = Field(
        "assessor", description="in place: an organiser in your place; you step down when they accept."
    )


class AnswerIn(Body):
    accept: bool = Field(description="false: decline; the inviter hears of it by mail.")


@router.get(PEOPLE, response=PeopleOut, summary="List organisers and assessors")
def list_people(request: HttpRequest, path: Path[CampaignPath]) -> PeopleOut:
    """For organisers."""
    campaign = get_organised_campaign_or_404(request.user, path.campaign)
    people = [
        PersonOut(username=role.user.username, name=str(role.user), role=role.role) for role in campaign_roles(campaign)
    ]
    invitations = [
        _invitation(one, is_open=one.inviter_organises and not one.is_expired)  # type: ignore[attr-defined]
        for one in waiting_invitations(campaign)
    ]
    return PeopleOut(people=people, invitations=invitations)


@router.post(PEOPLE, response=RoleInvitationOut, summary="Invite to a role", **ORGANISING)
def invite_person(request: HttpRequest, path: Path[CampaignPath], data: PersonIn) -> RoleInvitationOut:
    """The person has the role from when they accept. Asking twice changes nothing and sends no second mail."""
    campaign = get_organised_campaign_or_404(request.user, path.campaign)
    actor = signed_in(request.user)
    form = RoleForm(data.model_dump(), actor=actor)
    accepted(form)
    return _invitation(services.role_invite(actor=actor, campaign=campaign, **form.invitation()))


@router.delete(f"{PEOPLE}/{{role}}/{{username}}", response={204: None}, summary="Take a role away", **ORGANISING)
def remove_person(request: HttpRequest, path: Path[CampaignPath], role: RoleName, username: str) -> Status[None]:
    """A campaign keeps at least one organiser."""
    campaign = get_organised_campaign_or_404(request.user, path.campaign)
    given = get_or_404(campaign_roles(campaign), role=role, user=user_by_name(username))
    services.role_revoke(actor=signed_in(request.user), campaign=campaign, user=given.user, role=role)
    return Status(204, None)


@router.delete(
    f"{CAMPAIGN}/role-invitations/{{invitation}}",
    response={204: None},
    summary="Withdraw a role invitation",
    **ORGANISING,
)
def withdraw_role_invitation(request: HttpRequest, path: Path[CampaignPath], invitation: Key) -> Status[None]:
    campaign = get_organised_campaign_or_404(request.user, path.campaign)
    waiting = get_or_404(waiting_invitations(campaign), pk=invitation)
    services.invitation_withdraw(actor=signed_in(request.user), invitation=waiting)
    return Status(204, None)


@router.get("/me/role-invitations", response=list[RoleInvitationOut], summary="List my invitations to roles")
def list_my_role_invitations(request: HttpRequest) -> list[RoleInvitationOut]:
    return [_invitation(one) for one in own_invitations(signed_in(request.user))]


@router.post("/me/role-invitations/{invitation}", response={204: None}, summary="Answer an invitation", **WRITING)
def answer_role_invitation(request: HttpRequest, invitation: Key, data: AnswerIn) -> Status[None]:
    """Take the role, or decline."""
    user = signed_in(request.user)
    waiting = get_or_404(own_invitations(user), pk=invitation)
    answer = services.invitation_accept if data.accept else services.invitation_decline
    answer(actor=user, invitation=waiting)
    return Status(204, None)


def _invitation(invitation: RoleInvitation, *, is_open: bool = True) -> RoleInvitationOut:
    return RoleInvitationOut(
        id=invitation.pk,
        campaign=invitation.campaign.slug,
        username=invitation.user.username if invitation.user else "",
        email=invitation.email,
        role=invitation.role,
        invited_by=str(invitation.invited_by),
        invited_at=invitation.invited_at,
        is_open=is_open,
    )
