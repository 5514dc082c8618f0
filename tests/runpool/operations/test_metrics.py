import json
import os
import subprocess
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families

from campaign import queues
from campaign.models import Job
from runpool.jobs import sweep
from runpool.operations import tallies
from runpool.operations.metrics import requests
from runpool.operations.metrics.requests import RequestFigures
from tests.campaign.runs.makers import make_ready_cast, submit_and_check
from tests.places import REPOSITORY
from tests.runpool.operations.makers import LONG_AGO, make_ended, tally_begins

ADDRESS = "/metrics"


@pytest.fixture(autouse=True)
def own_figures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RequestFigures:
    figures = RequestFigures(tmp_path / "metrics")
    monkeypatch.setattr(requests, "figures", figures)
    return figures


def samples(client: Client, **headers: str) -> dict[tuple[str, ...], float]:
    """Each sample by its name and the values of its labels, in the alphabetical order of their names."""
    answer = client.get(ADDRESS, headers=headers)
    assert answer.status_code == 200
    families = text_string_to_metric_families(answer.content.decode())
    return {
        (sample.name, *(sample.labels[name] for name in sorted(sample.labels))): sample.value
        for family in families
        for sample in family.samples
    }


def test_requests_are_counted_by_page_method_and_kind_of_answer(db: None, client: Client) -> None:
    client.get("/livez")
    client.get("/livez")
    client.get("/no/such/<script>/page/")
    client.generic("INVENTED", "/livez")
    found = samples(client)
    assert found["runpool_request_seconds_count", "GET", "livez", "2xx"] == 2
    assert found["runpool_request_seconds_count", "GET", "no page", "4xx"] == 1
    assert found["runpool_request_seconds_count", "other", "livez", "4xx"] == 1
    assert found["runpool_request_seconds_bucket", "+Inf", "GET", "livez", "2xx"] == 2


def test_what_processes_counted_that_have_ended_is_not_lost_and_their_files_are_gathered(tmp_path: Path) -> None:
    program = """
import sys, django; django.setup()
from pathlib import Path
from runpool.operations.metrics.requests import RequestFigures
RequestFigures(Path(sys.argv[1])).observe("home", "GET", 200, 0.3)
"""
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "tests.settings"}
    folder = tmp_path / "shared"
    for _ in range(2):
        subprocess.run([sys.executable, "-c", program, str(folder)], cwd=REPOSITORY, env=environment, check=True)
    figures = RequestFigures(folder)
    for number in (3, 4):
        figures.observe("home", "GET", 200, 7.0)
        assert figures.total()["home", "GET", "2xx"].number == number
    assert sorted(path.suffix for path in folder.iterdir()) == ["", ".json", ".json"]
    assert RequestFigures(folder).total()["home", "GET", "2xx"].number == 4


def test_figures_that_cannot_be_written_or_read_do_not_keep_a_request_from_its_answer(
    db: None, client: Client, own_figures: RequestFigures, tmp_path: Path
) -> None:
    (tmp_path / "metrics").write_text("a file where the folder should be")
    assert client.get("/livez").status_code == 200
    assert samples(client)["runpool_request_seconds_count", "GET", "livez", "2xx"] == 1
    (tmp_path / "metrics").unlink()
    own_figures.folder.mkdir()
    (own_figures.folder / "ended.json").write_text("[[")
    assert samples(client)["runpool_request_seconds_count", "GET", "livez", "2xx"] == 1


def test_jobs_are_shown_by_kind_and_state_and_the_oldest_of_each_queue(db: None, client: Client) -> None:
    for minutes, state in ((5, Job.QUEUED), (2, Job.QUEUED), (60, Job.DONE), (70, Job.FAILED)):
        job = Job.objects.create(name="check run", key=str(minutes), state=state)
        Job.objects.filter(pk=job.pk).update(created_at=timezone.now() - timedelta(minutes=minutes))
    Job.objects.create(name="score task", key="1", state=Job.WORKING, queue=queues.SCORE)
    found = samples(client)
    assert found["runpool_jobs", "check run", "celery", "queued"] == 2
    assert found["runpool_jobs", "check run", "celery", "failed"] == 1
    assert found["runpool_jobs", "score task", "score", "working"] == 1
    assert not [key for key in found if key[0] == "runpool_jobs" and key[-1] == "done"]
    assert 300 <= found["runpool_queue_oldest_seconds", "celery"] < 320
    assert found["runpool_queue_oldest_seconds", "mail"] == 0
    assert 300 <= found["runpool_queue_silent_seconds", "celery"] < 320


def test_jobs_that_ended_are_counted_once_by_the_sweep_with_their_seconds(db: None, client: Client) -> None:
    tally_begins()
    make_ended("check run", worked=0.4, waited=2)
    make_ended("check run", worked=40, waited=3)
    make_ended("check run", worked=1, state=Job.FAILED)
    just_now = make_ended("check run", worked=1)
    Job.objects.filter(pk=just_now.pk).update(finished_at=timezone.now())
    assert [tallies.ended_jobs_tally(), tallies.ended_jobs_tally()] == [3, 0]
    found = samples(client)
    assert found["runpool_jobs_ended_total", "check run", "done"] == 2
    assert found["runpool_jobs_ended_total", "check run", "failed"] == 1
    assert found["runpool_job_seconds_bucket", "check run", "0.5"] == 1
    assert found["runpool_job_seconds_bucket", "check run", "1.0"] == 2
    assert found["runpool_job_seconds_count", "check run"] == 3
    assert found["runpool_job_seconds_sum", "check run"] == pytest.approx(41.4)
    assert found["runpool_job_wait_seconds_sum", "check run"] == pytest.approx(6)


