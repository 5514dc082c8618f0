from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from campaign.accounts.services.lookups import person_look_up
from campaign.models import Role, User


class RoleForm(forms.Form):
    """Who is to be invited. Sent once to see who that is, and again with `confirmed` to invite that very person."""

    person = forms.CharField(
        label="User name or email",
        max_length=254,
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
        help_text="You see who it is before the person is invited.",
    )
    role = forms.ChoiceField(
        choices=[
            (Role.ASSESSOR, "assessor: reads documents and judges the topics assigned"),
            (Role.ORGANISER, "organiser: may do everything in this campaign"),
        ],
        initial=Role.ASSESSOR,
        widget=forms.RadioSelect,
    )
    confirmed = forms.IntegerField(required=False, widget=forms.HiddenInput)

    def __init__(self, *args: Any, actor: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.actor = actor

    def clean_person(self) -> User:
        return person_look_up(actor=self.actor, text=self.cleaned_data["person"])

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        person, confirmed = cleaned.get("person"), cleaned.get("confirmed")
        if person is not None and confirmed is not None and confirmed != person.pk:
            raise ValidationError("This name belongs to another person now. Look again at who it is.")
        return cleaned


class OneOfForm(forms.Form):
    """One row of those that a page lists, for the button beside it."""

    row = forms.ModelChoiceField(queryset=Role.objects.none())

    def __init__(self, *args: Any, rows: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["row"].queryset = rows  # type: ignore[attr-defined]
