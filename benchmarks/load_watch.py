"""What a site under load takes: memory of its processes, statements that last, growth of the database."""

import contextlib
import re
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg

from benchmarks.load_database import SQLITE

SLOW_SECONDS = 0.5
LOOK_EVERY_SECONDS = 0.5
RUNNING = """
SELECT pid, query_start, extract(epoch FROM clock_timestamp() - query_start), query
FROM pg_stat_activity
WHERE datname = current_database() AND state = 'active' AND pid <> pg_backend_pid()
"""


class Watch:
    """Looks twice a second. A statement that ends between two looks is seen with the time that it had at the last one."""

    def __init__(self, database: str, groups: Callable[[], dict[str, int]]) -> None:
        """`groups`: the process groups of now by name; one that was started again is another."""
        self._database, self._groups = database, groups
        self._over = threading.Event()
        self.largest_process: Counter[str] = Counter()
        self.all_processes = 0
        self._slow: dict[tuple[int, Any], tuple[float, str]] = {}

    @contextlib.contextmanager
    def watching(self) -> Iterator[None]:
        thread = threading.Thread(target=self._watch, daemon=True)
        thread.start()
        try:
            yield
        finally:
            self._over.set()
            thread.join()

    def as_json(self) -> dict[str, Any]:
        """Return MiB by process group (the largest process, resident) and of all processes; slow statements by their text."""
        by_text: dict[str, list[float]] = {}
        for seconds, text in self._slow.values():
            by_text.setdefault(text, []).append(seconds)
        slowest = sorted(by_text.items(), key=lambda entry: -max(entry[1]))[:10]
        return {
            "largest_process_mib": {name: size >> 20 for name, size in self.largest_process.items()},
            "all_processes_mib": self.all_processes >> 20,
            "slow_statements": [
                {"seen": len(seconds), "longest_seconds": round(max(seconds), 2), "statement": text}
                for text, seconds in slowest
            ],
        }

    def _watch(self) -> None:
        is_server = not self._database.startswith(SQLITE)
        with psycopg.connect(self._database, autocommit=True) if is_server else contextlib.nullcontext() as connection:
            while not self._over.wait(LOOK_EVERY_SECONDS):
                self._look_at_memory()
                if connection:
                    self._look_at_statements(connection)

    def _look_at_memory(self) -> None:
        names = {group: name for name, group in self._groups().items()}
        every = 0
        for folder in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):  # it ended meanwhile
                group = int((folder / "stat").read_text().rpartition(")")[2].split()[2])
                if (name := names.get(group)) is None:
                    continue
                size = int((folder / "statm").read_text().split()[1]) * 4096
                every += size
                self.largest_process[name] = max(self.largest_process[name], size)
        self.all_processes = max(self.all_processes, every)

    def _look_at_statements(self, connection: psycopg.Connection[Any]) -> None:
        for process, began, seconds, text in connection.execute(RUNNING):
            if seconds >= SLOW_SECONDS:
                self._slow[process, began] = (float(seconds), _shape(text))


def _shape(statement: str) -> str:
    """Return the statement without its values, cut to what tells it from others."""
    return re.sub(r"'[^']*'|\b\d+\b", "?", re.sub(r"\s+", " ", statement))[:160]
