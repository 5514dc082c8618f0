"""A worker that died is missed within a minute, also while nothing waits: in /readyz, in metrics, on the page of operations."""

import time
from collections.abc import Callable
from datetime import datetime

import pytest
from django.db import OperationalError
from django.test import Client
from django.urls import reverse
from pytest_django.asserts import assertContains

from campaign import queues
from campaign.database import clock
from campaign.models import WorkerHeartbeat
from campaign.queue import workers
from campaign.queue.workers import WorkerBeat, dead_workers_forget, workers_seen
from runpool.jobs import PERIODIC, sweep
from tests.factories import make_user
from tests.runpool.operations.makers import make_worker

DEAD = "no sign of life of the worker checks@second"


@pytest.fixture
def operator(db: None, client: Client) -> Client:
    client.force_login(make_user("olga", is_superuser=True))
    return client


def part_of(client: Client, **query: str) -> tuple[int, str, str]:
    answer = client.get("/readyz", {"part": "workers", **query})
    [part] = answer.json()["parts"]
    return answer.status_code, part["status"], part["sentence"]


def test_a_worker_that_died_is_missed_within_a_minute_though_nothing_waits(operator: Client) -> None:
    make_worker()
    make_worker("checks@second", [queues.GENERAL], silent=40)
    assert part_of(operator) == (200, "ok", "Each queue has workers, and no job waits.")
    make_worker("checks@second", [queues.GENERAL], silent=46)
    assert part_of(operator) == (200, "degraded", f"{DEAD.capitalize()}.")
    assert operator.get("/health/").json()["missing_workers"] == DEAD
    assertContains(operator.get(reverse("operations")), DEAD.capitalize())
    metrics = operator.get("/metrics").content.decode()
    assert "runpool_workers_missed 1.0" in metrics
    assert 'runpool_queue_workers{queue="celery"} 1.0' in metrics


def test_a_queue_without_a_worker_stays_named_after_the_worker_is_forgotten(operator: Client) -> None:
    make_worker(taken=[name for name in queues.ALL if name != queues.MAIL])
    make_worker("mails@second", [queues.MAIL], silent=3600)
    assert dead_workers_forget in PERIODIC
    assert dead_workers_forget() == 1
    assert WorkerHeartbeat.objects.count() == 1
    assert part_of(operator)[1:] == ("degraded", "No worker takes from the queue mail.")
    assert workers_seen(clock.now()).by_queue[queues.MAIL] == 0


def test_a_dead_worker_whose_queues_others_take_is_reported_for_some_minutes(db: None) -> None:
    make_worker()
    make_worker("checks@second", [queues.GENERAL], silent=9 * 60)
    assert workers_seen(clock.now()).problem() == DEAD
    assert dead_workers_forget() == 0
    make_worker("checks@second", [queues.GENERAL], silent=11 * 60)
    assert workers_seen(clock.now()).problem() == ""


@pytest.mark.parametrize("ahead", [60, 3600, 10 * 365 * 86400])
def test_a_heartbeat_in_the_future_is_no_sign_of_life(db: None, ahead: int) -> None:
    """A clock that was set back since: a worker that lives writes its row anew within seconds."""
    make_worker(silent=-ahead)
    assert workers_seen(clock.now()).problem().startswith("no worker takes from the queues celery, large")


def test_monitors_by_code_may_ask_for_degraded_too(operator: Client) -> None:
    sweep()
    make_worker()
    assert operator.get("/readyz", {"fail_on": "degraded"}).status_code == 200
    make_worker(silent=50)
    assert part_of(operator)[0] == 200
    assert part_of(operator, fail_on="failing")[0] == 200
    assert part_of(operator, fail_on="degraded")[0] == 503
    refused = operator.get("/readyz", {"fail_on": "slow"})
    assert (refused.status_code, refused.json()) == (400, {"error": "fail_on is one of: failing, degraded."})


def wait_for(condition: Callable[[], bool]) -> None:
    until = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.02)


@pytest.mark.django_db(transaction=True)
@pytest.mark.sqlite("campaign.queue.workers.WorkerBeat._write")
def test_a_worker_beats_while_it_lives_and_leaves_no_row_when_it_ends_in_good_order(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(workers, "HEARTBEAT_SECONDS", 0.05)
    beat = WorkerBeat("mails@first", [queues.MAIL])
    beat.start()
    wait_for(WorkerHeartbeat.objects.exists)
    row = WorkerHeartbeat.objects.get()
    assert (row.name, row.queues) == ("mails@first", [queues.MAIL])
    wait_for(lambda: WorkerHeartbeat.objects.get().at > row.at)
    beat.stop()
    assert not WorkerHeartbeat.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_a_worker_that_died_and_was_started_again_is_not_missed_after_it_was_stopped() -> None:
    make_worker()
    make_worker("checks@second", [queues.GENERAL], begun=300, silent=200)
    beat = WorkerBeat("checks@second", [queues.GENERAL])
    beat.start()
    wait_for(lambda: WorkerHeartbeat.objects.count() == 3)
    make_worker("checks@second", [queues.GENERAL], begun=250)  # another process of that name, at work all the time
    beat.stop()
    assert workers_seen(clock.now()).problem() == ""
    assert workers_seen(clock.now()).by_queue[queues.GENERAL] == 2


def test_of_two_workers_of_one_name_each_is_counted_and_missed(db: None) -> None:
    make_worker()
    make_worker("checks@second", [queues.GENERAL], begun=300)
    make_worker("checks@second", [queues.GENERAL], begun=200)
    assert workers_seen(clock.now()).by_queue[queues.GENERAL] == 3
    make_worker("checks@second", [queues.GENERAL], begun=300, silent=60)
    assert workers_seen(clock.now()).by_queue[queues.GENERAL] == 2
    assert workers_seen(clock.now()).problem() == DEAD


def test_a_worker_that_was_started_again_is_not_missed(db: None) -> None:
    make_worker()
    make_worker("checks@second", [queues.GENERAL], begun=300, silent=60)
    assert workers_seen(clock.now()).problem() == DEAD
    make_worker("checks@second", [queues.GENERAL], begun=50)
    assert workers_seen(clock.now()).problem() == ""


@pytest.mark.django_db(transaction=True)
def test_a_heartbeat_that_fails_for_whatever_reason_is_tried_again(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    problems: list[Exception] = [OSError(24, "Too many open files"), OperationalError("away")]
    real = clock.now

    def now() -> datetime:
        if problems:
            raise problems.pop()
        return real()

    monkeypatch.setattr(workers, "HEARTBEAT_SECONDS", 0.05)
    monkeypatch.setattr(workers.clock, "now", now)
    beat = WorkerBeat("mails@first", [queues.MAIL])
    beat.start()
    wait_for(WorkerHeartbeat.objects.exists)
    beat.stop()
    assert "worker mails@first: no heartbeat: away" in caplog.text
    assert "Too many open files" in caplog.text
