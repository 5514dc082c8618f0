"""The daily cleaning: what nobody needs goes, what somebody may be about to need stays."""

import os
import shutil
import time
from datetime import timedelta
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from django.contrib.sessions.models import Session
from django.core.files.base import ContentFile
from django.utils import timezone

from campaign.collection.services.imports import import_discard, import_store
from campaign.models import Archive, Import, Job, SiteFigures
from campaign.queue.jobs import JobFailed
from campaign.storage import store
from campaign.storage.disk import UNFINISHED
from campaign.storage.interface import files
from campaign.storage.inventory import remove_unnamed
from campaign.storage.owners import is_own, leave_file, other_sites, own_file
from campaign.web.cache import cache_settings, transactional_cache
from runpool.backup import restoring
from runpool.backup.manifest import Manifest
from runpool.backup.targets import Folder, TargetError
from runpool.jobs import sweep
from runpool.operations.cleaning import clean_up
from runpool.operations.health import CLEAN
from tests.campaign.runs.makers import make_ready_cast, signed_in, submit
from tests.campaign.storage.makers import place
from tests.factories import Cast, make_user

DAY = 24 * 3600.0


@pytest.fixture
def cast(db: None, settings, tmp_path: Path) -> Cast:
    settings.MEDIA_ROOT = tmp_path
    return make_ready_cast()


def age(path: Path) -> Path:
    os.utime(path, (time.time() - DAY - 60,) * 2)
    return path


def test_an_old_file_that_no_row_names_goes_and_all_others_stay(cast: Cast) -> None:
    named = age(place(submit(cast).file.name))
    old, young = (place(store(BytesIO(content), folder="runs").name) for content in (b"old", b"young"))
    age(old)
    report = clean_up()
    assert (named.exists(), young.exists(), old.exists()) == (True, True, False)
    assert "files that no row names: 1 (3" in report
    assert "files that no row names: 0" in clean_up()


def test_the_file_of_a_discarded_import_goes_and_that_of_one_that_waits_stays(cast: Cast) -> None:
    sent = {"actor": cast.organiser, "task": cast.task, "kind": Import.TOPICS, "file_name": "t.tsv"}
    waits, given_up = (import_store(file=ContentFile(text), **sent) for text in (b"9\tan egg\n", b"8\ta knife\n"))
    Import.objects.filter(pk=given_up.pk).update(state=Import.BAD)
    import_discard(actor=cast.organiser, import_=given_up)
    kept, old = (age(place(one.file.name)) for one in (waits, given_up))
    clean_up()
    assert (kept.exists(), old.exists()) == (True, False)


def test_no_file_goes_where_another_site_keeps_files_in_the_same_storage(cast: Cast, settings) -> None:
    of_other = age(place(store(BytesIO(b"named by the other database"), folder="runs").name))
    settings.SITE_URL = "https://staging.example.org"
    clean_up()
    assert not of_other.exists(), "alone, the site removes it"
    of_other = age(place(store(BytesIO(b"named by the other database"), folder="runs").name))
    (own,) = place("sites").iterdir()
    SiteFigures.objects.filter(name=SiteFigures.SITE).delete()  # another database
    for _ in range(2):
        with pytest.raises(
            JobFailed, match=rf"No file was removed.*https://staging.example.org/ \(file sites/{own.name}\)"
        ):
            clean_up()
        assert of_other.exists()
    own.unlink()
    clean_up()
    assert not of_other.exists(), "the other site is no more"


