from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from campaign.models import Campaign, Milestone, Notice
from campaign.news.selectors.recipients import Audience
from campaign.news.services.milestones import milestone_add
from campaign.news.services.notices import notice_write
from tests.factories import Cast


def make_notice(cast: Cast, audience: str = Notice.EVERYBODY, **values: Any) -> Notice:
    """Written by the organiser through the real service."""
    title, body = values.pop("title", "Topics are out"), values.pop("body", "They are on the *topics* page.")
    meant = Audience(cast.campaign, audience, **values)
    return notice_write(actor=cast.organiser, audience=meant, title=title, body=body, batch=uuid4())


def make_notices(cast: Cast) -> Notice:
    """One for assessors, and one for everybody, which is returned."""
    make_notice(cast, Notice.ASSESSORS, title="Assessors meet", body="On Monday.")
    return make_notice(cast)


def make_milestone(campaign: Campaign, label: str = "Notebook papers", **values: Any) -> Milestone:
    organiser = campaign.roles.get(role="organiser").user
    at = datetime(2027, 5, 1, 12, tzinfo=UTC)
    return milestone_add(actor=organiser, campaign=campaign, label=label, **{"at": at, **values})
