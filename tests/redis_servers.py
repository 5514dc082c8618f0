"""A Redis of a test's own, to be stopped and started while a site runs on it."""

import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import redis

from tests.ports import free_port
from tests.requirements import SERVICES, lacking


class RedisServer:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = free_port()
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        settings = ("--bind", "127.0.0.1", "--port", str(self.port), "--save", "", "--dir", str(self.folder))
        self._process = subprocess.Popen(["redis-server", *settings], stdout=subprocess.DEVNULL)
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline:
            with redis.Redis(port=self.port) as client:
                try:
                    client.ping()
                except redis.ConnectionError:
                    time.sleep(0.05)
                else:
                    return
        raise RuntimeError("redis-server did not start")

    def hang(self) -> None:
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)

    def stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None


@contextmanager
def own_redis(folder: Path) -> Iterator[RedisServer]:
    if shutil.which("redis-server") is None:
        lacking(SERVICES)
    server = RedisServer(folder)
    try:
        server.start()
        yield server
    finally:
        server.stop()
