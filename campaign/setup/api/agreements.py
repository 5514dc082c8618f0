"""The texts that teams accept, as organisers write them. Teams accept them at another address."""

from datetime import datetime
from typing import Annotated

from django.http import HttpRequest
from ninja import Field, Path, Router, Schema

from campaign.api.auth import ORGANISING
from campaign.api.bodies import Body, ToConfirm
from campaign.api.fields import LARGEST, Text
from campaign.api.paths import CAMPAIGN, CampaignPath
from campaign.models import Agreement
from campaign.permissions import get_or_404, get_organised_campaign_or_404, signed_in
from campaign.setup.selectors.agreements import RETIRING, counted_agreements
from campaign.setup.services import agreements as services

router = Router(tags=["Organising: campaigns"])
TEXTS = f"{CAMPAIGN}/agreement-texts"
Key = Annotated[int, Path(ge=1, le=LARGEST)]


class AgreementText(Schema):
    id: int
    title: str
    text: str = Field(description="Markdown.")
    text_sha256: str = Field(description="As in the record of who accepted what.")
    retired_at: datetime | None = Field(description="null: teams have to accept it.")


class AgreementTextIn(Body):
    title: Text = Field(min_length=1, description="As teams see it above its text.")
    text: Text = Field(min_length=1, description="Markdown.")


@router.get(TEXTS, response=list[AgreementText], summary="List agreements with those retired")
def list_agreement_texts(request: HttpRequest, path: Path[CampaignPath]) -> list[AgreementText]:
    """For organisers; current ones first."""
    campaign = get_organised_campaign_or_404(request.user, path.campaign)
    return [_text(agreement) for agreement in counted_agreements(campaign)]


@router.post(TEXTS, response=AgreementText, summary="Write an agreement", **ORGANISING)
def create_agreement(request: HttpRequest, path: Path[CampaignPath], data: AgreementTextIn) -> AgreementText:
    """Teams are asked to accept it from now on."""
    campaign = get_organised_campaign_or_404(request.user, path.campaign)
    values = data.model_dump()
    return _text(services.agreement_create(actor=signed_in(request.user), campaign=campaign, **values))


@router.put(f"{TEXTS}/{{agreement}}", response=AgreementText, summary="Word an agreement anew", **ORGANISING)
def replace_agreement(
    request: HttpRequest, path: Path[CampaignPath], agreement: Key, data: AgreementTextIn
) -> AgreementText:
    """The answer has another `id`: the old wording is retired, and every team is asked to accept the new one."""
    old = _agreement(request, path, agreement)
    return _text(services.agreement_replace(actor=signed_in(request.user), agreement=old, **data.model_dump()))


@router.post(f"{TEXTS}/{{agreement}}/retire", response=AgreementText, summary="Retire an agreement", **ORGANISING)
def retire_agreement(request: HttpRequest, path: Path[CampaignPath], agreement: Key, data: ToConfirm) -> AgreementText:
    """Teams need not accept it any more."""
    old = _agreement(request, path, agreement)
    data.require(RETIRING)
    services.agreement_retire(actor=signed_in(request.user), agreement=old)
    old.refresh_from_db(fields=["retired_at"])
    return _text(old)


def _agreement(request: HttpRequest, path: CampaignPath, key: int) -> Agreement:
    return get_or_404(counted_agreements(get_organised_campaign_or_404(request.user, path.campaign)), pk=key)


def _text(agreement: Agreement) -> AgreementText:
    return AgreementText(
        id=agreement.pk,
        title=agreement.title,
        text=agreement.text,
        text_sha256=services.text_sha256(agreement),
        retired_at=agreement.retired_at,
    )
