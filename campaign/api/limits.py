"""Rate limits: requests in each minute of the clock, counted in the cache."""

import time

from django.conf import settings
from django.core.cache import cache
from django.http import HttpRequest
from ninja.throttling import BaseThrottle

from campaign.models import User

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
        cache.add(key, 0, timeout=2 * MINUTE)
        return bool(cache.incr(key) <= most)

    def wait(self) -> float:
        return MINUTE - time.time() % MINUTE


READS = MinuteLimit("read", setting="API_READS_PER_MINUTE", anonymous_setting="API_ANONYMOUS_READS_PER_MINUTE")
WRITES = MinuteLimit("write", setting="API_WRITES_PER_MINUTE", anonymous_setting="API_WRITES_PER_MINUTE")
WRONG_TOKENS = MinuteLimit(
    "wrong-token", setting="API_ANONYMOUS_READS_PER_MINUTE", anonymous_setting="API_ANONYMOUS_READS_PER_MINUTE"
)


def client_address(request: HttpRequest) -> str:
    """Return the address of the connection, or behind PROXIES the one that the outermost of them recorded."""
    forwarded: list[str] = [
        part.strip() for part in request.META.get("HTTP_X_FORWARDED_FOR", "").split(",") if part.strip()
    ]
    if settings.PROXIES and len(forwarded) >= settings.PROXIES:
        return str(forwarded[-settings.PROXIES])
    return str(request.META.get("REMOTE_ADDR", ""))
