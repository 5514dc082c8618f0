"""Settings of a task: the severities of rules, patterns, and the questions about each run."""

from collections import defaultdict
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.utils import timezone

from campaign.formats.document_links import template_problem
from campaign.formats.patterns import pattern_problem
from campaign.formats.runs.rules import RULES, is_severity_setting
from campaign.measures import measure_answers
from campaign.models import Run, Task
from campaign.models.fields import length_problem
from campaign.setup.run_questions import KINDS, Question, questions_problem, read_questions
from campaign.text import limits
from campaign.text.plurals import listed

ORDERED_BY = frozenset({"run_order", "reference"})
"""The settings by which runs are ordered: after a change, all are checked and scored again."""
CHECKED_BY = ORDERED_BY | frozenset(
    {"rule_severities", "max_documents_per_topic", "docno_policy", "docno_pattern", "tag_pattern", "collection"}
)
"""The settings that the check of a run depends on: after a change, existing runs may be checked again."""

UNFIT_FOR_MODE = "unfit_for_mode"
"""Code of the error of measures that need judgments which the judging mode does not give."""


def settle(task: Task, before: Task | None) -> None:
    """Return the settings in the form in which they are stored; ValidationError names the field."""
    require_readable_settings(task)
    if before is None or any(
        getattr(before, name) != getattr(task, name) for name in ("measures", "lowest_relevant_grade", "judging_mode")
    ):
        _require("measures", length_problem(task.measures, limits.MEASURES))  # before they are parsed
        _require("measures", measure_answers().problems(task.measures, task.lowest_relevant_grade))
        _require_measures_of_mode(task)
    if before is None or before.document_link != task.document_link:
        _require("document_link", template_problem(task.document_link, settings.DOCUMENT_HOSTS))
    if before is not None and before.closes_at != task.closes_at:
        _require_coming(task.closes_at)
    if before is not None and before.questions != task.questions:
        _require_answers_to_fit(task, read_questions(before.questions), read_questions(task.questions))


def _require_measures_of_mode(task: Task) -> None:
    """A mode without subtopics gives no judgments of subtopics: what is computed from them would never have a value."""
    mode = task.mode
    unfit = [] if mode.needs_subtopics else measure_answers().by_subtopic(task.measures)
    if unfit:
        problem = (
            f"{listed(unfit)}: computed from judgments of subtopics, which the judging mode “{mode.label}” does not have. "
            f"Usual for this mode: {', '.join(mode.measures)}."
        )
        raise ValidationError({"measures": ValidationError(problem, code=UNFIT_FOR_MODE)})


def require_readable_settings(task: Task) -> None:
    """Of the settings those that pages and the checks of runs read: also those of an archive."""
    task.rule_severities = _severities(task.rule_severities)
    task.questions = [question.to_json() for question in _questions(task.questions)]
    for name in ("docno_pattern", "tag_pattern"):
        _require(name, pattern_problem(getattr(task, name)))


def without_rounded_deadline(task: Task, fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields without a deadline in the minute of the one that holds: forms know minutes only, and nobody moved it."""
    sent, now = fields.get("closes_at"), task.closes_at
    is_rounded = sent is not None and now is not None and sent == now.replace(second=0, microsecond=0)
    return {name: value for name, value in fields.items() if not (is_rounded and name == "closes_at")}


def answers_given(task: Task) -> dict[str, set[Any]]:
    """The answers that runs of the task hold, by the key of the question."""
    given: dict[str, set[Any]] = defaultdict(set)
    for answers in Run.objects.filter(task=task).exclude(answers={}).values_list("answers", flat=True):
        for key, answer in answers.items():
            given[key].add(answer)
    return dict(given)


def _require_coming(closes_at: datetime | None) -> None:
    if closes_at is not None and closes_at <= timezone.now():
        _require("closes_at", "This time is past. Choose a coming time, or end the uploads by the phase.")


def _severities(settings: Any) -> dict[str, str]:
    if not isinstance(settings, Mapping):
        raise ValidationError({"rule_severities": "Write a table of rule codes and severities."})
    for code, severity in settings.items():
        if not is_severity_setting(str(code), severity):
            fixed = code in RULES and RULES[code].is_fixed
            why = "is fixed" if fixed else "is no rule" if code not in RULES else "can be error, warning or off"
            raise ValidationError({"rule_severities": f"“{code}” = “{severity}”: {code} {why}."})
    return {code: severity for code, severity in settings.items() if severity != RULES[code].default}


def _questions(entries: Any) -> list[Question]:
    try:
        questions = read_questions(entries)
    except (TypeError, ValueError, AttributeError) as problem:
        known = ", ".join(Question.__slots__)
        raise ValidationError({"questions": f"A question has only these entries: {known}."}) from problem
    for question in questions:
        _require("questions", _wrong_type(question))
    _require("questions", questions_problem(questions))
    return questions


def _wrong_type(question: Question) -> str:
    texts = (question.key, question.label, question.kind, question.help, *question.choices)
    if not all(isinstance(text, str) for text in texts):
        return f"Question {question.key}: key, label, kind, help and choices are texts, in quotation marks."
    return "" if isinstance(question.required, bool) else f"Question {question.key}: required is true or false."


def _require_answers_to_fit(task: Task, before: list[Question], after: list[Question]) -> None:
    """Answers are stored under the key of their question, in its kind: a question with answers can be reworded only."""
    given = answers_given(task)
    kept = {question.key: question for question in after}
    for question in before:
        answers = given.get(question.key)
        if not answers:
            continue
        because = "runs have answered it, and their answers are kept under its key, in its kind"
        if question.key not in kept:
            _refuse(
                question.key, f"Question {question.key} cannot be removed or renamed: {because}. It can be reworded."
            )
        now = kept[question.key]
        if now.kind != question.kind:
            kind = KINDS[question.kind]
            _refuse(question.key, f"Question {question.key} stays a question of the kind “{kind}”: {because}.")
        lost = sorted(answers & set(question.choices) - set(now.choices))
        if lost:
            _refuse(question.key, f"Question {question.key}: “{lost[0]}” is the answer of a run, so the choice stays.")


def _refuse(key: str, problem: str) -> None:
    """Raise an error whose code is the question's key, so that a form can show it at the question's row."""
    raise ValidationError({"questions": ValidationError(problem, code=key)})


def _require(field: str, problem: str | list[str]) -> None:
    if problem:
        raise ValidationError({field: problem})
