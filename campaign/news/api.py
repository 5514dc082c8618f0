"""Notices and milestones of a campaign, and questions to the organisers of its tasks."""

from datetime import datetime
from functools import partial
from typing import Annotated, Any

from django.http import HttpRequest
from ninja import Field, Path, Query, Router, Schema, Status

from campaign.api.auth import ORGANISING, PUBLIC, WRITING
from campaign.api.bodies import ToConfirm
from campaign.api.fields import LARGEST, one_of
from campaign.api.forms import accepted, as_sent, form_body
from campaign.api.paging import Page, Paging, page_of
from campaign.api.paths import CAMPAIGN, TASK, CampaignPath, TaskPath
from campaign.models import Milestone, Notice, OrganiserAnswer, OrganiserQuestion, Visitor
from campaign.news.forms import AnswerForm, MilestoneForm, NoticeForm, QuestionForm
from campaign.news.selectors.calendar import MILESTONE_REMOVED
from campaign.news.selectors.notices import notices_of
from campaign.news.selectors.questions import as_read, questions_of
from campaign.news.selectors.recipients import Audience, mailed
from campaign.news.services import milestones as services
from campaign.news.services.notices import notice_write
from campaign.news.services.questions import question_answer, question_ask, question_withdraw
from campaign.permissions import (
    get_campaign_or_404,
    get_or_404,
    get_organised_campaign_or_404,
    get_organised_task_or_404,
    get_task_or_404,
    is_organiser,
    signed_in,
)
from campaign.text.plurals import number_of
from campaign.web.links import absolute

router = Router(tags=["Campaigns"])
NOTICES, MILESTONES = f"{CAMPAIGN}/notices", f"{CAMPAIGN}/milestones"
NEWS: dict[str, Any] = {"tags": ["Organising: news"], **ORGANISING}
Key = Annotated[int, Path(ge=1, le=LARGEST)]
NoticeIn = form_body("NoticeIn", NoticeForm, base=ToConfirm)
MilestoneIn = form_body("MilestoneIn", MilestoneForm)
QUESTIONS, QUESTION = f"{TASK}/questions", f"{TASK}/questions/{{question}}"
ASKING: dict[str, Any] = {"tags": ["Questions to organisers"]}
OrganiserQuestionIn = form_body("OrganiserQuestionIn", QuestionForm)
OrganiserAnswerIn = form_body("OrganiserAnswerIn", AnswerForm)
MilestoneEdit = form_body("MilestoneEdit", MilestoneForm, optional=True)


class NoticeOut(Schema):
    id: int
    title: str
    text: str = Field(description="Markdown.")
    audience: str = one_of(Notice.AUDIENCES)
    task: str | None = Field(description="What it is about; null: the whole campaign.")
    written_by: str = Field(description="Empty: the site.")
    written_at: datetime
    people: int | None = Field(description="How many were to get it by mail; null but for organisers.")
    url: str = Field(description="Its page.")


class MilestoneOut(Schema):
    id: int
    label: str
    at: datetime
    link: str = Field(description="Empty: none.")


class OrganiserAnswerOut(Schema):
    text: str
    is_public: bool = Field(description="Everybody who sees the task reads it; else who asked.")
    written_at: datetime


class OrganiserQuestionOut(Schema):
    id: int
    text: str
    asked_by: str = Field(description="Empty: you are not told.")
    is_yours: bool
    shows_name: bool = Field(description="Whether a public answer names who asked.")
    asked_at: datetime
    answer: OrganiserAnswerOut | None = Field(description="The one that stands; null: none yet.")
    corrected: list[OrganiserAnswerOut] = Field(description="Answers that it corrects, the earliest first.")
    url: str = Field(description="Where it stands on the page.")


@router.get(NOTICES, response=Page[NoticeOut], summary="List a campaign's notices", **PUBLIC)
def list_notices(request: HttpRequest, path: Path[CampaignPath], paging: Query[Paging]) -> Page[NoticeOut]:
    """Those that you may see, the newest first."""
    campaign = get_campaign_or_404(request.user, path.campaign)
    make = partial(_notice, organises=is_organiser(request.user, campaign))
    return page_of(request, notices_of(request.user, campaign), paging, make)


