"""One mail a day instead of many: what was kept for it is deleted in the transaction that writes it."""

from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Min, Q
from django.utils import timezone

from campaign.mail.services import SEND_DIGEST, mail_text, mail_user
from campaign.models import DigestEntry, User
from campaign.models.fields import zone_named
from campaign.models.mail import RUN
from campaign.queue.jobs import enqueue
from campaign.queue.periodic import by_itself
from campaign.text.plurals import number_of

DAY, HOUR = timedelta(days=1), 6
"""`HOUR`: of the morning, in the reader's time zone, or in UTC where it is not known."""


def digests_request() -> int:
    """Ask for the mails of the day that are due: part of the sweep."""
    now = timezone.now()
    waiting = User.objects.filter(digest_entries__isnull=False).annotate(oldest=Min("digest_entries__created_at"))
    return by_itself(waiting, lambda user: _ask_for_digest(user, now))


def _ask_for_digest(user: Any, now: datetime) -> bool:
    """`user.oldest`: an annotation."""
    if last_hour(user, now) <= user.oldest <= now + DAY:
        return False
    enqueue(SEND_DIGEST, user_id=user.pk)
    return True


@transaction.atomic
def digest_send(user_id: int) -> int:
    """Write the mail about what was kept until this morning; returns how many entries it has. Run twice, it writes one mail."""
    user = User.objects.select_for_update(no_key=True).filter(pk=user_id).first()
    if user is None:
        return 0
    now = timezone.now()
    due = Q(created_at__lt=last_hour(user, now)) | Q(
        created_at__gt=now + DAY
    )  # these by a clock that was set back since
    waiting = list(DigestEntry.objects.filter(due, user=user))
    if not waiting:
        return 0
    body = mail_text("digest", entries=[entry.text for entry in waiting])
    mail_user(user=user, subject=f"{number_of(len(waiting), 'run')} checked", body=body, kind=RUN)
    DigestEntry.objects.filter(pk__in=[entry.pk for entry in waiting]).delete()
    return len(waiting)


def last_hour(user: User, now: datetime) -> datetime:
    """The latest moment at which this person's mail of the day became due."""
    there = now.astimezone(zone_named(user.time_zone or "UTC"))
    today = there.replace(hour=HOUR, minute=0, second=0, microsecond=0)
    return today if today <= there else today - DAY
