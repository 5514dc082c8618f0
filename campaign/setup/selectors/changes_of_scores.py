"""Changes of a task's settings that change its scores, and which of them came when scores had been computed already."""

from typing import Any

from campaign.models import AuditEvent, Task

AFTER_SCORES = "after_scores"
"""The entry of an audit event that holds such changes in words, if runs had been scored before."""


def changes_of_scores(before: Task, after: Task) -> list[str]:
    """The changes in words; empty when the scores stay as they are."""
    said = []
    if before.measures[:1] != after.measures[:1]:
        said.append(f"ranking measure changed from {_names(before.measures[:1])} to {_names(after.measures[:1])}")
    if before.measures[1:] != after.measures[1:] and set(before.measures) != set(after.measures):
        said.append(f"measures changed from {_names(before.measures)} to {_names(after.measures)}")
    if before.lowest_relevant_grade != after.lowest_relevant_grade:
        grades = f"from {before.lowest_relevant_grade} to {after.lowest_relevant_grade}"
        said.append(f"lowest relevant grade changed {grades}")
    return said


def changes_after_scores(task: Task) -> list[dict[str, Any]]:
    """The changes that came after scores had been computed, the oldest first: `at` (date and time, ISO) and `changes`."""
    events = AuditEvent.objects.filter(object_type="task", object_id=str(task.pk), verb="update")
    logged = events.filter(data__has_key=AFTER_SCORES).order_by("pk").values_list("happened_at", "data")
    return [{"at": at.isoformat(timespec="seconds"), "changes": data[AFTER_SCORES]} for at, data in logged]


def _names(measures: list[str]) -> str:
    return ", ".join(measures) or "that of the judging mode"
