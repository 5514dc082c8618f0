from typing import Any

from django import forms

from campaign.models import Campaign, Task
from campaign.models.fields import zone_named
from campaign.setup.log_words import DID
from campaign.setup.selectors.log import SYSTEM, LogFilter, kinds_in, people_in, verbs_in
from campaign.web.forms import ZonedDateTimeField


class LogFilterForm(forms.Form):
    who = forms.ChoiceField(required=False)
    verb = forms.ChoiceField(required=False, label="What")
    kind = forms.ChoiceField(required=False, label="Object")
    task = forms.ModelChoiceField(
        required=False, queryset=Task.objects.none(), to_field_name="slug", empty_label="any task"
    )
    since = ZonedDateTimeField(required=False, label="From")
    until = ZonedDateTimeField(required=False, label="Before")
    before = forms.IntegerField(required=False, min_value=1, max_value=2**62, widget=forms.HiddenInput)

    def __init__(self, *args: Any, campaign: Campaign, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        people = [(name, name) for name in people_in(campaign)]
        choices = {
            "who": [("", "anybody"), (SYSTEM, "the site itself"), *people],
            "verb": [("", "anything"), *((verb, DID.get(verb, verb)) for verb in verbs_in(campaign))],
            "kind": [("", "any object"), *((kind, kind) for kind in kinds_in(campaign))],
        }
        for name, values in choices.items():
            self.fields[name].choices = values  # type: ignore[attr-defined]
        self.fields["task"].queryset = campaign.tasks.order_by("pk")  # type: ignore[attr-defined]
        for name in ("since", "until"):
            self.fields[name].zone = zone_named(campaign.time_zone)  # type: ignore[attr-defined]
            self.fields[name].label = f"{self.fields[name].label} ({campaign.time_zone})"

    @property
    def wanted(self) -> LogFilter:
        """The valid filters; the page shows what is wrong with the others."""
        self.is_valid()
        return LogFilter(**{name: value for name, value in self.cleaned_data.items() if name != "before" and value})