@router.post(NOTICES, response=NoticeOut, summary="Write a notice", **NEWS)
def write_notice(request: HttpRequest, path: Path[CampaignPath], data: NoticeIn) -> NoticeOut:  # type: ignore[valid-type]
    """On the campaign's page at once, and by mail. Without `confirm` the answer says to how many people.

    Sent again under the same `batch`, a UUID that you make, it is one notice.
    """
    campaign, author = get_organised_campaign_or_404(request.user, path.campaign), signed_in(request.user)
    sent = data.model_dump(exclude_unset=True, exclude={"confirm"})  # type: ignore[attr-defined]
    form = as_sent(partial(NoticeForm, campaign=campaign), sent)
    values, meant = accepted(form), form.meant(author)
    data.require(_consequences(meant))  # type: ignore[attr-defined]
    notice = notice_write(
        actor=author, audience=meant, title=values["subject"], body=values["text"], batch=values["batch"]
    )
    return _notice(notice, organises=True)


@router.get(MILESTONES, response=list[MilestoneOut], summary="List a campaign's milestones", **PUBLIC)
def list_milestones(request: HttpRequest, path: Path[CampaignPath]) -> list[MilestoneOut]:
    """Dates besides the deadlines of tasks, the earliest first."""
    return [_milestone(one) for one in get_campaign_or_404(request.user, path.campaign).milestones.all()]


@router.post(MILESTONES, response=MilestoneOut, summary="Add a milestone", **NEWS)
def add_milestone(request: HttpRequest, path: Path[CampaignPath], data: MilestoneIn) -> MilestoneOut:  # type: ignore[valid-type]
    """On the campaign's page and in its calendar."""
    campaign = get_organised_campaign_or_404(request.user, path.campaign)
    sent = data.model_dump(exclude_unset=True)  # type: ignore[attr-defined]
    values = accepted(as_sent(partial(MilestoneForm, campaign=campaign), sent))
    return _milestone(services.milestone_add(actor=signed_in(request.user), campaign=campaign, **values))


@router.patch(f"{MILESTONES}/{{milestone}}", response=MilestoneOut, summary="Change a milestone", **NEWS)
def change_milestone(
    request: HttpRequest,
    path: Path[CampaignPath],
    milestone: Key,
    data: MilestoneEdit,  # type: ignore[valid-type]
) -> MilestoneOut:
    """Fields that are not sent stay as they are."""
    found = _of_campaign(request, path, milestone)
    sent = data.model_dump(exclude_unset=True)  # type: ignore[attr-defined]
    values = accepted(as_sent(partial(MilestoneForm, campaign=found.campaign, instance=found), sent))
    return _milestone(services.milestone_update(actor=signed_in(request.user), milestone=found, **values))


@router.post(f"{MILESTONES}/{{milestone}}/remove", response={204: None}, summary="Remove a milestone", **NEWS)
def remove_milestone(request: HttpRequest, path: Path[CampaignPath], milestone: Key, data: ToConfirm) -> Status[None]:
    """Nobody is told."""
    found = _of_campaign(request, path, milestone)
    data.require(MILESTONE_REMOVED)
    services.milestone_remove(actor=signed_in(request.user), milestone=found)
    return Status(204, None)


@router.get(
    QUESTIONS, response=Page[OrganiserQuestionOut], summary="List questions to the organisers", **PUBLIC, **ASKING
)
def list_questions(request: HttpRequest, path: Path[TaskPath], paging: Query[Paging]) -> Page[OrganiserQuestionOut]:
    """The newest first: your own, and those answered for everybody; organisers get all."""
    task = get_task_or_404(request.user, path.campaign, path.task)
    return page_of(request, questions_of(request.user, task), paging, partial(_question, request.user))


