"""How many invitations an inbox gets in a day: counted for each inviter alone, so that nobody uses up what others may send."""

from typing import Final

from django.utils import timezone

from campaign.database import clock
from campaign.models import AuditEvent, User
from campaign.models.lookalikes import inbox
from campaign.web.daily_limits import DAY

INVITE_TO_ROLE: Final = "invite to role"
INVITE_TO_TEAM: Final = "invite by mail"
MOST_TO_AN_INBOX_A_DAY = 20


def is_full_of(actor: User, address: str) -> bool:
    """Whether this person has invited the inbox often enough for a day, to whatever roles and teams, in whatever spelling.

    By the log, where withdrawn invitations stay: withdrawing does not allow a flood of mails.
    """
    sent = AuditEvent.objects.filter(
        clock.within("happened_at", DAY, timezone.now()), actor=actor, verb__in=[INVITE_TO_ROLE, INVITE_TO_TEAM]
    )
    said = [(str(data.get("user", "")), str(data.get("email", ""))) for data in sent.values_list("data", flat=True)]
    emails = dict(User.objects.filter(username__in={name for name, _ in said}).values_list("username", "email"))
    reached = [inbox(email or emails.get(name, "")) for name, email in said]
    return reached.count(inbox(address)) >= MOST_TO_AN_INBOX_A_DAY
