import re
from collections.abc import Iterable
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.forms.formsets import BaseFormSet

from campaign.collection.selectors.corrections import texts_are_settled
from campaign.collection.selectors.documents import campaign_collections
from campaign.models import Campaign, Task
from campaign.models.fields import length_problem, zone_named
from campaign.modes import DEFAULT_MODE, HIGHEST_GRADE, MOST_GRADES, GradeStep, mode_named
from campaign.setup.forms.guidelines import GUIDELINES
from campaign.text import limits
from campaign.web.forms import ZonedDateTimeField

NAME = re.compile(r"(?:[^\s,;()@]|[ \t]*\([^()]*\)|[ \t]*@[ \t]*|[()])+")
"""What stands between separators; those in parentheses separate nothing, nor do blanks beside them or beside @."""


class MeasuresField(forms.CharField):
    """Names of measures. Whether there are such measures is checked when the task is saved."""

    def prepare_value(self, value: Any) -> Any:
        return "\n".join(value) if isinstance(value, list) else value

    def to_python(self, value: Any) -> Any:
        text = super().to_python(value) or ""
        if problem := length_problem(text, limits.MEASURES):
            raise ValidationError(problem)
        return [name.strip() for name in NAME.findall(text)]


class ModeChoice(forms.RadioSelect):
    """Marks the modes without subtopics: the page then leaves out what only subtopics need."""

    def create_option(self, name: str, value: Any, *args: Any, **kwargs: Any) -> dict[str, Any]:
        option = super().create_option(name, value, *args, **kwargs)
        if not mode_named(value).needs_subtopics:
            option["attrs"]["data-without-subtopics"] = ""
        return option


