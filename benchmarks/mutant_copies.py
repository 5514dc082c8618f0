"""Copies of a checkout in which `benchmarks.mutants` tries its faults; whatever ends the run, nothing of them stays."""

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import psycopg

from benchmarks.mutant_rows import KILLED, NO_TESTS, SURVIVED, TIMEOUT, Row, row_of, short
from benchmarks.mutations import Mutation, applied

UNWANTED = ("browser", "embedded", "cranfield")
PYTEST = ("-q", "--tb=no", "-rfE", "-p", "no:randomly", "-p", "no:cacheprovider", "--reuse-db", "--hypothesis-seed=0")
INTERNAL_ERROR, USAGE_ERROR, NO_TESTS_COLLECTED = 3, 4, 5
LEFT_OUT = (
    "TEST_REDIS_URL",
    "RUNPOOL_BROKER_URL",
    "TEST_REQUIRE",
    "PYTEST_ADDOPTS",
    "HYPOTHESIS_PROFILE",
    "PYTHONPATH",
)
"""Copies share no Redis: what needs one starts its own, or is skipped."""
MARK = "MUTANT_COPY"
"""All processes that a copy's tests start have it in their environment, also those that leave the process group."""
LIMITS = 'ulimit -v 8388608; ulimit -f 4194304; exec "$@"'
"""8 GiB of addresses and files of 2 GiB: a fault may loop."""
START = "(start)"
"""Before the last words of pytest, in the place of the test that failed: it did not start, or was ended."""


class StoppedError(Exception):
    """The whole run is to end."""


