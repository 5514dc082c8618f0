"""Where two states of a task contradict each other, as its phase bar tells organisers.

No room knows the rooms after it: each registers what it finds when its app starts.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from campaign.addresses import Step
from campaign.models import Task


@dataclass(frozen=True, slots=True)
class Contradiction:
    """`text`: both states, and what follows; `step` leads to the page on which one of them is changed."""

    text: str
    step: Step


Finder: TypeAlias = Callable[[Task], Iterable[Contradiction]]
"""Asked on every page of the task: it asks the database only where the task's own fields leave the question open."""

_finders: list[Finder] = []


def find_contradictions_with(finder: Finder) -> None:
    if finder not in _finders:
        _finders.append(finder)


def contradictions(task: Task) -> Iterator[Contradiction]:
    """None of an archived campaign, in which nobody could change either state."""
    if task.campaign.archived_at is not None:
        return
    for finder in _finders:
        yield from finder(task)
