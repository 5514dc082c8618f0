import logging
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from kombu import Connection
from kombu.exceptions import OperationalError

from campaign.queue import broker
from campaign.queue.broker import Breaker, deliver
from tests.places import REPOSITORY
from tests.redis_servers import own_redis


@pytest.fixture(autouse=True)
def breaker(monkeypatch: pytest.MonkeyPatch) -> Breaker:
    made = Breaker()
    monkeypatch.setattr(broker, "breaker", made)
    return made


class Counted:
    """A way to a broker that is away."""

    def __init__(self, problem: Exception | None) -> None:
        self.calls, self.problem = 0, problem

    def __call__(self, **options: Any) -> None:
        self.calls += 1
        if self.problem is not None:
            raise self.problem


def test_after_a_failure_nobody_waits_for_the_broker_for_a_while(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    away = Counted(OperationalError("refused"))
    for _ in range(3):
        deliver(away, "job 1")
    assert away.calls == 1
    assert [message.startswith("job 1 waits for the sweep: ") for message in caplog.messages] == [True] * 3
    later = time.monotonic() + broker.PAUSE_SECONDS + 1
    monkeypatch.setattr(time, "monotonic", lambda: later)
    back = Counted(None)
    for _ in range(2):
        deliver(back, "job 1")
    assert back.calls == 2


def test_a_mistake_of_our_own_is_no_broker_that_is_away() -> None:
    with pytest.raises(TypeError):
        deliver(Counted(TypeError("a mistake")), "job 1")


SEND_TWICE = """
import time, django
django.setup()
from campaign.queue.jobs import find_job, send
from campaign.models import Job
find_job("send mail")
for _ in range(2):
    started = time.monotonic()
    send(Job(pk=1, name="send mail", queue="mail"))
    print(time.monotonic() - started)
"""


def test_who_asks_for_a_job_does_not_wait_for_a_redis_that_is_away(tmp_path: Path) -> None:
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "runpool.settings",
        "RUNPOOL_DATA_DIR": str(tmp_path),
        "RUNPOOL_BROKER_URL": "redis://127.0.0.1:1/0",
    }
    command = [sys.executable, "-c", SEND_TWICE]
    done = subprocess.run(command, env=environment, cwd=REPOSITORY, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    first, second = map(float, done.stdout.split())
    assert first < 2
    assert second < 0.05
    assert done.stderr.count("job 1 send mail waits for the sweep") == 2


@pytest.mark.services
def test_closing_a_connection_with_messages_at_work_to_a_redis_that_is_gone_does_not_fail(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with own_redis(tmp_path) as redis:
        connection = Connection(redis.url, transport_options={"max_retries": 0})
        connection.Producer().publish({"number": 1}, routing_key="work")
        channel = connection.default_channel
        message = channel.basic_get("work")
        assert message.payload == {"number": 1}
        redis.stop()
        connection.release()
        message.ack_log_error(logging.getLogger("campaign"), connection.connection_errors)
    assert any("Couldn't ack" in message for message in caplog.messages)
    assert any("the sweep sends their jobs again" in message for message in caplog.messages)
