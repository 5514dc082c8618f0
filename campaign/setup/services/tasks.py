from collections.abc import Sequence
from copy import copy
from typing import Any, NotRequired, TypedDict

from django.core.exceptions import ValidationError
from django.db import transaction

from campaign.audit import apply_changes, audit
from campaign.collection.selectors.topics import topics_are_in_use
from campaign.models import Campaign, Grade, Task, User
from campaign.setup.services.task_settings import settle

DESK_KEYS = frozenset("xu")
"""Keys that have a meaning at the desk already."""

MEASURES = ["nDCG@10", "AP", "P@10", "RR", "R@100", "bpref", "Judged@10"]
SUBTOPIC_MEASURES = [*MEASURES, "alpha-nDCG@10"]


class GradeStep(TypedDict):
    value: int
    label: str
    key: NotRequired[str]
    gain: NotRequired[float]
    definition: NotRequired[str]


BINARY_SCALE: list[GradeStep] = [{"value": 0, "label": "not relevant"}, {"value": 1, "label": "relevant"}]
GRADED_SCALE: list[GradeStep] = [
    {"value": 0, "label": "not relevant", "definition": "Says nothing about the topic."},
    {"value": 1, "label": "related", "definition": "Touches the topic, but does not answer it."},
    {"value": 2, "label": "relevant", "definition": "Answers the topic in part."},
    {"value": 3, "label": "perfect", "definition": "Is devoted to the topic and answers it."},
]


def default_scale(judging_mode: str) -> list[GradeStep]:
    return BINARY_SCALE if judging_mode == Task.BINARY else GRADED_SCALE


def default_measures(judging_mode: str) -> list[str]:
    return SUBTOPIC_MEASURES if judging_mode == Task.SUBTOPIC else MEASURES


@transaction.atomic
def task_create(
    *, actor: User, campaign: Campaign, slug: str, title: str, grades: Sequence[GradeStep] | None = None, **fields: Any
) -> Task:
    """A task in its set-up. Without `grades` or `measures` it has those that are usual for its judging mode."""
    task = Task(campaign=campaign, slug=slug, title=title, **fields)
    task.measures = task.measures or list(default_measures(task.judging_mode))
    settle(task, None)
    task.full_clean()
    task.save()
    scale = default_scale(task.judging_mode) if grades is None else grades
    _replace_scale(task, scale)
    audit(actor, "create", task, campaign=campaign, slug=slug, title=title, grades=list(scale))
    return task


@transaction.atomic
def task_update(*, actor: User, task: Task, grades: Sequence[GradeStep] | None = None, **fields: Any) -> Task:
    """Change what is given. Once a pool rests on the topics, the judging mode stays and no grade is removed."""
    changed = Task.objects.select_for_update(of=("self",)).select_related("campaign").get(pk=task.pk)
    before = copy(changed)
    was_binary = changed.judging_mode == Task.BINARY
    changes: dict[str, Any] = dict(apply_changes(changed, fields))
    settle(changed, before)
    changed.measures = changed.measures or list(default_measures(changed.judging_mode))
    if "judging_mode" in changes and topics_are_in_use(changed):
        raise ValidationError({"judging_mode": "The judging mode is settled once a pool is frozen."})
    changed.full_clean()
    changed.save()
    if grades is None and was_binary != (changed.judging_mode == Task.BINARY):
        grades = default_scale(changed.judging_mode)
    if grades is not None:
        _replace_scale(changed, grades)
        changes["grades"] = list(grades)
    if changes:
        audit(actor, "update", changed, campaign=changed.campaign, **changes)
    return changed


@transaction.atomic
def task_enter_phase(*, actor: User, task: Task, phase: str) -> Task:
    """Move the task to any phase, forwards or back."""
    if phase not in Task.PHASES:
        raise ValidationError(f"There is no phase “{phase}”.")
    moved = Task.objects.select_for_update().select_related("campaign").get(pk=task.pk)
    before = moved.phase
    if before != phase:
        moved.phase = phase
        moved.save(update_fields=["phase"])
        audit(actor, "enter phase", moved, campaign=moved.campaign, phase=phase, before=before)
    task.phase = phase
    return moved


@transaction.atomic
def task_advance(*, actor: User, task: Task, phase: str) -> Task:
    """Move the task forwards to a phase; one that is there or past it already stays where it is."""
    order = list(Task.PHASES)
    moved = Task.objects.select_for_update().select_related("campaign").get(pk=task.pk)
    if order.index(moved.phase) < order.index(phase):
        return task_enter_phase(actor=actor, task=task, phase=phase)
    task.phase = moved.phase
    return moved


def _replace_scale(task: Task, scale: Sequence[GradeStep]) -> None:
    _check_scale(task, scale)
    values = {step["value"] for step in scale}
    removed = task.grades.exclude(value__in=values)
    if removed and topics_are_in_use(task):
        lost = ", ".join(str(grade.value) for grade in removed)
        raise ValidationError(
            {"grades": f"Grade {lost} cannot be removed any more: a pool is frozen, judgments may use it."}
        )
    task.grades.all().delete()
    for step in scale:
        value = step["value"]
        grade = Grade(
            task=task,
            value=value,
            label=step["label"],
            key=step.get("key") or str(value),
            gain=step.get("gain", float(value)),
            definition=step.get("definition", ""),
        )
        grade.full_clean()
        grade.save()


def _check_scale(task: Task, scale: Sequence[GradeStep]) -> None:
    values = [step["value"] for step in scale]
    keys = [step.get("key") or str(step["value"]) for step in scale]
    problem = ""
    if len(set(values)) < len(values):
        problem = "Two grades have the same value."
    elif len(set(keys)) < len(keys):
        problem = "Two grades have the same key."
    elif 0 not in values or len(values) < 2:
        problem = "The scale needs grade 0 and at least one more."
    elif task.judging_mode == Task.BINARY and sorted(values) != [0, 1]:
        problem = "Binary judging has exactly the grades 0 and 1."
    elif not all(len(key) == 1 and key.isascii() and key.isalnum() and key.lower() not in DESK_KEYS for key in keys):
        problem = "A key is one letter or digit; x and u mean other things at the desk."
    if problem:
        raise ValidationError({"grades": problem})
