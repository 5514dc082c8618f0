"""Machines of one site that share PostgreSQL, Redis and a bucket, and no folder: one for pages, one for the jobs."""

import contextlib
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg

from campaign.queue.jobs import STORAGE_AWAY
from runpool.demo.serve import Servers
from tests.buckets import KEYS, BucketServer, Door, bucket_server
from tests.sites import Site, services

PAGES, JOBS = ("web",), ("worker", "quick-worker", "sweep")


class SomeServers(Servers):
    """Those of one machine."""

    names: tuple[str, ...] = ()

    def _start(self, name: str, module: str, *arguments: str) -> None:
        if name in self.names:
            super()._start(name, module, *arguments)


class Machine(Site):
    """`door`: its way to the bucket."""

    def __init__(self, folder: Path, environment: dict[str, str], names: tuple[str, ...], door: Door) -> None:
        super().__init__(folder, environment)
        self.door = door
        self.servers = SomeServers(port=self.port, log_folder=folder / "logs", environment=self.environment)
        self.servers.names = names
        self.servers.environment["DJANGO_SETTINGS_MODULE"] = "tests.faults.settings"  # which wait less long

    def start(self) -> None:
        shows_pages = "web" in self.servers.names
        if shows_pages:
            self.prepare()
        self.servers.start()
        if shows_pages:
            self.servers.wait_until_ready(300)


class Machines:
    """Each has a data folder that the others do not know."""

    def __init__(self, folder: Path, shared: dict[str, str], bucket: BucketServer) -> None:
        self._folder, self._shared, self.bucket = folder, shared, bucket
        self.all: list[Machine] = []

    def start(self, names: tuple[str, ...]) -> Machine:
        door = self.bucket.another_door()
        environment = {**self._shared, **KEYS, "RUNPOOL_STORAGE_URL": self.bucket.url("a/site", door)}
        machine = Machine(self._folder / f"machine-{len(self.all)}", environment, names, door)
        self.all.append(machine)
        machine.start()
        return machine

    def logs(self) -> str:
        return "\n".join(machine.logs() for machine in self.all)

    def newest_job(self, name: str) -> tuple[str, int, str]:
        """State, attempts and message."""
        with psycopg.connect(self._shared["RUNPOOL_DATABASE_URL"]) as connection:
            query = "SELECT state, attempts, message FROM campaign_job WHERE name = %s ORDER BY id DESC LIMIT 1"
            found = connection.execute(query, [name]).fetchone()
        assert found is not None
        return found

    def await_tries(self, name: str, count: int, seconds: float = 180) -> None:
        """Until a worker has taken the newest job of the name so many times more."""
        query = "SELECT started_at FROM campaign_job WHERE name = %s ORDER BY id DESC LIMIT 1"
        deadline, taken = time.monotonic() + seconds, set()
        with psycopg.connect(self._shared["RUNPOOL_DATABASE_URL"], autocommit=True) as connection:
            while len(taken) <= count:
                taken.add(connection.execute(query, [name]).fetchone())
                assert time.monotonic() < deadline, self.logs()
                time.sleep(0.2)

    def waits_for_the_bucket(self, name: str, seconds: float = 60) -> bool:
        """Whether the newest job of the name comes to wait, without an attempt that counts."""
        deadline = time.monotonic() + seconds
        while self.newest_job(name) != ("queued", 0, STORAGE_AWAY):
            if time.monotonic() > deadline:
                return False
            time.sleep(0.2)
        return True


@contextlib.contextmanager
def site_of_machines(folder: Path) -> Iterator[Machines]:
    """One machine for pages, the first, and one for jobs."""
    with services() as shared, bucket_server(folder / "bucket.log") as bucket:
        machines = Machines(folder, shared, bucket)
        try:
            machines.start(PAGES)
            machines.start(JOBS)
            yield machines
        finally:
            for machine in machines.all:
                machine.end()
