"""What a test needs beyond Python: skipped where a bare machine lacks it, failed where TEST_REQUIRE promises it."""

import os
import sys
from pathlib import Path
from typing import NoReturn

import psycopg
import pytest
import redis

NODE_MODULES = Path(sys.prefix) / "node" / "node_modules"
"""Where `make test` puts what requirements/package.json names."""
PROMISED = set(os.environ.get("TEST_REQUIRE", "").split(","))
PGBOUNCER = "pgbouncer"
BROWSER, SERVICES, DISK, SYSTEMD, MACHINES, HISTORY = "browser", "services", "disk", "systemd", "machines", "history"
COMPOSE, SAMPLES, USERS, READ_ONLY = "compose", "samples", "users", "readonly"
UNPACKED = Path(sys.prefix) / "debian"
"""Where `.ci/run` unpacks Debian's packages whose programs read a file and never run."""
REMEDIES = {
    BROWSER: "install Debian's package chromium-headless-shell or chromium; `make test` installs the checkers of pages",
    PGBOUNCER: "install Debian's package pgbouncer: the test puts it before the database",
    COMPOSE: "install Debian's package docker-compose: it reads the file for containers, without Docker",
    SAMPLES: "install Debian's packages caddy, jq, nginx, openssl and prometheus: the test has them read deploy/ and the guide",
    DISK: "run as root, or where unprivileged users may make namespaces: the test mounts a small disk to fill it",
    MACHINES: "run as root on Debian with debootstrap, systemd-container, iproute2 and nftables: the test boots machines",
    USERS: "run as root, with interpreter, checkout and TMPDIR open to all users: each machine is then a user of its own",
    READ_ONLY: "run as root, where root may mount: the processes of the containers then run on a read-only disk",
    HISTORY: "take a clone with its whole history (git fetch --unshallow): released versions are read from it",
    SYSTEMD: "install Debian's package systemd: its systemd-analyze reads the units",
    SERVICES: "name a PostgreSQL server by RUNPOOL_DATABASE_URL and a Redis server by TEST_REDIS_URL",
}


def lacking(what: str) -> NoReturn:
    message = f"needs {what}: {REMEDIES[what]}"
    if what in PROMISED:
        pytest.fail(f"{message} (TEST_REQUIRE promises it)")
    pytest.skip(message)


def require_servers() -> None:
    """End the run at once where a named server does not answer: each test would fail by itself."""
    for variable, asked in (("RUNPOOL_DATABASE_URL", _ask_postgresql), ("TEST_REDIS_URL", _ask_redis)):
        if address := os.environ.get(variable):
            try:
                asked(address)
            except (psycopg.Error, redis.RedisError, ValueError) as problem:
                pytest.exit(
                    f"No tests were run: {variable} names a server that does not answer ({problem}). "
                    f"Start it, or unset {variable} to run what SQLite and files can show.",
                    returncode=pytest.ExitCode.USAGE_ERROR,
                )


def _ask_postgresql(address: str) -> None:
    # The database that Django asks for one to make that of the tests.
    psycopg.connect(address, dbname="postgres", connect_timeout=5).close()


def _ask_redis(address: str) -> None:
    redis.Redis.from_url(address, socket_timeout=5, socket_connect_timeout=5).ping()


def require_postgresql(vendor: str) -> None:
    """For races: SQLite has one writer at a time."""
    if vendor != "postgresql":
        lacking(SERVICES)


def redis_address() -> str:
    """Of the Redis server of the tests."""
    return os.environ.get("TEST_REDIS_URL") or lacking(SERVICES)
