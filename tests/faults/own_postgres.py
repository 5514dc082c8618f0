"""A PostgreSQL server that belongs to one test alone: it is stopped and killed as the test likes."""

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import psycopg

from tests.ports import free_port
from tests.requirements import SERVICES, lacking

PATIENCE_SECONDS = 180


class OwnPostgres:
    """A cluster in a folder of its own; as root it runs under the user `postgres`, since the server refuses root."""

    def __init__(self) -> None:
        self.port = free_port()
        server = f"postgres://runpool@127.0.0.1:{self.port}"
        self.url, self._first_database = f"{server}/runpool", f"{server}/postgres"
        self.folder = Path(tempfile.mkdtemp(prefix="runpool-postgres-"))
        self._programs = max(Path("/usr/lib/postgresql").glob("*/bin"), default=None) or lacking(SERVICES)
        self._as_user: list[str] = []
        if os.geteuid() == 0:
            user = pwd.getpwnam("postgres")
            os.chown(self.folder, user.pw_uid, user.pw_gid)
            self._as_user = ["setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups"]

    def create(self) -> None:
        self._run("initdb", ["-D", str(self.folder / "data"), "-U", "runpool", "-A", "trust", "--no-sync"])
        self.start()
        with psycopg.connect(self._first_database, autocommit=True) as connection:
            connection.execute("CREATE DATABASE runpool")

    def start(self) -> None:
        options = f"-p {self.port} -k {self.folder} -h 127.0.0.1"
        self._control("start", "-l", str(self.folder / "log"), "-o", options)

    def stop(self, mode: str = "fast") -> None:
        self._control("stop", "-m", mode)

    def kill(self) -> None:
        """As the kernel ends it when memory runs out."""
        pid = int((self.folder / "data" / "postmaster.pid").read_text().split()[0])
        os.kill(pid, signal.SIGKILL)
        time.sleep(1)  # its children see that it is gone

    def remove(self) -> None:
        if (self.folder / "data" / "postmaster.pid").exists():
            self.stop("immediate")
        shutil.rmtree(self.folder)

    def _control(self, *arguments: str) -> None:
        self._run("pg_ctl", ["-D", str(self.folder / "data"), "-w", *arguments])

    def _run(self, program: str, arguments: Sequence[str]) -> None:
        command = [*self._as_user, str(self._programs / program), *arguments]
        subprocess.run(command, check=True, cwd=self.folder, stdout=subprocess.DEVNULL, timeout=PATIENCE_SECONDS)
