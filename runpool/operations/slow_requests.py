"""The newest requests that took long, for the page of operations: a bounded number of rows, written at a bounded pace."""

import logging
import time

from django.db import DatabaseError, transaction

from campaign import log
from campaign.models import SlowRequest

SLOW_SECONDS = 2.0
SERVER_ERROR, METRICS = 500, "metrics"
PAUSE_SECONDS = 1.0
"""A process notes one a second at most: where all are slow, the notes must not make them slower."""
logger = logging.getLogger(__name__)


class Notes:
    def __init__(self) -> None:
        self._next_at = 0.0

    def is_due(self, seconds: float) -> bool:
        if seconds < SLOW_SECONDS or time.monotonic() < self._next_at:
            return False
        self._next_at = time.monotonic() + PAUSE_SECONDS
        return True


notes = Notes()


def slow_request_note(*, page: str, method: str, status: int, seconds: float) -> None:
    if status >= SERVER_ERROR or page == METRICS:  # an error is in the log; both come also while the database is away
        return
    if not notes.is_due(seconds):
        return
    about = {"request_id": log.request_id.get(), "user_id": log.facts().get("user_id")}
    try:
        with transaction.atomic():
            SlowRequest.objects.create(
                page=page[:100], method=method[:10], status=status, milliseconds=round(1000 * seconds), **about
            )
    except DatabaseError as problem:  # it may be why the request was slow
        logger.warning("a slow request is not noted: %s", problem)


def slow_requests_forget() -> None:
    """Keep the newest."""
    first_kept = SlowRequest.objects.order_by("-pk").values_list("pk", flat=True)[SlowRequest.KEPT - 1 :][:1].first()
    if first_kept is not None:
        SlowRequest.objects.filter(pk__lt=first_kept).delete()