@router.post(QUESTIONS, response=OrganiserQuestionOut, summary="Ask the organisers", **WRITING, **ASKING)
def ask_organisers(request: HttpRequest, path: Path[TaskPath], data: OrganiserQuestionIn) -> OrganiserQuestionOut:  # type: ignore[valid-type]
    """The organisers get it by mail and see who asks. The same text sent again while it is open is the same question."""
    task, actor = get_task_or_404(request.user, path.campaign, path.task), signed_in(request.user)
    values = accepted(as_sent(QuestionForm, data.model_dump(exclude_unset=True)))  # type: ignore[attr-defined]
    return _question(actor, question_ask(actor=actor, task=task, **values))


@router.post(f"{QUESTION}/answer", response=OrganiserQuestionOut, summary="Answer a question", **ORGANISING, **ASKING)
def answer_question(
    request: HttpRequest,
    path: Path[TaskPath],
    question: Key,
    data: OrganiserAnswerIn,  # type: ignore[valid-type]
) -> OrganiserQuestionOut:
    """For who asked, or for everybody who sees the task, with the question. Another answer corrects the one before."""
    task, actor = get_organised_task_or_404(request.user, path.campaign, path.task), signed_in(request.user)
    found = get_or_404(questions_of(actor, task), pk=question)
    sent = {"seen": None, **data.model_dump(exclude_unset=True)}  # type: ignore[attr-defined]
    form = as_sent(partial(AnswerForm, question=found), sent)
    accepted(form)
    question_answer(actor=actor, question=found, **form.answer())
    return _question(actor, get_or_404(questions_of(actor, task), pk=question))


@router.post(f"{QUESTION}/withdraw", response={204: None}, summary="Withdraw a question", **WRITING, **ASKING)
def withdraw_question(request: HttpRequest, path: Path[TaskPath], question: Key) -> Status[None]:
    """One of yours that has no answer yet, while the campaign is not closed. It is deleted."""
    task, actor = get_task_or_404(request.user, path.campaign, path.task), signed_in(request.user)
    own = OrganiserQuestion.objects.filter(task=task, asked_by=actor).select_related("task__campaign")
    question_withdraw(actor=actor, question=get_or_404(own, pk=question))
    return Status(204, None)


def _of_campaign(request: HttpRequest, path: CampaignPath, key: int) -> Milestone:
    campaign = get_organised_campaign_or_404(request.user, path.campaign)
    return get_or_404(campaign.milestones.select_related("campaign"), pk=key)


def _consequences(meant: Audience) -> list[str]:
    by_mail = (
        f"{number_of(len(mailed(meant)), 'person,people')} get this notice by mail. It cannot be changed afterwards."
    )
    public = "Everybody can read it on the page of the campaign and in its feed."
    return [by_mail, public] if meant.name == Notice.EVERYBODY else [by_mail]


def _notice(notice: Notice, *, organises: bool) -> NoticeOut:
    return NoticeOut(
        id=notice.pk,
        title=notice.title,
        text=notice.body,
        audience=notice.audience,
        task=notice.task.slug if notice.task else None,
        written_by=str(notice.written_by) if notice.written_by else "",
        written_at=notice.written_at,
        people=notice.people if organises else None,
        url=absolute(notice.get_absolute_url()),
    )


def _milestone(milestone: Milestone) -> MilestoneOut:
    return MilestoneOut(id=milestone.pk, label=milestone.label, at=milestone.at, link=milestone.web_link)


def _question(user: Visitor, question: OrganiserQuestion) -> OrganiserQuestionOut:
    read = as_read(user, question)
    return OrganiserQuestionOut(
        id=question.pk,
        text=question.text,
        asked_by=read.asker,
        is_yours=read.is_own,
        shows_name=question.shows_name,
        asked_at=question.asked_at,
        answer=_answer(read.answer) if read.answer else None,
        corrected=[_answer(one) for one in read.earlier],
        url=absolute(question.get_absolute_url()),
    )


def _answer(answer: OrganiserAnswer) -> OrganiserAnswerOut:
    return OrganiserAnswerOut(text=answer.text, is_public=answer.is_public, written_at=answer.written_at)
