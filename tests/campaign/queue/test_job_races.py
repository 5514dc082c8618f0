"""The same work asked for at the same moment. Needs a database with several writers: PostgreSQL."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from django.db import connection, transaction

from campaign.models import Job
from campaign.queue.jobs import Progress, enqueue, job
from tests.requirements import require_postgresql

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]
AT_ONCE = 8


@job("tidy")
def tidy(progress: Progress, *, room: int) -> None:
    progress.report(1, 1)


def test_the_same_work_asked_for_by_many_at_once_is_one_waiting_job(
    transactional_db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    require_postgresql(connection.vendor)
    monkeypatch.setattr("campaign.queue.jobs.send", lambda row: None)
    start = Barrier(AT_ONCE)

    def ask(_: int) -> int:
        try:
            with transaction.atomic():
                start.wait(10)
                return enqueue("tidy", room=1).pk
        finally:
            connection.close()

    with ThreadPoolExecutor(AT_ONCE) as pool:
        rows = set(pool.map(ask, range(AT_ONCE)))
    assert rows == {Job.objects.get().pk}
