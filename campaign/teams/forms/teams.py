from collections.abc import Iterable
from typing import Any

from django import forms
from django.db.models import QuerySet

from campaign.accounts.forms.addresses import AddressField
from campaign.models import Agreement, Membership, Team


class TeamForm(forms.ModelForm[Team]):
    class Meta:
        model = Team
        fields = ("name", "affiliation")
        help_texts = {"name": "As leaderboards and papers should show it."}


class MemberForm(forms.Form):
    """One of the team's members, for the buttons beside their names."""

    member = forms.ModelChoiceField(queryset=Membership.objects.none())

    def __init__(self, *args: Any, team: Team, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["member"].queryset = team.memberships.select_related("user")  # type: ignore[attr-defined]


class InvitationForm(forms.Form):
    email = AddressField(
        label="Mail address",
        max_length=254,
        widget=forms.EmailInput(attrs={"autocomplete": "off"}),
        help_text="The mail holds a link that works once.",
    )


class AgreementsForm(forms.Form):
    """One box to tick for each agreement."""

    def __init__(self, *args: Any, agreements: Iterable[Agreement], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.agreements = {f"agreement-{agreement.pk}": agreement for agreement in agreements}
        for name, agreement in self.agreements.items():
            missing = f"Accept “{agreement}”: teams cannot take part without it."
            self.fields[name] = forms.BooleanField(
                label=f"We accept “{agreement}”", error_messages={"required": missing}
            )

    @property
    def texts(self) -> list[tuple[Agreement, forms.BoundField]]:
        return [(agreement, self[name]) for name, agreement in self.agreements.items()]

    @property
    def accepted(self) -> list[Agreement]:
        return [agreement for name, agreement in self.agreements.items() if self.cleaned_data[name]]


class RegistrationForm(AgreementsForm):
    """Which of the user's teams takes part; preset when there is only one."""

    team = forms.ModelChoiceField(queryset=Team.objects.none(), widget=forms.RadioSelect, empty_label=None)

    def __init__(self, *args: Any, teams: QuerySet[Team], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["team"].queryset = teams  # type: ignore[attr-defined]
        self.fields["team"].initial = teams.first()