class Copy:
    """A clone of the checkout with a database of its own, in which one fault stands at a time."""

    def __init__(self, checkout: Path, folder: Path, server: str, number: int) -> None:
        self.folder, self.root = folder, folder / "main"
        self.name = f"{urlsplit(server).path.strip('/')}_mutants_{os.getpid()}_{number}"
        self._server = server
        self._lock, self._stopped = threading.Lock(), False
        folder.mkdir()
        (folder / "tmp").mkdir()
        clone(checkout, self.root)
        declared = (self.root / "pyproject.toml").read_text(encoding="utf-8")  # pytest refuses marks that are not
        self._wanted = " and ".join(f"not {mark}" for mark in UNWANTED if f'"{mark}' in declared)
        (self.root / ".venv").symlink_to(Path(sys.prefix))
        self._environment = {
            **{name: value for name, value in os.environ.items() if name not in LEFT_OUT},
            "RUNPOOL_DATABASE_URL": urlunsplit(urlsplit(server)._replace(path=f"/{self.name}")),
            "DJANGO_SETTINGS_MODULE": "tests.settings",
            "TMPDIR": str(folder / "tmp"),
            MARK: self.name,
        }

    @property
    def _databases(self) -> tuple[str, str, str]:
        """The one named, which tests ask about the server; that of the tests; that one as it was made."""
        return self.name, f"test_{self.name}", f"{self.name}_made"

    def make_database(self) -> None:
        named, tested, made = self._databases
        self._ask(f'CREATE DATABASE "{named}"')
        code = "import django; django.setup(); from django.db import connection as c; c.creation.create_test_db(0, True, False)"
        ended, output = self._run([sys.executable, "-c", code], limit=900)
        if ended != 0:
            raise SystemExit(f"The database of the tests could not be made:\n{output}")
        self._ask(f'ALTER DATABASE "{tested}" RENAME TO "{made}"')

    def require_start(self, tests: list[str]) -> None:
        """Each fault would count as noticed if pytest refused to begin."""
        ended, output = self.pytest([*tests, "--collect-only"], 300)
        if ended in {None, INTERNAL_ERROR, USAGE_ERROR}:
            raise SystemExit(f"The tests of {self.root} do not begin, without any fault:\n{output}")

    def _fresh(self) -> None:
        """A fault may leave rows behind, also in the folders of the tests."""
        _, tested, made = self._databases
        self._ask(f'DROP DATABASE IF EXISTS "{tested}" WITH (FORCE)', f'CREATE DATABASE "{tested}" TEMPLATE "{made}"')
        shutil.rmtree(self.root / ".hypothesis", ignore_errors=True)
        for left in (self.folder / "tmp").iterdir():
            shutil.rmtree(left) if left.is_dir() and not left.is_symlink() else left.unlink()

    def tried(self, mutation: Mutation, tests: list[str], broken: Iterable[str], seconds: float) -> Row:
        if not tests:
            return row_of(mutation, NO_TESTS, 0, 0)
        path = self.root / mutation.file
        source = path.read_bytes()
        began = time.monotonic()
        try:
            self._write(path, applied(source, mutation))
            ended, output = self.pytest(["-x", *_deselected(broken), *tests], seconds)
        finally:
            self._write(path, source)
        took = time.monotonic() - began
        if ended is None:
            return row_of(mutation, TIMEOUT, took, len(tests))
        if ended in {0, NO_TESTS_COLLECTED}:
            return row_of(mutation, NO_TESTS if ended else SURVIVED, took, len(tests))
        return row_of(mutation, KILLED, took, len(tests), next(iter(failures(output)), f"{START} {_last_line(output)}"))

    def broken(self, tests: Iterable[str]) -> set[str]:
        """Those that fail without any fault too: what they say of one is worth nothing."""
        named = sorted(test for test in tests if not test.startswith(START))
        found: set[str] = set()
        for collected in (True, False):  # a file that could not be imported is only imported again
            if chosen := [test for test in named if ("::" not in test) is collected]:
                ended, output = self.pytest([*chosen, *(["--collect-only"] if collected else [])], 60 + 5 * len(chosen))
                if ended is None:
                    print(f"{len(chosen)} tests that failed took too long without any fault: not examined.")
                found |= set(failures(output))
        return found

    def pytest(self, words: list[str], limit: float) -> tuple[int | None, str]:
        self._fresh()
        return self._run([sys.executable, "-m", "pytest", *PYTEST, "-m", self._wanted, *words], limit)

    def _run(self, command: list[str], limit: float) -> tuple[int | None, str]:
        """None: not ended in time. Nothing that it started is alive afterwards."""
        output = self.folder / "output"
        with output.open("wb") as file:
            with self._lock:
                if self._stopped:
                    raise StoppedError
                process = subprocess.Popen(
                    ["/bin/sh", "-c", LIMITS, "sh", *command],
                    cwd=self.root, env=self._environment, stdin=subprocess.DEVNULL, stdout=file, stderr=file,
                    start_new_session=True,
                )  # fmt: skip
            try:
                ended = process.wait(limit)
            except subprocess.TimeoutExpired:
                ended = None
            finally:
                self._end_processes()
                process.wait()
        if self._stopped:
            raise StoppedError
        return ended, output.read_text(encoding="utf-8", errors="replace")

    def _end_processes(self) -> None:
        while marked := list(_processes(f"{MARK}={self.name}")):
            for number in marked:
                with suppress(ProcessLookupError):
                    os.kill(number, signal.SIGKILL)
            time.sleep(0.02)

    def _write(self, path: Path, source: bytes) -> None:
        """Python compares size and second of a module with its compiled form: both may be the same."""
        for compiled in (path.parent / "__pycache__").glob(f"{path.stem}.*"):
            compiled.unlink()
        path.write_bytes(source)

    def stop(self) -> None:
        with self._lock:
            self._stopped = True
        self._end_processes()

    def drop(self) -> None:
        self._ask(*(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)' for name in self._databases))

    def _ask(self, *statements: str) -> None:
        with psycopg.connect(self._server, dbname="postgres", autocommit=True) as connection:
            for statement in statements:
                connection.execute(statement.encode())


def clone(checkout: Path, folder: Path) -> None:
    subprocess.run(["git", "-c", "advice.detachedHead=false", "clone", "--quiet", checkout, folder], check=True)


def _processes(mark: str) -> Iterator[int]:
    for folder in Path("/proc").iterdir():
        with suppress(OSError):
            if folder.name.isdigit() and mark.encode() in (folder / "environ").read_bytes().split(b"\0"):
                yield int(folder.name)


def failures(output: str) -> list[str]:
    """Tests by their names without parameters, which may hold any text; files that could not be imported."""
    found = re.findall(r"^(?:FAILED|ERROR) (?:\[\d+\] )?([^\s\[]+)", output, re.MULTILINE)
    return list(dict.fromkeys(name for name in found if name.startswith("tests/")))


def _last_line(output: str) -> str:
    return short((output.strip().splitlines() or [""])[-1])


def _deselected(tests: Iterable[str]) -> list[str]:
    return [f"--{'deselect' if '::' in test else 'ignore'}={test}" for test in sorted(tests)]


@contextmanager
def copies(checkout: Path, server: str, count: int) -> Iterator[list[Copy]]:
    """Whatever ends the run, nothing of it stays: no process, no database, no file."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="mutants-", ignore_cleanup_errors=True)))
        made: list[Copy] = []
        for number in range(count):
            made.append(Copy(checkout, folder / str(number), server, number))
            stack.callback(made[-1].drop)
            stack.callback(made[-1].stop)
        stack.callback(be_deaf)
        yield made


def be_deaf() -> None:
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
