"""The way to the queue. It gives up quickly where the broker is away: every job is a row, and the sweep brings it."""

import logging
import time
from collections.abc import Callable

from celery import current_app
from kombu.exceptions import KombuError

logger = logging.getLogger(__name__)

AWAY = (KombuError, OSError)
"""Not reached, broken off, or unable to take more (a Redis without memory)."""
PAUSE_SECONDS = 10.0
"""After a failure nobody waits for the broker again for so long: jobs of that time are left to the sweep."""
ONE_RETRY = {"max_retries": 1, "interval_start": 0, "interval_max": 0}
"""For connections that a restart of the broker has cut."""
PROBE = {"max_retries": 0, "socket_connect_timeout": 0.3, "socket_timeout": 0.3}


class Breaker:
    """Remembers for a while, in this process, that the broker did not answer."""

    def __init__(self) -> None:
        self._closed_from = 0.0

    @property
    def is_open(self) -> bool:
        return time.monotonic() < self._closed_from

    def open(self) -> None:
        self._closed_from = time.monotonic() + PAUSE_SECONDS

    def close(self) -> None:
        self._closed_from = 0.0


breaker = Breaker()


def deliver(send: Callable[..., object], what: str) -> None:
    """Call `send`, which puts a message on the queue, unless the broker did not answer a moment ago."""
    if breaker.is_open:
        logger.warning("%s waits for the sweep: the broker did not answer a moment ago", what)
        return
    try:
        send(retry=True, retry_policy=ONE_RETRY)
    except AWAY as problem:
        breaker.open()
        logger.warning("%s waits for the sweep: the broker did not take it (%s)", what, problem)
    else:
        breaker.close()


def broker_answers() -> bool:
    """Asked anew and within a second, for those who watch the site."""
    try:
        with current_app.connection_for_write(transport_options=PROBE) as connection:
            connection.ensure_connection(max_retries=0)
    except AWAY:
        return False
    return True
