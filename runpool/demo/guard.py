"""Ends the processes of a site when the process that started them is gone, even by kill -9.

It reads process groups from a pipe whose other end only the starter holds: the pipe ends when the starter does.
"""

import contextlib
import os
import signal
import sys
import time
from collections.abc import Iterable


def guard(groups: Iterable[str], grace_seconds: float) -> None:
    known = [int(group) for group in groups]
    for number in (signal.SIGTERM, signal.SIGKILL):
        for group in known:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(group, number)
        if number == signal.SIGTERM:
            time.sleep(grace_seconds)


if __name__ == "__main__":
    guard(sys.stdin, float(sys.argv[1]))
