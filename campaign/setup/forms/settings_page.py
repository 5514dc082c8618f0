"""The whole page of a task's settings: its fields, its grade scale, the severities of its rules, its questions."""

import json
from collections.abc import Sequence
from hashlib import sha256
from typing import Any, Final

from django.core.exceptions import ValidationError
from django.forms.formsets import BaseFormSet
from django.http import QueryDict

from campaign.models import Campaign, Task
from campaign.modes import MODES, GradeStep
from campaign.setup.forms.guidelines import GUIDELINES
from campaign.setup.forms.questions import question_formset
from campaign.setup.forms.rule_severities import RuleSeveritiesForm
from campaign.setup.forms.task_form import TaskForm, grade_formset, keep_words
from campaign.setup.run_questions import read_questions
from campaign.setup.services.setting_checks import answers_given
from campaign.web.forms import add_errors

TABLES: Final = {
    "grades": "Grades",
    "rule_severities": "Errors and warnings for runs",
    "questions": "Run metadata fields",
}
"""Settings that are rows beside the form, by their names in the log."""

USUAL_MEASURES: Final = "usual_measures"
"""Name of the button that saves the form with the measures of the chosen judging mode."""


def with_usual_measures(sent: QueryDict) -> QueryDict:
    """What was sent; by that button, with the measures of the chosen mode in place of those in the form."""
    mode = MODES.get(sent.get("judging_mode", "")) if USUAL_MEASURES in sent else None
    if mode is None:
        return sent
    data = sent.copy()
    data["measures"] = "\n".join(mode.measures)
    return data


def _digest(rows: Any) -> str:
    return sha256(json.dumps(rows, sort_keys=True).encode()).hexdigest()[:16]


class TaskSettings:
    def __init__(
        self, data: Any, *, campaign: Campaign, task: Task | None = None, scale: Sequence[GradeStep] | None = None
    ) -> None:
        self.form = TaskForm(data, instance=task, campaign=campaign)
        self.scale = grade_formset(data, scale)
        if task and GUIDELINES not in self.form.fields:
            keep_words(self.scale)
        self.rules = RuleSeveritiesForm(data, severities=task.rule_severities if task else {})
        questions = read_questions(task.questions) if task else []
        self.questions = question_formset(data, questions, answers_given(task) if task else ())
        self._stored = {
            "grades": list(scale or ()),
            "rule_severities": task.rule_severities if task else {},
            "questions": task.questions if task else [],
        }

    @property
    def _parts(self) -> tuple[Any, ...]:
        return self.form, self.scale, self.rules, self.questions

    def is_valid(self) -> bool:
        problems = [
            part for part in self._parts if not part.is_valid()
        ]  # show the errors of all parts, not of the first alone
        return not problems

    @property
    def is_refused(self) -> bool:
        return self.form.is_bound and not self.is_valid()

    def values(self) -> dict[str, Any]:
        fields, steps = dict(self.form.cleaned_data), self.scale.steps()
        is_new, lowest = self.form.instance.pk is None, "lowest_relevant_grade"
        if is_new and steps is None and lowest not in self.form.changed_data:
            fields[lowest] = None  # that of the judging mode, which may have changed, as its scale
        if fields[lowest] is None and not is_new:
            del fields[lowest]
        return {
            **fields,
            "grades": steps,
            "rule_severities": self.rules.severities(),
            "questions": self.questions.questions(),
        }

    def put_rows(self, name: str, data: QueryDict) -> None:
        """Put the rows of one of TABLES, as they are here, in the place of those that were sent."""
        part = self._rows_of(name)
        for key in [key for key in data if key.startswith(f"{part.prefix}-")]:
            del data[key]
        forms = [part.management_form, *part.forms] if isinstance(part, BaseFormSet) else [part]
        for field in (field for form in forms for field in form):
            value = field.value()
            if value is not None and value is not False:  # 0 is a grade
                data[field.html_name] = "on" if value is True else str(value)

    def digests(self) -> dict[str, str]:
        """Name the stored rows of each of TABLES by a checksum, which a page sends back."""
        return {name: _digest(rows) for name, rows in self._stored.items()}

    def tables_to_tell(self, sent: QueryDict) -> dict[str, str]:
        """Those of TABLES, with their labels, that are stored neither as the page had shown them nor as they were sent."""
        digests = self.digests()
        changed = {name: label for name, label in TABLES.items() if sent.get(f"shown_{name}") != digests[name]}
        return {name: label for name, label in changed.items() if not self._is_sent_as_stored(name)}

    def _is_sent_as_stored(self, name: str) -> bool:
        if not self._rows_of(name).is_valid():
            return False
        read = {
            "grades": self.scale.steps,
            "rule_severities": self.rules.severities,
            "questions": self.questions.questions,
        }
        rows = read[name]()
        return rows is None or rows == self._stored[name]  # no steps: those that are stored are kept

    def _rows_of(self, name: str) -> Any:
        return {"grades": self.scale, "rule_severities": self.rules, "questions": self.questions}[name]

    def add_errors(self, problem: ValidationError) -> None:
        """Add the errors of a service to the fields that they belong to."""
        named = dict(problem.error_dict) if hasattr(problem, "error_dict") else {}
        for error in named.pop("questions", []):
            self.questions.add_error(error)
        if named or not hasattr(problem, "error_dict"):
            add_errors(self.form, ValidationError(named) if named else problem)

    def context(self) -> dict[str, Any]:
        return {"form": self.form, "scale": self.scale, "rules": self.rules, "questions": self.questions}
