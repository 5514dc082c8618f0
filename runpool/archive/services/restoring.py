"""An archive becomes a campaign. Documents and files come first, under a draft that nobody sees; all rows in one transaction.

A worker may die at any point: the next one removes the draft and begins again. Stored files are found by their content.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, BinaryIO, cast

from django.core.exceptions import ValidationError
from django.db import DataError, IntegrityError, transaction
from django.db.models import ForeignKey, Model
from django.utils import timezone

from campaign.collection.counts import count_anew
from campaign.formats.problems import ProblemLog
from campaign.log.audit import audit
from campaign.models import (
    ArchivedName,
    AuditEvent,
    Campaign,
    Collection,
    Document,
    Restoration,
    Role,
    Task,
    Team,
    User,
)
from campaign.storage import store
from campaign.storage.reading import open_verified
from runpool.archive.bulk_insert import AT_ONCE, batches, rows_insert
from runpool.archive.contents import TABLES
from runpool.archive.documents import read_documents
from runpool.archive.imported_users import person_make, team_values
from runpool.archive.reading import Incoming, ReadRow
from runpool.archive.rows import CHANGED, RowError, bad_row, name_of
from runpool.archive.table import Table, hashable
from runpool.archive.tables.evaluation import COMPUTED_HERE
from runpool.archive.zip_io import ArchiveError

Report = Callable[[int, int, str], None]
CLASH = "Rows of the archive contradict each other, or what is on this site already."


@dataclass
class Restoring:
    incoming: Incoming
    restoration: Restoration
    campaign: Campaign
    files: dict[str, str]
    people: dict[str, int] = field(default_factory=dict)
    keys: dict[tuple[type[Model], str, Any], int] = field(default_factory=dict)
    tables: dict[type[Model], Table] = field(default_factory=lambda: {t.model: t for t in TABLES})


def restoration_apply(restoration: Restoration, report: Report) -> None:
    """Restore the archive; what cannot be restored leaves nothing behind but its problem."""
    _clear(restoration)
    try:
        with open_verified(str(restoration.file), found_by="the restoring of an archive") as file:
            incoming = Incoming(cast(BinaryIO, file))
            campaign = _draft(restoration, restoration.found["title"])
            _documents(incoming, campaign, report)
            files = _files(incoming, report)
            report(0, 0, "writing the rows")
            _rows(Restoring(incoming, restoration, campaign, files))
    except ArchiveError as problem:
        _clear(restoration)
        problems = ProblemLog()
        problems.add(problem.code, problem.message, problem.remedy)
        _move(restoration, state=Restoration.BAD, problems=problems.to_json(), finished_at=timezone.now())


def restoration_rehearse(
    incoming: Incoming, restoration: Restoration, report: Report, look: Callable[[Restoring], list[str]]
) -> list[str]:
    """Insert all rows but documents as the restoration does, then take them back: ArchiveError at what it would refuse.

    Returns what `look` tells of them while they are there.
    """
    report(0, 0, "trying the rows")
    with _contradictions_told(), transaction.atomic():
        campaign = _draft(restoration, incoming.manifest.campaign["title"][:120])
        for row in incoming.collections():
            rows_insert([Collection(**{**row.values, "campaign": campaign})])
        # Equal contents have equal names, here as in the storage.
        files = {path: entry.sha256 for path, entry in incoming.manifest.entries.items()}
        work = Restoring(incoming, restoration, campaign, files)
        _all_rows(work)
        told = look(work)
        transaction.set_rollback(True)
    return told


def draft_slug(restoration: Restoration) -> str:
    return f"restoring-{restoration.pk.hex}"


def _move(restoration: Restoration, **changes: Any) -> bool:
    return bool(Restoration.objects.filter(pk=restoration.pk, state=Restoration.RESTORING).update(**changes))


def _clear(restoration: Restoration) -> None:
    """Remove what an earlier attempt left: a draft with collections, nothing else."""
    drafts = Campaign.objects.filter(slug=draft_slug(restoration), opened_at=None)
    Document.objects.filter(collection__campaign__in=drafts).delete()
    drafts.delete()


def _draft(restoration: Restoration, title: str) -> Campaign:
    draft: Campaign = Campaign.objects.create(slug=draft_slug(restoration), title=title)
    return draft


def _documents(incoming: Incoming, campaign: Campaign, report: Report) -> None:
    for row in list(incoming.collections()):
        with _contradictions_told(), transaction.atomic():
            [pk] = rows_insert([Collection(**{**row.values, "campaign": campaign})])
        done, path = 0, incoming.documents_path(row.values["slug"])
        try:
            for batch in read_documents(incoming.reader, path):
                for document in batch:
                    document.collection_id = pk
                with transaction.atomic():
                    Document.objects.bulk_create(batch)
                done += len(batch)
                report(done, done, "documents restored")
            count_anew(pk)
        except (ValidationError, IntegrityError, DataError) as problem:
            raise bad_row(path, done + 1, problem) from problem


@contextmanager
def _contradictions_told() -> Iterator[None]:
    """What the database refuses, as the archive's fault."""
    try:
        yield
    except (IntegrityError, DataError, ValidationError) as problem:
        raise ArchiveError("contradiction", CLASH, CHANGED) from problem


