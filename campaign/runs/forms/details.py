"""The details of a run besides its file: asked at the upload, editable until the deadline."""

from collections.abc import Iterator
from typing import Any, ClassVar

from django import forms
from django.core.validators import MaxValueValidator, MinValueValidator

from campaign.models import Run, Task
from campaign.models.run import LAST_PRIORITY
from campaign.setup.run_questions import CHOICE, NUMBER, YES_NO, Question, read_answers, read_questions
from campaign.text import limits

ANSWER = "answer_"
FEW_CHOICES = 5
PRIORITY_WORDS = "1 is pooled first. Give each of your runs another number."


def priority_field(*, required: bool) -> forms.IntegerField:
    return forms.IntegerField(
        label="Judging priority",
        required=required,
        validators=[MinValueValidator(1), MaxValueValidator(LAST_PRIORITY)],
        widget=forms.NumberInput(attrs={"min": 1, "max": LAST_PRIORITY}),
        help_text=PRIORITY_WORDS if required else f"{PRIORITY_WORDS} Empty: the next after your team's other runs.",
    )


class AboutForm(forms.Form):
    """How a run was made, and the questions that the organisers ask about each run of this task."""

    kind = forms.ChoiceField(
        label="Run type",
        choices=list(Run.KINDS.items()),
        initial=Run.AUTOMATIC,
        help_text="Manual: a person took part, for some topic at least.",
    )
    description = forms.CharField(
        required=False,
        max_length=limits.DESCRIPTION,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text="How the run was made. Your team and the organisers see it.",
    )

    def __init__(self, *args: Any, task: Task, run: Run | None = None, **kwargs: Any) -> None:
        if run is not None:
            kwargs["initial"] = {**_told_of(run), **kwargs.get("initial", {})}
        super().__init__(*args, **kwargs)
        self.questions = read_questions(task.questions)
        for question in self.questions:
            self.fields[ANSWER + question.key] = _field(question)

    def clean(self) -> dict[str, Any]:
        """Collect the answers in `cleaned_data["answers"]`; errors stay at their fields."""
        cleaned = super().clean() or self.cleaned_data
        given = {question.key: cleaned.pop(ANSWER + question.key, None) for question in self.questions}
        cleaned["answers"], problems = read_answers(self.questions, given)
        for key, message in problems.items():
            if not self.has_error(ANSWER + key):
                self.add_error(ANSWER + key, message)
        return cleaned

    def question_fields(self) -> Iterator[forms.BoundField]:
        return (self[ANSWER + question.key] for question in self.questions)


class RunEditForm(AboutForm):
    priority = priority_field(required=True)
    field_order = ["kind", "priority", "description"]


class RunLinksForm(forms.ModelForm[Run]):
    class Meta:
        model = Run
        fields = ("paper_url", "code_url")
        labels: ClassVar = {"paper_url": "Paper", "code_url": "Code"}
        help_texts: ClassVar = {
            "paper_url": "An address that begins with https://, such as https://doi.org/10.1234/5678. Empty: none.",
            "code_url": "An address that begins with https://, such as https://github.com/team/system. Empty: none.",
        }
        widgets: ClassVar = dict.fromkeys(fields, forms.URLInput)


def _told_of(run: Run) -> dict[str, Any]:
    answers = {ANSWER + key: _as_typed(answer) for key, answer in run.answers.items()}
    return {"kind": run.kind, "priority": run.priority, "description": run.description, **answers}


def _as_typed(answer: Any) -> Any:
    if isinstance(answer, bool):
        return "yes" if answer else "no"
    return answer


def _field(question: Question) -> forms.Field:
    about: dict[str, Any] = {"label": question.label, "help_text": question.help, "required": question.required}
    missing = {"required": f"Answer “{question.label}”."}
    if question.kind == NUMBER:
        widget = forms.NumberInput(attrs={"step": "any"})
        wrong = {"invalid": "Write a number, such as 12 or 0.5."}
        return forms.FloatField(**about, widget=widget, error_messages={**missing, **wrong})
    if question.kind in (YES_NO, CHOICE):
        choices = ["yes", "no"] if question.kind == YES_NO else list(question.choices)
        return _choice_field(choices, about, missing)
    return forms.CharField(**about, max_length=limits.ANSWER, error_messages=missing)


def _choice_field(choices: list[str], about: dict[str, Any], missing: dict[str, str]) -> forms.Field:
    named = [(choice, choice) for choice in choices]
    errors = {**missing, "invalid_choice": f"Choose one of: {', '.join(choices)}."}
    if len(choices) > FEW_CHOICES:
        return forms.ChoiceField(choices=[("", "–"), *named], **about, error_messages=errors)
    none = [] if about["required"] else [("", "no answer")]
    return forms.ChoiceField(choices=[*named, *none], widget=forms.RadioSelect, **about, error_messages=errors)
