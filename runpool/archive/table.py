"""A table of an archive: the rows of one model, with the files that they name."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

from django.db.models import DateTimeField, Field, Model, QuerySet

from campaign.models import Campaign, Task
from campaign.models.fields import MomentField, SkeletonField

SHOWN_AT = "shown_at"
"""A moment by the clock of a browser, which may run ahead."""
JsonRow = dict[str, Any]
Place = tuple[str, ...]
ReadFile = Callable[[str], bytes]
"""Gives the bytes of the file that a column names; none where it names no file."""


@dataclass(frozen=True, slots=True)
class Scope:
    """What an archive is of: a campaign with all its tasks, or with one of them."""

    campaign: Campaign
    tasks: list[Task]
    is_task: bool

    @property
    def task_keys(self) -> list[int]:
        return [task.pk for task in self.tasks]


@dataclass(frozen=True, slots=True)
class StoredColumn:
    """A column that names a stored file. `folder`, `suffix`: where its bytes are stored. `checksum`: the column of their SHA-256.

    `place`: the parts of its path in the archive, below the folder of its task, by a row that is ready to be written.
    """

    column: str
    folder: str
    suffix: str
    place: Callable[[JsonRow], Place]
    ending: str
    checksum: str = ""
    may_be_gzip: bool = False
    suffixes: frozenset[str] = frozenset()
    """Of files of several kinds, which keep the ending of their stored name."""
    is_whole: bool = True
    """Whether the check of an archive reads it as a whole, so that it has a greatest size."""

    def ending_of(self, name: str) -> str:
        return f".{name.rpartition('.')[2]}" if self.suffixes else self.ending

    def suffix_of(self, path: str) -> str:
        found = f".{path.rpartition('.')[2]}"
        return found if found in self.suffixes else self.suffix


class Others(Protocol):
    """The other tables of an archive, as far as they stand before the one whose rows are checked; they are checked already.

    `kept`: what checks of several tables share.
    """

    kept: dict[str, Any]

    def latest(self, table: "Table", column: str) -> datetime:
        """The latest moment in a column of what had passed: when the archive was made, as far as this site knows."""

    def columns(self, model: type[Model], *names: str) -> Iterator[tuple[Any, ...]]:
        """These columns of each row of the same task, references by name: after the number of its line."""

    def size_of(self, path: str) -> int:
        """Bytes of a file in the archive."""


Check = Callable[[JsonRow, ReadFile], None]
"""Raises ValidationError for a row; it is given the values and a way to read the files that the row names."""


@dataclass(frozen=True, slots=True)
class Table:
    """A model whose rows are kept, one on each line of `name`.jsonl.

    `within`: the lookup of the row's task; empty for tables of the campaign, of which `rows` says which are its own.
    `key`: the columns that name a row within its task, for those that refer to it; without, the number of its line does.
    `referred`: whether others refer to it at all. `anew`: columns that are not kept, with what they get on another site.
    `lists`: columns that hold a list of keys of another model.
    `check`: of a row whose columns are sound one by one but perhaps not together. `against` makes one that knows other tables.
    """

    model: type[Model]
    name: str
    within: str = ""
    rows: "Callable[[Scope], QuerySet[Any]] | None" = None
    key: tuple[str, ...] = ()
    referred: bool = True
    anew: Mapping[str, Callable[[], Any]] = field(default_factory=dict)
    files: tuple[StoredColumn, ...] = ()
    lists: Mapping[str, type[Model]] = field(default_factory=dict)
    check: Check = lambda values, read: None
    against: "Callable[[Others], Check] | None" = None

    @property
    def columns(self) -> list["Field[Any, Any]"]:
        return [
            column
            for column in self.model._meta.concrete_fields
            if not (column.primary_key or isinstance(column, SkeletonField) or column.name in self.anew)
        ]

    @property
    def past(self) -> list[str]:
        """Columns whose moments had passed when the archive was made: those that the site writes, which no form takes."""
        moments = [column for column in self.columns if isinstance(column, DateTimeField)]
        return [column.name for column in moments if not isinstance(column, MomentField) and column.name != SHOWN_AT]

    @property
    def stored(self) -> dict[str, StoredColumn]:
        return {file.column: file for file in self.files}

    def path(self, task: Task | None) -> str:
        return f"{self.name}.jsonl" if task is None else f"{folder_of(task.slug)}{self.name}.jsonl"

    def rows_of(self, scope: Scope, task: Task | None) -> "QuerySet[Any]":
        if task is not None:
            return self.model._base_manager.filter(**{self.within: task.pk}).order_by("pk")
        if self.rows is None:
            return self.model._base_manager.filter(campaign=scope.campaign).order_by("pk")
        return self.rows(scope).order_by("pk")


def hashable(name: Any) -> Any:
    """A reference as the key of a dictionary: by the number of a line, or by one or several values of its row."""
    return tuple(name) if isinstance(name, list) else name


Extra = Callable[[Task], Iterator[tuple[Place, Iterable[bytes]]]]
"""Yields files that standard tools read and nothing is restored from: the parts of each path, and its content."""


def folder_of(task_slug: str) -> str:
    return f"tasks/{task_slug}/"
