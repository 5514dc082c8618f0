"""Notices as their readers see them, and the mails of a campaign as its organisers do."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import Count, Q, QuerySet

from campaign.mail.services import SEND_AND_FORGET, SEND_MAIL
from campaign.models import Campaign, Job, Mail, Notice, Task, Visitor, job_key, tones

ON_THE_CAMPAIGN_PAGE = 3
IN_THE_FEED = 50


def notices_of(user: Visitor, campaign: Campaign, task: Task | None = None) -> QuerySet[Notice]:
    """The notices that the reader may see, the newest first."""
    notices = Notice.objects.visible_to(user).filter(campaign=campaign)
    if task is not None:
        notices = notices.filter(task=task)
    return notices.select_related("campaign", "task", "written_by")


def latest_notices(user: Visitor, campaign: Campaign) -> list[Notice]:
    return list(notices_of(user, campaign)[:ON_THE_CAMPAIGN_PAGE])


def public_notices(campaign: Campaign) -> list[Notice]:
    """What the feed holds: the same for every reader."""
    notices = Notice.objects.public().filter(campaign=campaign)
    return list(notices.select_related("campaign", "task", "written_by")[:IN_THE_FEED])


def mails_of(campaign: Campaign, notice: Notice | None = None) -> QuerySet[Mail]:
    """The mails that were written for a campaign, or for one notice of it, the newest first."""
    mails = Mail.objects.filter(campaign=campaign).select_related("recipient")
    return mails if notice is None else mails.filter(batch=notice.batch)


def mail_counts(notice: Notice) -> dict[str, int]:
    """How many mails of a notice are written, and how many of them are sent."""
    mails = mails_of(notice.campaign, notice).order_by()
    return mails.aggregate(written=Count("pk"), sent=Count("pk", filter=Q(sent_at__isnull=False)))


@dataclass(frozen=True, slots=True)
class SentMail:
    """A mail, and what became of it in a word; `why`: what the mail server said of one that was not delivered."""

    mail: Mail
    state: str
    tone: str
    why: str = ""


def with_states(mails: Iterable[Mail]) -> list[SentMail]:
    """The mails with what became of them. Runs one query however many they are."""
    listed = list(mails)
    waiting = {job_key({"mail_id": mail.pk}): mail.pk for mail in listed if mail.sent_at is None}
    jobs = Job.objects.filter(name__in=[SEND_MAIL, SEND_AND_FORGET], key__in=waiting, state=Job.FAILED)
    failed = {waiting[key]: why for key, why in jobs.order_by("pk").values_list("key", "message")}
    return [_with_state(mail, failed.get(mail.pk)) for mail in listed]


def _with_state(mail: Mail, why: str | None) -> SentMail:
    if mail.sent_at is not None:
        return SentMail(mail, "sent", tones.GOOD)
    if why is not None:
        return SentMail(mail, "not delivered", tones.BAD, why)
    return SentMail(mail, "waiting", tones.WAITING)
