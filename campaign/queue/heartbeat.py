"""The sign of life of a job at work: without it the sweep takes its worker for dead and sends the job again."""

import logging
import threading

from django.db import DatabaseError, connection

from campaign import clock
from campaign.models import Job

logger = logging.getLogger(__name__)
HEARTBEAT_SECONDS = 10


class Heartbeat:
    """Records every few seconds that the worker is alive, however long one step of the job takes."""

    def __init__(self, job_id: int) -> None:
        self._job_id = job_id
        self._over = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        self._thread = threading.Thread(target=self._beat, daemon=True)
        self._thread.start()

    def stop(self) -> None:
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
            Job.objects.filter(pk=self._job_id, state=Job.WORKING).update(heartbeat_at=clock.Moment())
        except DatabaseError as problem:
            logger.warning("no heartbeat for job %s: %s", self._job_id, problem)
