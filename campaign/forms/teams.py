from typing import Any

from django import forms
from django.db.models import QuerySet

from campaign.models import Membership, Team


class TeamForm(forms.ModelForm[Team]):
    class Meta:
        model = Team
        fields = ("name", "affiliation")
        help_texts = {"name": "As it should stand on leaderboards and in papers."}
        error_messages = {"name": {"unique": "There is a team of this name already."}}


class OwnerForm(forms.Form):
    member = forms.ModelChoiceField(queryset=Membership.objects.none())

    def __init__(self, *args: Any, team: Team, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["member"].queryset = team.memberships.select_related("user")  # type: ignore[attr-defined]


class RegistrationForm(forms.Form):
    """Which of one's teams takes part: nothing to choose when there is only one."""

    team = forms.ModelChoiceField(queryset=Team.objects.none(), widget=forms.RadioSelect, empty_label=None)

    def __init__(self, *args: Any, teams: QuerySet[Team], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["team"].queryset = teams  # type: ignore[attr-defined]
        self.fields["team"].initial = teams.first()
