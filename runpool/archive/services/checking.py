"""The check of an archive that came in. Nothing is left of it, and nothing is believed that it did not read."""

from collections import Counter
from collections.abc import Callable
from datetime import datetime
from hashlib import blake2b
from itertools import chain
from typing import Any, BinaryIO, cast

import numpy as np
from django.core.exceptions import ValidationError
from django.utils import timezone

from campaign.formats.problems import ProblemLog
from campaign.models import Campaign, Restoration, Task
from campaign.storage.reading import open_verified
from campaign.storage.room import has_room
from campaign.text.plurals import number_of
from runpool.archive.documents import read_documents
from runpool.archive.reading import PEOPLE, Incoming, OtherTables, ReadRow
from runpool.archive.rows import CHANGED, RowError, bad_row, require_sound
from runpool.archive.services.restored_runs import told_of_runs
from runpool.archive.services.restoring import Report, restoration_rehearse
from runpool.archive.table import Others, Table
from runpool.archive.zip_io import ArchiveError, require_sums

UUIDS_AT_ONCE = 500
KB = 1024
MOST_TOLD = 20
NOT_LOOKED_AT = (
    "Not looked at: scores, which are computed again from runs and qrels when the campaign is restored and left out where they "
    "come out otherwise; and what comes to this site between this check and the restoration."
)
COUNTED = {
    "teams": ["teams"],
    "topics": ["topics/topics"],
    "runs": ["runs/runs"],
    "acts": ["judgments/acts", "preferences/acts"],
    "qrels": ["qrels/qrels"],
    "boards": ["boards/boards"],
}
"""What the page that confirms counts, each with the tables of its rows."""


def restoration_check(restoration: Restoration, report: Report) -> None:
    """Check the whole archive, and record what it holds or the first thing that is wrong with it."""
    problems = ProblemLog()
    found: dict[str, Any] = {}
    try:
        with open_verified(str(restoration.file), found_by="the check of an archive") as file:
            found = _checked(cast(BinaryIO, file), restoration, report)
    except ArchiveError as problem:
        problems.add(problem.code, problem.message, problem.remedy)
    state = Restoration.READY if problems.ok else Restoration.BAD
    finished = None if problems.ok else timezone.now()
    changes = {"found": found, "problems": problems.to_json(), "slug": found.get("slug", ""), "finished_at": finished}
    Restoration.objects.filter(pk=restoration.pk, state=Restoration.CHECKING).update(state=state, **changes)


