"""Who watches a site is answered within seconds while its database is stopped, also where requests wait for it."""

import time
import urllib.request
from pathlib import Path
from urllib.error import HTTPError

from tests.faults.own_postgres import OwnPostgres
from tests.sites import Site

MOST_SECONDS = 3.0


def test_those_who_watch_are_answered_within_seconds_while_postgresql_is_stopped(tmp_path: Path) -> None:
    postgres = OwnPostgres()
    site = Site(tmp_path, {"RUNPOOL_DATABASE_URL": postgres.url})
    try:
        postgres.create()
        site.start()
        assert {address: asked(site, address)[0] for address in WATCHED} == dict.fromkeys(WATCHED, 200)
        postgres.stop()
        for address, status in WATCHED.items():
            found, seconds = asked(site, address)
            assert (address, found, seconds < MOST_SECONDS) == (address, status, True)
    finally:
        site.end()
        postgres.remove()


WATCHED = {"/readyz": 503, "/health/": 503, "/metrics": 200}
"""With what each answers while the database is away."""


def asked(site: Site, address: str) -> tuple[int, float]:
    started = time.monotonic()
    try:
        with urllib.request.urlopen(f"{site.url}{address}", timeout=60) as answer:
            status = answer.status
    except HTTPError as refused:
        status = refused.code
    return status, time.monotonic() - started
