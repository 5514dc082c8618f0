"""What waits for a person in a task, counted. Phase bar, home page, pages of campaigns and cards all say it from here.

No room knows the rooms after it: each registers what it has to tell when its app starts.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, TypeAlias

from campaign.addresses import Step
from campaign.models import Task, User

TellsWho: TypeAlias = Literal["organiser", "assessor", "participant"]


@dataclass(frozen=True, slots=True)
class Waiting:
    """Work that only this person can do. `text` counts it; `step` leads to the page on which it is done."""

    task: Task
    text: str
    step: Step
    deadline: datetime | None = None


Teller: TypeAlias = Callable[[User, Sequence[Task]], Iterable[Waiting]]
"""Tells what waits for a user in some tasks. The number of its queries does not grow with tasks in which nothing waits."""

_tellers: dict[TellsWho, list[Teller]] = {"organiser": [], "assessor": [], "participant": []}


def tell(who: TellsWho, teller: Teller) -> None:
    """Register a teller; what is told first is the next step, so the rooms register in the order of the work."""
    if teller not in _tellers[who]:
        _tellers[who].append(teller)


def waiting_for(who: TellsWho, user: User, tasks: Sequence[Task]) -> Iterator[Waiting]:
    for teller in _tellers[who] if tasks else []:
        yield from teller(user, tasks)
