"""The rooms of a task, in one line under its phase bar: where a reader may go, and how much is there.

No room knows the rooms after it: each registers what it shows to a reader when its app starts, in the order of the line.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

from django.db.models import Count, OuterRef, QuerySet, Subquery
from django.db.models.expressions import Combinable

from campaign.models import Task
from campaign.permissions import Reader


def in_thousands(count: int | None) -> str:
    return f"{count:,}" if count else ""


def as_version(version: int | None) -> str:
    return f"v{version}" if version else ""


@dataclass(frozen=True, slots=True)
class Room:
    """`page`: the URL name of its first page. `below`: how the addresses of its pages begin, after that of the task.

    `figure`: what stands beside the name: an expression on the row of the task, written by `in_words`, or a text. All
    expressions of a line are one query. `hides_empty`: the room is left out where its figure is none.
    """

    name: str
    page: str
    below: tuple[str, ...]
    figure: Combinable | str = ""
    in_words: Callable[[Any], str] = in_thousands
    hides_empty: bool = False


RoomFor: TypeAlias = Callable[[Reader, Task], Room | None]
"""The room as this reader may enter it; None where they may not."""

_rooms: list[RoomFor] = []


def show_room(room_for: RoomFor) -> None:
    if room_for not in _rooms:
        _rooms.append(room_for)


def number_of_rows(rows: QuerySet[Any], task: str = "task") -> Combinable:
    """How many of the rows are of the task, which their field `task` names."""
    of_task = rows.filter(**{task: OuterRef("pk")}).order_by().values(task)
    return Subquery(of_task.annotate(rows=Count("pk")).values("rows"))


def newest_of(rows: QuerySet[Any], field: str) -> Combinable:
    """The highest value of a field among the rows of the task."""
    return Subquery(rows.filter(task=OuterRef("pk")).order_by(f"-{field}").values(field)[:1])


@dataclass(frozen=True, slots=True)
class Door:
    """A room in the line: `figure` in words, and whether the reader is in it (`is_here`) or on its first page (`is_first`)."""

    name: str
    url: str
    figure: str
    is_here: bool
    is_first: bool


def doors(reader: Reader, task: Task, path: str) -> Iterator[Door]:
    """The rooms that the reader may enter; `path`: of the page that the reader is on."""
    rooms = [room for room_for in _rooms if (room := room_for(reader, task)) is not None]
    home = task.get_absolute_url()
    figures = _figures(task, rooms)
    here = _room_at(path.removeprefix(home), rooms) if path.startswith(home) else None
    yield Door("Overview", home, "", path == home, path == home)
    for room in rooms:
        figure = figures[room.name]
        if figure or not room.hides_empty:
            url = task.url(room.page)
            yield Door(room.name, url, figure, room is here, path == url)


def _room_at(inside: str, rooms: list[Room]) -> Room | None:
    """The room whose beginning fits best: a page of one's own preferences is no page of everybody's."""
    fitting = [(len(begin), room) for room in rooms for begin in room.below if inside.startswith(begin)]
    return max(fitting, key=lambda one: one[0])[1] if fitting else None


def _figures(task: Task, rooms: list[Room]) -> dict[str, str]:
    asked = {room.name: room.figure for room in rooms if not isinstance(room.figure, str)}
    counts: dict[str, Any] = {}
    if asked:
        values = Task.objects.filter(pk=task.pk).values_list(*asked.values()).get()
        counts = dict(zip(asked, values, strict=True))
    return {
        room.name: room.figure if isinstance(room.figure, str) else room.in_words(counts[room.name]) for room in rooms
    }
