"""What is left of a phase that a task has passed, as its phase bar tells organisers.

No room knows the rooms after it: each registers its answer for a phase when its app starts.
"""

from collections.abc import Callable

from campaign.models import Task

LeftOpen = Callable[[Task], str]
"""Tells in a few words what was left open, "" where nothing was. It is asked on every page of the task, so it must be quick."""

_answers: dict[str, LeftOpen] = {}


def answer_for(phase: str, left_open: LeftOpen) -> None:
    _answers[phase] = left_open


def left_open(phase: str, task: Task) -> str:
    answer = _answers.get(phase)
    return answer(task) if answer else ""
