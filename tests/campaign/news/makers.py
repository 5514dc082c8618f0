from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from campaign.models import Campaign, Milestone, Notice, OrganiserQuestion, User
from campaign.news.selectors.recipients import Audience
from campaign.news.services.milestones import milestone_add
from campaign.news.services.notices import notice_write
from campaign.news.services.questions import question_answer, question_ask
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


def make_question(
    cast: Cast, asker: User | None = None, answer: str = "", is_public: bool = True, **values: Any
) -> OrganiserQuestion:
    """Asked by a member of a team, if nobody else is named; answered by the organiser where there is an answer."""
    values = {"text": "Are stop words removed?", **values}
    question = question_ask(actor=asker or cast.member, task=cast.task, **values)
    if answer:
        question_answer(actor=cast.organiser, question=question, text=answer, is_public=is_public)
    return question


def make_questions(cast: Cast) -> OrganiserQuestion:
    """One that is answered for everybody and corrected, and an open one of a member, which is returned."""
    answered = make_question(cast, cast.assessor, answer="No.", text="Is spelling corrected?", shows_name=True)
    question_answer(actor=cast.organiser, question=answered, text="Yes.", is_public=True)
    return make_question(cast)
