"""Ports of this machine for servers that tests start.

They lie below those that the kernel gives to connections, and a file counts them for all processes that run tests: no two get
the same one, although a server takes its port only later.
"""

import fcntl
import os
import socket
import tempfile
from pathlib import Path

FIRST, LAST = 12_000, 31_000
COUNTER = Path(tempfile.gettempdir()) / f"runpool-tests-ports-{os.getuid()}"


def free_port() -> int:
    return free_ports_in_a_row(1)


def free_ports_in_a_row(count: int) -> int:
    """The first of so many ports that follow each other."""
    with COUNTER.open("a+") as counter:
        fcntl.flock(counter, fcntl.LOCK_EX)
        counter.seek(0)
        begun = int(counter.read() or FIRST)
        for first in (*range(begun, LAST - count, count), *range(FIRST, begun, count)):
            if all(_is_free(port) for port in range(first, first + count)):
                counter.truncate(0)
                counter.write(str(first + count))
                return first
    raise RuntimeError(f"no {count} free ports in a row between {FIRST} and {LAST}")


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True
