"""The sign of life of a job at work: without it the sweep takes its worker for dead and sends the job again.

It also writes how the job ended where the database took no writes then.
"""

import logging
import threading

from django.db import DatabaseError, connection

from campaign.models import Job
from campaign.queue.locks import BEAT, finish, first_line, may_be_written_later, of_attempt, write_end

logger = logging.getLogger(__name__)
HEARTBEAT_SECONDS = 10


class Heartbeat:
    """Records every few seconds that the worker is alive, however long one step of the job takes."""

    def __init__(self, row: Job) -> None:
        self._row = row
        self._end: tuple[str, str] | None = None
        self._over = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        self._thread = threading.Thread(target=self._beat, daemon=True)
        self._thread.start()

    def record(self, state: str, message: str = "") -> None:
        """Write how the job ended. While the database takes no writes, the beat goes on and tries it again and again; if the
        process ends before, the sweep sends the job again."""
        try:
            finish(self._row, state, message)
        except DatabaseError as problem:
            if not may_be_written_later(problem):
                raise
            logger.error("job %s has ended; this is written later: %s", self._row.pk, first_line(problem))
            self._end = (state, message)

    def stop(self) -> None:
        if self._end is not None:
            return
        self._over.set()
        if self._thread is not None:
            self._thread.join()

    def _beat(self) -> None:
        try:
            while not self._over.wait(HEARTBEAT_SECONDS):
                self._beat_once()
        finally:
            connection.close()

    def _beat_once(self) -> None:
        try:
            if self._end is not None:  # not where the sweep has sent the job to another worker meanwhile
                write_end(of_attempt(self._row), *self._end)
                self._over.set()
                return
            Job.objects.filter(of_attempt(self._row)).update(**BEAT)
        except DatabaseError as problem:
            connection.close_if_unusable_or_obsolete()
            if self._end is None:  # else a line says it already
                logger.warning("no heartbeat for job %s: %s", self._row.pk, first_line(problem))
