"""Campaigns as their organisers create and change them: by the forms of the pages."""

from datetime import datetime
from functools import partial
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from ninja import Field, Path, Router, Schema, Status

from campaign.api.auth import ORGANISING
from campaign.api.bodies import ToConfirm
from campaign.api.fields import one_of
from campaign.api.forms import accepted, as_sent, form_body
from campaign.api.paths import CAMPAIGN, CampaignPath
from campaign.models import Campaign
from campaign.permissions import get_organised_campaign_or_404, require_founder, signed_in
from campaign.setup.forms.campaigns import CampaignForm
from campaign.setup.selectors.phases import opening_consequences
from campaign.setup.services import campaigns as services
from campaign.web.links import absolute

router = Router(tags=["Organising: campaigns"])
CampaignIn = form_body("CampaignIn", CampaignForm)
CampaignEdit = form_body("CampaignEdit", CampaignForm, without=("slug",), optional=True)


class CampaignSettings(Schema):
    slug: str
    title: str
    summary: str
    call: str = Field(description="Markdown.")
    time_zone: str
    registration: str = one_of(Campaign.REGISTRATIONS)
    opened_at: datetime | None = Field(description="null: a draft that only its organisers and assessors see.")
    url: str = Field(description="Its page.")


@router.post("/campaigns", response={201: CampaignSettings}, summary="Create a campaign", **ORGANISING)
def create_campaign(request: HttpRequest, response: HttpResponse, data: CampaignIn) -> Status[CampaignSettings]:  # type: ignore[valid-type]
    """A draft that only its organisers see, you first. What is left out is as the page has it at first."""
    require_founder(request.user)
    values = accepted(as_sent(CampaignForm, _sent(data)))
    campaign = services.campaign_create(actor=signed_in(request.user), **values)
    response["Location"] = absolute(reverse("api:read_campaign_settings", kwargs={"campaign": campaign.slug}))
    return Status(201, _settings(campaign))


@router.get(f"{CAMPAIGN}/settings", response=CampaignSettings, summary="Read a campaign's settings")
def read_campaign_settings(request: HttpRequest, path: Path[CampaignPath]) -> CampaignSettings:
    """For its organisers."""
    return _settings(get_organised_campaign_or_404(request.user, path.campaign))


@router.patch(f"{CAMPAIGN}/settings", response=CampaignSettings, summary="Change a campaign", **ORGANISING)
def change_campaign(request: HttpRequest, path: Path[CampaignPath], data: CampaignEdit) -> CampaignSettings:  # type: ignore[valid-type]
    """Fields that are not sent stay as they are. The slug stays for good."""
    campaign = get_organised_campaign_or_404(request.user, path.campaign)
    sent = _sent(data)
    values = accepted(as_sent(partial(CampaignForm, instance=campaign), sent))
    changed = {name: values[name] for name in sent}
    return _settings(services.campaign_update(actor=signed_in(request.user), campaign=campaign, **changed))


@router.post(f"{CAMPAIGN}/open", response=CampaignSettings, summary="Open a campaign", **ORGANISING)
def open_campaign(request: HttpRequest, path: Path[CampaignPath], data: ToConfirm) -> CampaignSettings:
    """Everybody can read it then, and teams can register. Opening it again changes nothing."""
    campaign = get_organised_campaign_or_404(request.user, path.campaign)
    if campaign.opened_at is None:
        data.require(opening_consequences(campaign))
    return _settings(services.campaign_open(actor=signed_in(request.user), campaign=campaign))


def _sent(data: Any) -> dict[str, Any]:
    sent: dict[str, Any] = data.model_dump(exclude_unset=True)
    return sent


def _settings(campaign: Campaign) -> CampaignSettings:
    same = ("slug", "title", "summary", "call", "time_zone", "registration", "opened_at")
    values = {name: getattr(campaign, name) for name in same}
    return CampaignSettings(**values, url=absolute(campaign.get_absolute_url()))
