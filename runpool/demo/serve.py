"""Runs the whole product on one machine: a web server, workers and the periodic sweep, kept alive and ended together."""

import contextlib
import fcntl
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import FrameType
from typing import TextIO

from campaign import queues
from runpool.operations.restarts import restart_record
from runpool.places import start_command

GRACE_SECONDS = 8.0
RESTARTS_COUNTED_SECONDS, FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 600.0, 1.0, 60.0
"""The first restart within the time comes at once, each further one after a pause twice as long as the last one's."""
QUICK = (queues.SWEEP, queues.MAIL)
QUICK_QUEUES, OTHER_QUEUES = ",".join(QUICK), ",".join(name for name in queues.ALL if name not in QUICK)
ENDING_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class PortTakenError(RuntimeError):
    def __init__(self, port: int, what: str) -> None:
        other = start_command(port=port + 1, what=what)
        super().__init__(f"Port {port} is taken by another program. Choose another: {other}")


class FolderTakenError(RuntimeError):
    def __init__(self, folder: Path, what: str) -> None:
        other = start_command(data="...", what=what)
        super().__init__(f"A site runs on {folder} already. Stop it, or choose another folder: {other}")


class Servers:
    """The processes of one site; every one leads a group of its own, so that its children end with it."""

    python: tuple[str, ...] = (sys.executable,)

    def __init__(self, *, port: int, log_folder: Path, environment: Mapping[str, str] = os.environ) -> None:
        self.port = port
        self.log_folder = log_folder
        self.environment = {
            "RUNPOOL_SITE_URL": f"http://127.0.0.1:{port}",
            **environment,
            "DJANGO_SETTINGS_MODULE": "runpool.settings",
        }
        self.processes: dict[str, subprocess.Popen[bytes]] = {}
        self._commands: dict[str, tuple[str, ...]] = {}
        self._restarts: dict[str, list[float]] = {}
        self._due: dict[str, float] = {}
        self._guard: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        require_free_port(self.port)
        self.log_folder.mkdir(parents=True, exist_ok=True)
        self._guard = _start_guard()
        # Threads are made when needed. Uploads that wait for each other (UPLOADS_AT_ONCE) must leave some for pages.
        self._start(
            "web",
            *("gunicorn", "runpool.wsgi", "--bind", f"127.0.0.1:{self.port}"),
            *("--logger-class", "runpool.gunicorn_log.SiteLogger"),
            *("--preload", "--workers", "2", "--threads", "100", "--graceful-timeout", "3", "--no-control-socket"),
        )
        self._start_worker("worker", "--queues", OTHER_QUEUES, "--concurrency", "1")
        # One process without children: it holds what is quick, and a second pool would cost as much memory again.
        self._start_worker("quick-worker", "--queues", QUICK_QUEUES, "--pool", "solo")
        # Not inside the worker: there its end would go unnoticed, and lost jobs would never be sent again.
        self._start("sweep", "celery", "-A", "runpool", "beat", "--loglevel", "INFO", "--pidfile", "")

    def _start_worker(self, name: str, *arguments: str) -> None:
        command = ("celery", "-A", "runpool", "worker", "--hostname", f"{name}@%h", "--loglevel", "INFO")
        self._start(name, *command, "--without-gossip", "--without-mingle", "--without-heartbeat", *arguments)

    def _start(self, name: str, module: str, *arguments: str) -> None:
        self._commands[name] = (module, *arguments)
        with (self.log_folder / f"{name}.log").open("ab") as log:
            self.processes[name] = subprocess.Popen(  # noqa: S603 - our own interpreter and arguments
                [*self.python, "-m", module, *arguments],
                stdout=log,
                stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL,
                start_new_session=True,
                env=self.environment,
            )
        if self._guard is not None and self._guard.stdin is not None:
            self._guard.stdin.write(b"%d\n" % self.processes[name].pid)
            self._guard.stdin.flush()

    def wait_until_ready(self, seconds: float = 180) -> None:
        """Long, for a machine that is busy: a process that ends by itself is noticed at once."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            self.require_alive()
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{self.port}/health/", timeout=2)
            except OSError:
                time.sleep(0.1)
            else:
                return
        raise RuntimeError(f"The web server did not answer within {seconds:.0f} s: see {self.log_folder / 'web.log'}")

    def require_alive(self) -> None:
        for name, process in self.processes.items():
            if process.poll() is not None:
                raise RuntimeError(f"The {name} process ended by itself: see {self.log_folder / f'{name}.log'}")

    def restart_dead(self) -> list[str]:
        """Start again the processes that ended by themselves, and whose pause is over; return their names."""
        now = time.monotonic()
        dead = [name for name, process in self.processes.items() if process.poll() is not None]
        due = [name for name in dead if now >= self._due.setdefault(name, now + self._pause(name, now))]
        for name in due:
            del self._due[name]
            self._restarts.setdefault(name, []).append(now)
            with contextlib.suppress(OSError):  # a full disk: the process matters more than the note of it
                restart_record(self.log_folder, name)
            _signal_group(self.processes[name], signal.SIGKILL)  # children that its end left behind
            self._start(name, *self._commands[name])
        return due

    def _pause(self, name: str, now: float) -> float:
        """A process that ends again and again is tried for ever, but it takes neither the others nor the machine down."""
        recent = [at for at in self._restarts.get(name, []) if now - at < RESTARTS_COUNTED_SECONDS]
        self._restarts[name] = recent
        return min(LONGEST_PAUSE_SECONDS, FIRST_PAUSE_SECONDS * 2.0 ** (len(recent) - 1)) if recent else 0.0

    def stop(self) -> None:
        for process in self.processes.values():
            _signal_group(process, signal.SIGTERM)
        deadline = time.monotonic() + GRACE_SECONDS
        for process in self.processes.values():
            try:
                process.wait(max(0.0, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                _signal_group(process, signal.SIGKILL)
                process.wait()
            # A leader may be gone before its children: whatever is left of the group goes with it.
            _signal_group(process, signal.SIGKILL)
        if self._guard is not None:
            self._guard.kill()
            self._guard.communicate()


def run_until_interrupted(servers: Servers, on_ready: Callable[[], None], on_restart: Callable[[str], None]) -> None:
    """Start, report that, and run until Ctrl-C or a termination signal; a process that ends by itself is started again."""
    for number in ENDING_SIGNALS:
        signal.signal(number, _interrupt)
    try:
        with contextlib.suppress(KeyboardInterrupt):  # the way to end it
            servers.start()
            servers.wait_until_ready()
            on_ready()
            while True:
                for name in servers.restart_dead():
                    on_restart(name)
                time.sleep(0.5)
    finally:
        for number in ENDING_SIGNALS:  # a second Ctrl-C must not keep the first from ending every process
            signal.signal(number, signal.SIG_IGN)
        servers.stop()


@contextlib.contextmanager
def sole_user_of(folder: Path, what: str = "demo") -> Iterator[TextIO]:
    """Lock the folder, and give the lock: two sites on it would load it at once and take each other's jobs from the queue."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "demo.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as problem:
            raise FolderTakenError(folder, what) from problem
        yield lock


def require_free_port(port: int, what: str = "demo") -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as problem:
            raise PortTakenError(port, what) from problem


def _interrupt(_signal: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _start_guard() -> subprocess.Popen[bytes]:
    return subprocess.Popen(  # noqa: S603 - our own interpreter and module
        [sys.executable, "-m", "runpool.demo.guard", str(GRACE_SECONDS)],
        stdin=subprocess.PIPE,
        start_new_session=True,
    )


def _signal_group(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    # The group outlives its leader only if children are left; a group that is gone needs no signal.
    try:
        os.killpg(process.pid, number)
    except ProcessLookupError:
        return