def _files(incoming: Incoming, report: Report) -> dict[str, str]:
    """Store the files of all rows; returns the names in the storage by their paths."""
    wanted = [
        (row.values[name], column)
        for table, task_slug in incoming.tables()
        if table.files
        for row in incoming.rows(table, task_slug)
        for name, column in table.stored.items()
        if row.values.get(name)
    ]
    names = {}
    for done, (path, column) in enumerate(wanted, start=1):
        entry = incoming.manifest.entries.get(path)
        if entry is None:
            raise ArchiveError("missing_file", f"The file {path} is missing.", CHANGED)
        with incoming.reader.open(path) as source:
            place = {"folder": column.folder, "suffix": column.suffix_of(path)}
            stored = store(cast(BinaryIO, source), **place, limit=entry.size)
        names[path] = stored.name
        report(done, len(wanted), "files restored")
    return names


def _rows(work: Restoring) -> None:
    with _contradictions_told(), transaction.atomic():
        restoration = Restoration.objects.select_for_update().get(pk=work.restoration.pk)
        if restoration.state != Restoration.RESTORING:
            return
        _all_rows(work)
        _open(work)


def _all_rows(work: Restoring) -> None:
    _people(work)
    for table, task_slug in work.incoming.tables():
        _table(work, table, task_slug)


def _people(work: Restoring) -> None:
    for person in work.incoming.people():
        facts = {name: value for name, value in person.items() if name != "name"}
        user = person_make(person["name"], facts, work.restoration.slug or draft_slug(work.restoration))
        work.people[person["name"]] = user.pk
        ArchivedName.objects.create(campaign=work.campaign, user=user, name=person["name"], facts=facts)


def _table(work: Restoring, table: Table, task_slug: str) -> None:
    if table.model is Campaign:
        return _campaign(work, table)
    if table.model is Collection:
        for collection in Collection.objects.filter(campaign=work.campaign):
            work.keys[Collection, "", collection.slug] = collection.pk
        return None
    rows = work.incoming.rows(table, task_slug)
    path = table.path(Task(slug=task_slug) if task_slug else None)
    at_once = 1 if table.model is Team or _refers_to_itself(table) else AT_ONCE
    for batch in batches(((row, row.size) for row in rows), at_once):
        _insert(work, table, task_slug, path, batch)
    return None


def _refers_to_itself(table: Table) -> bool:
    """Whether a row may need the key of an earlier one."""
    return any(column.related_model is table.model for column in table.columns if isinstance(column, ForeignKey))


