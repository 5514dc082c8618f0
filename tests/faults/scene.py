"""A site of real processes with servers of its own, and what became of the work after a fault."""

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import redis

from runpool.demo import serve
from tests.faults.own_postgres import OwnPostgres
from tests.faults.workload import DEPTHS, JUDGED_DOCNOS, Work
from tests.flows.http_clients import Api, Visitor
from tests.places import REPOSITORY
from tests.redis_servers import own_redis
from tests.requirements import DISK, lacking
from tests.sites import Site

JUDGMENTS_OF_A_SCENE = 40
MOST_SECONDS = 300
DISK_BYTES = 400 * 1024**2
REFERENCE = "reference"
"""The task whose runs are scored before anything fails."""


@dataclass(frozen=True)
class Aftermath:
    """What the work lost and what was done twice, after everything went on again."""

    lost: list[str]
    doubled: list[str]
    wrong: list[str]
    failed_jobs: list[str]
    seen: dict[str, int]
    seconds: float
    told: dict[str, Any]

    @property
    def is_clean(self) -> bool:
        return not (self.lost or self.doubled or self.wrong)


@contextmanager
def small_disk(folder: Path) -> Iterator[None]:
    """A disk of its own, so that it can be filled."""
    if os.geteuid() != 0:
        lacking(DISK)
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK_BYTES}", "tmpfs", str(folder)], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", str(folder)], check=True)


