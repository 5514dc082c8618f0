"""A copy of what the site holds of a person: one zip of JSON and CSV, made by a job, for that person alone."""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from datetime import timedelta
from typing import Any, BinaryIO, cast

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import TemporaryUploadedFile
from django.core.serializers.json import DjangoJSONEncoder
from django.db import transaction
from django.utils import timezone

from campaign.formats.spreadsheet import csv_lines
from campaign.log.audit import audit
from campaign.models import DataExport, User
from campaign.queue.jobs import enqueue_first
from campaign.storage import store
from campaign.storage.consistent_read import one_state
from campaign.storage.room import DiskFullError, has_room
from runpool.account_data.parts import Part
from runpool.account_data.selectors import MAKE_EXPORT, asked_today, export_under_way, parts
from runpool.archive.zip_io import ArchiveWriter

FOLDER = "data"
MOST_A_DAY = 3


@transaction.atomic
def export_request(*, actor: User) -> DataExport:
    """Ask for a copy of one's own data; a job makes it."""
    User.objects.select_for_update(no_key=True).get(pk=actor.pk)  # two tabs that ask at once
    if export_under_way(actor):
        raise ValidationError("A copy is being made already. It shows here when it is ready.")
    if asked_today(actor) >= MOST_A_DAY:
        raise ValidationError(f"You have asked for {MOST_A_DAY} copies within a day. Ask again tomorrow.")
    export = DataExport.objects.create(user=actor)
    audit(actor, "ask for own data", export, campaign=None)
    enqueue_first(MAKE_EXPORT, export_id=export.pk)
    return export


def export_make(*, export: DataExport, report: Callable[[int, int, str], None]) -> None:
    """Make the copy; what is made already stays as it is, and nothing is made of an account that is deleted."""
    if export.file or export.user.deleted_at is not None:
        return
    if not has_room():
        raise DiskFullError
    report(0, 1, "reading what the site holds")
    with TemporaryUploadedFile("data.zip", "application/zip", 0, None) as out:
        file = cast(BinaryIO, out.file)
        export_write(export.user, file)
        file.flush()
        stored = store(out, folder=FOLDER, suffix=".zip")
    DataExport.objects.filter(pk=export.pk, file="").update(
        file=stored.name, sha256=stored.sha256, size=stored.size, made_at=timezone.now()
    )
    report(1, 1, "")


def export_write(user: User, out: BinaryIO) -> None:
    """Write the zip; no table is held in memory."""
    with closing(ArchiveWriter(out)) as writer, one_state():
        tables = parts(user)
        writer.add("README.txt", [_readme(user, tables).encode()])
        for part in tables:
            writer.add(f"{part.name}.json", _json(part))
            writer.add(f"{part.name}.csv", (line.encode("utf-8", "replace") for line in _csv(part)))


def _json(part: Part) -> Iterator[bytes]:
    before = "["
    for row in part.rows():
        yield f"{before}\n{json.dumps(row, cls=DjangoJSONEncoder)}".encode()
        before = ","
    yield b"[]\n" if before == "[" else b"\n]\n"


def _csv(part: Part) -> Iterator[str]:
    return csv_lines(part.columns, ([_cell(row, name) for name in part.columns] for row in part.rows()))


def _cell(row: Mapping[str, Any], name: str) -> object:
    value = row[name]
    return json.dumps(value, cls=DjangoJSONEncoder, ensure_ascii=False) if isinstance(value, dict | list) else value


def _readme(user: User, tables: list[Part]) -> str:
    lines = [f"{part.name}.json, {part.name}.csv: {part.about}" for part in tables]
    return "\n".join(
        [
            f"What {settings.SITE_NAME} holds of the account {user.username}, read {timezone.now():%Y-%m-%d %H:%M} UTC.",
            "",
            *lines,
            "",
            "Times are in UTC. In CSV files a text that a spreadsheet would take for a formula begins with a quote mark.",
            "Passwords and the texts of tokens are stored as hashes only and are in no file.",
            "Files of runs are on the pages of the runs; the names and checksums here tell which they are.",
            "",
        ]
    )


def exports_forget() -> str:
    """What the daily cleaning does: files that were ready some days ago are named no more, and go with the next cleaning."""
    before = timezone.now() - timedelta(days=settings.KEEP_EXPORTS_DAYS)
    forgotten = DataExport.objects.filter(made_at__lt=before).exclude(file="").update(file="")
    return f"copies of personal data: {forgotten:,}"
