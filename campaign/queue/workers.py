"""Signs of life of workers, each in a row of its own: one that died is missed within a minute, also while nothing waits."""

import logging
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import DatabaseError, connection
from django.db.models import Q

from campaign import queues
from campaign.database import clock
from campaign.models import WorkerHeartbeat
from campaign.queue.locks import first_line

HEARTBEAT_SECONDS = 15
MISSED_AFTER = timedelta(seconds=45)
"""Three heartbeats. With the seconds until monitoring asks again, that is a minute."""
FORGOTTEN_AFTER = timedelta(minutes=10)
"""A worker that died is reported for so long where others take from its queues."""
logger = logging.getLogger(__name__)


class WorkerBeat:
    """Writes that the worker lives, by a thread, from its start until it ends in good order, which removes the row.

    It also removes the rows of workers of its name that died before it began: it took their place, and was then stopped.
    """

    def __init__(self, name: str, queue_names: Sequence[str]) -> None:
        self._row = WorkerHeartbeat(name=name[: WorkerHeartbeat.NAME_LENGTH], queues=sorted(queue_names))
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._beat, daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._over.set()
        self._thread.join()

    def _beat(self) -> None:
        while True:
            self._do(self._write, "no heartbeat")
            if self._over.wait(HEARTBEAT_SECONDS):
                self._do(self._remove, "its heartbeat stays")
                return

    def _do(self, step: Callable[[], None], otherwise: str) -> None:
        """Whatever fails now may succeed the next time."""
        try:
            step()
        except DatabaseError as problem:
            logger.warning("worker %s: %s: %s", self._row.name, otherwise, first_line(problem))
        except Exception:
            logger.exception("worker %s: %s", self._row.name, otherwise)
        finally:
            connection.close()

    def _write(self) -> None:
        now = clock.now()
        self._row.begun_at, self._row.at = self._row.begun_at or now, now
        WorkerHeartbeat.objects.bulk_create(
            [self._row], update_conflicts=True, unique_fields=["process"], update_fields=["at"]
        )

    def _remove(self) -> None:
        if self._row.begun_at:
            succeeded = Q(name=self._row.name, at__lt=self._row.begun_at)
            WorkerHeartbeat.objects.filter(Q(pk=self._row.pk) | succeeded).delete()


@dataclass(frozen=True, slots=True)
class Workers:
    """`by_queue`: how many live, for each queue of this version. `missed`: the names of those that died some minutes ago."""

    by_queue: dict[str, int]
    missed: list[str]

    def problem(self) -> str:
        """A sentence if a queue has no living worker, or a worker died; empty where all is well."""
        without = [name for name, number in self.by_queue.items() if not number]
        if without:
            return f"no worker takes from the queue{'s' if len(without) > 1 else ''} {', '.join(without)}"
        missed = self.missed
        return f"no sign of life of the worker{'s' if len(missed) > 1 else ''} {', '.join(missed)}" if missed else ""


def workers_seen(now: datetime) -> Workers:
    """A worker that was started again after it died has a successor of its name, and is not missed.

    A heartbeat in the future, by a clock that was set back since, is no sign of life: those who live write anew in seconds.
    """
    rows = WorkerHeartbeat.objects.annotate(lives=Q(clock.within("at", MISSED_AFTER, now)))
    seen = list(rows.filter(clock.within("at", FORGOTTEN_AFTER, now)))
    living = [row for row in seen if row.lives]
    by_queue = {name: sum(name in row.queues for row in living) for name in queues.ALL}
    successors = {row.name: row.begun_at for row in living}  # by their order that which began last
    missed = [row for row in seen if not row.lives and not (row.name in successors and successors[row.name] > row.at)]
    return Workers(by_queue, sorted({row.name for row in missed}))


def dead_workers_forget() -> int:
    """Remove the heartbeats of workers that died and were reported long enough; returns how many."""
    return WorkerHeartbeat.objects.exclude(clock.within("at", FORGOTTEN_AFTER, clock.now())).delete()[0]
