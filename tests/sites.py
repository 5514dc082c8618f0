"""A whole site as users meet it: its own data, a real web server, a real worker, embedded or on PostgreSQL and Redis."""

import contextlib
import fcntl
import os
import shutil
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import psycopg

from runpool.demo.serve import Servers
from tests.commands import Commands
from tests.ports import free_port
from tests.redis_servers import own_redis
from tests.requirements import SERVICES, lacking

EMBEDDED = "embedded"


class Site:
    def __init__(self, folder: Path, environment: dict[str, str]) -> None:
        self.folder = folder
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        inherited = {
            key: value for key, value in os.environ.items() if key not in {"RUNPOOL_DATABASE_URL", "RUNPOOL_BROKER_URL"}
        }
        self.environment = {
            **inherited,
            "RUNPOOL_DATA_DIR": str(folder),
            "RUNPOOL_SECRET_KEY": "only for tests",
            **environment,
        }
        self.settings = {**self.environment, "DJANGO_SETTINGS_MODULE": "runpool.settings"}
        self.servers = Servers(port=self.port, log_folder=folder / "logs", environment=self.environment)
        self.commands = Commands(self.settings)

    def manage(self, *arguments: str, stdin: str | None = None) -> str:
        run = self.commands.run("manage.py", *arguments, stdin=stdin)
        assert run.returncode == 0, run.stderr
        return run.stdout

    def celery(self, *arguments: str) -> str:
        run = self.commands.run("-m", "celery", "-A", "runpool", *arguments)
        assert run.returncode == 0, run.stdout + run.stderr
        return run.stdout

    def prepare(self) -> None:
        self.manage("migrate", "--verbosity", "0")
        self.manage("collectstatic", "--verbosity", "0", "--no-input")

    def start(self) -> None:
        self.prepare()
        self.servers.start()
        self.servers.wait_until_ready(300)

    def end(self) -> None:
        """At once: nobody needs what a worker takes seconds to put in order."""
        for process in self.servers.processes.values():
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        self.servers.stop()

    def errors(self) -> str:
        """What the web server logged of answers with 500: each line, and its traceback."""
        found, is_of_error = [], False
        for line in (self.folder / "logs" / "web.log").read_text().splitlines():
            is_of_error = "Internal Server Error" in line or (is_of_error and line.startswith("|"))
            found += [line] if is_of_error else []
        return "\n".join(found[-200:])

    def logs(self) -> str:
        return "\n".join(
            f"== {path.name}\n{path.read_text()[-4000:]}" for path in sorted(self.folder.glob("logs/*.log"))
        )


class CopiedSite(Site):
    """An embedded one, whose tables and static files are made once in a run of tests, in the folder `first`."""

    def __init__(self, folder: Path, first: Path) -> None:
        super().__init__(folder, {})
        self._first = first

    def prepare(self) -> None:
        with self._first.with_suffix(".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not self._first.exists():
                begun = self._first.with_suffix(".begun")
                Site(begun, {}).prepare()
                begun.rename(self._first)
        shutil.copytree(self._first, self.folder, dirs_exist_ok=True)


@contextlib.contextmanager
def running_site(kind: str, folder: Path, settings: str = "", first: Path | None = None) -> Iterator[Site]:
    """`settings`: of its processes, where they are not those of every site. `first`: of a `CopiedSite`."""
    with services() if kind == SERVICES else contextlib.nullcontext({}) as environment:
        site = CopiedSite(folder, first) if kind == EMBEDDED and first else Site(folder, environment)
        if settings:
            site.servers.environment["DJANGO_SETTINGS_MODULE"] = settings
        try:
            site.start()
            yield site
        finally:
            site.end()


@contextlib.contextmanager
def services() -> Iterator[dict[str, str]]:
    """A database of its own on the PostgreSQL server of the suite, and a Redis of its own.

    Sites that shared the suite's Redis would take each other's jobs, whose numbers are those of another database.
    """
    if not os.environ.get("TEST_REDIS_URL"):
        lacking(SERVICES)
    with database() as url, tempfile.TemporaryDirectory() as folder, own_redis(Path(folder)) as redis:
        yield {"RUNPOOL_DATABASE_URL": url, "RUNPOOL_BROKER_URL": redis.url}


@contextlib.contextmanager
def database(options: str = "") -> Iterator[str]:
    """The address of an empty one on the PostgreSQL server of the suite. `options`: of CREATE DATABASE."""
    server = os.environ.get("RUNPOOL_DATABASE_URL", "")
    if not server.startswith("postgres"):
        lacking(SERVICES)
    name = f"runpool_flow_{uuid4().hex[:12]}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} {options}")
        try:
            yield f"{server.rsplit('/', 1)[0]}/{name}"
        finally:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)")
