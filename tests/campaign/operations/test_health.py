from datetime import timedelta
from pathlib import Path

import pytest
from django.db import connection
from django.test import Client, override_settings
from django.utils import timezone

from campaign.models import Job

ADDRESS = "/health/"


def test_a_healthy_site_says_so_without_login_and_without_secrets(db: None, client: Client) -> None:
    answer = client.get(ADDRESS)
    assert answer.status_code == 200
    measured = answer.json()
    assert measured.pop("free_bytes") > 0
    assert measured == {
        "status": "ok", "database": True, "storage": True, "oldest_waiting_job_seconds": None, "no_worker": "",
        "takes_uploads": True, "damaged_files": 0,
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


def test_a_database_that_does_not_answer_is_reported_by_503(db: None, client: Client) -> None:
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE campaign_job RENAME TO campaign_job_gone")
    answer = client.get(ADDRESS)
    assert answer.status_code == 503
    assert (answer.json()["database"], answer.json()["oldest_waiting_job_seconds"]) == (False, None)


@pytest.mark.parametrize("method", ["post", "put", "delete"])
def test_health_only_answers_reading(db: None, client: Client, method: str) -> None:
    assert getattr(client, method)(ADDRESS).status_code == 405
