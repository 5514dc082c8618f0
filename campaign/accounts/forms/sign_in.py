from allauth.account.forms import LoginForm


class SignInForm(LoginForm):  # type: ignore[misc]  # allauth has no types
    """Marks both entries where they do not fit each other: the alert above them names neither."""

    def full_clean(self) -> None:
        super().full_clean()
        if self.is_bound and self.non_field_errors():
            for name in ("login", "password"):
                self.fields[name].widget.attrs["aria-invalid"] = "true"
