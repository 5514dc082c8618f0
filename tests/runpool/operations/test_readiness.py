import os
import shutil
from dataclasses import replace
from datetime import timedelta
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, transaction
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client, override_settings
from django.utils import timezone

from campaign.models import Job, SiteFigures, Verification
from campaign.queue.jobs import JobFailed
from campaign.storage import store
from campaign.version import VERSION
from runpool import env
from runpool.backup import making
from runpool.backup.record import backup_note
from runpool.jobs import sweep
from runpool.operations import health
from runpool.operations.cleaning import clean_up
from runpool.operations.readiness import parts
from tests.campaign.storage.makers import place
from tests.factories import make_received_run, make_task, make_team
from tests.ports import free_port
from tests.requirements import redis_address
from tests.runpool.operations.makers import make_worker

LIVE, READY = "/livez", "/readyz"


def by_name(client: Client) -> dict[str, dict[str, str]]:
    return {part["name"]: part for part in client.get(READY).json()["parts"]}


def test_a_live_process_asks_the_database_nothing(client: Client) -> None:
    # Without the fixture `db`, pytest-django refuses every query.
    answer = client.get(LIVE)
    assert (answer.status_code, answer.json()) == (200, {"status": "ok"})
    assert "no-store" in answer.headers["Cache-Control"]


def test_a_site_that_is_well_is_ready_and_names_no_remedy(db: None, client: Client) -> None:
    make_worker()
    sweep()
    answer = client.get(READY)
    assert (answer.status_code, answer.json()["status"]) == (200, "ok")
    assert answer.json()["version"] == VERSION
    parts = answer.json()["parts"]
    names = ["database", "migrations", "clock", "static", "storage", "broker", "cache", "sweep"]
    names += ["workers", "room", "files", "backups"]
    assert [part["name"] for part in parts] == names
    assert [part["remedy"] for part in parts] == [""] * len(names)


def test_a_site_without_a_sweep_is_degraded_but_not_refused(db: None, client: Client) -> None:
    answer = client.get(READY)
    assert (answer.status_code, answer.json()["status"]) == (200, "degraded")
    sweep_part = by_name(client)["sweep"]
    assert (sweep_part["status"], sweep_part["sentence"]) == ("degraded", "No sweep has run yet.")


def test_a_migration_that_is_not_applied_is_named_by_503(db: None, client: Client) -> None:
    MigrationRecorder(connection).record_unapplied("campaign", "0001_initial")
    answer = client.get(READY, {"part": "migrations"})
    assert answer.status_code == 503
    assert answer.json()["parts"][0]["sentence"] == "Migrations are not applied: campaign.0001_initial."


