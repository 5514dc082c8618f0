"""A bucket as sites meet it: moto's server, a process of its own, behind a door that can be closed."""

import contextlib
import json
import os
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import boto3
from botocore.config import Config

from tests.ports import free_port

KEYS = {"AWS_ACCESS_KEY_ID": "KEY-FOR-TESTS", "AWS_SECRET_ACCESS_KEY": "a-secret-of-no-worth"}
BUCKET = "runs"
FILES_OF_A_PAGE = 4
"""Of a listing, where others send a thousand."""


class Door:
    """Carries connections to a port. Closed, it ends them and refuses others: what is behind keeps all it holds.

    `address`: of this machine, where others reach it.
    """

    def __init__(self, behind: int, address: str = "127.0.0.1") -> None:
        self.port, self.address, self._behind = free_port(), address, behind
        self._listener: socket.socket | None = None
        self._passing: set[socket.socket] = set()

    def open(self) -> None:
        self._listener = socket.create_server((self.address, self.port), backlog=50)
        threading.Thread(target=self._let_in, args=(self._listener,), daemon=True).start()

    def close(self) -> None:
        if self._listener is not None:
            _end(self._listener)
            self._listener = None
        for passing in list(self._passing):
            _end(passing)

    @contextlib.contextmanager
    def closed(self) -> Iterator[None]:
        self.close()
        try:
            yield
        finally:
            self.open()

    def _let_in(self, listener: socket.socket) -> None:
        while True:
            try:
                came, _ = listener.accept()
                to = socket.create_connection(("127.0.0.1", self._behind))
            except OSError:
                return
            self._passing |= {came, to}
            for one, other in ((came, to), (to, came)):
                threading.Thread(target=self._carry, args=(one, other), daemon=True).start()

    def _carry(self, one: socket.socket, other: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := one.recv(1 << 16):
                other.sendall(data)
        for passing in (one, other):
            self._passing.discard(passing)
            _end(passing)


def _end(connection: socket.socket) -> None:
    with contextlib.suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)
    connection.close()


class BucketServer:
    def __init__(self, port: int) -> None:
        self._port, self._behind = port, f"http://127.0.0.1:{port}"
        self._doors: list[Door] = []
        self.door = self.another_door()
        given = {name.lower(): value for name, value in KEYS.items()}
        config = Config(s3={"addressing_style": "path"})
        self.client = boto3.client("s3", endpoint_url=self._behind, region_name="us-east-1", config=config, **given)

    def another_door(self, address: str = "127.0.0.1") -> Door:
        door = Door(self._port, address)
        door.open()
        self._doors.append(door)
        return door

    def close_doors(self) -> None:
        for door in self._doors:
            door.close()

    def url(self, prefix: str, door: Door | None = None) -> str:
        door = door or self.door
        return f"s3://{BUCKET}/{prefix}?endpoint=http://{door.address}:{door.port}&region=eu-1"

    def names(self, prefix: str) -> list[str]:
        pages = self.client.get_paginator("list_objects_v2").paginate(Bucket=BUCKET, Prefix=f"{prefix}/")
        return sorted(entry["Key"].removeprefix(f"{prefix}/") for page in pages for entry in page.get("Contents", ()))

    def keys_that_may(self, rights: set[str]) -> tuple[str, str]:
        """Keys of a new user of the service, who may do that and nothing else, once known keys are required."""
        given = {name.lower(): value for name, value in KEYS.items()}
        users, name = boto3.client("iam", endpoint_url=self._behind, region_name="us-east-1", **given), uuid4().hex
        users.create_user(UserName=name)
        allowed = {"Effect": "Allow", "Action": sorted(rights), "Resource": "*"}
        policy = json.dumps({"Version": "2012-10-17", "Statement": [allowed]})
        users.put_user_policy(UserName=name, PolicyName="rights", PolicyDocument=policy)
        made = users.create_access_key(UserName=name)["AccessKey"]
        return made["AccessKeyId"], made["SecretAccessKey"]

    @contextlib.contextmanager
    def requiring_known_keys(self) -> Iterator[None]:
        """Refuse keys that it does not know: it knows none."""
        self._requests_without_check(0)
        try:
            yield
        finally:
            self._requests_without_check(1_000_000_000)

    def _requests_without_check(self, number: int) -> None:
        url = f"{self._behind}/moto-api/reset-auth"
        request = urllib.request.Request(url, data=str(number).encode(), headers={"Content-Type": "text/plain"})
        with urllib.request.urlopen(request) as answer:
            answer.read()


@contextlib.contextmanager
def bucket_server(log: Path) -> Iterator[BucketServer]:
    port = free_port()
    environment = {**os.environ, "MOTO_S3_DEFAULT_MAX_KEYS": str(FILES_OF_A_PAGE)}
    with log.open("ab") as out:
        command = [sys.executable, "-m", "moto.server", "-p", str(port)]
        process = subprocess.Popen(command, stdout=out, stderr=out, env=environment)
    try:
        _wait_for(port)
        server = BucketServer(port)
        server.client.create_bucket(Bucket=BUCKET)
        yield server
        server.close_doors()
    finally:
        process.kill()  # asked to end, it takes as long as it likes; all it holds is gone with it
        process.wait()


def _wait_for(port: int, seconds: float = 180) -> None:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.1)
    raise RuntimeError("The server of the bucket did not start.")
