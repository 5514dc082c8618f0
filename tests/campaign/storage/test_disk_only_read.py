"""A disk that the system lets only be read, as after an error of it, or a server of files that lost the folder: work waits."""

import errno
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from campaign import integrity
from campaign.integrity import Finding
from campaign.models import Campaign, Import, Job, Run
from campaign.queue import periodic
from campaign.queue.jobs import STORAGE_AWAY, enqueue
from campaign.storage import disk
from runpool.archive.services.requests import archive_request
from tests.api.makers import ask, make_token
from tests.campaign.runs.makers import RANKING, make_ready_cast, signed_in
from tests.factories import Cast, run_lines

pytestmark = pytest.mark.django_db(transaction=True)
Refuse = Callable[[], None]


@pytest.fixture
def cast(settings, tmp_path: Path) -> Cast:
    settings.MEDIA_ROOT = tmp_path
    return make_ready_cast()


@pytest.fixture(params=[errno.EROFS, errno.ESTALE], ids=["only read", "lost"])
def refuse(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Refuse:
    """From now on the system refuses every new file."""

    def refused(_descriptor: int) -> None:
        raise OSError(request.param, os.strerror(request.param), "/srv/files")

    return lambda: monkeypatch.setattr(disk.os, "fsync", refused)


def test_who_sends_a_file_is_told_to_come_back_and_nothing_is_stored(cast: Cast, refuse: Refuse) -> None:
    refuse()
    run = {"team": cast.team.pk, "tag": "bm25", "kind": "automatic", "priority": 1, "external_data": "none"}
    for who, address, form in (
        (cast.member, "run_create", run),
        (cast.organiser, "import_create/topics", {}),
    ):
        browser = signed_in(who)
        browser.raise_request_exception = False
        name, _, kind = address.partition("/")
        sent = {**form, "file": SimpleUploadedFile("t.tsv", run_lines(RANKING, "bm25"))}
        answer = browser.post(cast.task.url(name, **({"kind": kind} if kind else {})), sent)
        assert (answer.status_code, answer["Retry-After"]) == (503, "60")
        assert "storage of files does not answer" in answer.content.decode()
    task = f"campaigns/{cast.campaign.slug}/tasks/{cast.task.slug}"
    for address, who, data in (
        ("runs", cast.member, {"team": cast.team.slug, "tag": "bm25"}),
        ("imports/topics", cast.organiser, {}),
    ):
        told = ask(f"{task}/{address}", make_token(who), method="POST", data=data, file=run_lines(RANKING, "bm25"))
        assert (told.status_code, told["Retry-After"]) == (503, "60")
        assert told.json()["detail"].startswith("The storage of files does not answer now, and nothing was stored.")
    assert (Run.objects.count(), Import.objects.count()) == (0, 0)


def test_a_job_waits_until_the_disk_takes_files_again(
    cast: Cast, refuse: Refuse, monkeypatch: pytest.MonkeyPatch
) -> None:
    refuse()
    archive = archive_request(actor=cast.organiser, campaign=cast.campaign)
    job = Job.objects.get(name="make an archive")
    assert (job.state, job.message) == (Job.QUEUED, STORAGE_AWAY)
    monkeypatch.undo()
    enqueue(job.name, **job.arguments)
    archive.refresh_from_db()
    assert archive.file


def test_a_disk_that_is_lost_is_no_finding_of_a_row_and_no_fault_of_a_step(cast: Cast) -> None:
    lost = OSError(errno.ESTALE, os.strerror(errno.ESTALE), "/srv/files/ab")

    def fail(*_: object) -> Iterator[Finding]:
        raise lost

    with pytest.raises(OSError, match="Stale"):
        list(integrity.each_by_itself("runs", Campaign.objects.all(), fail))
    with pytest.raises(OSError, match="Stale"):
        periodic.each_by_itself([fail])
    with pytest.raises(OSError, match="Stale"):
        periodic.by_itself(Campaign.objects.all(), fail)  # type: ignore[arg-type]