class Scene:
    def __init__(self, folder: Path, names: list[str]) -> None:
        self._to_close = ExitStack()
        with self._to_close as opened:
            self._open(folder, names, opened)
            self._to_close = opened.pop_all()

    def _open(self, folder: Path, names: list[str], opened: ExitStack) -> None:
        self.redis = opened.enter_context(own_redis(folder))
        self.queues = opened.enter_context(redis.Redis(port=self.redis.port))
        self.postgres = OwnPostgres()
        opened.callback(self.postgres.remove)
        self.postgres.create()
        environment = {
            "RUNPOOL_DATABASE_URL": self.postgres.url,
            "RUNPOOL_BROKER_URL": self.redis.url,
            "RUNPOOL_FREE_SPACE_MINIMUM": "0",
        }
        self.files = folder / "files"
        self.files.mkdir()
        opened.enter_context(small_disk(self.files))
        self.site = Site(folder, {**environment, "RUNPOOL_STORAGE_URL": f"file://{self.files}"})
        opened.callback(self.site.servers.stop)
        self.site.servers.environment["DJANGO_SETTINGS_MODULE"] = "tests.faults.settings"
        # The scenes kill processes more often than any site does: no growing pauses before they start again.
        serve.LONGEST_PAUSE_SECONDS = serve.FIRST_PAUSE_SECONDS
        self.site.start()
        self._teller = opened.enter_context(world(self.site.servers.environment))
        self._made = self._world("make", *names, REFERENCE)
        self.scores: dict[str, str] = dict(self._world("score", REFERENCE)["scores"])
        assert len(self.scores) == len(DEPTHS)
        self._assessor = Visitor(self.site.url)
        self._assessor.log_in("assia")
        self._docnos = iter(JUDGED_DOCNOS)
        self._judged: list[str] = []
        self.last_failed: set[str] = set()

    def close(self) -> None:
        self._to_close.close()

    def begin(self, task: str) -> Work:
        self.task = task
        self.work = Work(
            self.api(),
            task,
            self._assessor,
            {key: self._made[key] for key in ("assessor", "assignment")},
            [next(self._docnos) for _ in range(JUDGMENTS_OF_A_SCENE)],
        )
        self.work.start()
        return self.work

    def api(self) -> Api:
        return Api(self.site.url, self._made["token"])

    def end(self) -> Aftermath:
        """Wait until the work and all jobs are over; the site's own restarts go on meanwhile."""
        ended = time.monotonic()
        self.work.wait()
        while not self._is_quiet() and time.monotonic() < ended + MOST_SECONDS:
            self.site.servers.restart_dead()
            time.sleep(0.2)
        seconds = time.monotonic() - ended
        return self._aftermath(seconds)

    def kill(self, name: str) -> None:
        """End a process and its children as the kernel does it, without a chance to tidy up; then start it again."""
        os.killpg(self.site.servers.processes[name].pid, signal.SIGKILL)
        self.site.servers.processes[name].wait()

    def restart(self) -> None:
        deadline = time.monotonic() + 30
        while any(process.poll() is not None for process in self.site.servers.processes.values()):
            self.site.servers.restart_dead()
            assert time.monotonic() < deadline, "a process did not start again"
            time.sleep(0.1)

    def await_job(self, name: str, seconds: float = 60) -> None:
        """Until a job of this name is at work."""
        self.await_row("SELECT 1 FROM campaign_job WHERE name = %s AND state = 'working'", name, seconds=seconds)

    def await_row(self, query: str, *values: object, seconds: float = 60) -> tuple[Any, ...]:
        deadline = time.monotonic() + seconds
        with psycopg.connect(self.postgres.url, autocommit=True) as connection:
            while time.monotonic() < deadline:
                if row := connection.execute(query, values).fetchone():
                    return tuple(row)
                time.sleep(0.005)
        raise AssertionError(f"no row in {seconds} s: {query}")

    def fill_disk(self) -> Path:
        """Leave no room where runs are stored; whoever removes this file gives it back."""
        filler = self.files / "filler"
        with filler.open("wb", buffering=0) as file, suppress(OSError):
            while True:
                file.write(b"\0" * 65_536)
        return filler

    def health(self) -> dict[str, Any]:
        return dict(json.loads(Visitor(self.site.url).get("/health/")))

    def _is_quiet(self) -> bool:
        """Whether no job waits or works, and all runs of the task are checked and scored."""
        query = """SELECT (SELECT count(*) FROM campaign_job WHERE state IN ('queued', 'working')),
            (SELECT count(*) FROM campaign_run r JOIN campaign_task t ON t.id = r.task_id
             WHERE t.slug = %s AND (r.state = 'received' OR r.state = 'valid'
               AND NOT EXISTS (SELECT 1 FROM evaluation_evaluation e WHERE e.run_id = r.id)))"""
        try:
            with psycopg.connect(self.postgres.url, autocommit=True) as connection:
                return connection.execute(query, (self.task,)).fetchone() == (0, 0)
        except psycopg.OperationalError:
            return False

    def _aftermath(self, seconds: float) -> Aftermath:
        told = self._world("tell", self.task)
        self._judged += self.work.judged
        runs = {run["tag"]: run for run in told["runs"] if run["state"] == "valid"}
        scores = dict(told["scores"])
        lost = [*self.work.refused, *(set(self._judged) - set(told["judgments"])), *(set(self.work.sent) - set(runs))]
        lost += [tag for tag, sha256 in self.work.sent.items() if tag in runs and runs[tag]["sha256"] != sha256]
        doubled = [tag for tag, count in Counter(run["tag"] for run in told["runs"]).items() if count > 1]
        doubled += [tag for tag, count in Counter(tag for tag, _ in told["scores"]).items() if count > 1]
        doubled += ["receipts"] if len(told["receipts"]) != len(DEPTHS) else []
        doubled += ["judgments"] if len(told["judgments"]) != len(set(self._judged)) else []
        wrong = [tag for tag, values in scores.items() if self.scores.get(tag) != values]
        failed = [job for job in told["failed"] if job not in self.last_failed]
        self.last_failed |= set(failed)
        return Aftermath(
            lost, doubled, wrong, failed, dict(Counter(self.work.failures)), seconds, {**told, "values": scores}
        )

    def _world(self, *command: str) -> dict[str, Any]:
        assert self._teller.stdin is not None
        assert self._teller.stdout is not None
        self._teller.stdin.write(json.dumps(command) + "\n")
        self._teller.stdin.flush()
        answer = self._teller.stdout.readline()
        assert answer, "tests.faults.world ended: its traceback stands above"
        return dict(json.loads(answer))


@contextmanager
def world(environment: dict[str, str]) -> Iterator["subprocess.Popen[str]"]:
    """One process for all that is asked: each of its own would load the site anew."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.faults.world"],
        cwd=REPOSITORY,
        env={**environment, "DJANGO_SETTINGS_MODULE": "runpool.settings"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with process:
        yield process
        process.communicate(timeout=180)
