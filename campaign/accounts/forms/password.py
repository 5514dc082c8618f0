from allauth.account.forms import ResetPasswordKeyForm

from campaign.accounts.services.tokens import tokens_revoke_all


class PasswordResetForm(ResetPasswordKeyForm):  # type: ignore[misc]  # allauth has no types
    """Whoever resets a password may have lost the account to somebody, who may have made tokens: none works afterwards."""

    def save(self) -> None:
        super().save()
        tokens_revoke_all(user=self.user)
