"""Where two states of a task contradict each other, as its phase bar tells organisers."""

from collections.abc import Callable, Iterable, Iterator

from campaign.models import Task
from campaign.navigation import TaskWarning
from campaign.setup.selectors.warnings import phase_against_dates
from evaluation.selectors.warnings import scores_against_phase
from judging.selectors.warnings import judging_against_phase

WARNINGS: tuple[Callable[[Task], Iterable[TaskWarning]], ...] = (
    phase_against_dates,
    judging_against_phase,
    scores_against_phase,
)
"""Asked on every page of the task: each asks the database only where the task's own fields leave the question open."""


def warnings_of(task: Task) -> Iterator[TaskWarning]:
    """None of an archived campaign, in which nobody could change either state."""
    if task.campaign.archived_at is not None:
        return
    for warnings in WARNINGS:
        yield from warnings(task)
