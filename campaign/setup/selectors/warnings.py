"""Where a task's phase and its dates contradict each other."""

from collections.abc import Iterator

from django.urls import reverse
from django.utils import timezone

from campaign.models import Task
from campaign.models.fields import moment_in_words
from campaign.navigation import Step, TaskWarning
from campaign.setup.selectors.schedule import run_window


def phase_against_dates(task: Task) -> Iterator[TaskWarning]:
    if task.phase == Task.SETUP:
        return
    if task.campaign.opened_at is None:
        step = Step("Open the campaign", reverse("campaign_open", kwargs={"campaign_slug": task.campaign.slug}))
        text = f"The phase is {task.get_phase_display()}, and the campaign is a draft: nobody but its own people sees the task."
        yield TaskWarning(text, step)
    elif task.phase == Task.RUNS:
        yield from _closed_in_the_phase_of_runs(task)
    else:
        yield from _open_after_the_phase_of_runs(task)


def _closed_in_the_phase_of_runs(task: Task) -> Iterator[TaskWarning]:
    window, zone = run_window(task), task.campaign.time_zone
    if window.is_over and window.deadline is not None:
        at = moment_in_words(window.deadline, zone)
        over = f"uploads closed when {window.closed_when}, {at}" if window.closed_when else f"the deadline {at} is over"
        text = f"The phase is Runs, and {over}: no runs are taken."
        yield TaskWarning(text, Step("Move on, or back", task.url("task_phase")))
    elif window.opens_at is not None and window.opens_at > timezone.now():
        text = f"The phase is Runs, and no runs are taken before {moment_in_words(window.opens_at, zone)}."
        yield TaskWarning(text, Step("Change the date of opening", task.url("task_edit")))


def _open_after_the_phase_of_runs(task: Task) -> Iterator[TaskWarning]:
    """Of a task that takes runs after its pool on purpose, only what is published contradicts them; of development nothing."""
    window = run_window(task)
    if not window.is_open or window.deadline is None or task.round_kind == Task.DEVELOPMENT:
        return
    if task.phase == Task.PUBLISHED or not task.takes_runs_after_pool:
        until = moment_in_words(window.deadline, task.campaign.time_zone)
        text = f"The phase is {task.get_phase_display()}, and the task is open for runs until {until}."
        yield TaskWarning(text, Step("Change the deadline", task.url("task_edit")))
