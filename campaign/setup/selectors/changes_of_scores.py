"""Changes of a task's settings that change its scores, and which of them came when scores had been computed already."""

from collections.abc import Sequence
from typing import Any

from campaign.models import AuditEvent, Task
from campaign.modes import GradeStep

AFTER_SCORES = "after_scores"
"""The entry of an audit event that holds such changes in words, if runs had been scored before."""


def changes_of_scores(before: Task, after: Task, scale: Sequence[GradeStep] | None = None) -> list[str]:
    """The changes in words; empty when the scores stay as they are. `scale`: the new one; None when the stored one stays."""
    said = []
    if before.measures[:1] != after.measures[:1]:
        said.append(f"ranking measure changed from {_names(before.measures[:1])} to {_names(after.measures[:1])}")
    if added := [name for name in after.measures if name not in before.measures]:
        said.append(f"measures added: {_names(added)}")
    if removed := [name for name in before.measures if name not in after.measures]:
        said.append(f"measures removed: {_names(removed)}")
    if before.lowest_relevant_grade != after.lowest_relevant_grade:
        grades = f"from {before.lowest_relevant_grade} to {after.lowest_relevant_grade}"
        said.append(f"lowest relevant grade changed {grades}")
    if before.ordering != after.ordering:
        said.append(f"order of runs changed from “{before.ordering.in_words}” to “{after.ordering.in_words}”")
    return said + _changes_of_gains(before, scale or ())


def _changes_of_gains(task: Task, scale: Sequence[GradeStep]) -> list[str]:
    stored = dict(task.grades.values_list("value", "gain"))
    gains = {step["value"]: step.get("gain", float(step["value"])) for step in scale}
    return [
        f"gain of grade {value} changed from {stored[value]:g} to {gain:g}"
        for value, gain in sorted(gains.items())
        if value in stored and gain != stored[value]
    ]


def changes_after_scores(task: Task) -> list[dict[str, Any]]:
    """The changes that came after scores had been computed, the oldest first: `at` (date and time, ISO) and `changes`."""
    events = AuditEvent.objects.filter(object_type="task", object_id=str(task.pk), verb="update")
    logged = events.filter(data__has_key=AFTER_SCORES).order_by("pk").values_list("happened_at", "data")
    return [{"at": at.isoformat(timespec="seconds"), "changes": data[AFTER_SCORES]} for at, data in logged]


def _names(measures: list[str]) -> str:
    return ", ".join(measures) or "that of the judging mode"
