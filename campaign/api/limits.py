"""Rate limits: requests in each minute of the clock, counted in the cache."""

import time

from django.conf import settings
from django.http import HttpRequest
from ninja.throttling import BaseThrottle

from campaign.accounts.client_address import client_address
from campaign.models import User
from campaign.web.cache import count_up

MINUTE = 60


class MinuteLimit(BaseThrottle):
    """Limits requests per user if they carry a token, else per address. Keeps no state of its own, since threads share it."""

    def __init__(self, what: str, *, setting: str, anonymous_setting: str) -> None:
        self.what = what
        self.setting = setting
        self.anonymous_setting = anonymous_setting

    def allow_request(self, request: HttpRequest) -> bool:
        who, is_known = self.sender(request)
        most = getattr(settings, self.setting if is_known else self.anonymous_setting)
        key = f"api-{self.what}-{who}-{int(time.time() // MINUTE)}".replace(" ", "")
        return bool(count_up(key, 2 * MINUTE) <= most)

    def sender(self, request: HttpRequest) -> tuple[str, bool]:
        """Whose requests are counted together, and whether their token says who it is."""
        user = request.user
        if isinstance(user, User):
            return f"user-{user.pk}", True
        return f"address-{client_address(request)}", False

    def wait(self) -> float:
        return MINUTE - time.time() % MINUTE


READS = MinuteLimit("read", setting="API_READS_PER_MINUTE", anonymous_setting="API_ANONYMOUS_READS_PER_MINUTE")
WRITES = MinuteLimit("write", setting="API_WRITES_PER_MINUTE", anonymous_setting="API_WRITES_PER_MINUTE")
PICTURES = MinuteLimit("picture", setting="PICTURES_PER_MINUTE", anonymous_setting="ANONYMOUS_PICTURES_PER_MINUTE")
"""Of pages: pictures that are drawn for a request."""
WRONG_TOKENS = MinuteLimit(
    "wrong-token", setting="API_ANONYMOUS_READS_PER_MINUTE", anonymous_setting="API_ANONYMOUS_READS_PER_MINUTE"
)
