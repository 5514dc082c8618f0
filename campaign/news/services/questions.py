"""Questions to the organisers: asked, answered, corrected and withdrawn, with the mails that tell of it."""

from django.core.exceptions import PermissionDenied, ValidationError
from django.db import transaction

from campaign.log.audit import audit
from campaign.mail.services import mail_text, mail_user
from campaign.models import Notice, OrganiserAnswer, OrganiserQuestion, Task, User
from campaign.models.mail import QUESTION
from campaign.news.selectors.questions import CLOSED
from campaign.news.selectors.recipients import Audience, mailed
from campaign.permissions import get_or_404, held_campaign_or_404, held_organised_campaign_or_404, is_organiser
from campaign.web.daily_limits import require_few_of_person
from campaign.web.links import absolute

MOST_QUESTIONS_A_DAY, MOST_ANSWERS_A_DAY = 10, 200
"""Of one person: each is a mail. Organisers write as many questions as answers: a list of common ones."""
ASKED_OTHERWISE = (
    "You have asked this already, and chose otherwise whether your name is shown. Withdraw that question first."
)
ANSWERED = "This question is answered. It stays."
STAYS_WHILE_CLOSED = "This campaign is closed. Its questions stay."
ANSWERED_MEANWHILE = (
    "Somebody answered this question meanwhile. Read that answer first, then send yours as a correction of it."
)


@transaction.atomic
def question_ask(*, actor: User, task: Task, text: str, shows_name: bool = False) -> OrganiserQuestion:
    """Ask the organisers, as anybody who sees the task may. The same text sent again while it is open is the same question."""
    campaign = held_campaign_or_404(task.campaign)
    asked = get_or_404(Task.objects.visible_to(actor).select_related("campaign"), pk=task.pk)
    if campaign.closed_at is not None:
        raise ValidationError(CLOSED)
    User.objects.select_for_update(no_key=True).get(pk=actor.pk)  # a double click waits here
    text = text.strip()
    if first := OrganiserQuestion.objects.open().filter(task=asked, asked_by=actor, text=text).first():
        if first.shows_name != shows_name:
            raise ValidationError(ASKED_OTHERWISE)
        return first
    question = OrganiserQuestion(task=asked, asked_by=actor, text=text, shows_name=shows_name)
    question.full_clean()
    question.save()
    audit(actor, "ask", question, campaign=campaign, task=asked.slug)
    body = mail_text("question_asked", question=question, url=absolute(question.get_absolute_url()))
    for organiser in mailed(Audience(campaign, Notice.ORGANISERS, kind=QUESTION, task=asked, but=actor)):
        mail_user(user=organiser, subject=f"{asked}: a question", body=body, campaign=campaign, kind=QUESTION)
    if is_organiser(actor, campaign):
        require_few_of_person(actor, "questions about tasks of yours", MOST_ANSWERS_A_DAY)
    else:
        require_few_of_person(actor, "questions", MOST_QUESTIONS_A_DAY)
    return question


@transaction.atomic
def question_answer(
    *, actor: User, question: OrganiserQuestion, text: str, is_public: bool, seen: int | None = None
) -> OrganiserAnswer:
    """Answer, or correct the answer. `seen`: how many answers the organiser had read; None: any. The same again is one."""
    campaign = held_organised_campaign_or_404(actor, question.task.campaign)
    locked = _locked(question)
    answers, text = list(locked.answers.all()), text.strip()
    if answers and (answers[-1].text, answers[-1].is_public) == (text, is_public):
        return answers[-1]
    if seen is not None and seen != len(answers):
        raise ValidationError(ANSWERED_MEANWHILE)
    answer = OrganiserAnswer(question=locked, text=text, is_public=is_public, written_by=actor)
    answer.full_clean()
    answer.save()
    audit(actor, "answer", locked, campaign=campaign, task=locked.task.slug, is_public=is_public)
    if locked.asked_by_id != actor.pk:
        url = absolute(locked.get_absolute_url())
        body = mail_text("question_answered", question=locked, answer=answer, corrects=bool(answers), url=url)
        subject = f"{locked.task}: your question is answered"
        mail_user(user=locked.asked_by, subject=subject, body=body, campaign=campaign)
    require_few_of_person(actor, "answers", MOST_ANSWERS_A_DAY)
    return answer


@transaction.atomic
def question_withdraw(*, actor: User, question: OrganiserQuestion) -> None:
    """Its asker takes it back while it has no answer and the campaign is not closed: it is deleted."""
    campaign = held_campaign_or_404(question.task.campaign)
    locked = _locked(question)
    if locked.asked_by_id != actor.pk:
        raise PermissionDenied("Only who asked a question can withdraw it.")
    if why_not := why_not_withdrawn(locked):
        raise ValidationError(why_not)
    audit(actor, "withdraw", locked, campaign=campaign, task=locked.task.slug)
    locked.delete()


def why_not_withdrawn(question: OrganiserQuestion) -> str:
    """Why even its asker cannot take it back; empty: nothing."""
    if question.answers.exists():
        return ANSWERED
    return STAYS_WHILE_CLOSED if question.task.campaign.closed_at else ""


def _locked(question: OrganiserQuestion) -> OrganiserQuestion:
    rows = OrganiserQuestion.objects.select_for_update(of=("self",), no_key=True)
    return get_or_404(rows.select_related("task__campaign", "asked_by"), pk=question.pk)
