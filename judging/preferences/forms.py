from collections.abc import Sequence
from typing import Any

from django import forms

from campaign.models import Task, User
from campaign.text import limits
from judging.assigning.forms import NO_ASSESSOR
from judging.forms import BrowserTextField, BrowserTimeField, MeasuredTextField
from judging.preferences.selectors import Candidate
from judging.preferences.services import Answered

DOCNO = 200
PRESELECTED = 2
"""Documents from which on a topic is ticked at first: with one there is nothing to compare."""


class AnsweredForm(forms.Form):
    """One answer as the desk sends it; the service checks its content."""

    uuid = forms.UUIDField()
    left = BrowserTextField(max_length=DOCNO, required=False, strip=False)
    right = BrowserTextField(max_length=DOCNO, required=False, strip=False)
    answer = BrowserTextField(max_length=9, required=False)
    undoes = forms.UUIDField(required=False)
    note = BrowserTextField(required=False, max_length=limits.JUDGMENT_NOTE)
    shown_at = BrowserTimeField(required=False)
    answered_at = BrowserTimeField(required=False)
    active_ms = forms.IntegerField(required=False)
    away_ms = forms.IntegerField(required=False)
    input_method = MeasuredTextField()

    def answered(self) -> Answered:
        return Answered(**self.cleaned_data)


class BeginForm(forms.Form):
    topics = forms.MultipleChoiceField(
        widget=forms.CheckboxSelectMultiple,
        help_text="A topic with one such document has an order without a comparison.",
        error_messages={"required": "Choose at least one topic."},
    )
    assessors = forms.ModelMultipleChoiceField(
        User.objects.none(),
        widget=forms.CheckboxSelectMultiple,
        help_text="Each topic goes to one of them, so that all have about the same number of pairs.",
        error_messages={"required": NO_ASSESSOR},
    )
    best = forms.IntegerField(
        label="Put in order only the best",
        required=False,
        min_value=1,
        max_value=10_000,
        help_text="So many documents of each topic; the others share the last place. Empty: all are put in order.",
    )
    control_percent = forms.IntegerField(
        label="Control pairs (%)",
        min_value=0,
        max_value=50,
        initial=10,
        help_text="So many of 100 pairs are shown again with sides swapped; as many others test whether the order holds.",
    )

    def __init__(self, *args: Any, task: Task, topics: Sequence[Candidate], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        chosen: Any = self.fields["topics"]
        chosen.choices = [(one.topic.number, _in_words(one)) for one in topics]
        chosen.initial = [one.topic.number for one in topics if len(one.documents) >= PRESELECTED]
        assessors: Any = self.fields["assessors"]
        assessors.queryset = User.objects.filter(roles__campaign=task.campaign_id, roles__role="assessor").order_by(
            "username"
        )

    def clean_assessors(self) -> list[User]:
        return list(self.cleaned_data["assessors"])


def _in_words(one: Candidate) -> str:
    count = len(one.documents)
    pairs = f", at most {one.bound:,} {'pair' if one.bound == 1 else 'pairs'}" if one.bound else ""
    return f"{one.topic.number} {one.topic.title}: {count:,} of grade {one.grade}{pairs}"


class OrderForm(forms.Form):
    note = forms.CharField(
        required=False,
        max_length=limits.NOTE,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="Shown with this version.",
    )
