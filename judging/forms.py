from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, ClassVar

from django import forms
from django.core.exceptions import ValidationError

from campaign.formats.moments import MomentError, in_zone, read_moment
from campaign.formats.problems import KEY_LENGTH_LIMIT
from campaign.models import Task
from campaign.text import limits
from judging.core.grade_reading import read_grade
from judging.core.keyboard_shortcuts import COMMANDS, command_keys, key_problem
from judging.core.modes.declaration import Answers
from judging.core.resolution import LATEST, POLICIES, UNGRADED_AS, UNION, UNJUDGED_AS
from judging.desk.services.judgments import Act
from judging.models import Judgment, ModelAssessor
from judging.progress.selectors.history import SHOWN, Wanted
from pooling.models import DuplicateSearch, Search

PLAUSIBLE_YEARS = range(2000, 2101)


class BrowserTextField(forms.CharField):
    """Text as browsers send it; half a character (of a pair that was cut in two) becomes a question mark."""

    def to_python(self, value: Any) -> str:
        return (super().to_python(value) or "").encode(errors="replace").decode()


class MeasuredTextField(forms.CharField):
    """What a browser says of an act besides its content. Anything else than a text is nothing."""

    def __init__(self) -> None:
        super().__init__(required=False)

    def to_python(self, value: Any) -> str:
        return value.encode(errors="replace").decode() if isinstance(value, str) else ""


class BrowserTimeField(forms.DateTimeField):
    """A time by the browser's clock. An impossible time is ignored instead of refusing the grade."""

    def to_python(self, value: Any) -> datetime | None:
        if value is not None and not isinstance(value, str):
            raise ValidationError(self.error_messages["invalid"], code="invalid")
        try:
            time = None if value in self.empty_values else in_zone(read_moment(value), UTC)
        except MomentError:
            raise ValidationError(self.error_messages["invalid"], code="invalid") from None
        return time if time is not None and time.year in PLAUSIBLE_YEARS else None


class GradeField(forms.Field):
    """A grade in any of the ways that `read_grade` reads; nothing is None."""

    def to_python(self, value: Any) -> int | None:
        if value in self.empty_values:
            return None
        try:
            return read_grade(value)
        except ValueError as problem:
            raise ValidationError(str(problem)) from problem


class ActForm(forms.Form):
    """One act as the desk sends it; the service and the judging mode check its content."""

    uuid = forms.UUIDField()
    docno = BrowserTextField(max_length=KEY_LENGTH_LIMIT, strip=False)
    verdict = BrowserTextField(max_length=12, required=False)
    grade = GradeField(required=False)
    note = BrowserTextField(required=False, max_length=limits.JUDGMENT_NOTE)
    shown_at = BrowserTimeField(required=False)
    judged_at = BrowserTimeField(required=False)
    active_ms = forms.IntegerField(required=False)
    away_ms = forms.IntegerField(required=False)
    reason = BrowserTextField(required=False, max_length=limits.REASON_OF_JUDGMENT)
    flagged = forms.BooleanField(required=False)
    undoes = forms.UUIDField(required=False)
    input_method = MeasuredTextField()
    position = forms.IntegerField(required=False)
    extent = MeasuredTextField()
    text_sha256 = MeasuredTextField()
    topic_sha256 = MeasuredTextField()
    guidelines_sha256 = MeasuredTextField()

    def clean_input_method(self) -> str:
        sent: str = self.cleaned_data["input_method"]
        return sent if sent in Judgment.AT_THE_DESK else ""

    def act(self, answers: Answers) -> Act:
        verdict = self.cleaned_data["verdict"] or Judgment.GRADED
        return Act(**{**self.cleaned_data, "verdict": verdict}, answers=answers)


class DeskKeysForm(forms.Form):
    """The assessor's own key of each command of the desk."""

    def __init__(self, *args: Any, own: Mapping[str, str], **kwargs: Any) -> None:
        super().__init__(*args, **{"initial": command_keys((), own), **kwargs})
        for name, (usual, does) in COMMANDS.items():
            attributes = {
                "class": "code",
                "size": 2,
                "autocomplete": "off",
                "autocapitalize": "off",
                "spellcheck": "false",
            }
            self.fields[name] = forms.CharField(
                label=does[0].upper() + does[1:],
                help_text=f"Usually {usual}.",
                widget=forms.TextInput(attrs=attributes),
            )

    def clean(self) -> dict[str, Any]:
        data = {name: key.lower() for name, key in self.cleaned_data.items()}
        for name in data:
            if problem := key_problem(name, data):
                self.add_error(name, problem)
        return data

    def own(self) -> dict[str, str]:
        """The keys that are not the usual ones."""
        return {name: key for name, key in self.cleaned_data.items() if key != COMMANDS[name][0]}


