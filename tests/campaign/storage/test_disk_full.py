"""A full disk: nothing half-stored, a clear answer to whoever sends, and jobs that wait for room."""

import errno
import io
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile, TemporaryUploadedFile
from django.db import OperationalError
from django.test import Client

from campaign.models import Import, Job, Run
from campaign.queue.jobs import DISK_FULL, MOST_ATTEMPTS, enqueue, requeue_lost_jobs, send
from campaign.queue.locks import postpone
from campaign.runs.selectors.progress import CHECK_RUN
from campaign.storage import disk, store
from campaign.storage.room import DiskFullError, disk_full_named, is_disk_full
from tests.api.makers import ask, make_token
from tests.campaign.runs.makers import RANKING, make_ready_cast, post_run, signed_in, submit
from tests.factories import Cast, run_lines
from tests.places import REPOSITORY
from tests.requirements import DISK, lacking

Fill = Callable[[], None]


@pytest.fixture(autouse=True)
def _storage(settings, tmp_path: Path) -> None:
    settings.MEDIA_ROOT = tmp_path


@pytest.fixture
def cast(db: None) -> Cast:
    return make_ready_cast()


@pytest.fixture
def full(monkeypatch: pytest.MonkeyPatch) -> Fill:
    """From now on the system refuses what is to reach the disk, as it does when the disk is full."""

    def no_space(_descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    return lambda: monkeypatch.setattr(disk.os, "fsync", no_space)


def files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file() and path.name != ".lock"]


def test_nothing_is_left_of_a_file_that_did_not_fit(full: Fill, tmp_path: Path) -> None:
    full()
    with pytest.raises(OSError, match="No space left"):
        store(io.BytesIO(b"as sent"), folder="runs")
    assert files(tmp_path) == []


@pytest.mark.django_db
def test_an_upload_that_lies_on_another_disk_is_copied_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = disk.os.replace

    def other_disk(old: Any, new: Any) -> None:
        if "upload" in Path(old).name:
            raise OSError(errno.EXDEV, "Invalid cross-device link")
        real(old, new)

    monkeypatch.setattr(disk.os, "replace", other_disk)
    with TemporaryUploadedFile("a.txt", "text/plain", 7, None) as upload:
        upload.write(b"as sent")
        upload.seek(0)
        name = store(upload, folder="runs").name
    assert [path.read_bytes() for path in files(tmp_path)] == [b"as sent"]
    assert (tmp_path / name).stat().st_mode & 0o777 == 0o600


def test_who_uploads_a_run_to_a_full_disk_is_told_so_by_507_and_nothing_is_stored(cast: Cast, full: Fill) -> None:
    full()
    answer = post_run(cast, run_lines(RANKING, "bm25"))
    assert answer.status_code == 507
    assert "The site has no room for this file now" in answer.content.decode()
    assert not Run.objects.exists()


def test_the_api_and_imports_answer_507_too(cast: Cast, full: Fill) -> None:
    full()
    answer = ask(
        f"campaigns/{cast.campaign.slug}/tasks/{cast.task.slug}/runs",
        make_token(cast.member),
        method="POST",
        data={"team": cast.team.slug, "tag": "bm25"},
        file=run_lines(RANKING, "bm25"),
    )
    assert (answer.status_code, answer.json()["title"]) == (507, "The site has no room for this file now")
    form = {"file": SimpleUploadedFile("t.tsv", b"1\ta title\n")}
    page = signed_in(cast.organiser).post(cast.task.url("import_create", kind="topics"), form)
    assert page.status_code == 507
    assert "no room for this file" in page.content.decode()
    assert not Run.objects.exists()
    assert not Import.objects.exists()


def test_uploads_are_refused_unread_while_less_than_the_reserve_is_free(cast: Cast, settings, tmp_path: Path) -> None:
    settings.FREE_SPACE_MINIMUM = 1 << 60
    settings.FILE_UPLOAD_TEMP_DIR = tmp_path / "incoming"
    browser = Client(raise_request_exception=False)
    browser.force_login(cast.member)
    form = {"team": cast.team.pk, "tag": "bm25", "file": SimpleUploadedFile("a.txt", b"x" * 100_000)}
    answer = browser.post(cast.task.url("run_create"), form)
    assert answer.status_code == 507
    assert "What you sent was not stored" in answer.content.decode()
    assert files(tmp_path) == []
    page = browser.get(cast.task.url("run_create")).content.decode()
    assert "nearly no room left and takes no files now" in page
    health = browser.get("/health/")
    assert (health.status_code, health.json()["takes_uploads"]) == (200, False)


