from typing import Any
from uuid import uuid4

from django import forms
from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator
from django.db.models import QuerySet
from django.http import QueryDict

from campaign.models import Agreement, Campaign, Registration, Task
from campaign.models.fields import zone_named
from campaign.teams.selectors.team_table import WITH, WITHOUT, TeamFilter, filtered_registrations
from campaign.text import limits
from campaign.web.forms import ZonedDateTimeField, numbers_in

MOST_CHOSEN = 10_000


class TeamFilterForm(forms.Form):
    search = forms.CharField(required=False, max_length=100, widget=forms.SearchInput)
    state = forms.ChoiceField(required=False, choices=[("", "any"), *Registration.STATES.items()])
    runs = forms.ChoiceField(
        required=False, choices=[("", "with or without"), (WITH, "with a run"), (WITHOUT, "without a run")]
    )
    task = forms.ModelChoiceField(
        required=False, queryset=Task.objects.none(), to_field_name="slug", empty_label="any task"
    )
    agreement_missing = forms.BooleanField(required=False, label="agreement missing")

    def __init__(self, data: QueryDict, *, campaign: Campaign) -> None:
        super().__init__(data)
        self.campaign = campaign
        self.fields["task"].queryset = campaign.tasks.order_by("pk")  # type: ignore[attr-defined]

    @property
    def wanted(self) -> TeamFilter:
        """The valid filters; invalid ones in the address are ignored."""
        self.is_valid()
        return TeamFilter(**self.cleaned_data)

    def registrations(self) -> "QuerySet[Registration]":
        return filtered_registrations(self.campaign, self.wanted)


class ChosenField(forms.CharField):
    """Registrations of a campaign, as numbers in a row: a table may have more ticks than a form may have fields."""

    widget = forms.HiddenInput
    campaign: Campaign

    def to_python(self, value: Any) -> Any:
        chosen = [text for text in (super().to_python(value) or "").split(",") if text]
        numbers = numbers_in(chosen)
        if len(numbers) < len(chosen):
            raise ValidationError("This selection cannot be read. Tick the teams again.")
        if len(numbers) > MOST_CHOSEN:
            raise ValidationError(f"Choose at most {MOST_CHOSEN:,} teams at once.")
        registrations = self.campaign.registrations.filter(pk__in=numbers).select_related("team")
        return list(registrations.order_by("team__name"))

    def validate(self, value: Any) -> None:
        if not value:
            raise ValidationError("No team is chosen. Tick some in the table.")

    def run_validators(self, value: Any) -> None:
        """Without the filters by text, which do not apply to rows."""

    def prepare_value(self, value: Any) -> Any:
        return ",".join(str(row.pk) for row in value) if isinstance(value, list) else value


class SelectionForm(forms.Form):
    chosen = ChosenField()

    def __init__(self, *args: Any, campaign: Campaign, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["chosen"].campaign = campaign  # type: ignore[attr-defined]


class DecisionForm(SelectionForm):
    state = forms.ChoiceField(
        label="Decision",
        choices=[
            (Registration.APPROVED, "approve: the team takes part and can submit runs"),
            (Registration.REFUSED, "refuse: the team cannot submit runs; it may ask again"),
        ],
        initial=Registration.APPROVED,
        widget=forms.RadioSelect,
    )
    note = forms.CharField(
        required=False,
        max_length=limits.NOTE,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text="The owners of the team read it in the mail about the decision, and on the registration page.",
    )


class TeamMailForm(SelectionForm):
    OWNERS, MEMBERS = "owners", "members"

    to = forms.ChoiceField(
        choices=[(OWNERS, "the owners of each team"), (MEMBERS, "all members")],
        initial=OWNERS,
        widget=forms.RadioSelect,
    )
    subject = forms.CharField(max_length=200)
    text = forms.CharField(
        max_length=limits.MAIL_TEXT,
        widget=forms.Textarea(attrs={"rows": 12}),
        help_text="Sent as it stands; on the page of the notice it is Markdown.",
    )
    batch = forms.UUIDField(widget=forms.HiddenInput, initial=uuid4)

    @property
    def owners_only(self) -> bool:
        return bool(self.cleaned_data["to"] == self.OWNERS)


class AllowanceForm(forms.Form):
    GIVEN = ("extra_runs", "extra_attempts", "extra_gib", "closes_at")

    extra_runs = forms.IntegerField(
        label="Extra runs", min_value=0, initial=0, validators=[MaxValueValidator(1000)], help_text="0: as all teams."
    )
    extra_attempts = forms.IntegerField(
        label="Extra uploads a day",
        min_value=0,
        initial=0,
        validators=[MaxValueValidator(1000)],
        help_text="Beyond the most that a team may send within 24 hours, whatever becomes of it.",
    )
    extra_gib = forms.IntegerField(
        label="Extra GB a day",
        min_value=0,
        initial=0,
        validators=[MaxValueValidator(1000)],
        help_text="Beyond the bytes that a team may send within 24 hours.",
    )
    closes_at = ZonedDateTimeField(required=False, label="Own deadline", help_text="Empty: the deadline for all.")
    reason = forms.CharField(
        max_length=limits.REASON,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="The members of the team get it by mail, and it is logged.",
    )

    def __init__(self, *args: Any, campaign: Campaign, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["closes_at"]
        field.zone = zone_named(campaign.time_zone)  # type: ignore[attr-defined]
        field.label = f"{field.label} ({campaign.time_zone})"


class AgreementForm(forms.ModelForm[Agreement]):
    class Meta:
        model = Agreement
        fields = ("title", "text")
        widgets = {"text": forms.Textarea(attrs={"rows": 14})}
        help_texts = {
            "title": "As teams see it above its text: Data usage agreement.",
            "text": "Markdown. What a team promises when one of its members accepts it.",
        }
