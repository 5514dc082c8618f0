"""A campaign in which every table has rows, archives of it, and an archive restored on a site that has other rows."""

import json
from collections.abc import Callable
from io import BytesIO
from typing import Any, BinaryIO, cast
from zipfile import ZIP_DEFLATED, ZipFile

from django.db import transaction

from campaign.models import Archive, Campaign, Restoration, Task, User
from campaign.queue.jobs import inline
from campaign.storage.reading import verified_bytes
from runpool.archive.services.requests import archive_request, restoration_confirm, restoration_receive
from runpool.jobs import check_archive, make_archive, restore_archive
from tests.factories import make_campaign, make_task, make_team, make_topics, make_user


class RolledBack(Exception):  # noqa: N818 - no error
    """Leaves a transaction on purpose."""


def made_elsewhere(make: Callable[[], Any]) -> Any:
    """What `make` returns, with all its rows gone: as if it had been made on another site. Stored files stay."""
    found = None
    try:
        with transaction.atomic():
            found = make()
            raise RolledBack
    except RolledBack:
        return found


def archive_of(campaign: Campaign, actor: User, *, task: Task | None = None, **options: str) -> Archive:
    with inline():
        archive = archive_request(actor=actor, campaign=campaign, task=task, **options)
    run_jobs(archive)
    archive.refresh_from_db()
    return archive


def run_jobs(archive: Archive) -> None:
    """In tests the transaction around them is never committed, so that nothing enqueued runs by itself."""
    make_archive.body(Silent(), archive_id=archive.pk)


class Silent:
    """The progress of a job that nobody watches."""

    def report(self, *progress: object) -> None:
        pass


def bytes_of(archive: Archive) -> bytes:
    return verified_bytes(str(archive.file), found_by="a test")


def other_rows() -> None:
    """Rows that the site has already: keys of restored rows are other keys."""
    for _ in range(3):
        task = make_task(make_campaign())
        make_topics(task, ["1", "2", "3"])
        make_team(members=(make_user(),), campaign=task.campaign)


def receive(content: bytes, actor: User) -> Restoration:
    restoration = restoration_receive(actor=actor, file=cast(BinaryIO, BytesIO(content)), file_name="archive.zip")
    check_archive.body(Silent(), restoration_id=str(restoration.pk))
    restoration.refresh_from_db()
    return restoration


def restore(content: bytes, actor: User, slug: str = "restored") -> Restoration:
    restoration = receive(content, actor)
    assert restoration.state == Restoration.READY, restoration.problems
    restoration_confirm(actor=actor, restoration=restoration, slug=slug)
    restore_archive.body(Silent(), restoration_id=str(restoration.pk))
    restoration.refresh_from_db()
    return restoration


def files_of(content: bytes) -> dict[str, bytes]:
    with ZipFile(BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def packed(files: dict[str, bytes]) -> bytes:
    out = BytesIO()
    with ZipFile(out, "w", ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return out.getvalue()


def manifest_of(files: dict[str, bytes]) -> dict[str, Any]:
    return dict(json.loads(files["manifest.json"]))
