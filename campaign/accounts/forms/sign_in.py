from allauth.account.forms import LoginForm
from django.conf import settings


class SignInForm(LoginForm):  # type: ignore[misc]  # allauth has no types
    """Marks both entries where they do not fit each other: the alert above them names neither."""

    @property
    def login_label(self) -> str:
        """Without mail few addresses sign in: only those that an operator vouched for."""
        return "User name" if settings.ACCOUNT_EMAIL_VERIFICATION == "none" else "User name or email"

    def full_clean(self) -> None:
        super().full_clean()
        if self.is_bound and self.non_field_errors():
            for name in ("login", "password"):
                self.fields[name].widget.attrs["aria-invalid"] = "true"