def test_a_long_stop_of_the_sweep_is_counted_in_parts_and_none_is_left_out(
    db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    tally_begins()
    monkeypatch.setattr(tallies, "MOST_AT_ONCE", 2)
    for _ in range(7):
        make_ended("check run", worked=1)
    Job.objects.filter(pk__in=Job.objects.values("pk")[:4]).update(finished_at=timezone.now() - LONG_AGO)
    numbers = [tallies.ended_jobs_tally() for _ in range(6)]
    assert sum(numbers) == 7
    assert max(numbers) < 7


def test_a_worker_notes_when_it_took_a_job(db: None, client: Client) -> None:
    tally_begins()
    cast = make_ready_cast()
    submit_and_check(cast)
    Job.objects.filter(finished_at__isnull=False).update(finished_at=timezone.now() - LONG_AGO)
    tallies.ended_jobs_tally()
    found = samples(client)
    assert found["runpool_job_seconds_count", "check run"] == 1
    assert found["runpool_runs_received_total",] >= 1
    assert ("runpool_judgment_acts_total",) in found


@pytest.mark.sqlite("runpool.operations.tallies.storage_measure")
def test_the_storage_is_measured_by_the_cleaning(db: None, client: Client) -> None:
    cast = make_ready_cast()
    run = submit_and_check(cast)
    tallies.storage_measure()
    found = samples(client)
    assert found["runpool_storage_bytes", "runs"] >= run.size
    assert found["runpool_storage_files", "runs"] >= 1
    assert found["runpool_free_bytes",] > 0


def test_the_sweep_and_what_it_sent_again_are_seen(db: None, client: Client) -> None:
    sweep()
    Job.objects.create(name="clean", key="lost", state=Job.QUEUED)
    Job.objects.update(created_at=timezone.now() - LONG_AGO, sent_at=timezone.now() - timedelta(minutes=10))
    sweep()
    found = samples(client)
    assert found["runpool_sweep_age_seconds",] < 30
    assert found["runpool_jobs_sent_again_total",] >= 1
    assert found["runpool_part", "database"] == 0


def test_without_the_database_the_parts_and_the_requests_are_still_told(
    db: None, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    client.get("/livez")
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE campaign_lastseen RENAME TO away")
    found = samples(client)
    assert found["runpool_part", "database"] == 2
    assert found["runpool_request_seconds_count", "GET", "livez", "2xx"] == 1
    assert not [key for key in found if key[0].startswith("runpool_jobs")]


@pytest.mark.parametrize("given", ["", "Bearer", "Bearer wrong", "Basic right-token", "right-token"])
def test_where_a_token_is_set_nobody_reads_without_it(db: None, client: Client, settings: Any, given: str) -> None:
    settings.METRICS_TOKEN = "right-token"
    answer = client.get(ADDRESS, headers={"Authorization": given} if given else {})
    assert answer.status_code == 404
    assert "right-token" not in answer.content.decode()
    assert samples(client, Authorization="Bearer right-token")


@pytest.mark.parametrize(
    ("secure", "request_facts"),
    [
        (True, {}),
        (False, {"REMOTE_ADDR": "192.0.2.7"}),
        (False, {"REMOTE_ADDR": ""}),
        (False, {"HTTP_X_FORWARDED_FOR": "127.0.0.1"}),
        (False, {"HTTP_X_REAL_IP": "192.0.2.7"}),
    ],
)
def test_without_a_token_only_programs_on_this_machine_read(
    db: None, client: Client, settings: Any, secure: bool, request_facts: dict[str, str]
) -> None:
    settings.SECURE_SSL_REDIRECT = secure
    assert client.get(ADDRESS, **request_facts).status_code == 404


def test_no_label_holds_what_users_type(db: None, client: Client) -> None:
    cast = make_ready_cast()
    submit_and_check(cast, tag="typed-by-a-user")
    client.get(f"/c/{cast.campaign.slug}/{cast.task.slug}/")
    text = client.get(ADDRESS).content.decode()
    assert not any(word in text for word in ("typed-by-a-user", cast.campaign.slug, cast.team.name, "olga"))


def test_the_address_of_metrics_does_not_lead_elsewhere_on_a_secure_site(
    db: None, client: Client, settings: Any
) -> None:
    settings.SECURE_SSL_REDIRECT, settings.METRICS_TOKEN = True, "right-token"
    assert client.get(ADDRESS, headers={"Authorization": "Bearer right-token"}).status_code == 200
    assert client.get("/livez").status_code == 301


def test_files_of_requests_hold_names_and_numbers_alone(own_figures: RequestFigures) -> None:
    own_figures.observe("home", "GET", 200, 0.3)
    own_figures.write()
    [file] = own_figures.folder.glob("*.json")
    assert json.loads(file.read_text()) == [["home", "GET", "2xx", 0.3, [0, 0, 0, 1, 0, 0, 0, 0, 0, 0]]]
