"""The published boards of tasks, as the page of their campaign lists them.

Boards belong to a later app, which campaign does not import: `evaluation/apps.py` registers what lists them.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias

from campaign.models import Task, Visitor


@dataclass(frozen=True, slots=True)
class PublishedBoard:
    """`seen_by` and `made_from`: its audience, and the qrels and runs that it rests on, in words."""

    task: Task
    number: int
    url: str
    published_at: datetime
    seen_by: str
    made_from: str


Lister: TypeAlias = Callable[[Visitor, Sequence[Task]], list[PublishedBoard]]
"""Lists what the visitor may see, task by task, the newest first; in one query."""

_listers: list[Lister] = []


def list_boards_with(lister: Lister) -> None:
    _listers[:] = [lister]


def published_boards(user: Visitor, tasks: Sequence[Task]) -> list[PublishedBoard]:
    return [board for lister in _listers for board in lister(user, tasks)] if tasks else []
