from collections.abc import Mapping
from typing import Any
from zoneinfo import available_timezones

from django import forms

from campaign.mail.choices import allowed_choices
from campaign.models import MailChoice, User
from campaign.models.lookalikes import validate_name
from campaign.models.mail import KINDS

# The rest are obsolete aliases.
REGIONS = frozenset(
    [
        "Africa",
        "America",
        "Antarctica",
        "Arctic",
        "Asia",
        "Atlantic",
        "Australia",
        "Europe",
        "Indian",
        "Pacific",
    ]
)


def zone_choices() -> list[tuple[str, object]]:
    """The zones that are named by a place, by region."""
    regions: dict[str, list[tuple[str, str]]] = {}
    for name in sorted(available_timezones()):
        region, _, place = name.partition("/")
        if place and region in REGIONS:
            regions.setdefault(region, []).append((name, place.replace("_", " ").replace("/", ", ")))
    return [("", "my browser's own"), ("UTC", "UTC"), *regions.items()]


class AccountForm(forms.Form):
    display_name = forms.CharField(
        label="Name shown to others",
        max_length=80,
        required=False,
        help_text="Empty: your user name.",
        widget=forms.TextInput(attrs={"autocomplete": "name"}),
    )
    time_zone = forms.ChoiceField(
        required=False,
        choices=zone_choices,
        help_text="Times are shown in this zone; a deadline also in its own.",
    )
    single_keys = forms.BooleanField(
        label="Single-key shortcuts",
        required=False,
        help_text="Judge and move with one key. Switch them off if you speak to your computer.",
    )

    @classmethod
    def of(cls, user: User, data: Mapping[str, Any] | None = None) -> "AccountForm":
        names = ("display_name", "time_zone", "single_keys")
        return cls(data, initial={name: getattr(user, name) for name in names})

    def clean_display_name(self) -> str:
        name: str = self.cleaned_data["display_name"]
        if name != self.initial["display_name"]:  # one from before a rule came may stay
            validate_name(name)
        return name


class MailChoicesForm(forms.Form):
    """One entry for each kind of mail."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for kind, about in KINDS.items():
            choices = [(choice, _words(kind, choice, words)) for choice, words in allowed_choices(kind).items()]
            self.fields[kind] = forms.ChoiceField(label=f"When {about}", choices=choices)


def _words(kind: str, choice: str, words: str) -> str:
    has_digest = MailChoice.DAILY in allowed_choices(kind)
    return "a mail" if choice == MailChoice.EACH and not has_digest else words