def test_a_site_that_takes_its_file_back_while_the_files_are_listed_keeps_none_here(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    of_other = place(f"sites/{'a' * 32}")
    of_other.parent.mkdir(parents=True, exist_ok=True)
    of_other.write_text("https://other.example.org/")
    old, listdir = age(place(store(BytesIO(b"old"), folder="runs").name)), files().listdir

    def listed_before_it_goes(folder: str) -> tuple[list[str], list[str]]:
        names = listdir(folder)
        of_other.unlink(missing_ok=True)
        return names

    monkeypatch.setattr(files(), "listdir", listed_before_it_goes)
    clean_up()
    assert not old.exists()


@pytest.mark.parametrize("problem", [OSError("the disk"), KeyboardInterrupt(), TargetError("another site")])
def test_a_restoration_that_cannot_look_for_other_sites_takes_its_file_back(
    cast: Cast, monkeypatch: pytest.MonkeyPatch, problem: BaseException
) -> None:
    def fails(*about: object) -> None:
        assert place(own_file()).exists()
        raise problem

    monkeypatch.setattr(restoring, "require_restorable", lambda *about: False)
    monkeypatch.setattr(restoring, "tables_make", lambda *about: None)
    monkeypatch.setattr(restoring, "require_no_other_site", fails)
    with pytest.raises(type(problem)):
        restoring.backup_restore(Folder(place("backups")), Manifest("https://one.example/", "", []), print)
    assert not place(own_file()).exists()
    assert is_own(), "the row says that no file is left"


def test_a_site_that_was_cut_off_before_its_file_was_written_is_no_other_site_and_writes_it_later(cast: Cast) -> None:
    SiteFigures.objects.filter(name=SiteFigures.SITE).delete()
    folder = place("sites")
    shutil.rmtree(folder, ignore_errors=True)
    folder.write_text("no folder can be made here")
    with pytest.raises(OSError, match="sites"):
        leave_file("https://one.example/")
    named = own_file()
    folder.unlink()
    assert named
    assert is_own(), "nothing says yet that its file was written"
    assert other_sites("https://one.example/") == []
    assert own_file() == named
    assert is_own()
    place(named).unlink()
    assert not is_own()


@pytest.mark.parametrize(
    "name",
    [
        *("runpool.sqlite3", "secret-key", "static/app.css", "backups/2026-11-27T105844.json", "notes/of/olga.txt"),
        *(f"backups/parts/ab/{'ab' * 32}", f"runs/cd/{'ab' * 32}", f"other/files/runs/ab/{'ab' * 32}"),
    ],
)
def test_a_file_that_the_site_did_not_name_is_never_cleaned_away(cast: Cast, name: str) -> None:
    path = place(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"of another program")
    age(path)
    assert "files that no row names: 0" in clean_up()
    assert path.exists()


def test_old_bytes_that_somebody_stores_again_at_this_moment_stay(cast: Cast) -> None:
    name = store(BytesIO(b"once more"), folder="runs").name
    age(place(name))
    store(BytesIO(b"once more"), folder="runs")  # between the listing and the removal; its row is not written yet
    assert remove_unnamed(name, DAY) is None
    assert place(name).exists()


def test_what_dead_processes_left_half_written_goes_after_a_day(cast: Cast) -> None:
    half = place("runs/ab") / f"{UNFINISHED}x"
    upload = place("incoming") / "tmp1.upload"
    for path in (half, upload):
        path.parent.mkdir(parents=True)
        path.write_bytes(b"half")
    assert "broken-off uploads: 0" in clean_up()
    age(half)
    age(upload)
    assert "broken-off uploads: 2" in clean_up()
    assert not half.exists()
    assert not upload.exists()


@pytest.mark.sqlite("runpool.operations.cleaning._cache_rows_removed")
def test_old_jobs_and_sessions_go_but_not_failed_jobs_that_wait_for_somebody(cast: Cast, settings) -> None:
    long_ago = timezone.now() - timedelta(days=settings.KEEP_JOBS_DAYS + 1)
    states = {"done": Job.DONE, "failed": Job.FAILED, "superseded": Job.FAILED}
    for key, state in states.items():
        Job.objects.create(name="x", key=key, state=state, finished_at=long_ago)
    Job.objects.create(name="x", key="superseded", state=Job.DONE, finished_at=timezone.now())
    Session.objects.create(session_key="old", session_data="", expire_date=long_ago)
    Session.objects.create(session_key="new", session_data="", expire_date=timezone.now() + timedelta(days=1))
    report = clean_up()
    assert sorted(Job.objects.filter(name="x").values_list("key", "state")) == [
        ("failed", Job.FAILED),
        ("superseded", Job.DONE),
    ]
    assert "days ago: 2; expired sessions: 1" in report
    assert [session.session_key for session in Session.objects.all()] == ["new"]


@pytest.mark.sqlite("runpool.operations.cleaning._cache_rows_removed")
@pytest.mark.parametrize("redis", ["", "redis://127.0.0.1:1/0"])
def test_expired_rows_of_the_table_of_the_cache_go_with_and_without_redis(
    cast: Cast, settings: Any, redis: str
) -> None:
    settings.CACHES = cache_settings(redis)
    store = transactional_cache()
    store.clear()
    store.set("old", 1, timeout=0.001)
    store.set("young", 1, timeout=3600)
    store.set("for-ever", 1, timeout=None)
    time.sleep(1.1)  # the table holds whole seconds
    assert "expired cache rows: 1" in clean_up()
    assert "expired cache rows: 0" in clean_up()
    assert (store.get("young"), store.get("for-ever")) == (1, 1)


def test_files_of_old_archives_go_and_their_checksums_stay(cast: Cast, settings) -> None:
    stored = store(ContentFile(b"a zip"), folder="archives", suffix=".zip")
    facts = {"file": stored.name, "sha256": stored.sha256, "created_by": cast.organiser}
    old, new = (Archive.objects.create(campaign=cast.campaign, **facts) for _ in range(2))
    for archive, days in ((old, settings.KEEP_ARCHIVES_DAYS + 1), (new, 0)):
        Archive.objects.filter(pk=archive.pk).update(made_at=timezone.now() - timedelta(days=days))
    clean_up()
    kept = Archive.objects.order_by("pk").values_list("file", "sha256")
    assert list(kept) == [("", stored.sha256), (stored.name, stored.sha256)]


def test_the_sweep_cleans_once_a_day_and_operators_see_the_report(
    cast: Cast, django_capture_on_commit_callbacks
) -> None:
    for _ in range(2):
        with django_capture_on_commit_callbacks(execute=True):
            sweep()
    job = Job.objects.get(name=CLEAN)
    assert job.state == Job.DONE
    page = signed_in(make_user("root", is_superuser=True)).get("/operations/").content.decode()
    assert "Last cleaning" in page
    assert "files that no row names: 0" in page
    Job.objects.filter(pk=job.pk).update(created_at=timezone.now() - timedelta(days=1, minutes=1))
    sweep()
    assert Job.objects.filter(name=CLEAN).count() == 2