def _checked(file: BinaryIO, restoration: Restoration, report: Report) -> dict[str, Any]:
    """What the archive holds; ArchiveError if it is not whole and sound."""
    incoming = Incoming(file)
    total = incoming.reader.total()
    if not has_room(total):
        message = "The site has no room for what this archive unpacks to."
        raise ArchiveError("no_room", message, "Tell the operators of the site, and send it again later.")
    entries = list(incoming.manifest.entries.values())
    require_sums(incoming.reader, entries, lambda done: report(done // KB, total // KB + 1, "comparing checksums"))
    report(0, 0, "reading rows")
    _check_people(incoming)
    _check_tasks(incoming)
    others = {slug: OtherTables(incoming, slug) for slug in ("", *incoming.task_slugs)}
    for table, task_slug in incoming.tables():
        _check_table(incoming, table, task_slug, others[task_slug])
    _check_documents(incoming, report)
    told = restoration_rehearse(incoming, restoration, report, told_of_runs)
    if len(told) > MOST_TOLD:
        told[MOST_TOLD:] = [f"{number_of(len(told) - MOST_TOLD, 'fact')} more of runs, likewise."]
    return {**_found(incoming), "told": [*map(str, incoming.ahead.values()), *told, NOT_LOOKED_AT]}


def _check_people(incoming: Incoming) -> None:
    if PEOPLE not in incoming.manifest.entries:
        raise ArchiveError("missing_file", f"The file {PEOPLE} is missing.", CHANGED)
    for _ in incoming.people():
        pass


def _check_tasks(incoming: Incoming) -> None:
    tasks = next(table for table, _ in incoming.tables() if table.model is Task)
    if incoming.manifest.counts.get("campaign.jsonl") != 1:
        raise ArchiveError("changed", "There is not one campaign in campaign.jsonl.", CHANGED)
    slugs = [row.values["slug"] for row in incoming.rows(tasks, "")]
    if slugs != incoming.task_slugs:
        raise ArchiveError("changed", "The tasks of the manifest are not those of tasks.jsonl.", CHANGED)


def _check_table(incoming: Incoming, table: Table, task_slug: str, others: Others) -> None:
    path = table.path(Task(slug=task_slug) if task_slug else None)
    check, uuids = row_check(incoming, table, others), list[Any]()
    for row in incoming.rows(table, task_slug):
        try:
            check(row)
        except RowError as problem:
            raise bad_row(path, row.number, problem) from problem
        if "uuid" in row.values:
            uuids.append(row.values["uuid"])
        if len(uuids) >= UUIDS_AT_ONCE:
            _require_new(table, uuids)
            uuids = []
    _require_new(table, uuids)


def row_check(incoming: Incoming, table: Table, others: Others) -> Callable[[ReadRow], None]:
    """The check of the rows of a table, which raises RowError."""
    checks = [table.check, *([table.against(others)] if table.against else [])]
    latest = {name: others.latest(table, name) for name in table.past}

    def check(row: ReadRow) -> None:
        _check_columns(incoming, table, row)
        try:
            _require_past(latest, row)
            for each in checks:
                each(row.values, lambda name: _bytes_of(incoming, row.values.get(name)))
        except ValidationError as problem:
            raise RowError(problem.messages[0]) from problem

    return check


def _require_past(latest: dict[str, datetime], row: ReadRow) -> None:
    for name, allowed in latest.items():
        moment = row.values.get(name)
        if moment is not None and moment > allowed:
            raise ValidationError(f"“{name}” is {moment.isoformat()}: that is after the archive was made.")


def _check_columns(incoming: Incoming, table: Table, row: ReadRow) -> None:
    plain = {column.name for column in table.columns if not column.is_relation} - set(table.stored) - set(table.lists)
    require_sound(table.model(**{name: value for name, value in row.values.items() if name in plain}))
    for name, column in table.stored.items():
        path = row.values.get(name)
        if path is None:
            continue
        entry = incoming.manifest.entries.get(path) if isinstance(path, str) else None
        if entry is None:
            raise RowError("It names a file that is not in the archive.")
        if column.checksum and row.values.get(column.checksum) not in ("", entry.sha256):
            raise RowError(f"The SHA-256 of {path} is not that of the row.")


def _bytes_of(incoming: Incoming, path: str | None) -> bytes:
    return b"" if path is None else incoming.reader.bytes_of(path, incoming.manifest.entries[path].size)


def _require_new(table: Table, uuids: list[Any]) -> None:
    if uuids and table.model._base_manager.filter(uuid__in=uuids).exists():
        message = "This site has judgments of this archive already: the campaign is here, or was restored here before."
        raise ArchiveError("here_already", message, "Restore it on another site.")


def _check_documents(incoming: Incoming, report: Report) -> None:
    for row in incoming.collections():
        path = incoming.documents_path(row.values["slug"])
        done, digests = 0, [np.zeros(0, dtype=np.uint64)]
        for batch in read_documents(incoming.reader, path):
            digests.append(np.array([_digest(document.docno) for document in batch], dtype=np.uint64))
            done += len(batch)
            report(0, 0, f"{number_of(done, 'document')} read")
        _require_once(incoming, path, np.sort(np.concatenate(digests)))


def _digest(docno: str) -> int:
    return int.from_bytes(blake2b(docno.encode(), digest_size=8).digest(), "big")


def _require_once(incoming: Incoming, path: str, digests: "np.ndarray[Any, np.dtype[np.uint64]]") -> None:
    """Each document once. `digests`: sorted; 8 bytes for each of millions, so only those that are equal are read again."""
    equal, seen = set(digests[1:][digests[1:] == digests[:-1]].tolist()), set()
    if not equal:
        return
    documents = chain.from_iterable(read_documents(incoming.reader, path))
    for number, document in enumerate(documents, start=1):
        if document.docno in seen:
            raise bad_row(path, number, RowError(f"The document {document.docno} is there twice."))
        if _digest(document.docno) in equal:
            seen.add(document.docno)


def _found(incoming: Incoming) -> dict[str, Any]:
    manifest = incoming.manifest
    counts: Counter[str] = Counter()
    for table, task_slug in incoming.tables():
        counts[table.name] += manifest.counts.get(incoming.path(table, task_slug), 0)
    slug = manifest.campaign["slug"]
    return {
        "title": manifest.campaign["title"][:120],
        "slug": slug[:50],
        "is_free": not Campaign.objects.filter(slug=slug).exists(),
        "tasks": manifest.tasks,
        "counts": {name: sum(counts[table] for table in tables) for name, tables in COUNTED.items()},
        "documents": manifest.options.get("documents", ""),
        "people": manifest.options.get("people", ""),
        "made_at": manifest.made_at,
        "runpool": manifest.runpool,
        "content_sha256": manifest.content_sha256,
    }