class HandlingForm(forms.Form):
    """How near-identical documents are judged; `costs`: by handling, what is to be judged then."""

    handling = forms.ChoiceField(
        label="Near-identical documents are",
        widget=forms.RadioSelect,
        help_text="You may change this at any time: no judgment is lost. Documents judged already are in the counts.",
    )

    def __init__(self, *args: Any, costs: Mapping[str, str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        labels = DuplicateSearch.HANDLINGS.items()
        _choice(self, "handling").choices = [(name, f"{label} ({costs[name]})") for name, label in labels]


class ReleaseForm(forms.Form):
    policy = forms.ChoiceField(
        label="Several judgments of one document become",
        choices=[(name, f"{name}: {words}") for name, words in POLICIES.items()],
        initial=LATEST,
        widget=forms.RadioSelect,
    )
    adjudicated = forms.BooleanField(
        required=False,
        initial=True,
        label="What adjudicators decided stands before the policy",
        help_text="The policy then decides on all other documents.",
    )
    cannot_judge_as = forms.ChoiceField(
        label="Pairs that could not be judged are", choices=list(UNGRADED_AS.items()), initial="-2", required=False
    )
    unjudged_as = forms.ChoiceField(
        label="Pairs that nobody judged are",
        choices=list(UNJUDGED_AS.items()),
        initial="-1",
        required=False,
        help_text="Also pairs that the policy leaves undecided. Only infAP tells -1 from a missing line: it needs -1.",
    )
    leave_undecided = forms.BooleanField(
        required=False,
        label="Release pairs without a majority as not judged (-1)",
        help_text="Otherwise a release by strict-majority is refused while there are any, and names them.",
    )
    not_scored = forms.MultipleChoiceField(
        required=False,
        label="Topics to leave out of the scores",
        widget=forms.CheckboxSelectMultiple,
        help_text="These topics have no relevant document. Those you tick are not scored; their judgments are released all the "
        "same, and the leaderboard names them.",
    )
    note = forms.CharField(
        required=False,
        max_length=limits.NOTE,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="Shown with this version.",
    )

    def __init__(
        self,
        *args: Any,
        doubtful: Mapping[str, str],
        most_votes: int,
        decisions: int = 0,
        subtopics: bool = True,
        **kwargs: Any,
    ) -> None:
        """`doubtful`: topics without a relevant document, and why. `most_votes`: grades of the pair that has most.

        `decisions`: how many adjudicators made. `subtopics`: whether the judging mode has them.
        """
        super().__init__(*args, **kwargs)
        if doubtful:
            _choice(self, "not_scored").choices = [(topic, f"{topic}: {why}") for topic, why in doubtful.items()]
        else:
            del self.fields["not_scored"]
        if most_votes < 2:
            del self.fields["leave_undecided"]
        if not decisions:
            del self.fields["adjudicated"]
        if not subtopics:
            policies = _choice(self, "policy")
            policies.choices = [(name, words) for name, words in policies.choices if name != UNION]

    def clean_cannot_judge_as(self) -> str:
        return self.cleaned_data["cannot_judge_as"] or "-2"

    def clean_unjudged_as(self) -> str:
        return self.cleaned_data["unjudged_as"] or "-1"


def _choice(form: forms.Form, name: str) -> Any:
    return form.fields[name]


class AssessorsReleaseForm(forms.Form):
    """Whose judgments are released, each into a set of its own; `sets`: key of the person and words for each choice."""

    assessors = forms.MultipleChoiceField(
        label="Release the judgments of",
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": "Tick at least one assessor."},
    )
    note = forms.CharField(
        required=False,
        max_length=limits.NOTE,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="Shown with each of these versions.",
    )

    def __init__(self, *args: Any, sets: Mapping[str, str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _choice(self, "assessors").choices = list(sets.items())


class FindForm(forms.Form):
    query = BrowserTextField(max_length=Search.LONGEST_QUERY, required=False)


class AddForm(FindForm):
    docno = BrowserTextField(max_length=KEY_LENGTH_LIMIT)


class ModelAssessorForm(forms.ModelForm[ModelAssessor]):
    class Meta:
        model = ModelAssessor
        fields = ("name", "version", "family", "prompt_sha256", "description")
        widgets: ClassVar[dict[str, forms.Widget]] = {"description": forms.Textarea(attrs={"rows": 3})}

    def clean_prompt_sha256(self) -> str:
        return str(self.cleaned_data["prompt_sha256"]).lower()


class JudgmentFilterForm(forms.Form):
    """Which judgments are listed; all by the address, so that a list can be linked."""

    assignment = forms.IntegerField(required=False, min_value=1, max_value=2**62, widget=forms.HiddenInput)
    shown = forms.ChoiceField(label="Show", required=False, choices=[("", "all"), *SHOWN.items()])
    grade = forms.TypedChoiceField(label="Grade", required=False, coerce=int, empty_value=None)
    word = forms.CharField(label="Word in docno or note", required=False, max_length=limits.SEARCH)
    before = forms.IntegerField(required=False, min_value=1, max_value=2**62, widget=forms.HiddenInput)

    def __init__(self, *args: Any, task: Task, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        grades = [(grade.value, f"{grade.value} {grade.label}") for grade in task.grades.all()]
        self.fields["grade"].choices = [("", "any"), *grades]  # type: ignore[attr-defined]

    def wanted(self) -> Wanted:
        return Wanted(**self.cleaned_data)

    @property
    def is_narrowed(self) -> bool:
        return any(value not in ("", None) for name, value in self.cleaned_data.items() if name != "before")
