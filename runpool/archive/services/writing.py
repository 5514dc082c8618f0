"""Making an archive: all rows at one moment, then documents and stored files, then what tells of them."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import UTC
from typing import Any, BinaryIO, cast

from django.core.files.uploadedfile import TemporaryUploadedFile
from django.template.defaultfilters import filesizeformat
from django.utils import timezone

from campaign.log.audit import ASK_FOR_ARCHIVE, audit
from campaign.models import Archive, ArchivedName, Job, Task, Team, User
from campaign.queue.jobs import JobFailed
from campaign.runs.exports.file_names import ArchiveNames
from campaign.storage import StoredFile, store
from campaign.storage.consistent_read import one_state
from campaign.storage.reading import open_verified
from campaign.storage.room import DiskFullError, disk_full_named, has_room
from campaign.text.numbers import whole_number
from campaign.version import VERSION
from runpool.archive.contents import EXTRAS, TABLES_OF_CAMPAIGNS, TABLES_OF_TASKS
from runpool.archive.documents import documents_path, written_documents
from runpool.archive.manifest import (
    CRATE,
    LARGEST_MANIFEST,
    MANIFEST,
    README,
    Ahead,
    Manifest,
    content_sha256,
    crate,
    readme,
)
from runpool.archive.names import People, RowNames, Teams
from runpool.archive.reading import CLOCKS_APART, PEOPLE
from runpool.archive.rows import line_of, name_of, written_rows
from runpool.archive.selectors import same_archives, shown_archive
from runpool.archive.table import JsonRow, Scope, StoredColumn, Table, folder_of
from runpool.archive.tables.campaign import AUDIT, collections_of
from runpool.archive.zip_io import CHUNK, LARGEST_WHOLE, MOST_ENTRIES, ArchiveWriter

FOLDER = "archives"
READER = "the making of an archive"
GZIP_MAGIC = b"\x1f\x8b"
IN_CAMPAIGN = "Every archive of the campaign has it."
IN_TASK = "Every archive with this task has it; the other tasks of the campaign can be archived one by one."
Report = Callable[[int, int, str], None]


@dataclass
class Writing:
    """The archive as far as it is written. `files`: paths of stored files to add, with their names in the storage.

    `whole`: those of them that a site reads as a whole.
    `ahead`: moments that lie in the future, which the manifest tells of; only where they `may_lie_ahead`.
    """

    scope: Scope
    options: Archive
    zip: ArchiveWriter
    people: People
    names: RowNames = field(default_factory=RowNames)
    paths: ArchiveNames = field(default_factory=ArchiveNames)
    counts: Counter[str] = field(default_factory=Counter)
    files: list[tuple[str, str]] = field(default_factory=list)
    whole: set[str] = field(default_factory=set)
    may_lie_ahead: bool = False
    ahead: dict[tuple[str, str], Ahead] = field(default_factory=dict)


def archive_scope(archive: Archive) -> Scope:
    tasks = [archive.task] if archive.task else list(archive.campaign.tasks.order_by("pk"))
    return Scope(archive.campaign, tasks, archive.task is not None)


def archive_make(*, archive: Archive, report: Report, may_lie_ahead: bool = False) -> None:
    """Make the archive; what is made already stays as it is. `may_lie_ahead`: with moments in the future, which it tells of."""
    if archive.file:
        return
    stored, manifest = archive_write(archive, report, may_lie_ahead=may_lie_ahead)
    made: Mapping[str, object] = {"file": stored.name, "sha256": stored.sha256, "size": stored.size}
    with_file = same_archives(archive).filter(content_sha256=manifest.content_sha256).exclude(file="")
    # One file serves all archives of the same content: what is new differs in the day it was made, and is cleaned away.
    made = with_file.values("file", "sha256", "size").first() or made
    Archive.objects.filter(pk=archive.pk, file="").update(
        **made, content_sha256=manifest.content_sha256, made_at=timezone.now()
    )


def archive_make_with_moments_ahead(*, actor: User, archive: Archive) -> None:
    """For operators who know that the clock was ahead: nothing that was stored meanwhile can be given another moment."""
    audit(actor, ASK_FOR_ARCHIVE, archive, campaign=archive.campaign, with_moments_ahead=True)
    with disk_full_named():
        archive_make(archive=archive, report=lambda done, total, message: None, may_lie_ahead=True)
    failed = shown_archive(archive).job
    if failed is not None:  # its work is done: nobody has to look at it
        Job.objects.filter(pk=failed.pk, state=Job.FAILED).update(state=Job.DONE, message="An operator made it.")


def archive_write(archive: Archive, report: Report, *, may_lie_ahead: bool = False) -> tuple[StoredFile, Manifest]:
    """Write the archive and store it; nothing of it is held in memory beyond a batch of rows.

    `may_lie_ahead`: moments in the future are kept and told; else JobFailed at the first.
    """
    if not has_room():
        raise DiskFullError
    with TemporaryUploadedFile("archive.zip", "application/zip", 0, None) as out:
        file = cast(BinaryIO, out.file)
        with closing(
            ArchiveWriter(file)
        ) as writer:  # also where it breaks off: a zip that is left open complains in the log
            manifest = _written(archive, writer, report, may_lie_ahead)
        file.flush()
        return store(out, folder=FOLDER, suffix=".zip"), manifest


def _written(archive: Archive, out: ArchiveWriter, report: Report, may_lie_ahead: bool) -> Manifest:
    report(0, 0, "reading the rows of the campaign")
    with one_state():
        scope = archive_scope(archive)
        people = People(archive.campaign, with_names=archive.people == Archive.NAMES)
        writing = Writing(scope, archive, out, people, may_lie_ahead=may_lie_ahead)
        _write_rows(writing)
        manifest_of = _said_of_tasks(scope)
    _keep_names(writing)
    for collection in collections_of(scope).order_by("pk"):
        path = documents_path(collection.slug, archive.documents)
        writing.zip.add(path, written_documents(collection, archive.documents, report))
    for done, (path, name) in enumerate(writing.files, start=1):
        entry = writing.zip.add(path, _stored(name), is_packed=path.endswith(".gz"))
        if path in writing.whole:
            _require_at_most(LARGEST_WHOLE, path, entry.size, IN_TASK)
        report(done, len(writing.files), "files written")
    return _finish(writing, manifest_of)


def _write_rows(writing: Writing) -> None:
    for table in TABLES_OF_CAMPAIGNS:
        if table is not AUDIT:
            _write_table(writing, table, None)
    for task in writing.scope.tasks:
        for table in TABLES_OF_TASKS:
            _write_table(writing, table, task)
        for extra in EXTRAS:
            for place, content in extra(task):
                writing.zip.add(writing.paths.name("tasks", task.slug, *place), content)
    _write_table(writing, AUDIT, None)
    writing.zip.add(PEOPLE, (line_of(row, PEOPLE, IN_CAMPAIGN) for row in writing.people.records()))


def _write_table(writing: Writing, table: Table, task: Task | None) -> None:
    path = table.path(task)
    writing.zip.add(path, _lines(writing, table, task, path))


def _lines(writing: Writing, table: Table, task: Task | None, path: str) -> Iterator[bytes]:
    rows = table.rows_of(writing.scope, task)
    adapt = _adapters(writing).get(table.model)
    for pk, held, row in written_rows(table, rows, writing.names, writing.people):
        if adapt is not None and not adapt(pk, held, row):
            continue
        writing.counts[path] += 1
        _look_ahead(writing, table, held, path)
        if table.referred:
            name = name_of(table, row, writing.counts[path])
            writing.names.add(table.model, pk, task.slug if task else "", name)
        for column in table.files:
            row[column.column] = _path_of(writing, column, str(held[column.column]), row, task)
        yield line_of(row, path, IN_CAMPAIGN if task is None else IN_TASK)


def _look_ahead(writing: Writing, table: Table, held: JsonRow, path: str) -> None:
    """No site would restore what lies after the making of its archive, unless the manifest says so."""
    latest = timezone.now() + CLOCKS_APART
    for name in table.past:
        if held[name] is None or held[name] <= latest:
            continue
        if not writing.may_lie_ahead:
            raise JobFailed(
                f"{path}, line {writing.counts[path]}: “{name}” is {held[name]:%d %b %Y, %H:%M} UTC, in the future, and no site "
                "would restore the archive. Correct the clock of the site if it is behind, and make the archive again. If it was "
                "ahead when this was stored, the operators make the archive by “archive_campaign” with --with-moments-ahead."
            )
        moment = held[name].astimezone(UTC)
        found = writing.ahead.setdefault((path, name), Ahead(path, name, moment))
        writing.ahead[path, name] = replace(found, latest=max(found.latest, moment))


def _adapters(writing: Writing) -> dict[Any, Callable[[int, JsonRow, JsonRow], bool]]:
    """What is written otherwise than it is stored, by model; False leaves a row out."""
    teams = Teams(writing.scope.campaign)

    def team(pk: int, held: JsonRow, row: JsonRow) -> bool:
        stored = Team(pk=pk, slug=row["slug"], name=row["name"])
        row["slug"], row["name"] = teams.slug(stored), teams.title(stored)
        return True

    def event(pk: int, held: JsonRow, row: JsonRow) -> bool:
        if row["verb"] == ASK_FOR_ARCHIVE:  # else no two archives would ever hold the same
            return False
        row["object"] = _object_of(writing, row["object_type"], row.pop("object_id"))
        row["data"] = writing.people.without_people(row["data"], held["happened_at"])
        return row["object"] is not None or not writing.scope.is_task

    return {Team: team, AUDIT.model: event}


def _object_of(writing: Writing, object_type: str, object_id: str) -> dict[str, Any] | None:
    if object_type == "user":
        user = whole_number(object_id)
        return None if user is None else {"type": "user", "task": "", "name": writing.people.name(user)}
    return writing.names.of_object(object_type, object_id)


def _path_of(writing: Writing, column: StoredColumn, name: str, row: JsonRow, task: Task | None) -> str | None:
    if not name:
        return None
    ending = column.ending_of(name)
    if column.may_be_gzip:
        with open_verified(name, found_by=READER) as file:
            ending += ".gz" if file.read(len(GZIP_MAGIC)) == GZIP_MAGIC else ""
    folder = folder_of(task.slug).split("/")[:-1] if task else []
    path = writing.paths.name(*folder, *column.place(row), suffix=ending)
    writing.files.append((path, name))
    if column.is_whole:
        writing.whole.add(path)
    return path


def _stored(name: str) -> Iterator[bytes]:
    with open_verified(name, found_by=READER) as file:
        yield from iter(lambda: file.read(CHUNK), b"")


def _require_at_most(most: int, path: str, size: int, remedy: str) -> None:
    if size > most:
        large = f"{path} has {filesizeformat(size)}, and at most {filesizeformat(most)} of it are read"
        raise JobFailed(f"No site would restore the archive: {large}. {remedy}")


def _said_of_tasks(scope: Scope) -> list[dict[str, Any]]:
    return [{"slug": task.slug, "title": task.title, "phase": task.phase} for task in scope.tasks]


def _keep_names(writing: Writing) -> None:
    """Pseudonyms are kept, so that a later archive uses the same ones."""
    new = writing.people.new
    ArchivedName.objects.bulk_create(new, ignore_conflicts=True)
    kept = set(ArchivedName.objects.filter(campaign=writing.scope.campaign).values_list("user", "name"))
    if any((name.user_id, name.name) not in kept for name in new):
        raise JobFailed("Another archive of this campaign was made at the same time. Make this one again.")


def _finish(writing: Writing, tasks: list[dict[str, Any]]) -> Manifest:
    campaign, options = writing.scope.campaign, writing.options
    made = Manifest(
        entries=writing.zip.entries,
        content_sha256=content_sha256(writing.zip.entries.values()),
        campaign={"slug": campaign.slug, "title": campaign.title},
        tasks=tasks,
        counts=writing.counts,
        options={
            "documents": options.documents,
            "people": options.people,
            "task": options.task.slug if options.task else "",
        },
        made_at=timezone.now().astimezone(UTC).isoformat(timespec="seconds"),
        runpool=VERSION,
        ahead=[writing.ahead[key] for key in sorted(writing.ahead)],
    )
    told: Iterable[tuple[str, bytes]] = [
        (CRATE, crate(made, f"{campaign.created_at.astimezone(UTC):%Y-%m-%d}")),
        (README, readme(made, is_task=writing.scope.is_task)),
    ]
    for path, content in told:
        writing.zip.add(path, [content])
    remedy = IN_TASK if writing.scope.is_task else "Archive its tasks one by one: each archive has fewer files."
    if len(writing.zip.entries) >= MOST_ENTRIES:
        raise JobFailed(f"No site would restore the archive: it has more than {MOST_ENTRIES:,} files. {remedy}")
    content = made.to_json()
    _require_at_most(LARGEST_MANIFEST, MANIFEST, len(content), remedy)
    writing.zip.add(MANIFEST, [content])
    writing.zip.close()
    return made
