"""Ports of this machine for servers that tests start."""

import contextlib
import socket


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def free_ports_in_a_row(count: int) -> int:
    """The first of so many ports that follow each other."""
    while True:
        first = free_port()
        with contextlib.ExitStack() as probes, contextlib.suppress(OSError, OverflowError):
            for port in range(first, first + count):
                probes.enter_context(socket.socket()).bind(("127.0.0.1", port))
            return first
