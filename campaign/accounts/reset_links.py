"""Links that set a new password."""

from typing import Any

from django.contrib.auth.tokens import PasswordResetTokenGenerator
from django.utils.http import base36_to_int

from campaign.database.clock import MACHINES_DIFFER


class ResetTokens(PasswordResetTokenGenerator):
    """As allauth's. Django takes one that lies in the future for as long as the clock was ahead when it was made, and longer."""

    def check_token(self, user: Any, token: str | None) -> bool:
        if not super().check_token(user, token):
            return False
        made = base36_to_int(str(token).partition("-")[0])
        return bool(made <= self._num_seconds(self._now() + MACHINES_DIFFER))

    def _make_hash_value(self, user: Any, timestamp: int) -> str:
        from allauth.account.forms import EmailAwarePasswordResetTokenGenerator  # which imports this module

        return str(EmailAwarePasswordResetTokenGenerator()._make_hash_value(user, timestamp))
