from allauth.account.forms import LoginForm
from django.conf import settings

from campaign.models.lookalikes import tidy


class SignInForm(LoginForm):  # type: ignore[misc]  # allauth has no types
    """Marks both entries where they do not fit each other: the alert above them names neither."""

    @property
    def login_label(self) -> str:
        """Without mail few addresses sign in: only those that an operator vouched for."""
        return "User name" if settings.ACCOUNT_EMAIL_VERIFICATION == "none" else "User name or email"

    def clean_login(self) -> str:
        """In the form in which sign-up stores names: what was typed there signs in here."""
        return tidy(self.cleaned_data["login"])

    def full_clean(self) -> None:
        super().full_clean()
        if self.is_bound and self.non_field_errors():
            for name in ("login", "password"):
                self.fields[name].widget.attrs["aria-invalid"] = "true"
