"""Notices are written once; a job writes the mails, each address once under the notice's batch."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import UUID

from django.core.exceptions import ValidationError
from django.db import transaction

from campaign.accounts.selectors import reply_address
from campaign.formats.markup import one_line
from campaign.log.audit import audit
from campaign.mail.services import mail_text, mail_user
from campaign.models import Mail, Notice, User
from campaign.models.mail import NOTICE
from campaign.news.selectors.recipients import Audience, mailed, people
from campaign.permissions import get_or_404, locked_organised_campaign_or_404
from campaign.queue.jobs import enqueue
from campaign.web.daily_limits import require_few_rows
from campaign.web.links import absolute
from campaign.web.rendered_markdown import require_prose

MAIL_NOTICE = "mail notice"
"""Done by campaign/jobs.py."""


@dataclass(frozen=True, slots=True)
class MailedBy:
    """The job that writes the mails of a notice; it is given the notice, and what it is `about`."""

    job: str
    about: Mapping[str, int] = field(default_factory=dict)


AS_WRITTEN = MailedBy(MAIL_NOTICE)
MOST_NOTICES_A_DAY = 50
"""Written by hand in a campaign: each can be a mail to everybody in it."""
NOBODY = {
    Notice.TEAMS: "No team takes part yet. Wait for teams to register, or approve those that ask to take part.",
    Notice.SUBMITTERS: "No team has a run that counts yet. Choose all teams, or write later.",
    Notice.WITHOUT_RUN: "Every team has a run that counts. Choose all teams instead.",
    Notice.SELECTION: "No member of these teams has a mail address. Choose other teams.",
    Notice.ASSESSORS: "The campaign has no assessor yet. Invite assessors under People first.",
    Notice.ORGANISERS: "You are the only organiser. Choose another audience.",
}
"""Why a notice would reach nobody, and what to do."""


@transaction.atomic
def notice_write(*, actor: User, audience: Audience, title: str, body: str, batch: UUID) -> Notice:
    """Write a notice by hand. Sent twice from one form it is one notice; another text needs another form."""
    campaign = locked_organised_campaign_or_404(actor, audience.campaign)  # a double click waits here
    title = one_line(title)
    if first := Notice.objects.filter(batch=batch, campaign=campaign).first():
        if (first.title, first.body) != (title, body):
            raise ValidationError("Another notice was sent from this form already. Start again with a new one.")
        return first
    by_hand = Notice.objects.filter(campaign=campaign, kind=NOTICE)
    what = "notices in this campaign"
    require_few_rows(by_hand, "written_at", {"written_by": actor}, MOST_NOTICES_A_DAY, what)
    if not title or not body.strip():
        raise ValidationError("Write a subject and a text.")
    meant = replace(audience, campaign=campaign, but=actor).with_teams()
    _require_readers(meant)
    notice = notice_store(meant, title=title, body=body, batch=batch)
    to = {"audience": meant.name, "teams": [team.pk for team in meant.teams], "owners_only": meant.owners_only}
    audit(actor, "write notice", notice, campaign=campaign, title=title, mails=notice.people, **to)
    return notice


def notice_store(meant: Audience, *, title: str, body: str, batch: UUID, mailed_by: MailedBy = AS_WRITTEN) -> Notice:
    """Store a notice and ask for its mails, inside the transaction that makes it necessary."""
    values: dict[str, Any] = {
        "campaign": meant.campaign,
        "task": meant.task,
        "audience": meant.name,
        "kind": meant.kind,
    }
    values |= {"owners_only": meant.owners_only, "written_by": meant.but, "people": len(mailed(meant))}
    notice = Notice(title=title[:200], body=body, batch=batch, **values)
    notice.full_clean()
    require_prose("body", body)
    notice.save()
    if meant.teams:
        notice.teams.set(meant.teams)
    if notice.people:
        enqueue(mailed_by.job, notice_id=notice.pk, **mailed_by.about)
    return notice


def notice_mail(notice_id: int, own_words: Callable[[User], str] = lambda user: "") -> int:
    """Write the mails of a notice that are not written yet; returns how many. Run twice, it writes none twice.

    `own_words`: what the mail says to one person besides the notice.
    """
    notice = get_or_404(Notice.objects.select_related("campaign", "task", "written_by"), pk=notice_id)
    values: dict[str, Any] = {"campaign": notice.campaign, "kind": notice.kind, "batch": notice.batch}
    values["reply_to"] = reply_address(notice.written_by) if notice.written_by else ""
    values |= {"subject": notice.title}
    page = absolute(notice.get_absolute_url())
    return sum(
        _mail_once(user, {**values, "body": notice_body(notice, page, own_words(user))})
        for user in mailed(Audience.of(notice))
    )


def notice_body(notice: Notice, page: str, own_words: str = "") -> str:
    """The text of the mail of a notice, also of one that is not stored yet."""
    return mail_text("notice", notice=notice, author=notice.author, page=page, own_words=own_words)


@transaction.atomic
def _mail_once(user: User, values: dict[str, Any]) -> bool:
    """Under the recipient's lock: two workers that got the same job write one mail."""
    User.objects.select_for_update(no_key=True).get(pk=user.pk)
    if Mail.objects.filter(batch=values["batch"], address__iexact=user.email).exists():
        return False
    return mail_user(user=user, **values) is not None


def _require_readers(meant: Audience) -> None:
    if meant.campaign.opened_at is None:
        raise ValidationError("The campaign is a draft, so nobody would be told. Open it first, then write the notice.")
    if any(team.registrations.filter(campaign=meant.campaign).count() == 0 for team in meant.teams):
        raise ValidationError("Some of these teams are not registered for this campaign.")
    if meant.name != Notice.EVERYBODY and not people(meant).exclude(email="").exists():
        raise ValidationError({"audience": f"Nobody would get this notice. {NOBODY[meant.name]}"})
