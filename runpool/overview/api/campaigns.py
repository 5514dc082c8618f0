from datetime import datetime

from django.http import HttpRequest
from ninja import Field, Path, Query, Router, Schema

from campaign.api.auth import PUBLIC
from campaign.api.fields import one_of
from campaign.api.paging import Page, Paging, page_of
from campaign.api.paths import CAMPAIGN, CampaignPath
from campaign.models import Agreement, Campaign, Task
from campaign.permissions import get_campaign_or_404
from campaign.setup.selectors.agreements import current_agreements
from campaign.teams.api.registrations import RegistrationOut, _registrations
from campaign.web.links import absolute

router = Router(tags=["Campaigns"])


class CampaignOut(Schema):
    slug: str = Field(description="Its part of every address.")
    title: str
    summary: str
    zone: str = Field(description="The time zone of its schedule: AoE or a name such as Europe/Zurich.")
    registration: str = one_of(
        Campaign.REGISTRATIONS, "open: a team takes part at once; approved: an organiser decides."
    )
    opened_at: datetime | None = Field(description="null: a draft that only its organisers and assessors see.")
    closed_at: datetime | None = Field(
        description="null: not closed. A closed campaign takes no teams, runs and judgments."
    )
    archived_at: datetime | None = Field(description="null: not archived. Nothing in an archived campaign changes.")
    contact: str = Field(description="Whom participants ask.")
    website: str
    url: str = Field(description="Its page.")


class AgreementOut(Schema):
    id: int
    title: str
    text: str = Field(description="Markdown.")


class CampaignDetail(CampaignOut):
    call: str = Field(description="The call for participation, Markdown.")
    tasks: list[str]
    agreements: list[AgreementOut] = Field(description="What teams accept before they submit.")
    my_teams: list[RegistrationOut] = Field(description="Your teams and how they take part; empty without a token.")


@router.get("/campaigns", response=Page[CampaignOut], summary="List campaigns", **PUBLIC)
def list_campaigns(request: HttpRequest, paging: Query[Paging]) -> Page[CampaignOut]:
    """All campaigns that you may see, the oldest first."""
    visible = Campaign.objects.visible_to(request.user).order_by("pk")
    return page_of(request, visible, paging, campaign_out)


@router.get(CAMPAIGN, response=CampaignDetail, summary="Read a campaign", **PUBLIC)
def read_campaign(request: HttpRequest, path: Path[CampaignPath]) -> CampaignDetail:
    """The call, the tasks, the agreements, and how each of your teams takes part."""
    campaign = get_campaign_or_404(request.user, path.campaign)
    tasks = Task.objects.visible_to(request.user).filter(campaign=campaign).order_by("pk")
    return CampaignDetail(
        **campaign_out(campaign).model_dump(),
        call=campaign.call,
        tasks=list(tasks.values_list("slug", flat=True)),
        agreements=[_agreement(agreement) for agreement in current_agreements(campaign)],
        my_teams=_registrations(request.user, campaign),
    )


def campaign_out(campaign: Campaign) -> CampaignOut:
    return CampaignOut(
        slug=campaign.slug,
        title=campaign.title,
        summary=campaign.summary,
        zone=campaign.time_zone,
        registration=campaign.registration,
        opened_at=campaign.opened_at,
        closed_at=campaign.closed_at,
        archived_at=campaign.archived_at,
        contact=campaign.contact,
        website=campaign.website,
        url=absolute(campaign.get_absolute_url()),
    )


def _agreement(agreement: Agreement) -> AgreementOut:
    return AgreementOut(id=agreement.pk, title=agreement.title, text=agreement.text)
