from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from campaign.accounts.services.lookups import person_look_up
from campaign.models import Role, User
from campaign.models.lookalikes import tidy


class RoleForm(forms.Form):
    """Who is to be invited. Sent once to see who that is, and again with `confirmed` to invite that very person."""

    IN_PLACE = "in place"

    person = forms.CharField(
        label="User name or email",
        max_length=254,
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
        help_text="For a user name, the next page shows who it is. An email address gets a link; its owner needs no account.",
    )
    role = forms.ChoiceField(
        choices=[
            (Role.ASSESSOR, "assessor: reads documents and judges the topics assigned"),
            (Role.ORGANISER, "organiser: may do everything in this campaign"),
            (IN_PLACE, "organiser in your place: you hand the campaign over and step down when they accept"),
        ],
        initial=Role.ASSESSOR,
        widget=forms.RadioSelect,
    )
    confirmed = forms.IntegerField(required=False, widget=forms.HiddenInput)

    def __init__(self, *args: Any, actor: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.actor = actor

    def clean_person(self) -> User | str:
        """A user; or an address as it was typed, which is not looked up, so that nobody learns who has an account."""
        text = tidy(self.cleaned_data["person"])
        return text if "@" in text else person_look_up(actor=self.actor, text=text)

    def invitation(self) -> dict[str, Any]:
        """What `role_invite` takes."""
        person, role = self.cleaned_data["person"], self.cleaned_data["role"]
        who = {"user": person} if isinstance(person, User) else {"email": person}
        in_place = role == self.IN_PLACE
        return {**who, "role": Role.ORGANISER if in_place else role, "in_place": in_place}

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        person, confirmed = cleaned.get("person"), cleaned.get("confirmed")
        if isinstance(person, User) and confirmed is not None and confirmed != person.pk:
            raise ValidationError("This name belongs to another person now. Look again at who it is.")
        return cleaned


class OneOfForm(forms.Form):
    """One row of those that a page lists, for the button beside it."""

    row = forms.ModelChoiceField(queryset=Role.objects.none())

    def __init__(self, *args: Any, rows: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["row"].queryset = rows  # type: ignore[attr-defined]
