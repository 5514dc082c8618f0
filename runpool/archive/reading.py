"""An archive as it comes in: its manifest, and its tables as checked values."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import Any, BinaryIO

from django.db.models import Model
from django.template.defaultfilters import filesizeformat
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from campaign.formats.shapes import TEXT, WHOLE, any_of, list_of, record
from campaign.models import Archive, Collection, Task
from runpool.archive.contents import TABLES_OF_CAMPAIGNS, TABLES_OF_TASKS
from runpool.archive.documents import documents_path
from runpool.archive.manifest import LARGEST_MANIFEST, MANIFEST, Ahead, Manifest
from runpool.archive.names import PERSON
from runpool.archive.rows import CHANGED, RowError, bad_row, read_values, row_of
from runpool.archive.table import JsonRow, Table
from runpool.archive.tables.campaign import AUDIT
from runpool.archive.zip_io import ArchiveError, ArchiveReader, too_large

PEOPLE = "people.jsonl"
ABOUT = record({"type": TEXT, "task": TEXT, "name": any_of(TEXT, WHOLE, list_of(any_of(TEXT, WHOLE)))})
"""What an event is about."""
FACTS = frozenset({"user_name", "shown_as", "email"})
LONGEST_FACT = 254


@dataclass(frozen=True, slots=True)
class ReadRow:
    """A row of a table: its values by column, references still by name. `about`: of an event, what it is about.

    `size`: the bytes of its line.
    """

    number: int
    values: dict[str, Any]
    about: dict[str, Any] | None = None
    size: int = 0


class Incoming:
    """An archive that is read; every ArchiveError says which file and which line is wrong."""

    def __init__(self, file: BinaryIO) -> None:
        self.reader = ArchiveReader(file)
        if MANIFEST not in self.reader.paths:
            message = f"There is no {MANIFEST}, or it does not stand beside all other files: this is no archive of a campaign."
            remedy = "Send the file that was downloaded, or pack all of its content again, and nothing else."
            raise ArchiveError("no_manifest", message, remedy)
        if self.reader.size(MANIFEST) > LARGEST_MANIFEST:
            raise too_large(f"The file {MANIFEST} is larger than {filesizeformat(LARGEST_MANIFEST)}.")
        self.manifest = Manifest.from_json(self.reader.bytes_of(MANIFEST, LARGEST_MANIFEST))
        self._require_listed_files()

    def _require_listed_files(self) -> None:
        listed = self.manifest.entries.keys() | {MANIFEST}
        if missing := sorted(listed - self.reader.paths):
            raise ArchiveError("missing_file", f"The file {missing[0]} is missing.", CHANGED)
        if unknown := sorted(self.reader.paths - listed):
            message = f"The file {unknown[0]} is not in the manifest."
            raise ArchiveError("unknown_file", message, "Take it out, or get the archive from its source again.")
        known = {table.path(None) for table in TABLES_OF_CAMPAIGNS}
        known |= {table.path(Task(slug=slug)) for table in TABLES_OF_TASKS for slug in self.task_slugs}
        if new := sorted(self.manifest.counts.keys() - known):
            message = f"This site does not know the table {new[0]}."
            raise ArchiveError("newer", message, "Have the operators update this site, then send the archive again.")

    @cached_property
    def ahead(self) -> dict[tuple[str, str], Ahead]:
        """By table and column: of those that there are."""
        there = {(self.path(table, slug), name) for table, slug in self.tables() for name in table.past}
        return {key: one for one in self.manifest.ahead if (key := (one.path, one.column)) in there}

    @property
    def task_slugs(self) -> list[str]:
        return [task["slug"] for task in self.manifest.tasks]

    def tables(self) -> Iterator[tuple[Table, str]]:
        """Every table with the address of its task, in the order in which rows refer to each other."""
        yield from ((table, "") for table in TABLES_OF_CAMPAIGNS if table is not AUDIT)
        yield from ((table, slug) for slug in self.task_slugs for table in TABLES_OF_TASKS)
        yield AUDIT, ""

    def path(self, table: Table, task_slug: str) -> str:
        return table.path(Task(slug=task_slug) if task_slug else None)

    def collections(self) -> Iterator[ReadRow]:
        return self.rows(next(table for table, _ in self.tables() if table.model is Collection), "")

    def documents_path(self, collection_slug: str) -> str:
        path = documents_path(collection_slug, self.manifest.options.get("documents", Archive.DOCNOS))
        if path not in self.manifest.entries:
            raise ArchiveError("missing_file", f"The file {path} is missing.", CHANGED)
        return path

    def chunks_of(self, path: str) -> Iterator[bytes]:
        return self.reader.chunks(path, self.manifest.entries[path].size)

    def rows(self, table: Table, task_slug: str) -> Iterator[ReadRow]:
        path = self.path(table, task_slug)
        if path not in self.manifest.entries:  # a table that came with a later version
            return
        number = 0
        for number, line in enumerate(self.reader.lines(path), start=1):
            try:
                yield replace(read_row(table, row_of(line), number), size=len(line))
            except RowError as problem:
                raise bad_row(path, number, problem) from problem
        if number != self.manifest.counts.get(path, 0):
            raise ArchiveError("changed", f"The lines of {path} are not as many as the manifest says.", CHANGED)

    def people(self) -> Iterator[JsonRow]:
        """Each pseudonym once, with what is told of the person."""
        seen: set[str] = set()
        for number, line in enumerate(self.reader.lines(PEOPLE), start=1):
            try:
                person = row_of(line)
                _require_person(person, seen)
            except RowError as problem:
                raise bad_row(PEOPLE, number, problem) from problem
            seen.add(person["name"])
            yield person


CLOCKS_APART = timedelta(days=1)
"""So much the clocks of two sites may differ."""


class OtherTables:
    """The `Others` of `runpool.archive.table`, of one task."""

    def __init__(self, incoming: Incoming, task_slug: str) -> None:
        self.kept: dict[str, Any] = {}
        self._incoming, self._task_slug = incoming, task_slug
        self._tables = {table.model: table for table, _ in incoming.tables()}
        self._made_at = min(timezone.now(), _moment(incoming.manifest.made_at)) + CLOCKS_APART

    def latest(self, table: Table, column: str) -> datetime:
        found = self._incoming.ahead.get((self._incoming.path(table, self._task_slug), column))
        return found.latest if found else self._made_at

    def columns(self, model: type[Model], *names: str) -> Iterator[tuple[Any, ...]]:
        table = self._tables[model]
        path = self._incoming.path(table, self._task_slug if table.within else "")
        if path not in self._incoming.manifest.entries:
            return
        for number, line in enumerate(self._incoming.reader.lines(path), start=1):
            row = row_of(line)
            yield number, *(row.get(name) for name in names)

    def size_of(self, path: str) -> int:
        return self._incoming.manifest.entries[path].size


def _moment(text: str) -> datetime:
    """The moment at which an archive says it was made; now where it says none."""
    try:
        found = parse_datetime(text)
        return timezone.now() if found is None or found.tzinfo is None else found.astimezone(UTC)
    except (ValueError, OverflowError):
        return timezone.now()


def read_row(table: Table, row: JsonRow, number: int) -> ReadRow:
    if table is not AUDIT:
        return ReadRow(number, read_values(table, row))
    about = row.pop("object", None)
    if "object_id" in row or not (about is None or ABOUT.fits(about)):
        raise RowError("An event says by “object” what it is about.")
    return ReadRow(number, read_values(table, {**row, "object_id": "archived"}), about)


def _require_person(person: JsonRow, seen: set[str]) -> None:
    name = person.get("name")
    if not isinstance(name, str) or not PERSON.fullmatch(name):
        raise RowError("A person is named by a role and a number, such as assessor-1.")
    if name in seen:
        raise RowError(f"{name} is there twice.")
    facts = {key: value for key, value in person.items() if key != "name"}
    if not facts.keys() <= FACTS or not all(isinstance(v, str) and len(v) <= LONGEST_FACT for v in facts.values()):
        raise RowError("Of a person there are user_name, shown_as and email, as short texts.")
