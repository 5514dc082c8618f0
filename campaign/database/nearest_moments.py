"""Moments of the database that no program can read: pages show the nearest that can be, so that none fails by one row."""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, date, datetime
from typing import TypeVar

from campaign.formats.moments import LAST_YEAR, LATEST

logger = logging.getLogger(__name__)
D = TypeVar("D", bound=date)
FIRST_READ = 2
"""Moments of year 1, as those after `LAST_YEAR`, can be read, but not all be told in every time zone."""
EARLIEST = datetime(FIRST_READ, 1, 1, tzinfo=UTC)

_beyond: ContextVar[set[str] | None] = ContextVar("beyond", default=None)


@contextmanager
def nearest_moments() -> Iterator[None]:
    """Within, `read_nearest` gives the nearest moment; afterwards one line of the log has what the database holds.

    Only for what writes nothing: the nearest moment would be stored in place of the other one.
    """
    with replaced_moments() as beyond:
        try:
            yield
        finally:
            if beyond:
                what = ", ".join(sorted(beyond))
                logger.error("Not every time zone has these moments of the database, see manage.py verify: %s", what)


@contextmanager
def replaced_moments() -> Iterator[set[str]]:
    """As `nearest_moments`, without the log: gives what the database holds of the moments that were replaced so far."""
    beyond: set[str] = set()
    token = _beyond.set(beyond)
    try:
        yield beyond
    finally:
        _beyond.reset(token)


def read_nearest(read: Callable[[], D], written: str) -> D:
    """Return what `read` makes of the text of a database; within `nearest_moments` the nearest in the years 2 to 9998 for
    what cannot be read, or not be told in every time zone.

    Outside it, what `read` raises comes through.
    """
    beyond = _beyond.get()
    try:
        found = read()
    except Exception:
        if beyond is None:
            raise
        nearest = EARLIEST if _is_early(written) else LATEST
    else:
        if beyond is None or FIRST_READ <= found.year <= LAST_YEAR:
            return found
        nearest = EARLIEST if found.year < FIRST_READ else LATEST
    beyond.add(written[:40])
    return nearest  # type: ignore[return-value]  # of a day, the caller takes its date


def _is_early(written: str) -> bool:
    year = written.partition("-")[0]
    return written.startswith("-") or written.endswith("BC") or (year.isdecimal() and int(year) < FIRST_READ)


def day_of(found: date) -> date:
    return found.date() if isinstance(found, datetime) else found
