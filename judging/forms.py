from datetime import datetime
from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from campaign.models import Task, Topic, User
from judging.models import Judgment
from judging.resolution import POLICIES
from judging.services.act_rules import LONGEST_NOTE
from judging.services.judgments import Act

BELIEVABLE_YEARS = range(2000, 2101)


class SpokenField(forms.CharField):
    """Text as browsers send it; half a character (of a pair that was cut in two) becomes a question mark."""

    def to_python(self, value: Any) -> str:
        return (super().to_python(value) or "").encode(errors="replace").decode()


class MomentField(forms.DateTimeField):
    """A time by the browser's clock. One that cannot be true counts as not given: no reason to refuse a grade."""

    def to_python(self, value: Any) -> datetime | None:
        if value is not None and not isinstance(value, str):
            raise ValidationError(self.error_messages["invalid"], code="invalid")
        try:
            moment = super().to_python(value)
        except OverflowError:
            return None
        return moment if moment is not None and moment.year in BELIEVABLE_YEARS else None


class ActForm(forms.Form):
    """One act as the desk sends it; what it may say is decided by the service."""

    uuid = forms.UUIDField()
    docno = SpokenField(max_length=200, strip=False)
    verdict = SpokenField(max_length=12, required=False)
    grade = forms.IntegerField(required=False)
    subtopic_grades = forms.JSONField(required=False)
    note = SpokenField(required=False, max_length=LONGEST_NOTE)
    shown_at = MomentField(required=False)
    judged_at = MomentField(required=False)
    active_ms = forms.IntegerField(required=False)

    def clean_subtopic_grades(self) -> dict[str, int]:
        grades = self.cleaned_data["subtopic_grades"] or {}
        if not isinstance(grades, dict) or any(type(grade) is not int for grade in grades.values()):
            raise ValidationError("Subtopic grades must be an object of integers.")
        return {str(number): grade for number, grade in grades.items()}

    def act(self) -> Act:
        return Act(**{**self.cleaned_data, "verdict": self.cleaned_data["verdict"] or Judgment.GRADED})


class AssignForm(forms.Form):
    assessor = forms.ModelChoiceField(User.objects.none())
    topics = forms.ModelMultipleChoiceField(
        Topic.objects.none(),
        help_text="Hold Ctrl (or ⌘) to choose several. A topic that somebody has in this pass already is handed over: "
        "the new assessor gets what is not graded yet.",
    )
    pass_number = forms.IntegerField(
        label="Pass",
        min_value=1,
        max_value=9,
        initial=1,
        help_text="2 and above: judge a topic again, blind to pass 1.",
    )

    def __init__(self, *args: Any, task: Task, pooled: list[int], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _choice(self, "assessor").queryset = _assessors(task)
        _choice(self, "topics").queryset = task.topics.filter(pk__in=pooled)
        self.fields["topics"].widget.attrs["size"] = 12


class DistributeForm(forms.Form):
    assessors = forms.ModelMultipleChoiceField(User.objects.none(), widget=forms.CheckboxSelectMultiple)

    def __init__(self, *args: Any, task: Task, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _choice(self, "assessors").queryset = _assessors(task)


class ReleaseForm(forms.Form):
    policy = forms.ChoiceField(
        label="Several judgments of one document become",
        choices=list(POLICIES.items()),
        initial="latest",
        widget=forms.RadioSelect,
    )
    note = forms.CharField(
        required=False, max_length=2000, widget=forms.Textarea(attrs={"rows": 3}), help_text="Shown with this version."
    )


class ImportForm(forms.Form):
    file = forms.FileField(
        label="Qrels file", help_text="topic, 0, docno, grade on each line; plain text or gzip. It is checked first."
    )
    subtopics = forms.BooleanField(required=False, label="The second column is the subtopic")
    note = forms.CharField(required=False, max_length=2000, help_text="Where these judgments come from.")

    def __init__(self, *args: Any, task: Task, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not task.has_subtopics:
            del self.fields["subtopics"]


def _assessors(task: Task) -> Any:
    return User.objects.filter(roles__campaign=task.campaign_id, roles__role="assessor").order_by("username")


def _choice(form: forms.Form, name: str) -> Any:
    return form.fields[name]