@pytest.mark.sqlite("runpool.operations.health._database_answers")
def test_a_database_whose_tables_cannot_be_read_is_not_said_to_be_away(
    db: None, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unreadable() -> None:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1 FROM table_of_a_later_version")

    monkeypatch.setattr(health, "_queue", unreadable)
    answer = client.get(READY)
    assert (answer.status_code, answer.json()["status"]) == (503, "failing")
    parts = by_name(client)
    assert parts["database"]["sentence"] == "The database answers, but its tables cannot be read."
    assert parts["database"]["remedy"].startswith("Run “manage.py migrate”.")
    assert parts["migrations"]["status"] == "ok"
    assert {parts[name]["remedy"] for name in ("sweep", "workers", "files")} == {"See the part “database”."}
    assert client.get("/health/").status_code == 503


def test_a_site_whose_static_files_were_not_collected_shows_no_page_and_says_so(
    db: None, client: Client, settings: Any, tmp_path: Path
) -> None:
    settings.STATIC_ROOT = tmp_path
    settings.STORAGES = {
        **settings.STORAGES,
        "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
    }
    answer = client.get(READY, {"part": "static"})
    assert answer.status_code == 503
    [part] = answer.json()["parts"]
    assert part["sentence"].endswith(": no page can be shown.")
    assert part["remedy"] == "Run “manage.py collectstatic --no-input”, then start the web servers again."
    call_command("collectstatic", "--no-input", verbosity=0)
    assert client.get(READY, {"part": "static"}).json()["status"] == "ok"
    shutil.rmtree(settings.STATIC_ROOT)
    assert client.get(READY, {"part": "static"}).status_code == 503


def test_findings_of_the_last_verification_degrade_the_part_of_files(db: None, client: Client) -> None:
    Verification.objects.create(found=2, started_at=timezone.now())
    files = by_name(client)["files"]
    assert (files["status"], files["sentence"]) == ("degraded", "The last verification had findings: 2.")
    assert files["remedy"].startswith("“manage.py verify” names each")
    Verification.objects.create(found=0, started_at=timezone.now())
    assert by_name(client)["files"]["status"] == "ok"


def test_a_backup_that_is_old_degrades_its_part_and_one_that_failed_is_told_where_operators_read(
    db: None, client: Client, admin_client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def metric(name: str) -> float | None:
        lines = client.get("/metrics").content.decode().splitlines()
        return next((float(line.split()[1]) for line in lines if line.startswith(f"runpool_backup_{name} ")), None)

    assert (by_name(client)["backups"]["status"], metric("age_seconds"), metric("failed")) == ("ok", None, 0)
    backup_note("/srv/backups", 12.5)
    note = SiteFigures.objects.get(name=SiteFigures.BACKUPS)
    note.values["backup"]["at"] = (timezone.now() + timedelta(minutes=3)).isoformat()
    note.save()
    assert "is 0 hours old" in by_name(client)["backups"]["sentence"], "by a machine whose clock is ahead"
    for hours, status in (env.BACKUP_HOURS - 1, "ok"), (env.BACKUP_HOURS, "degraded"):
        note.values["backup"]["at"] = (timezone.now() - timedelta(hours=hours, minutes=1)).isoformat()
        note.save()
        part = by_name(client)["backups"]
        assert (part["status"], f"{hours} hours old" in part["sentence"]) == (status, True)
        assert client.get(READY, {"part": "backups", "fail_on": "degraded"}).status_code == (
            200 if status == "ok" else 503
        )
        assert metric("age_seconds") == pytest.approx(hours * 3600 + 60, abs=30)
    (tmp_path / "file").touch()
    with pytest.raises(CommandError):
        call_command("backup", str(tmp_path / "file"))
    page = " ".join(admin_client.get("/operations/storage/").content.decode().split())
    assert "to /srv/backups, in 12.5 s" in page
    assert str(tmp_path) in page
    assert (metric("failed"), metric("seconds")) == (1, 12.5)
    assert str(tmp_path) not in client.get(READY).content.decode()
    with monkeypatch.context() as patched:
        patched.setattr(making, "one_state", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            call_command("backup", str(tmp_path / "backups"))
    assert "ZeroDivisionError: division by zero" in admin_client.get("/operations/storage/").content.decode()
    call_command("backup", str(tmp_path / "backups"))
    assert (by_name(client)["backups"]["status"], metric("failed")) == ("ok", 0)
    assert str(tmp_path / "backups") in admin_client.get("/operations/storage/").content.decode()


def test_many_migrations_that_are_not_applied_are_counted(db: None, client: Client) -> None:
    MigrationRecorder.Migration.objects.all().delete()
    sentence = by_name(client)["migrations"]["sentence"]
    assert sentence.startswith("Migrations are not applied: account.0001_initial, ")
    assert sentence.endswith(" more.")
    assert sentence.count(",") == 4


def test_jobs_that_nobody_takes_degrade_the_part_of_workers(db: None, client: Client) -> None:
    job = Job.objects.create(name="x", key="waiting")
    Job.objects.filter(pk=job.pk).update(created_at=timezone.now() - timedelta(minutes=7, seconds=1))
    workers = by_name(client)["workers"]
    assert (workers["status"], workers["sentence"]) == ("degraded", "No worker has taken a job for 7 minutes.")


def test_a_storage_that_cannot_be_written_is_named_by_503(db: None, client: Client, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("a file where the folder should be")
    with override_settings(MEDIA_ROOT=str(tmp_path / "file" / "files")):
        answer = client.get(READY, {"part": "storage"})
    assert answer.status_code == 503
    assert answer.json()["parts"][0]["remedy"].startswith("Check RUNPOOL_STORAGE_URL")


def test_a_storage_without_a_folder_of_its_own_is_named_by_503(db: None, client: Client) -> None:
    with override_settings(MEDIA_ROOT=""):
        assert client.get(READY, {"part": "storage"}).status_code == 503


def test_health_has_the_status_of_readiness(db: None, client: Client) -> None:
    make_worker()
    sweep()
    steps = (
        (lambda: None, 200, "ok"),
        (lambda: Verification.objects.create(found=2, started_at=timezone.now()), 200, "degraded"),
        (lambda: MigrationRecorder(connection).record_unapplied("campaign", "0001_initial"), 503, "failing"),
    )
    for change, code, status in steps:
        change()
        for address in (READY, "/health/"):
            answer = client.get(address)
            assert (address, answer.status_code, answer.json()["status"]) == (address, code, status)


@pytest.mark.parametrize("part", ["", "nothing", "<b>"])
def test_an_unknown_part_is_answered_by_the_names_of_the_parts(db: None, client: Client, part: str) -> None:
    answer = client.get(READY, {"part": part})
    assert answer.status_code == 404
    assert answer.json()["error"].startswith("There is no such part. The parts are: database, migrations, ")


def test_one_part_is_judged_by_itself(db: None, client: Client) -> None:
    answer = client.get(READY, {"part": "database"}).json()
    assert (answer["status"], [part["name"] for part in answer["parts"]]) == ("ok", ["database"])


@pytest.fixture
def storage(settings, tmp_path: Path) -> Path:
    settings.MEDIA_ROOT = tmp_path / "files"
    return Path(settings.MEDIA_ROOT)


def test_a_storage_without_the_file_of_the_site_is_not_ready_until_nothing_is_missing_there(
    db: None, client: Client, storage: Path
) -> None:
    sweep()
    content = b"1 Q0 a 1 2.0 bm25\n"
    make_received_run(make_task(), make_team(), "bm25", content)
    clean_up()
    assert client.get(READY).status_code == 200
    storage.rename(storage.with_name("not-mounted"))
    answer = client.get(READY)
    part = {part["name"]: part for part in answer.json()["parts"]}["storage"]
    assert (answer.status_code, part["sentence"]) == (
        503,
        "The storage of files is not that of this site, or was emptied.",
    )
    assert not client.get("/health/").json()["takes_uploads"]
    with pytest.raises(JobFailed, match="not that of this site"):
        clean_up()
    with pytest.raises(SystemExit):
        call_command("verify", "files")
    assert client.get(READY).status_code == 503
    store(BytesIO(content), folder="runs")
    call_command("verify", "files")
    assert by_name(client)["storage"]["status"] == "ok"


def test_a_closed_folder_of_the_storage_is_named_in_the_log_and_keeps_the_site_from_being_ready(
    db: None, client: Client, storage: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    closed = place(store(BytesIO(b"a run"), folder="runs").name).parent.parent
    allowed = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: path != closed and allowed(path, mode))
    assert by_name(client)["storage"]["status"] == "failing"
    assert f"The folder {closed} must not be read and written" in caplog.text


@pytest.mark.sqlite("runpool.operations.health._takes_writes")
def test_a_database_that_takes_no_writes_is_not_ready(
    db: None, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    sweep()
    if connection.vendor == "postgresql":
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET LOCAL transaction_read_only = on")
            part = by_name(client)["database"]
            transaction.set_rollback(True)
    else:
        monkeypatch.setitem(connection.settings_dict, "NAME", __file__)
        with monkeypatch.context() as full:
            full.setattr(health, "LEAST_FREE_BYTES", 1000**6)
            assert by_name(client)["database"]["sentence"].endswith("less than 1 MB is free on its disk.")
        assert by_name(client)["database"]["status"] == "ok"
        monkeypatch.setattr(os, "access", lambda path, mode: False)
        part = by_name(client)["database"]
    assert part["status"] == "failing"
    assert part["sentence"].startswith("The database answers, but ")


def test_a_database_that_a_restoration_has_not_filled_is_not_ready_and_not_verified(
    db: None, client: Client, capsys: pytest.CaptureFixture[str]
) -> None:
    what = {"what": "The restoration of https://runs.example.org"}
    SiteFigures.objects.create(name=SiteFigures.UNFINISHED, at=timezone.now(), values=what)
    part = by_name(client)["database"]
    assert part["sentence"] == f"{what['what']} was not finished: the database lacks its rows."
    with pytest.raises(SystemExit) as ended:
        call_command("verify")
    assert ended.value.code == 2
    assert "was not finished" in capsys.readouterr().err
    assert not Verification.objects.exists()


@pytest.mark.sqlite("runpool.operations.readiness._database")
def test_the_remedy_of_a_database_that_is_away_is_that_of_its_kind(db: None) -> None:
    found = parts(replace(health.site_health(), database=False))[0]
    start = "Start the database" if connection.vendor == "postgresql" else "See that the disk of its file has room"
    assert (found.name, found.status) == ("database", "failing")
    assert found.remedy.startswith(start)


@pytest.mark.parametrize(
    ("address", "said"), [("/99", "refuses this site: DB index is out of range"), ("", "does not answer")]
)
def test_a_cache_that_refuses_its_address_or_is_away_degrades_its_part(
    db: None, client: Client, monkeypatch: pytest.MonkeyPatch, address: str, said: str
) -> None:
    url = f"{redis_address().rpartition('/')[0]}{address}" if address else f"redis://127.0.0.1:{free_port()}/0"
    monkeypatch.setattr(env, "CACHE_URL", url)
    [part] = client.get(READY, {"part": "cache"}).json()["parts"]
    assert part["status"] == "degraded"
    assert part["sentence"] == f"The Redis of the cache {said}. The database counts instead."
    assert "RUNPOOL_CACHE_URL" in part["remedy"]
