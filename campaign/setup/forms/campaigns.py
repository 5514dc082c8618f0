from typing import Any
from zoneinfo import available_timezones

from django import forms

from campaign.models import Campaign, Task

OLD_ZONE_NAMES = ("Etc/", "SystemV/", "US/", "posix/", "right/")


def zone_choices() -> list[tuple[str, str]]:
    regions = sorted(name for name in available_timezones() if "/" in name and not name.startswith(OLD_ZONE_NAMES))
    return [("AoE", "AoE (anywhere on Earth, UTC−12)"), ("UTC", "UTC"), *((name, name) for name in regions)]


class CampaignForm(forms.ModelForm[Campaign]):
    class Meta:
        model = Campaign
        fields = ["title", "slug", "summary", "call", "time_zone", "registration"]
        widgets = {
            "title": forms.TextInput(attrs={"data-slug-source": "id_slug"}),
            "slug": forms.TextInput(attrs={"class": "code", "autocomplete": "off"}),
            "call": forms.Textarea(attrs={"rows": 10}),
            "registration": forms.RadioSelect,
        }
        error_messages = {"slug": {"unique": "This address is not free. Choose another."}}
        help_texts = {"registration": "Teams that wait when you change this still wait for your decision."}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        zone = forms.ChoiceField(
            choices=zone_choices,
            label=self.fields["time_zone"].label,
            help_text="Deadlines are entered and shown in this zone; readers see their own beside it.",
            initial="AoE",
        )
        self.fields["time_zone"] = zone
        if self.instance.pk:
            del self.fields["slug"]
            self.fields["title"].widget.attrs.pop("data-slug-source")


class OpenForm(forms.Form):
    """`task`: one that can be opened with the campaign, None without one; `opened`: it, if the organiser left the tick."""

    open_task = forms.BooleanField(required=False, initial=True)

    def __init__(self, *args: Any, task: Task | None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.task = task
        if task is None:
            del self.fields["open_task"]
        else:
            field = self.fields["open_task"]
            field.label = f"Open the task {task} as well"
            field.help_text = "Everybody then reads its guidelines and topics, and teams upload runs between its dates."

    @property
    def opened(self) -> Task | None:
        return self.task if self.cleaned_data.get("open_task") else None
