from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from campaign.models import Role, User


class RoleForm(forms.Form):
    person = forms.CharField(
        label="User name or email", max_length=254, widget=forms.TextInput(attrs={"autocomplete": "off"})
    )
    role = forms.ChoiceField(
        choices=[
            (Role.ASSESSOR, "assessor: reads documents and judges the topics assigned"),
            (Role.ORGANISER, "organiser: may do everything in this campaign"),
        ],
        initial=Role.ASSESSOR,
        widget=forms.RadioSelect,
    )

    def clean_person(self) -> User:
        name: str = self.cleaned_data["person"].strip()
        users = User.objects.filter(username__iexact=name) or User.objects.filter(email__iexact=name)
        if not users:
            raise ValidationError("There is no account with this name or address. Ask the person to sign up first.")
        if len(users) > 1:
            raise ValidationError("Several accounts have this address. Give the user name.")
        return users[0]


class RevokeForm(forms.Form):
    revoke = forms.ModelChoiceField(queryset=Role.objects.none())

    def __init__(self, *args: Any, roles: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["revoke"].queryset = roles  # type: ignore[attr-defined]
