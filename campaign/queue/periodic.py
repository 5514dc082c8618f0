"""Steps of the sweep and of the daily cleaning, and the rows that each acts on: one that fails does not stop the others."""

import logging
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import TypeVar

from celery.exceptions import SoftTimeLimitExceeded
from django.db import OperationalError, connection
from django.db.models import Model, QuerySet

from campaign.database.errors import takes_no_writes
from campaign.database.readable import Unreadable, named, readable_rows
from campaign.models import LastSeen
from campaign.storage.interface import StorageAwayError, is_lost

T = TypeVar("T")
M = TypeVar("M", bound=Model)
logger = logging.getLogger(__name__)


class FailedRowsError(RuntimeError):
    """Names the rows that a step could not act on; it has acted on all others."""


def each_by_itself(steps: Iterable[Callable[[], T]]) -> tuple[list[T], list[str]]:
    """What the steps return, and the names of those that failed, of which the log says why: the others are done all the same.

    Of steps with the same name the log tells the first failure.
    """
    done, failed = [], []
    for step in steps:
        try:
            done.append(step())
        except (StorageAwayError, SoftTimeLimitExceeded):  # no fault of the step: the whole job waits, or ends
            raise
        except Exception as problem:
            if is_lost(problem):
                raise
            if step.__name__ not in failed:
                _tell(step.__name__, problem)
                failed.append(step.__name__)
        if not connection.in_atomic_block:
            connection.close_if_unusable_or_obsolete()  # one that broke must not fail the next step
    return done, failed


def _tell(step: str, problem: Exception) -> None:
    if isinstance(problem, OperationalError) or takes_no_writes(problem):  # every step would write the same traceback
        reason = str(problem).partition("\n")[0]
        logger.error("%s failed: %s; what comes after it goes on", step, reason)
    else:
        logger.error("%s failed; what comes after it goes on", step, exc_info=problem)


def last_seen_record(name: str, at: datetime) -> None:
    """The row is written unread: whatever date it holds goes."""
    row = LastSeen(name=name, at=at)
    LastSeen.objects.bulk_create([row], update_conflicts=True, unique_fields=["name"], update_fields=["at"])


def by_itself(rows: "QuerySet[M]", act: Callable[[M], int]) -> int:
    """Act on each row, and return the sum. A row that cannot be read, or fails, is named in the log and at the end raised."""
    total, failed = 0, []
    for row in list(readable_rows(rows)):
        if isinstance(row, Unreadable):
            logger.error("%s cannot be read: %s", row.name, row.problem)
            failed.append(row.name)
            continue
        try:
            total += act(row)
        except (StorageAwayError, SoftTimeLimitExceeded):
            raise
        except Exception as problem:
            if is_lost(problem) or takes_no_writes(problem):
                raise
            name = named(type(row), row.pk)
            logger.exception("%s failed; the others go on", name)
            failed.append(name)
    if failed:
        raise FailedRowsError(", ".join(failed))
    return total
