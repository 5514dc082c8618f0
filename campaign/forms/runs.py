from typing import Any

from django import forms
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db.models import QuerySet

from campaign.models import Run, Task, Team
from campaign.selectors.runs import Quota

EMPTY = "The file is empty. Choose the right one and send it again."


class RunForm(forms.Form):
    team = forms.ModelChoiceField(queryset=Team.objects.none(), empty_label=None)
    file = forms.FileField(
        label="Run file",
        widget=forms.FileInput(attrs={"data-tag-target": "id_tag"}),
        error_messages={"empty": EMPTY, "required": "Choose a run file."},
        help_text="Lines of topic, Q0, docno, rank, score, run tag; plain or gzip.",
    )
    tag = forms.CharField(
        label="Run tag",
        max_length=60,
        widget=forms.TextInput(attrs={"class": "code", "autocomplete": "off", "spellcheck": "false"}),
        help_text="The same as in the last column of the file.",
    )
    kind = forms.ChoiceField(
        label="Made by",
        choices=list(Run.KINDS.items()),
        initial=Run.AUTOMATIC,
        help_text="Manual: a person took part, for some topic at least.",
    )
    priority = forms.IntegerField(
        label="Judging priority",
        initial=1,
        validators=[MinValueValidator(1), MaxValueValidator(999)],
        widget=forms.NumberInput(attrs={"min": 1, "max": 999}),
        help_text="1 is pooled first. Give each of your runs another number.",
    )
    description = forms.CharField(
        required=False,
        max_length=5000,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text="How the run was made. Shown with the published results.",
    )

    def __init__(self, *args: Any, quotas: list[Quota], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        teams = [quota.team for quota in quotas]
        field = self.fields["team"]
        field.queryset = Team.objects.filter(pk__in=[team.pk for team in teams])  # type: ignore[attr-defined]
        field.initial = next((quota.team.pk for quota in quotas if quota.left), None)
        if len(teams) == 1:
            field.widget = forms.HiddenInput()


class RunFilterForm(forms.Form):
    """The list of runs as its address asks for it; what means nothing there means all."""

    SORTS = {"tag": "tag", "team": "team__name", "time": "submitted_at"}

    state = forms.ChoiceField(required=False, choices=[("", "all"), *Run.STATES.items()])
    team = forms.ModelChoiceField(queryset=Team.objects.none(), required=False, to_field_name="slug", empty_label="all")
    sort = forms.CharField(required=False, widget=forms.HiddenInput)

    def __init__(self, *args: Any, task: Task, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["team"].queryset = Team.objects.filter(  # type: ignore[attr-defined]
            registrations__campaign=task.campaign_id
        )
        self.full_clean()

    def narrow(self, runs: QuerySet[Run]) -> QuerySet[Run]:
        wanted = {name: self.cleaned_data.get(name) for name in ("state", "team")}
        return runs.filter(**{name: value for name, value in wanted.items() if value})

    @property
    def narrows(self) -> bool:
        return bool(self.cleaned_data.get("state") or self.cleaned_data.get("team"))

    def order(self) -> tuple[str, list[str]]:
        """The sort as the address says it, and as the database does it; newest first by default."""
        sort = self.cleaned_data.get("sort", "")
        if sort.removeprefix("-") not in self.SORTS:
            sort = "-time"
        column = self.SORTS[sort.removeprefix("-")]
        return sort, [f"-{column}" if sort.startswith("-") else column, "tag", "-attempt"]
