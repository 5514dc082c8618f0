"""Rate limits: requests in each minute of the clock, counted in the cache."""

import logging
import time

from django.conf import settings
from django.core.cache import cache
from django.db import DatabaseError
from django.http import HttpRequest
from ninja.throttling import BaseThrottle

from campaign.accounts.client_address import client_address
from campaign.models import User

log = logging.getLogger(__name__)

MINUTE = 60


class MinuteLimit(BaseThrottle):
    """Limits requests per user if they carry a token, else per address. Keeps no state of its own, since threads share it."""

    def __init__(self, what: str, *, setting: str, anonymous_setting: str) -> None:
        self.what = what
        self.setting = setting
        self.anonymous_setting = anonymous_setting

    def allow_request(self, request: HttpRequest) -> bool:
        user = request.user
        is_user = isinstance(user, User)
        who = f"user-{user.pk}" if is_user else f"address-{client_address(request)}"
        most = getattr(settings, self.setting if is_user else self.anonymous_setting)
        key = f"api-{self.what}-{who}-{int(time.time() // MINUTE)}".replace(" ", "")
        return bool(_count(key) <= most)

    def wait(self) -> float:
        return MINUTE - time.time() % MINUTE


def _count(key: str) -> int:
    """Count one more request. Where the cache cannot count, requests are let through: a limit must not stop the site."""
    try:
        try:
            return cache.incr(key)
        except ValueError:  # the first of this minute, or the first since the cache was emptied
            return 1 if cache.add(key, 1, timeout=2 * MINUTE) else cache.incr(key)
    except (ValueError, DatabaseError) as problem:
        log.warning("A request is let through uncounted, since the cache does not count: %s", problem)
        return 0


READS = MinuteLimit("read", setting="API_READS_PER_MINUTE", anonymous_setting="API_ANONYMOUS_READS_PER_MINUTE")
WRITES = MinuteLimit("write", setting="API_WRITES_PER_MINUTE", anonymous_setting="API_WRITES_PER_MINUTE")
WRONG_TOKENS = MinuteLimit(
    "wrong-token", setting="API_ANONYMOUS_READS_PER_MINUTE", anonymous_setting="API_ANONYMOUS_READS_PER_MINUTE"
)
