from datetime import UTC, datetime, time, timedelta
from typing import Any

from django import forms
from django.utils import timezone

from campaign.models import ApiToken
from campaign.web.forms import DayField

BY_DATE = "date"
LIFETIMES = {"30": "30 days", "90": "90 days", "365": "365 days", BY_DATE: "until a date"}


class TokenForm(forms.Form):
    name = forms.CharField(
        max_length=60,
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
        help_text="What it is for: the name of a machine or a script.",
    )
    scope = forms.ChoiceField(
        label="May do",
        choices=list(ApiToken.SCOPES.items()),
        initial=ApiToken.SUBMIT,
        widget=forms.RadioSelect,
    )
    lifetime = forms.ChoiceField(label="Works for", choices=list(LIFETIMES.items()), initial="90")
    until = DayField(
        label="Last day",
        required=False,
        help_text="For “until a date”: it works through this day, UTC, within a year from now.",
    )

    def clean(self) -> dict[str, Any]:
        values = super().clean() or self.cleaned_data
        if values.get("lifetime") == BY_DATE and not values.get("until") and "until" not in self.errors:
            self.add_error("until", "Choose the last day on which the token works.")
        return values

    @property
    def expires_at(self) -> datetime:
        lifetime = self.cleaned_data["lifetime"]
        if lifetime != BY_DATE:
            return timezone.now() + timedelta(days=int(lifetime))
        return datetime.combine(self.cleaned_data["until"], time.max, UTC)
