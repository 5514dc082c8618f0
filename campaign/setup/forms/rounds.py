from typing import Any

from django import forms

from campaign.models import Task
from campaign.models.fields import zone_named
from campaign.web.forms import ZonedDateTimeField


class RoundForm(forms.ModelForm[Task]):
    """What a new round has for itself; the rest is copied from the earlier one."""

    opens_at = ZonedDateTimeField(required=False, label="Opens for runs", help_text="Empty: with the phase Runs.")
    closes_at = ZonedDateTimeField(
        required=False, label="Deadline for runs", help_text="Empty: runs are taken until the phase Runs ends."
    )
    with_topics = forms.BooleanField(
        required=False,
        initial=True,
        label="Copy the topics",
        help_text="You can change them, take some out and import more until the round opens. A residual round needs them.",
    )

    class Meta:
        model = Task
        fields = ["title", "slug", "round_kind", "opens_at", "closes_at"]
        widgets = {
            "title": forms.TextInput(attrs={"data-slug-source": "id_slug"}),
            "slug": forms.TextInput(attrs={"class": "code", "autocomplete": "off"}),
            "round_kind": forms.RadioSelect,
        }
        help_texts = {"slug": "Part of every address of the round, for good."}

    def __init__(self, *args: Any, follows: Task, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.instance.campaign, self.instance.follows = follows.campaign, follows
        zone = follows.campaign.time_zone
        for name in ("opens_at", "closes_at"):
            field = self.fields[name]
            field.zone = zone_named(zone)  # type: ignore[attr-defined]
            field.label = f"{field.label} ({zone})"
