"""Changes of a task's settings that change its scores, and which of them came when scores had been computed already."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Self

from campaign.collection.selectors.corrections import PUT_TOPIC_BACK, REMOVE_TOPIC
from campaign.formats.runs.order_setting import REFERENCES, RUN_ORDERS
from campaign.log.audit import AFTER_SCORES
from campaign.models import AuditEvent, Task
from campaign.web.asking_once import once

VERBS = ["update", REMOVE_TOPIC, PUT_TOPIC_BACK]


@dataclass(frozen=True, slots=True)
class ScoreSettings:
    """The settings that scores depend on. `gains`: grade to gain."""

    measures: tuple[str, ...]
    lowest_relevant_grade: int
    gains: Mapping[int, float]
    run_order: str
    reference: str

    @classmethod
    def of(cls, task: Task) -> Self:
        return cls(
            measures=tuple(task.measures or task.mode.measures),
            lowest_relevant_grade=task.lowest_relevant_grade,
            gains=dict(task.grades.order_by("value").values_list("value", "gain")),
            run_order=task.run_order,
            reference=task.reference,
        )


def changes_of_scores(before: ScoreSettings, after: ScoreSettings) -> list[str]:
    """The changes in words; empty when the scores stay as they are."""
    said = []
    if before.measures[:1] != after.measures[:1]:
        said.append(f"ranking measure changed from {before.measures[0]} to {after.measures[0]}")
    if added := [name for name in after.measures if name not in before.measures]:
        said.append(f"measures added: {', '.join(added)}")
    if removed := [name for name in before.measures if name not in after.measures]:
        said.append(f"measures removed: {', '.join(removed)}")
    if before.lowest_relevant_grade != after.lowest_relevant_grade:
        grades = f"from {before.lowest_relevant_grade} to {after.lowest_relevant_grade}"
        said.append(f"lowest relevant grade changed {grades}")
    said += _of_gains(before.gains, after.gains)
    if before.run_order != after.run_order:
        orders = f"from “{RUN_ORDERS[before.run_order]}” to “{RUN_ORDERS[after.run_order]}”"
        said.append(f"order of runs changed {orders}")
    if before.reference != after.reference:
        said.append(f"reference changed from {REFERENCES[before.reference]} to {REFERENCES[after.reference]}")
    return said


def _of_gains(before: Mapping[int, float], after: Mapping[int, float]) -> Iterator[str]:
    for grade in sorted({*before, *after}):
        if grade not in after:
            yield f"grade {grade} removed"
        elif grade not in before:
            yield f"grade {grade} added with gain {after[grade]:g}"
        elif before[grade] != after[grade]:
            yield f"gain of grade {grade} changed from {before[grade]:g} to {after[grade]:g}"


def changes_after_scores(task: Task) -> list[dict[str, Any]]:
    """The changes that came after scores had been computed, the oldest first: `at` (date and time, ISO) and `changes`."""
    events = AuditEvent.objects.filter(object_type="task", object_id=str(task.pk), verb__in=VERBS)
    rows = events.filter(data__has_key=AFTER_SCORES).order_by("pk").values_list("happened_at", "data")
    logged = once((changes_after_scores, task.pk), lambda: list(rows))
    return [{"at": at.isoformat(timespec="seconds"), "changes": data[AFTER_SCORES]} for at, data in logged]
