"""The steps of docs/guide/operator.md, word for word, on PostgreSQL and Redis; then a campaign from upload to scores.

The commands are those that stand there. Only what differs from machine to machine comes from the environment.
"""

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.flows.http_clients import PASSWORD, Api, Visitor
from tests.places import REPOSITORY
from tests.ports import free_port
from tests.redis_servers import RedisServer, own_redis
from tests.sites import services

pytestmark = [pytest.mark.services, pytest.mark.faults]
LONGEST_WAIT_SECONDS = 10
"""Far less than a client waits that looks for a broker again and again, and more than a busy machine takes for a request."""
GUIDE = (REPOSITORY / "docs" / "guide" / "operator.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^    ((?:python|(?:nice -n [0-9]+ )?gunicorn|celery) .+)$", GUIDE, re.MULTILINE)
BLUEPRINT = """
slug = "small"
title = "Small matters"
open = true

[[tasks]]
slug = "kitchen"
title = "Kitchen"
docno_policy = "any"
measures = ["AP"]

[[tasks]]
slug = "garden"
title = "Garden"
docno_policy = "any"
"""
RUN = b"1 Q0 d1 1 2.0 north\n1 Q0 d2 2 1.0 north\n"
TASKS = "/campaigns/small/tasks"


@dataclass
class Documented:
    url: str
    folder: Path
    redis: RedisServer
    environment: dict[str, str]
    processes: dict[str, "subprocess.Popen[bytes]"]

    def run(self, command: str, stdin: str = "") -> None:
        done = subprocess.run(
            shlex.split(command),
            cwd=REPOSITORY, env=self.environment, input=stdin, capture_output=True, text=True, timeout=120,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr

    def start(self, command: str) -> None:
        with (self.folder / "output.log").open("ab") as log:
            self.processes[command] = subprocess.Popen(
                shlex.split(command),
                cwd=REPOSITORY, env=self.environment, stdout=log, stderr=log, start_new_session=True,
            )  # fmt: skip

    def stop(self) -> None:
        for number in (signal.SIGTERM, signal.SIGKILL):
            for process in self.processes.values():
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, number)
            time.sleep(2 if number == signal.SIGTERM else 0)
        for process in self.processes.values():
            process.wait()

    def dead(self) -> list[str]:
        return [command for command, process in self.processes.items() if process.poll() is not None]

    def health(self) -> dict[str, Any]:
        health: dict[str, Any] = json.loads(Visitor(self.url).get("/health/"))
        return health


@contextmanager
def documented(folder: Path) -> Iterator[Documented]:
    with services() as environment, own_redis(folder) as redis:
        ports = {"8000": free_port(), "8001": free_port()}
        environment = {
            **{key: value for key, value in os.environ.items() if key != "DJANGO_SETTINGS_MODULE"},
            **environment,
            "RUNPOOL_CACHE_URL": environment["RUNPOOL_BROKER_URL"],
            "RUNPOOL_BROKER_URL": redis.url,
            "RUNPOOL_DATA_DIR": str(folder / "data"),
            "RUNPOOL_SECRET_KEY": "kept for the test of the documented steps 0123456789",
            "GUNICORN_CMD_ARGS": "--no-control-socket",
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        }
        site = Documented(f"http://127.0.0.1:{ports['8000']}", folder, redis, environment, {})
        try:
            for command in COMMANDS:
                if command.startswith("python"):
                    site.run(command, stdin=f"{PASSWORD}\n")
                else:
                    site.start(re.sub("(?<=127.0.0.1:)800[01]", lambda port: str(ports[port.group()]), command))
            yield site
        finally:
            site.stop()


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Documented]:
    folder = tmp_path_factory.mktemp("documented")
    with documented(folder) as site:
        until(100, lambda: answers(site))
        (folder / "campaign.toml").write_text(BLUEPRINT)
        (folder / "topics.tsv").write_text("1\tboiling an egg\n")
        (folder / "qrels.txt").write_text("1 0 d1 1\n1 0 d2 0\n")
        for command in (
            f"python manage.py create_campaign {folder}/campaign.toml --as olga",
            f"python manage.py import_topics small/kitchen {folder}/topics.tsv --as olga",
            f"python manage.py import_topics small/garden {folder}/topics.tsv --as olga",
            "python manage.py open_task small/kitchen --as olga",
            "python manage.py open_task small/garden --as olga",
        ):
            site.run(command)
        yield site


@pytest.fixture(scope="module")
def nora(site: Documented) -> Api:
    visitor = Visitor(site.url)
    visitor.sign_up("nora")
    api = Api(site.url, visitor.make_token())
    api.ask("POST", "/teams", {"name": "North"})
    assert api.ask("POST", "/campaigns/small/registrations", {"team": "north", "agreements": []})[0] == 201
    return api


def submit(api: Api, task: str, tag: str) -> float:
    started = time.monotonic()
    status, run = api.submit(f"{TASKS}/{task}/runs", RUN.replace(b"north", tag.encode()), team="north", tag=tag)
    assert status == 201, run
    return time.monotonic() - started


def until(seconds: float, condition: Callable[[], object], pause: float = 0.3) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(pause)


def answers(site: Documented) -> bool:
    assert not site.dead(), (site.folder / "output.log").read_text()[-4000:]
    try:
        return bool(site.health())
    except OSError:
        return False


def test_a_run_is_checked_and_scored_and_the_sweep_comes(site: Documented, nora: Api) -> None:
    submit(nora, "kitchen", "first")
    assert nora.wait(f"{TASKS}/kitchen/runs/first")["state"] == "valid"
    site.run(f"python manage.py import_qrels small/kitchen {site.folder}/qrels.txt --as olga")
    olga = Visitor(site.url)
    olga.log_in("olga")
    olga.press("/c/small/kitchen/scores/", "/c/small/kitchen/scores/score/")
    until(100, lambda: "first" in olga.get("/c/small/kitchen/scores/board.csv"))
    until(100, lambda: site.health()["beat"] is not None)
    assert site.health()["status"] == "ok"
    assert site.dead() == []


def test_uploads_do_not_wait_for_a_redis_that_is_away_and_all_goes_on_after_it(site: Documented, nora: Api) -> None:
    submit(nora, "garden", "before")
    site.redis.stop()
    # The first of each web process meets the failure, later ones do not even try.
    assert max(submit(nora, "garden", f"away{number}") for number in range(2)) < LONGEST_WAIT_SECONDS
    started = time.monotonic()
    health = site.health()
    assert time.monotonic() - started < LONGEST_WAIT_SECONDS
    assert (health["status"], health["broker"], health["database"]) == ("degraded", False, True)
    site.redis.start()  # workers look for it every few seconds, each time a little later
    until(100, lambda: site.health()["broker"])
    submit(nora, "garden", "after")
    until(200, lambda: nora.ask("GET", f"{TASKS}/garden/runs/after")[1].get("state") == "valid")
    assert site.dead() == []
