from typing import Annotated

from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from ninja import Field, Path, Router, Schema, Status

from campaign.api.auth import WRITING
from campaign.api.bodies import Body
from campaign.api.fields import LARGEST, Slug, one_of
from campaign.api.paths import CAMPAIGN, CampaignPath, RegistrationPath
from campaign.models import Agreement, Campaign, Registration, Team, Visitor
from campaign.permissions import get_campaign_or_404, get_or_404, signed_in
from campaign.setup.selectors.agreements import current_agreements
from campaign.teams.selectors.acceptances import missing_agreements
from campaign.teams.selectors.teams import own_registrations
from campaign.teams.services.acceptances import agreements_accept
from campaign.teams.services.registrations import registration_withdraw, team_register
from campaign.web.links import absolute

router = Router(tags=["Campaigns"])


class RegistrationOut(Schema):
    team: str
    state: str = one_of(["", *Registration.STATES], "Empty: not registered.")
    note: str = Field(description="The organiser's note with the decision.")
    missing_agreements: list[int] = Field(description="What the team has to accept before it can submit.")


class Accepted(Body):
    team: Slug = Field(description="The address of your team.")
    agreements: list[Annotated[int, Field(ge=1, le=LARGEST)]] = Field(
        [], description="The ids of the agreements that you accept for the team.", max_length=100
    )


@router.post(f"{CAMPAIGN}/registrations", response={201: RegistrationOut}, summary="Register a team", **WRITING)
def register_team(
    request: HttpRequest, response: HttpResponse, path: Path[CampaignPath], data: Accepted
) -> Status[RegistrationOut]:
    """Register one of your teams, and accept agreements for it in the same step.

    Registering twice changes nothing. Where the organiser decides, the state is “requested” at first.
    """
    campaign = get_campaign_or_404(request.user, path.campaign)
    team, agreements = own_team(request.user, data.team), _agreements(campaign, data.agreements)
    team_register(actor=signed_in(request.user), team=team, campaign=campaign, accepted=agreements)
    response["Location"] = absolute(f"/api/v1/campaigns/{campaign.slug}")
    return Status(201, _registration(campaign, team))


@router.delete(f"{CAMPAIGN}/registrations/{{team}}", response={204: None}, summary="Withdraw a registration", **WRITING)
def withdraw_registration(request: HttpRequest, path: Path[RegistrationPath]) -> Status[None]:
    """Your team does not take part after all; possible while it has no runs."""
    campaign = get_campaign_or_404(request.user, path.campaign)
    registration = get_or_404(own_registrations(request.user, campaign), team__slug=path.team)
    registration_withdraw(actor=signed_in(request.user), registration=registration)
    return Status(204, None)


@router.post(f"{CAMPAIGN}/agreements", response=RegistrationOut, summary="Accept agreements", **WRITING)
def accept_agreements(request: HttpRequest, path: Path[CampaignPath], data: Accepted) -> RegistrationOut:
    """For a team that is registered already: a new wording is a new agreement."""
    campaign = get_campaign_or_404(request.user, path.campaign)
    team, agreements = own_team(request.user, data.team), _agreements(campaign, data.agreements)
    agreements_accept(actor=signed_in(request.user), team=team, campaign=campaign, agreements=agreements)
    return _registration(campaign, team)


def _registrations(user: Visitor, campaign: Campaign) -> list[RegistrationOut]:
    return [_registration(campaign, team) for team in Team.objects.of(user).order_by("pk")]


def _registration(campaign: Campaign, team: Team) -> RegistrationOut:
    registration = Registration.objects.filter(campaign=campaign, team=team).first()
    return RegistrationOut(
        team=team.slug,
        state=registration.state if registration else "",
        note=registration.note if registration else "",
        missing_agreements=list(missing_agreements(team, campaign).values_list("pk", flat=True)),
    )


def own_team(user: Visitor, slug: str) -> Team:
    """The team that a field names; another user's team is treated as missing."""
    team = Team.objects.of(user).filter(slug=slug).first()
    if team is None:
        mine = ", ".join(Team.objects.of(user).values_list("slug", flat=True)) or "none yet"
        raise ValidationError({"team": f"You are in no team “{slug}”. Your teams: {mine}."})
    return team


def _agreements(campaign: Campaign, ids: list[int]) -> list[Agreement]:
    known = {agreement.pk: agreement for agreement in current_agreements(campaign)}
    unknown = [str(pk) for pk in ids if pk not in known]
    if unknown:
        asked = ", ".join(map(str, known)) or "none"
        raise ValidationError(
            {"agreements": f"This campaign does not ask for agreement {', '.join(unknown)}. It asks for: {asked}."}
        )
    return [known[pk] for pk in ids]
