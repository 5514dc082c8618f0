import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse
from pytest_django.asserts import assertContains, assertNotContains

from campaign import queues
from runpool.celery import app
from runpool.operations.workers import Worker, queues_without, workers_that_answer
from tests.factories import make_user
from tests.places import REPOSITORY

MOST_SECONDS = 180


def test_queues_are_missed_when_no_worker_of_any_machine_takes_from_them() -> None:
    quick = Worker("quick@first", (queues.SWEEP, queues.MAIL))
    checks = Worker("checks@second", (queues.GENERAL, queues.LARGE))
    assert queues_without([quick, checks]) == [queues.SCORE, queues.REPORTS]
    assert queues_without([quick, checks, Worker("others@first", queues.ALL)]) == []
    assert queues_without([]) == list(queues.ALL)


@contextmanager
def worker_of_its_own(name: str, queues: str) -> Iterator[None]:
    """A process on the queue of these tests: within this one a worker would choose the queues of all further tests."""
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "runpool.settings",
        "RUNPOOL_DATA_DIR": settings.DATA_DIR,
    }
    worker = ["celery", "-A", "runpool", "worker", "--pool", "solo", "--hostname", name, "--queues", queues]
    process = subprocess.Popen(
        [sys.executable, "-m", *worker],
        cwd=REPOSITORY,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        until = time.monotonic() + MOST_SECONDS
        while not workers_that_answer(1.0):
            assert process.poll() is None, "the worker has ended"
            assert time.monotonic() < until, "the worker does not answer"
        yield
    finally:
        process.kill()
        process.wait()


def test_the_page_names_the_workers_that_answer_and_the_queues_without_one(db: None, client: Client) -> None:
    client.force_login(make_user("olga", is_superuser=True))
    with worker_of_its_own("quick@first", "sweep,mail"):
        page = client.get(reverse("operations_workers"))
        fragment = client.get(reverse("operations_workers"), headers={"HX-Request": "true"})
    for answer in (page, fragment):
        assertContains(answer, "<code>quick@first</code>")
        assertContains(answer, "<code>sweep</code>, <code>mail</code>")
        assertContains(answer, "<code>score</code>, <code>reports</code>")
    assertContains(page, "<h1")
    assertNotContains(fragment, "<h1")


def test_the_page_tells_when_no_worker_answers(db: None, client: Client) -> None:
    client.force_login(make_user("olga", is_superuser=True))
    assertContains(client.get(reverse("operations_workers")), "No worker answers.")


def test_workers_are_not_called_away_while_the_broker_is(
    db: None, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(app.conf, "broker_url", "redis://127.0.0.1:1/0")
    monkeypatch.setitem(app.conf, "broker_write_url", "redis://127.0.0.1:1/0")
    client.force_login(make_user("olga", is_superuser=True))
    assertContains(client.get(reverse("operations_workers")), "while the broker does not answer")
