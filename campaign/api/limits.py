"""Rate limits: requests in each minute of the clock, counted in the cache by what they cost."""

import math
import time

from django.conf import settings
from django.http import HttpRequest
from ninja.errors import Throttled
from ninja.throttling import BaseThrottle

from campaign.accounts.client_address import client_address
from campaign.models import User
from campaign.web.cache import count_up

MINUTE = 60
WHOLE = 10
"""What a request costs, in tenths of one. Programs that judge send many small ones, whose work is that of a reading request."""


class MinuteLimit(BaseThrottle):
    """Limits requests per user if they carry a token, else per address. Keeps no state of its own, since threads share it.

    `cost`: of each request, in tenths of one.
    """

    def __init__(self, what: str, *, setting: str, anonymous_setting: str, cost: int = WHOLE) -> None:
        self.what = what
        self.setting = setting
        self.anonymous_setting = anonymous_setting
        self.cost = cost

    def allow_request(self, request: HttpRequest) -> bool:
        return self._allows(request, self.cost)

    def require_for(self, request: HttpRequest, documents: int) -> None:
        """Throttled where the limit has no room for judgments or texts of so many: a hundred cost as much as another request."""
        rest = math.ceil(documents / WHOLE) - self.cost
        if rest > 0 and not self._allows(request, rest):
            raise Throttled(wait=math.ceil(self.wait()))

    def _allows(self, request: HttpRequest, cost: int) -> bool:
        who, is_known = self.sender(request)
        most = getattr(settings, self.setting if is_known else self.anonymous_setting)
        key = f"api-{self.what}-{who}-{int(time.time() // MINUTE)}".replace(" ", "")
        return bool(count_up(key, 2 * MINUTE, cost) <= most * WHOLE)

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
JUDGING = MinuteLimit("write", setting="API_WRITES_PER_MINUTE", anonymous_setting="API_WRITES_PER_MINUTE", cost=1)
PICTURES = MinuteLimit("picture", setting="PICTURES_PER_MINUTE", anonymous_setting="ANONYMOUS_PICTURES_PER_MINUTE")
"""Of pages: pictures that are drawn for a request."""
WRONG_TOKENS = MinuteLimit(
    "wrong-token", setting="API_ANONYMOUS_READS_PER_MINUTE", anonymous_setting="API_ANONYMOUS_READS_PER_MINUTE"
)
