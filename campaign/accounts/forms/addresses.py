"""Mail addresses as people type them, in the form in which they are stored and looked up."""

from typing import Any

from allauth.account.fields import EmailField
from allauth.account.forms import AddEmailForm, ResetPasswordForm

from campaign.models.lookalikes import plain_address


class AddressField(EmailField):  # type: ignore[misc]  # allauth has no types
    def to_python(self, value: Any) -> str:
        return plain_address(super().to_python(value))


class AddAddressForm(AddEmailForm):  # type: ignore[misc]  # allauth has no types
    email = AddressField(required=True)


class ForgottenPasswordForm(ResetPasswordForm):  # type: ignore[misc]  # allauth has no types
    email = AddressField(required=True)