def _insert(work: Restoring, table: Table, task_slug: str, path: str, rows: list[ReadRow]) -> None:
    instances = []
    for row in rows:
        try:
            instances.append(table.model(**row_values(work, table, task_slug, row)))
        except (RowError, ValidationError) as problem:
            raise bad_row(path, row.number, problem) from problem
    if table.model in COMPUTED_HERE:  # `restored_scores` inserts what it finds too
        return
    keys = rows_insert(instances)
    if table.referred:
        for row, key in zip(rows, keys, strict=True):
            work.keys[table.model, task_slug, hashable(name_of(table, row.values, row.number))] = key
    if table.model is Team:
        for row, key in zip(rows, keys, strict=True):
            facts = {"name": row.values["name"]}
            ArchivedName.objects.create(campaign=work.campaign, team_id=key, name=row.values["slug"], facts=facts)


def row_values(work: Restoring, table: Table, task_slug: str, row: ReadRow) -> dict[str, Any]:
    values: dict[str, Any] = {name: make() for name, make in table.anew.items()}
    for column in table.columns:
        if column.name not in row.values:
            continue
        value = row.values[column.name]
        if isinstance(column, ForeignKey):
            values[column.attname] = _key(work, column.related_model, task_slug, value)
        elif column.name in table.stored:
            values[column.name] = work.files[value] if value else ""
        elif column.name in table.lists:
            values[column.name] = [_key(work, table.lists[column.name], task_slug, name) for name in value]
        else:
            values[column.name] = value
    if table.model is Team:
        values |= team_values(str(values["slug"]), str(values["name"]))
    if table.model is AuditEvent:
        values["object_id"] = _about(work, row)
    return values


def _key(work: Restoring, model: type[Model], task_slug: str, name: Any) -> int | None:
    if name is None:
        return None
    if model is Campaign:
        return work.campaign.pk
    try:
        found = work.people.get(name) if model is User else _row_key(work, model, task_slug, name)
    except TypeError:
        found = None
    if found is None:
        raise RowError(f"It refers to {model._meta.verbose_name} {str(name)[:60]}, which is not in the archive.")
    return found


def _row_key(work: Restoring, model: type[Model], task_slug: str, name: Any) -> int | None:
    within = task_slug if work.tables[model].within else ""
    return work.keys.get((model, within, hashable(name)))


def _about(work: Restoring, row: ReadRow) -> str:
    """The key of what an event is about; “archived” where that is not in the archive."""
    about = row.about
    if about is None:
        return "archived"
    if about.get("type") == "user":
        return str(work.people.get(about.get("name", ""), "archived"))
    model = next((m for m in work.tables if m._meta.model_name == about.get("type")), None)
    if model is None:
        return "archived"
    if model is Campaign:
        return str(work.campaign.pk)
    return str(work.keys.get((model, str(about.get("task", "")), hashable(about.get("name"))), "archived"))


def _campaign(work: Restoring, table: Table) -> None:
    [row] = list(work.incoming.rows(table, ""))
    values = {name: value for name, value in row.values.items() if name != "slug"}
    values |= {name: work.files[values[name]] if values.get(name) else "" for name in table.stored}
    Campaign.objects.filter(pk=work.campaign.pk).update(**values)


def _open(work: Restoring) -> None:
    """The last step of the transaction: the campaign has its address and an organiser."""
    restoration, campaign = work.restoration, work.campaign
    if Campaign.objects.filter(slug=restoration.slug).exists():
        message = f"The address {restoration.slug} was taken meanwhile."
        raise ArchiveError("slug_taken", message, "Send the archive again and choose another address.")
    Campaign.objects.filter(pk=campaign.pk).update(slug=restoration.slug)
    campaign.refresh_from_db()
    Role.objects.create(campaign=campaign, user=restoration.created_by, role=Role.ORGANISER)
    content = work.incoming.manifest.content_sha256
    audit(restoration.created_by, "restore", restoration, campaign=campaign, sha256=restoration.sha256, content=content)
    _move(restoration, state=Restoration.DONE, campaign=campaign, finished_at=timezone.now())
