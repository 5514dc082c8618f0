"""How the check script matches patterns, in place of `patterns.py`. Standard library only, Python 3.9 or newer.

Python's engine tries all ways to match a text, which can take for ever. A pattern that is not known to be quick is therefore
matched by a process of its own, which is ended when its time is used up.
"""

from __future__ import annotations

import json
import queue
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

SECONDS_FOR_A_PATTERN = 20.0
MATCHING = (
    "import json, re, sys\n"
    "pattern = re.compile(json.loads(sys.argv[1]), re.ASCII)\n"
    "for line in sys.stdin:\n"
    "    print(int(pattern.fullmatch(json.loads(line)) is not None), flush=True)\n"
)


class PatternProcess:
    """Answers whether texts match a pattern; when its time is used up, it is given up and everything matches."""

    def __init__(self, pattern: str) -> None:
        self.is_given_up = False
        self._seconds_left = SECONDS_FOR_A_PATTERN
        self._process = subprocess.Popen(  # noqa: S603 - this Python and the lines above
            [sys.executable, "-I", "-S", "-c", MATCHING, json.dumps(pattern)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="ascii",
        )
        self._answers: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._known: dict[str, bool] = {}
        threading.Thread(target=self._collect, daemon=True).start()

    def matches(self, text: str) -> bool:
        if text not in self._known and not self.is_given_up:
            self._known[text] = self._ask(text)
        return self.is_given_up or self._known[text]

    def end(self) -> None:
        self._process.kill()
        self._process.communicate()

    def _ask(self, text: str) -> bool:
        started = time.monotonic()
        try:
            self._process.stdin.write(json.dumps(text) + "\n")  # type: ignore[union-attr]
            self._process.stdin.flush()  # type: ignore[union-attr]
            answer = self._answers.get(timeout=self._seconds_left)
        except (OSError, queue.Empty):
            answer = ""
        self._seconds_left = max(0.01, self._seconds_left - (time.monotonic() - started))
        self.is_given_up = not answer
        return answer.strip() == "1"

    def _collect(self) -> None:
        for line in self._process.stdout or ():
            self._answers.put(line)
        self._answers.put("")


_processes: dict[str, PatternProcess] = {}


def matches_whole(pattern: str, text: str) -> bool:
    process = _processes.get(pattern)
    return process.matches(text) if process else re.fullmatch(pattern, text, re.ASCII) is not None


@contextmanager
def time_limits(patterns: Iterable[str]) -> Iterator[list[str]]:
    """Match these patterns in processes of their own within; the list holds in the end those that were given up."""
    given_up: list[str] = []
    _processes.update({pattern: PatternProcess(pattern) for pattern in patterns})
    try:
        yield given_up
    finally:
        for pattern, process in _processes.items():
            process.end()
            given_up += [pattern] if process.is_given_up else []
        _processes.clear()
