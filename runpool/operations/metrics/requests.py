"""Requests by page, method and kind of answer, counted by each process of the web server and read by any of them.

A process writes what it has counted to a file of its own every few seconds. Whoever is asked for metrics adds the files up.
What ended processes left is gathered into one file, so that no number ever falls and the files stay few. Nothing is
mapped into memory: on a full disk that would end the process, where writing only fails.
"""

import atexit
import fcntl
import json
import logging
import os
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

from django.conf import settings

from runpool.operations.metrics.buckets import REQUEST_BOUNDS, Durations

WRITE_SECONDS = 5.0
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
ENDED = "ended.json"
Counts = dict[tuple[str, str, str], Durations]
logger = logging.getLogger(__name__)


class RequestFigures:
    """`folder`: of this machine, where the processes of several machines share a data folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._begin()
        os.register_at_fork(after_in_child=self._begin)

    def _begin(self) -> None:
        self._counts: Counts = {}
        self._lock = threading.Lock()
        self._name = f"{os.getpid()}-{uuid4().hex[:8]}.json"
        self._writer: threading.Thread | None = None
        self._is_written = True

    def observe(self, page: str, method: str, status: int, seconds: float) -> None:
        """`page`: a name of the site's own, so that nobody outside can make labels."""
        key = (page, method if method in METHODS else "other", f"{status // 100}xx")
        with self._lock:
            self._counts.setdefault(key, Durations(REQUEST_BOUNDS)).add(seconds)
            self._is_written = False
            if self._writer is None:
                self._writer = threading.Thread(target=self._write_for_ever, daemon=True)
                self._writer.start()
                atexit.register(self.write)

    def _write_for_ever(self) -> None:
        pause = threading.Event()
        while not pause.wait(WRITE_SECONDS):
            self.write()

    def write(self) -> None:
        with self._lock:
            if self._is_written:
                return
            text, self._is_written = _as_text(self._counts), True
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            _replace(self.folder / self._name, text)
        except OSError as problem:  # what is counted stays in memory and is written with what comes next
            logger.warning("the figures on requests cannot be written: %s", problem)

    def total(self) -> Counts:
        """Of all processes of this machine, also of those that have ended."""
        self.write()
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with _locked(self.folder):
                return self._gathered()
        except OSError as problem:
            logger.warning("the figures on requests of other processes cannot be read: %s", problem)
            return self._counts

    def _gathered(self) -> Counts:
        ended: Counts = _read(self.folder / ENDED)
        others: Counts = {}
        dead = []
        for path in self.folder.glob("[0-9]*-*.json"):
            if _is_alive(int(path.name.partition("-")[0])):
                _add(others, _read(path))
            else:
                _add(ended, _read(path))
                dead.append(path)
        if dead:
            _replace(self.folder / ENDED, _as_text(ended))
            for path in dead:
                path.unlink(missing_ok=True)
        _add(others, ended)
        return others


def _as_text(counts: Counts) -> str:
    return json.dumps([[*key, *durations.to_json()] for key, durations in counts.items()])


def _read(path: Path) -> Counts:
    try:
        rows = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except ValueError as problem:  # a power cut: what it held is counted no more
        logger.warning("%s is damaged and left out: %s", path.name, problem)
        return {}
    return {
        (page, method, status): Durations.from_json(REQUEST_BOUNDS, stored) for page, method, status, *stored in rows
    }


def _add(total: Counts, more: Counts) -> None:
    for key, durations in more.items():
        total.setdefault(key, Durations(REQUEST_BOUNDS)).add_all(durations)


def _replace(path: Path, text: str) -> None:
    draft = path.with_suffix(".new")
    draft.write_text(text, encoding="utf-8")
    os.replace(draft, path)


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # of another user
        return True
    return True


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """One process at a time gathers: nobody counts what has ended twice, or not at all."""
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


figures = RequestFigures(Path(settings.DATA_DIR) / "tmp" / "metrics" / socket.gethostname())