def test_a_request_without_a_file_is_answered_while_the_reserve_is_used(cast: Cast, settings) -> None:
    settings.FREE_SPACE_MINIMUM = 1 << 60
    answer = signed_in(cast.member).post(cast.task.url("run_create"), {"team": cast.team.pk, "tag": "bm25"})
    assert answer.status_code == 422


def test_a_check_on_a_full_disk_waits_for_room_and_costs_no_attempt(
    cast: Cast, full: Fill, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = submit(cast)
    job = Job.objects.get(name=CHECK_RUN)
    with monkeypatch.context() as patch:
        patch.setattr(disk.os, "fsync", _no_space)
        for _ in range(MOST_ATTEMPTS + 1):
            send(job)
            job.refresh_from_db()
            assert (job.state, job.attempts, job.message) == (Job.QUEUED, 0, DISK_FULL)
    assert DISK_FULL.split(".")[0] in signed_in(cast.member).get(run.attempt_url).content.decode()
    Job.objects.update(sent_at=job.sent_at - 2 * Job.FIRST_PAUSE)
    requeue_lost_jobs()
    job.refresh_from_db()
    run.refresh_from_db()
    assert (job.state, run.state) == (Job.DONE, Run.VALID)


def test_a_job_that_was_asked_for_again_meanwhile_leaves_the_waiting_to_the_new_one(cast: Cast) -> None:
    run = submit(cast)
    job = Job.objects.get(name=CHECK_RUN)
    Job.objects.update(state=Job.WORKING)
    enqueue(CHECK_RUN, run_id=run.pk)
    postpone(job, DISK_FULL)
    assert sorted(Job.objects.filter(name=CHECK_RUN).values_list("state", flat=True)) == [Job.FAILED, Job.QUEUED]


@pytest.mark.sqlite("campaign.storage.room.is_disk_full")
def test_a_database_without_room_is_recognised() -> None:
    with sqlite3.connect(":memory:") as database:
        database.execute("PRAGMA max_page_count = 2")
        database.execute("CREATE TABLE t (x)")
        with pytest.raises(sqlite3.OperationalError) as caught:
            database.execute("INSERT INTO t VALUES (zeroblob(100000))")
    database.close()

    def ask_database() -> None:
        raise OperationalError(*caught.value.args) from caught.value

    with pytest.raises(DiskFullError), disk_full_named():
        ask_database()
    assert not is_disk_full(OperationalError("database is locked"))


def test_on_a_real_full_disk_the_write_fails_and_leaves_the_disk_as_it_was(tmp_path: Path) -> None:
    """In a namespace of its own with a file system of 256 KiB."""
    script = f"""
mount -t tmpfs -o size=256k tmpfs {tmp_path} && exec {sys.executable} -c '
import pathlib, tempfile, django
django.setup()
from django.conf import settings
from campaign.storage.disk import written_at_once
from campaign.storage.room import is_disk_full
place = pathlib.Path("{tmp_path}")
try:
    with written_at_once(place / "runs" / "a") as out:
        out.write(b"x" * 1_000_000)
except OSError as problem:
    print(is_disk_full(problem), [path.name for path in place.rglob("*")])
'"""
    environment = {"DJANGO_SETTINGS_MODULE": "tests.settings", "PATH": "/usr/bin:/bin:/usr/sbin:/sbin"}
    command = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script]
    done = subprocess.run(
        command, cwd=REPOSITORY, env=environment, capture_output=True, text=True, check=False, timeout=60
    )
    if done.returncode:
        assert "unshare" in done.stderr or "mount" in done.stderr, done.stderr
        lacking(DISK)
    assert done.stdout.strip() == "True ['runs']"


def _no_space(_descriptor: int) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")
