"""The processes of a site under load, as docs/guide/operator.md sets them up, and their database."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import uuid4

REPOSITORY = Path(__file__).resolve().parents[1]


def end_when_told() -> None:
    """Let SIGTERM end this process as an exception does, so that what it started is stopped and dropped."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))


class Processes:
    def __init__(self, folder: Path, port: int, database: str, redis: str, judging_apart: bool = False) -> None:
        """`judging_apart`: the desks have a web server of their own, and pages come after it where the processor is full."""
        self.folder, self.judging_apart = folder, judging_apart
        self.pages, self.uploads = ("127.0.0.1", port), ("127.0.0.1", port + 1)
        self.judging = ("127.0.0.1", port + 2) if judging_apart else self.pages
        self.data = folder / f"data-{uuid4().hex[:8]}"
        self._environment = {
            **os.environ,
            "RUNPOOL_DATABASE_URL": database,
            "RUNPOOL_BROKER_URL": redis,
            "RUNPOOL_DATA_DIR": str(self.data),
            "RUNPOOL_SECRET_KEY": "only for the load on this machine: " + uuid4().hex,
            "RUNPOOL_SITE_URL": f"http://127.0.0.1:{port}",
            "RUNPOOL_LOG_LEVEL": "WARNING",
            "DJANGO_SETTINGS_MODULE": "runpool.settings",
        }
        self._running: dict[str, subprocess.Popen[bytes]] = {}
        self._commands: dict[str, list[str]] = {}

    def prepare(self, module: str, *arguments: object) -> dict[str, Any]:
        """Set up the site; the module fills its database and prints what the clients need as the last line."""
        self._run("manage.py", "migrate", "--verbosity", "0")
        self._run("manage.py", "collectstatic", "--verbosity", "0", "--no-input")
        made: dict[str, Any] = json.loads(self._run("-m", module, *map(str, arguments)).splitlines()[-1])
        return made

    def manage(self, *arguments: str) -> str:
        return self._run("manage.py", *arguments)

    def start(self) -> None:
        site = ("gunicorn", "runpool.wsgi", "--no-control-socket", "--bind")
        host, port = self.pages
        self._start("pages", 5 * self.judging_apart, *site, f"{host}:{port}", "--workers", "4", "--threads", "4")
        if self.judging_apart:
            host, port = self.judging
            self._start("judging", 0, *site, f"{host}:{port}", "--workers", "1", "--threads", "8")
        host, port = self.uploads
        self._start("uploads", 5, *site, f"{host}:{port}", "--workers", "2", "--threads", "100")
        celery = ("celery", "-A", "runpool")
        worker = (*celery, "worker", "--loglevel", "WARNING", "--without-gossip", "--without-mingle")
        checks = ("--hostname", f"checks{port}@%h", "--queues", "celery,large,score,reports", "--concurrency", "4")
        self._start("checks", 19, *worker, *checks)
        quick = ("--hostname", f"quick{port}@%h", "--queues", "sweep,mail", "--concurrency", "1")
        self._start("quick", 19, *worker, *quick)
        self._start("beat", 19, *celery, "beat", "--loglevel", "WARNING", "--pidfile", "")
        for host, port in {self.pages, self.uploads, self.judging}:
            _wait_for(f"http://{host}:{port}/health/")

    def groups(self) -> dict[str, int]:
        """Return the process group of each part of the site."""
        return {name: process.pid for name, process in self._running.items()}

    def memory_mib(self) -> dict[str, int]:
        """Return the resident memory of each process group now."""
        sizes = self._summed(lambda folder, _stat: int((folder / "statm").read_text().split()[1]) * 4096)
        return {name: size >> 20 for name, size in sizes.items()}

    def open_files(self) -> dict[str, int]:
        """Return how many files, sockets and pipes the processes of each group hold open now."""
        return self._summed(lambda folder, _stat: sum(1 for _ in (folder / "fd").iterdir()))

    def cpu_seconds(self) -> dict[str, float]:
        """Return the processor time that each of the site's process groups has used; children that ended are counted in."""
        used = self._summed(lambda _folder, stat: sum(map(int, stat[11:15])))
        return {name: ticks / os.sysconf("SC_CLK_TCK") for name, ticks in used.items()}

    def _summed(self, figure: Callable[[Path, list[str]], int]) -> dict[str, int]:
        """By group, the sum of a figure of its processes: of the folder in /proc, and what `stat` there says behind the name."""
        sums = dict.fromkeys(self._running, 0)
        groups = {process.pid: name for name, process in self._running.items()}
        for path in Path("/proc").glob("[0-9]*/stat"):
            with contextlib.suppress(OSError):  # it ended meanwhile
                stat = path.read_text().rpartition(")")[2].split()
                if (name := groups.get(int(stat[2]))) is not None:
                    sums[name] += figure(path.parent, stat)
        return sums

    def stop(self) -> None:
        for process in self._running.values():
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGTERM)
        for process in self._running.values():
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()

    def _start(self, name: str, nice: int, module: str, *arguments: str) -> None:
        self._commands[name] = ["nice", "-n", str(nice), sys.executable, "-m", module, *arguments]
        self._launch(name)

    def start_again(self, name: str, how: signal.Signals) -> None:
        """End a part of the site, and start it again: told to end, it ends its children itself; else they end with it."""
        process = self._running[name]
        if how == signal.SIGTERM:
            process.terminate()
        else:
            os.killpg(process.pid, how)
        try:
            process.wait(60)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        self._launch(name)

    def _launch(self, name: str) -> None:
        with (self.folder / f"{name}.log").open("ab") as log:
            self._running[name] = subprocess.Popen(
                self._commands[name],
                cwd=REPOSITORY,
                env=self._environment,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def _run(self, *arguments: str) -> str:
        command = [sys.executable, *arguments]
        done = subprocess.run(
            command, cwd=REPOSITORY, env=self._environment, check=True, stdout=subprocess.PIPE, text=True, timeout=300
        )
        return done.stdout


def _wait_for(address: str, seconds: float = 300) -> None:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            urllib.request.urlopen(address, timeout=5)
        except OSError:
            time.sleep(0.2)
        else:
            return
    raise RuntimeError(f"{address} did not answer within {seconds:.0f} s")
