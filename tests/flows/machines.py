"""Machines of one site that share PostgreSQL, Redis and a bucket, and no folder: one for pages, one for the jobs.

Where root runs the tests and other users can read the program, each machine is a user of its own, who cannot read the
folders of the others. These users have numbers and no names, so that nothing of them stays. Elsewhere all machines are
the user of the tests.
"""

import contextlib
import itertools
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg

from campaign.queue.jobs import STORAGE_AWAY
from runpool.demo.serve import Servers
from tests.buckets import KEYS, BucketServer, Door, bucket_server
from tests.places import REPOSITORY
from tests.sites import Site, services

PAGES, JOBS = ("web",), ("worker", "quick-worker", "sweep")
FIRST_USER = 64_100
"""Above the numbers that Debian gives to people and services."""


def as_user(user: int | None, *words: str) -> tuple[str, ...]:
    if user is None:
        return words
    return ("setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", *words)


def may_be_other_users(folder: Path) -> bool:
    """Whether such a user can run the program in a folder of its own below this one: found by trying."""
    if os.geteuid() != 0 or not shutil.which("setpriv"):
        return False
    own = Path(tempfile.mkdtemp(dir=folder))
    try:
        os.chown(own, FIRST_USER, FIRST_USER)
    except OSError:  # a container that knows one user alone
        return False
    words = as_user(
        FIRST_USER, sys.executable, "-c", f"import django, campaign.version; open({str(own / 'tried')!r}, 'w')"
    )
    tried = subprocess.run(words, cwd=REPOSITORY, capture_output=True, check=False)
    shutil.rmtree(own)
    return tried.returncode == 0


class SomeServers(Servers):
    """Those of one machine."""

    names: tuple[str, ...] = ()

    def _start(self, name: str, module: str, *arguments: str) -> None:
        if name in self.names:
            super()._start(name, module, *arguments)


class Machine(Site):
    """`door`: its way to the bucket. `user`: the number of its user, None for that of the tests."""

    def __init__(
        self, folder: Path, environment: dict[str, str], names: tuple[str, ...], door: Door, user: int | None
    ) -> None:
        super().__init__(folder, environment)
        self.door, self.user = door, user
        self.servers = SomeServers(port=self.port, log_folder=folder / "logs", environment=self.environment)
        self.servers.names = names
        self.servers.environment["DJANGO_SETTINGS_MODULE"] = "tests.faults.settings"  # which wait less long
        (folder / "logs").mkdir(parents=True)
        self._own(folder, folder / "logs")
        self.servers.python = self.commands.interpreter = as_user(self.user, sys.executable)

    def _own(self, *paths: Path) -> None:
        for path in paths:
            path.chmod(0o700)
            if self.user is not None:
                os.chown(path, self.user, self.user)

    def bring(self, file: Path) -> str:
        """Its own copy of the file."""
        there = Path(shutil.copy(file, self.folder / "tmp"))
        self._own(there)
        return str(there)

    def can_read(self, folder: Path) -> bool:
        return subprocess.run(as_user(self.user, "ls", str(folder)), capture_output=True, check=False).returncode == 0

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
        self._users: Iterator[int | None] = (
            itertools.count(FIRST_USER) if may_be_other_users(folder) else itertools.repeat(None)
        )
        self.all: list[Machine] = []

    def start(self, names: tuple[str, ...]) -> Machine:
        door = self.bucket.another_door()
        environment = {**self._shared, **KEYS, "RUNPOOL_STORAGE_URL": self.bucket.url("a/site", door)}
        folder = self._folder / f"machine-{len(self.all)}"
        machine = Machine(folder, environment, names, door, next(self._users))
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
    with (
        services() as shared,
        bucket_server(folder / "bucket.log") as bucket,
        tempfile.TemporaryDirectory(prefix="runpool-machines-") as homes,
    ):
        Path(homes).chmod(0o711)  # the folders of the tests are closed to other users
        machines = Machines(Path(homes), shared, bucket)
        try:
            machines.start(PAGES)
            machines.start(JOBS)
            yield machines
        finally:
            for machine in machines.all:
                machine.end()
