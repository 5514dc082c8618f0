"""Machines whose clocks differ by an hour: each is a process of its own, whose Django is told another time."""

import json
import os
import subprocess
import sys
from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings
from django.db import connection
from django.utils import timezone

from campaign.database import clock
from campaign.models import Job, Run
from campaign.queue.locks import STALE_AFTER
from campaign.runs.services.states import move
from evaluation.selectors.scores import up_to_date
from judging.qrels.selectors.releases import latest_qrels
from runpool.operations import readiness
from runpool.operations.health import site_health
from tests.evaluation.makers import make_qrels, make_valid_run
from tests.factories import Cast, make_cast, make_topics
from tests.places import REPOSITORY
from tests.requirements import require_postgresql

MACHINE = """
import json, sys
from datetime import timedelta
import django
from django.utils import timezone
true_now, seconds = timezone.now, int(sys.argv[1])
timezone.now = lambda: true_now() + timedelta(seconds=seconds)
django.setup()
from campaign.queue import jobs
from campaign.queue.locks import claim
from campaign.queue.heartbeat import Heartbeat
from campaign.models import Job, Run, Task
sent = []
jobs.send = lambda row: sent.append(row.name)
Job.objects.create(name="made there", key="{}")
taken = [name for name in ("alive", "dead", "waits") if claim(Job.objects.get(name=name))]
Heartbeat(Job.objects.get(name="beats"))._beat_once()
jobs.requeue_lost_jobs()
from campaign.runs.services.states import move
from evaluation.services.scoring import task_score
move(Run.objects.get(tag="checked there"), [Run.VALID], depth=1)
task_score(task=Task.objects.get(), report=lambda done, total: None)
print(json.dumps({"taken": taken, "sent": sent}))
"""
pytestmark = pytest.mark.services


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    require_postgresql(connection.vendor)
    cast = make_cast(measures=["AP"])
    make_topics(cast.task, ["1"])
    make_qrels(cast.task, {"1": {"a": 1}}, cast.organiser)
    for tag in ("checked here", "checked there"):
        make_valid_run(cast.task, cast.team, tag.replace(" ", "-"), {"1": ["a"]})
    return cast


def add_job(name: str, state: str, silent: timedelta) -> None:
    then = clock.now() - silent
    Job.objects.create(name=name, key="{}", state=state, attempts=1)
    Job.objects.filter(name=name).update(heartbeat_at=then, created_at=then, sent_at=then)


def on_a_machine_off_by(seconds: int) -> dict[str, Any]:
    settings = connection.settings_dict
    place = (
        f"{settings['USER']}:{settings['PASSWORD']}@{settings['HOST']}:{settings['PORT'] or 5432}/{settings['NAME']}"
    )
    done = subprocess.run(
        [sys.executable, "-c", MACHINE.replace("checked there", "checked-there"), str(seconds)],
        cwd=REPOSITORY,
        env=environment(f"postgres://{place}"),
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        timeout=120,
    )
    return dict(json.loads(done.stdout.splitlines()[-1]))


def environment(database: str) -> dict[str, str]:
    names = {
        "RUNPOOL_DATABASE_URL": database,
        "DJANGO_SETTINGS_MODULE": "runpool.settings",
        "RUNPOOL_LOG_LEVEL": "WARNING",
    }
    return {**os.environ, **names, "RUNPOOL_DATA_DIR": str(settings.DATA_DIR), "RUNPOOL_SECRET_KEY": "only for tests"}


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("hours", [1, -1])
def test_a_machine_whose_clock_is_an_hour_off_neither_takes_live_jobs_nor_keeps_dead_ones(
    cast: Cast, hours: int
) -> None:
    add_job("alive", Job.WORKING, timedelta(seconds=5))
    add_job("dead", Job.WORKING, 2 * STALE_AFTER)
    add_job("beats", Job.WORKING, timedelta(seconds=30))
    add_job("waits", Job.QUEUED, timedelta(seconds=5))
    add_job("lost its worker", Job.WORKING, 2 * STALE_AFTER)
    add_job("lost its message", Job.QUEUED, 2 * Job.FIRST_PAUSE)
    assert move(Run.objects.get(tag="checked-here"), [Run.VALID], depth=1)
    began = clock.now()
    assert on_a_machine_off_by(hours * 3600) == {
        "taken": ["dead", "waits"],
        "sent": ["lost its worker", "lost its message"],
    }
    rows = {row.name: row for row in Job.objects.all()}
    told = [rows[name].heartbeat_at for name in ("dead", "waits", "beats")]
    told += [rows["made there"].created_at, rows["made there"].sent_at, rows["lost its message"].sent_at]
    told += Run.objects.filter(tag="checked-there").values_list("state_changed_at", flat=True)
    assert [moment for moment in told if not began <= moment <= clock.now()] == []
    assert scores_up_to_date(cast) == {"checked-here", "checked-there"}


def scores_up_to_date(cast: Cast) -> set[str]:
    return set(up_to_date(cast.task, latest_qrels(cast.task)).values_list("run__tag", flat=True))


def test_a_server_whose_clock_differs_from_the_database_says_so(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    require_postgresql(connection.vendor)
    found = {part.name: part for part in readiness.parts(site_health())}
    assert found["clock"].status == readiness.OK
    moment = timezone.now() - timedelta(minutes=2)
    monkeypatch.setattr(timezone, "now", lambda: moment)
    behind = readiness._clock(site_health())
    assert behind.status == readiness.DEGRADED
    assert "seconds behind the database's" in behind.sentence
