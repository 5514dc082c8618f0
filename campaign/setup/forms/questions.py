from collections.abc import Collection, Iterable
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.forms.formsets import BaseFormSet

from campaign.formats.source import lines_of
from campaign.setup.run_questions import CHOICE, KINDS, MOST_QUESTIONS, TEXT, Question, questions_problem
from campaign.text import limits


class QuestionForm(forms.Form):
    label = forms.CharField(
        max_length=limits.QUESTION,
        required=False,
        label="Question",
        widget=forms.TextInput(attrs={"data-question-label": ""}),
    )
    key = forms.CharField(max_length=40, required=False, widget=forms.TextInput(attrs={"class": "code"}))
    kind = forms.ChoiceField(choices=KINDS, required=False)
    choices = forms.CharField(
        max_length=limits.MOST_CHOICES * (limits.CHOICE + 2),
        required=False,
        label="Choices, one on each line",
        widget=forms.Textarea(attrs={"rows": 3}),
    )
    required = forms.BooleanField(required=False, label="Must be answered")
    help = forms.CharField(max_length=limits.QUESTION, required=False, label="Hint")

    def __init__(self, *args: Any, **values: Any) -> None:
        super().__init__(*args, **values)
        self.is_answered = bool(self.initial.get("is_answered"))
        if self.is_answered:
            self.fields["key"].widget.attrs["readonly"] = ""
            kind = self.initial["kind"]
            self.fields["kind"].choices = [(kind, KINDS[kind])]  # type: ignore[attr-defined]

    @property
    def is_emptied(self) -> bool:
        return not (self["key"].data or self["label"].data)

    def question(self) -> Question:
        data = self.cleaned_data
        kind = data["kind"] or TEXT
        choices = tuple(line.strip() for line in lines_of(data["choices"]) if line.strip()) if kind == CHOICE else ()
        return Question(data["key"], data["label"], kind, data["required"], data["help"], choices)


class QuestionFormSet(BaseFormSet[QuestionForm]):
    """The questions about each run, in their order; a row without text and key is left out."""

    def questions(self) -> list[dict[str, Any]]:
        return [form.question().to_json() for form in self._kept()]

    def clean(self) -> None:
        if any(self.errors):
            return
        seen: set[str] = set()
        for form in self._kept():
            question = form.question()
            problem = questions_problem([question])
            if problem:
                form.add_error("key" if "key" in problem else "label" if "text" in problem else "choices", problem)
            elif question.key in seen:
                form.add_error("key", "Another question has this key already.")
            seen.add(question.key)
        if not any(self.errors):
            whole = questions_problem([form.question() for form in self._kept()])
            if whole:
                raise ValidationError(whole)

    def add_error(self, problem: ValidationError) -> None:
        """Add the errors of a service to the row of the question that their code names."""
        for form in self._kept():
            if problem.code and problem.code == form.initial.get("key"):
                form.add_error(None, problem)
                return
        self.non_form_errors().extend(problem.messages)

    def _kept(self) -> list[QuestionForm]:
        return [form for form in self.forms if not self._should_delete_form(form)]

    def _should_delete_form(self, form: QuestionForm) -> bool:
        return form.is_emptied or bool(super()._should_delete_form(form))  # type: ignore[misc]


def question_formset(data: Any, questions: Iterable[Question], answered: Collection[str] = ()) -> QuestionFormSet:
    rows = [
        {**question.to_json(), "choices": "\n".join(question.choices), "is_answered": question.key in answered}
        for question in questions
    ]
    factory = forms.formset_factory(
        QuestionForm,
        formset=QuestionFormSet,
        extra=1,
        max_num=MOST_QUESTIONS + 1,
        absolute_max=MOST_QUESTIONS + 10,
        validate_max=True,
        can_delete=True,
    )
    return factory(data, initial=rows, prefix="questions")  # type: ignore[return-value]