class TaskForm(forms.ModelForm[Task]):
    opens_at = ZonedDateTimeField(required=False, label="Opens for runs", help_text="Empty: with the phase Runs.")
    closes_at = ZonedDateTimeField(
        required=False, label="Deadline for runs", help_text="Empty: runs are taken until the phase Runs ends."
    )
    measures = MeasuresField(
        required=False,
        widget=forms.Textarea(attrs={"rows": 8, "class": "code", "spellcheck": "false", "data-measures": ""}),
        help_text="One on each line; the first ranks the leaderboard. Empty: what is usual for the judging mode.",
    )

    class Meta:
        model = Task
        fields = [
            "title",
            "slug",
            "guidelines",
            "judging_mode",
            "opens_at",
            "closes_at",
            "takes_runs_after_pool",
            "round_kind",
            "max_runs_per_team",
            "max_documents_per_topic",
            "run_order",
            "reference",
            "docno_policy",
            "docno_pattern",
            "tag_pattern",
            "collection",
            "documents_shown_as",
            "document_link",
            "texts_for",
            "assessors_add_documents",
            "contradictions",
            "subtopics_after_grade",
            "passage_first",
            "cannot_judge_reasons",
            "lowest_relevant_grade",
            "measures",
            "scores_shown",
        ]
        labels = {
            "max_runs_per_team": "Runs per team",
            "max_documents_per_topic": "Documents per topic",
            "contradictions": "Inconsistent judgments",
        }
        help_texts = {
            "takes_runs_after_pool": "Otherwise a frozen pool closes the uploads, also before the deadline. "
            "Qrels that participants can see always close them.",
            "slug": "Part of every address of the task, for good.",
            "lowest_relevant_grade": "Documents of this grade or above are relevant: for AP, P, R, RR, bpref and all other "
            "measures that only know relevant or not, and for the counts of relevant documents.",
            "run_order": "The same in pools, in scores and where a run is cut. trec_eval and most other tools order by score "
            "alone: by rank or by line they may give other values of the same file.",
            "reference": "Scores that differ by less than its precision are equal, and docno decides between them.",
            "scores_shown": "Holds for every page, file, picture and the API, and is said on the task's page. Topics for "
            "feedback, chosen on a page of their own, keep the scores over all others hidden until a leaderboard is published.",
            "collection": "Empty: the first import of documents creates one.",
        }
        widgets = {
            "title": forms.TextInput(attrs={"data-slug-source": "id_slug"}),
            "slug": forms.TextInput(attrs={"class": "code", "autocomplete": "off"}),
            "guidelines": forms.Textarea(attrs={"rows": 10}),
            "judging_mode": ModeChoice,
            "round_kind": forms.RadioSelect,
            "run_order": forms.RadioSelect,
            "documents_shown_as": forms.RadioSelect,
            "texts_for": forms.RadioSelect,
            "contradictions": forms.RadioSelect,
            "cannot_judge_reasons": forms.Textarea(attrs={"rows": 4}),
            "reference": forms.RadioSelect,
            "scores_shown": forms.RadioSelect,
            "document_link": forms.TextInput(attrs={"class": "code", "spellcheck": "false"}),
            "tag_pattern": forms.TextInput(attrs={"class": "code", "spellcheck": "false"}),
        }

    def __init__(self, *args: Any, campaign: Campaign, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.instance.campaign = campaign
        for name in ("opens_at", "closes_at"):
            field = self.fields[name]
            field.zone = zone_named(campaign.time_zone)  # type: ignore[attr-defined]
            field.label = f"{field.label} ({campaign.time_zone})"
        self.fields["lowest_relevant_grade"].required = False
        collections = campaign_collections(campaign)
        self.fields["collection"].queryset = collections  # type: ignore[attr-defined]
        if not collections:
            del self.fields["collection"]
        kinds = Task.ROUND_KINDS if self.instance.follows_id else Task.FIRST_ROUND_KINDS
        self.fields["round_kind"].choices = list(kinds.items())  # type: ignore[attr-defined]
        self.fields["round_kind"].required = False
        if self.instance.pk and self.instance.phase != Task.SETUP:
            del self.fields["round_kind"]
        if self.instance.pk:
            del self.fields["slug"]
            if texts_are_settled(self.instance):
                del self.fields[GUIDELINES]
            self.fields["title"].widget.attrs.pop("data-slug-source")
        else:
            self.fields["measures"].initial = list(mode_named(DEFAULT_MODE).measures)
            self.fields["lowest_relevant_grade"].initial = mode_named(DEFAULT_MODE).lowest_relevant_grade

    def clean_round_kind(self) -> str:
        kind: str = self.cleaned_data["round_kind"] or self.instance.round_kind
        return kind

    def clean_measures(self) -> list[str]:
        """A new task with unedited measures gets those of its judging mode, which may have changed."""
        measures: list[str] = self.cleaned_data["measures"]
        return measures if self.instance.pk or "measures" in self.changed_data else []


class GradeForm(forms.Form):
    value = forms.IntegerField(min_value=0, max_value=HIGHEST_GRADE)
    label = forms.CharField(max_length=limits.GRADE_LABEL)
    key = forms.CharField(max_length=1, required=False)
    gain = forms.FloatField(min_value=0, required=False)
    definition = forms.CharField(max_length=limits.GRADE_DEFINITION, required=False)

    def step(self) -> GradeStep:
        data = self.cleaned_data
        gain = data["value"] if data["gain"] is None else data["gain"]
        return {**data, "key": data["key"] or str(data["value"]), "gain": float(gain)}  # type: ignore[typeddict-item]


class GradeFormSet(BaseFormSet[GradeForm]):
    """The rows of a grade scale; a row without value and label is left out."""

    def steps(self) -> list[GradeStep] | None:
        """Return the steps; None if unchanged, so that the task keeps its scale or gets that of its judging mode."""
        if not self.has_changed():
            return None
        return [form.step() for form in self.forms if not self._should_delete_form(form)]

    def _should_delete_form(self, form: GradeForm) -> bool:
        emptied = not (form["value"].data or form["label"].data)
        return emptied or bool(super()._should_delete_form(form))  # type: ignore[misc]


def keep_words(scale: GradeFormSet) -> None:
    """Show label and definition of the grades that are there, without an entry: a change of them is an erratum."""
    for row in scale.initial_forms:
        for name in ("label", "definition"):
            row.fields[name].widget.attrs["readonly"] = True


def grade_formset(data: Any, scale: Iterable[GradeStep] | None) -> GradeFormSet:
    rows = [_row(step) for step in (mode_named(DEFAULT_MODE).scale if scale is None else scale)]
    factory = forms.formset_factory(
        GradeForm,
        formset=GradeFormSet,
        extra=1,
        max_num=MOST_GRADES,
        absolute_max=MOST_GRADES + 10,
        validate_max=True,
        can_delete=True,
    )
    return factory(data, initial=rows, prefix="grades")  # type: ignore[return-value]


def _row(step: GradeStep) -> dict[str, Any]:
    value = step["value"]
    return {
        "value": value,
        "label": step["label"],
        "key": step.get("key", str(value)),
        "gain": step.get("gain", float(value)),
        "definition": step.get("definition", ""),
    }


class PhaseForm(forms.Form):
    phase = forms.ChoiceField(choices=Task.PHASES, widget=forms.HiddenInput)
