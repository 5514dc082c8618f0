from typing import Any

from django import forms

from campaign.models import User
from runpool.account_data.parts import Hindrance


class DeleteAccountForm(forms.Form):
    """The password where the account has one; `release` only where something is to be given back."""

    password = forms.CharField(
        label="Your password",
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
        help_text="This keeps others from deleting your account at a screen that you left open.",
    )
    release = forms.BooleanField(label="Give back what I still hold, as listed above", required=False)

    def __init__(self, *args: Any, user: User, in_the_way: list[Hindrance], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._user = user
        if not any(one.is_released for one in in_the_way):
            del self.fields["release"]

    def clean_password(self) -> str:
        password = str(self.cleaned_data["password"])
        if not self._user.check_password(password):
            raise forms.ValidationError("This is not your password. Nothing was deleted.")
        return password
