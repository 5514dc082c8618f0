import time
from datetime import timedelta
from pathlib import Path

import pytest
from django.db import connection
from django.test import Client, override_settings
from django.utils import timezone

from campaign import queues
from campaign.models import Job, LastSeen
from runpool.celery import app
from runpool.jobs import sweep
from runpool.operations.restarts import restart_record
from tests.runpool.operations.makers import make_worker

ADDRESS = "/health/"


def test_a_healthy_site_says_so_without_login_and_without_secrets(db: None, client: Client) -> None:
    make_worker()
    sweep()
    answer = client.get(ADDRESS)
    assert answer.status_code == 200
    measured = answer.json()
    assert measured.pop("free_bytes") > 0
    assert measured.pop("oldest_waiting_job_seconds") < 60  # the daily cleaning, which the sweep has asked for
    assert measured.pop("beat") < 60
    assert measured == {
        "status": "ok", "database": True, "tables": True, "writable": True, "wrong_encoding": "", "unfinished": "",
        "storage": True, "own_storage": True, "broker": True, "cache": "",
        "no_worker": "", "missing_workers": "", "no_sweep": "", "failed_steps": "",
        "restarts": "", "takes_uploads": True, "damaged_files": 0, "findings": None, "backup": None, "failed_backup": None,
    }  # fmt: skip
    assert "no-store" in answer.headers["Cache-Control"]


def test_the_age_of_the_oldest_waiting_job_is_reported(db: None, client: Client) -> None:
    for minutes, state in ((5, Job.QUEUED), (2, Job.QUEUED), (60, Job.DONE), (70, Job.WORKING)):
        job = Job.objects.create(name="x", key=str(minutes), state=state)
        Job.objects.filter(pk=job.pk).update(created_at=timezone.now() - timedelta(minutes=minutes))
    answer = client.get(ADDRESS)
    assert answer.status_code == 200
    assert 300 <= answer.json()["oldest_waiting_job_seconds"] < 320


def test_that_no_worker_takes_jobs_is_reported_in_words(db: None, client: Client) -> None:
    job = Job.objects.create(name="x", key="waiting")
    assert client.get(ADDRESS).json()["no_worker"] == ""
    Job.objects.filter(pk=job.pk).update(created_at=timezone.now() - timedelta(minutes=7, seconds=1))
    assert client.get(ADDRESS).json()["no_worker"] == "no worker has taken a job for 7 minutes"
    seen = timezone.now() - timedelta(minutes=2)
    Job.objects.create(name="x", key="other", state=Job.WORKING, heartbeat_at=seen)
    assert client.get(ADDRESS).json()["no_worker"] == ""


def test_a_storage_that_cannot_be_written_is_reported_by_503(db: None, client: Client, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("a file where the folder should be")
    with override_settings(MEDIA_ROOT=str(tmp_path / "file" / "files")):
        answer = client.get(ADDRESS)
    assert answer.status_code == 503
    assert (answer.json()["status"], answer.json()["database"], answer.json()["storage"]) == ("failing", True, False)


def test_a_database_whose_tables_cannot_be_read_is_reported_by_503(db: None, client: Client) -> None:
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE campaign_job RENAME TO campaign_job_gone")
    answer = client.get(ADDRESS)
    assert answer.status_code == 503
    told = answer.json()
    assert (told["status"], told["database"], told["tables"]) == ("failing", True, False)
    assert told["oldest_waiting_job_seconds"] is None


@pytest.mark.parametrize("method", ["post", "put", "delete"])
def test_health_only_answers_reading(db: None, client: Client, method: str) -> None:
    assert getattr(client, method)(ADDRESS).status_code == 405


def test_a_queue_that_nobody_takes_from_is_named_though_others_are_served(db: None, client: Client) -> None:
    long_ago = timezone.now() - timedelta(minutes=7)
    Job.objects.create(name="x", key="done", state=Job.DONE, finished_at=timezone.now())
    Job.objects.create(name="x", key="waits", queue=queues.LARGE)
    Job.objects.filter(key="waits").update(created_at=long_ago)
    said = client.get(ADDRESS).json()
    assert said["no_worker"] == "no worker has taken a job of the queue large for 7 minutes"
    assert said["status"] == "degraded"


def test_a_sweep_that_is_missing_is_reported_and_one_that_came_is_not(db: None, client: Client) -> None:
    assert client.get(ADDRESS).json()["no_sweep"] == "no sweep has run yet"
    sweep()
    assert client.get(ADDRESS).json()["no_sweep"] == ""
    LastSeen.objects.update(at=timezone.now() - timedelta(minutes=9))
    said = client.get(ADDRESS)
    assert (said.status_code, said.json()["status"], said.json()["beat"] // 10) == (200, "degraded", 54)
    assert said.json()["no_sweep"] == "no sweep has run for 9 minutes"


def test_a_sweep_that_is_recorded_in_the_future_is_not_taken_for_a_sign_of_life(db: None, client: Client) -> None:
    sweep()
    LastSeen.objects.update(at=timezone.now() + timedelta(hours=5, seconds=30))
    said = client.get(ADDRESS).json()
    assert (said["status"], said["beat"]) == ("degraded", None)
    expected = "the last sweep is recorded 300 minutes in the future, so the clock was set back since"
    assert said["no_sweep"] == expected
    [part] = client.get("/readyz", {"part": "sweep"}).json()["parts"]
    assert (part["status"], part["sentence"]) == ("degraded", f"{expected.capitalize()}.")
    sweep()
    assert client.get(ADDRESS).json()["no_sweep"] == ""


def test_a_broker_that_is_away_is_named_within_a_second(
    db: None, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(app.conf, "broker_url", "redis://127.0.0.1:1/0")
    monkeypatch.setitem(app.conf, "broker_write_url", "redis://127.0.0.1:1/0")
    started = time.monotonic()
    answer = client.get(ADDRESS)
    assert time.monotonic() - started < 1
    assert (answer.status_code, answer.json()["status"], answer.json()["broker"]) == (200, "degraded", False)


def test_processes_that_were_started_again_are_told_for_an_hour(db: None, client: Client, tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "restarts").write_text(f"rubbish\n{time.time() - 3700:.0f} web\n")
    for name in ("worker", "worker", "sweep"):
        restart_record(tmp_path / "logs", name)
    with override_settings(DATA_DIR=tmp_path):
        said = client.get(ADDRESS).json()["restarts"]
    assert said == "started again in the last hour, having ended by themselves: sweep 1 time, worker 2 times"
    assert "web" not in (tmp_path / "logs" / "restarts").read_text()
