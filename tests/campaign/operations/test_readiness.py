from datetime import timedelta
from pathlib import Path

import pytest
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client, override_settings
from django.utils import timezone

from campaign.jobs import sweep
from campaign.models import Job
from campaign.version import VERSION

LIVE, READY = "/livez", "/readyz"


def by_name(client: Client) -> dict[str, dict[str, str]]:
    return {part["name"]: part for part in client.get(READY).json()["parts"]}


def test_a_live_process_asks_the_database_nothing(client: Client) -> None:
    # Without the fixture `db`, pytest-django refuses every query.
    answer = client.get(LIVE)
    assert (answer.status_code, answer.json()) == (200, {"status": "ok"})
    assert "no-store" in answer.headers["Cache-Control"]


def test_a_site_that_is_well_is_ready_and_names_no_remedy(db: None, client: Client) -> None:
    sweep()
    answer = client.get(READY)
    assert (answer.status_code, answer.json()["status"]) == (200, "ok")
    assert answer.json()["version"] == VERSION
    parts = answer.json()["parts"]
    names = ["database", "migrations", "clock", "storage", "broker", "sweep", "workers", "room", "files"]
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
    assert answer.json()["parts"][0]["remedy"].startswith("Check STORAGE_URL")


@pytest.mark.parametrize("part", ["", "nothing", "<b>"])
def test_an_unknown_part_is_answered_by_the_names_of_the_parts(db: None, client: Client, part: str) -> None:
    answer = client.get(READY, {"part": part})
    assert answer.status_code == 404
    assert answer.json()["error"].startswith("There is no such part. The parts are: database, migrations, ")


def test_one_part_is_judged_by_itself(db: None, client: Client) -> None:
    answer = client.get(READY, {"part": "database"}).json()
    assert (answer["status"], [part["name"] for part in answer["parts"]]) == ("ok", ["database"])
