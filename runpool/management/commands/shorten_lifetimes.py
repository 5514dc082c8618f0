"""What works for a time, and was made while the clock was ahead: it works that long from the clock's return on, and no longer.

Only an operator knows that the clock was ahead, and is not behind now: no job does this.
"""

from datetime import timedelta
from typing import Any

from django.conf import settings
from django.contrib.sessions.models import Session
from django.core.management.base import BaseCommand, CommandError

from campaign.database import clock
from campaign.models import ApiToken, RoleInvitation
from campaign.queue.periodic import FailedRowsError, by_itself
from campaign.version import OF_VERSION
from judging.model_assessors.services import TOKEN_WORKS
from judging.models import ModelAssessor


def lifetimes_shorten() -> str:
    """Sessions, tokens and invitations that were made in the future are taken for made now."""
    now = clock.now()
    ahead = now + clock.MACHINES_DIFFER
    session = timedelta(seconds=settings.SESSION_COOKIE_AGE)
    count = Session.objects.filter(expire_date__gt=ahead + session).update(expire_date=now + session)
    count += RoleInvitation.objects.filter(invited_at__gt=ahead).update(invited_at=now)
    models = ModelAssessor.objects.filter(token_expires_at__gt=ahead + TOKEN_WORKS)
    count += models.update(token_expires_at=now + TOKEN_WORKS)

    def shorten(token: ApiToken) -> int:
        expires_at = now + (token.expires_at - token.created_at)
        return ApiToken.objects.filter(pk=token.pk).update(created_at=now, expires_at=expires_at)

    count += by_itself(ApiToken.objects.filter(created_at__gt=ahead), shorten)
    return f"sessions, tokens and invitations shortened that were made in the future: {count:,}"


class Command(BaseCommand):
    help = (
        "Shorten sessions, tokens and invitations that were made while the clock was ahead: each ends after its usual time, "
        "counted from now. First make sure that the clock is right. With a clock that is behind, the command shortens good ones."
    )
    requires_system_checks = (OF_VERSION,)

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            self.stdout.write(lifetimes_shorten())
        except FailedRowsError as problem:
            raise CommandError(
                f"All others are shortened, but not: {problem}. “manage.py verify dates” says how to mend what cannot be read."
            ) from problem
