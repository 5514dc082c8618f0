"""What leads people through a task: the next step as a link, work that waits for somebody, a warning, a tab.

Each app says here what it has to tell; `runpool/overview/` lists who tells it, and shows it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, OuterRef, QuerySet, Subquery
from django.db.models.expressions import Combinable
from django.urls import NoReverseMatch, reverse

from campaign.models import Task
from campaign.text.plurals import listed


@dataclass(frozen=True, slots=True)
class Step:
    """A next step of a person, as one link."""

    label: str
    url: str


def page_step(label: str, page: str, task: Task, **kwargs: str) -> Step | None:
    try:
        return Step(label, reverse(page, kwargs={**task.address, **kwargs}))
    except NoReverseMatch:  # pages of later apps are linked by URL name only; a site without that app lacks the page
        return None


@dataclass(frozen=True, slots=True)
class Todo:
    """Work that only this person can do. `text` counts it; `step` leads to the page on which it is done.

    `named`: what the text names at its end; without an address what the reader may not open.
    """

    task: Task
    text: str
    step: Step
    deadline: datetime | None = None
    named: Sequence[Step] = ()

    @property
    def in_words(self) -> str:
        """The whole text where there are no links."""
        return f"{self.text} {listed([step.label for step in self.named])}" if self.named else self.text


@dataclass(frozen=True, slots=True)
class TaskWarning:
    """Two states of a task that contradict each other.

    `text`: both states, and what follows; `step` leads to the page on which one of them is changed.
    """

    text: str
    step: Step


def in_thousands(count: int | None) -> str:
    return f"{count:,}" if count else ""


def as_version(version: int | None) -> str:
    return f"v{version}" if version else ""


@dataclass(frozen=True, slots=True)
class Tab:
    """A part of a task that has pages of its own. `page`: the URL name of its first page.

    `below`: how the addresses of its pages begin, after that of the task.
    `count`: what stands beside the name: an expression on the row of the task, written by `in_words`, or a text. All
    expressions of a line are one query. `hides_empty`: the tab is left out where its count is none.
    """

    name: str
    page: str
    below: tuple[str, ...]
    count: Combinable | str = ""
    in_words: Callable[[Any], str] = in_thousands
    hides_empty: bool = False


def number_of_rows(rows: QuerySet[Any], task: str = "task") -> Combinable:
    """How many of the rows are of the task, which their field `task` names."""
    of_task = rows.filter(**{task: OuterRef("pk")}).order_by().values(task)
    return Subquery(of_task.annotate(rows=Count("pk")).values("rows"))


def newest_of(rows: QuerySet[Any], field: str) -> Combinable:
    """The highest value of a field among the rows of the task."""
    return Subquery(rows.filter(task=OuterRef("pk")).order_by(f"-{field}").values(field)[:1])
