"""Uploads wait for each other outside of the database, and never all at once in one process."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.conf import settings
from django.db import connection
from django.test import RequestFactory

from campaign.models import User
from campaign.web.uploads import received_at, upload_place
from tests.requirements import require_postgresql


def test_of_many_uploads_a_process_works_on_a_few_at_once_and_on_all_in_the_end() -> None:
    at_work, most, done = 0, 0, 0
    count = threading.Lock()

    def work(_: int) -> None:
        nonlocal at_work, most, done
        with upload_place():
            with count:
                at_work += 1
                most = max(most, at_work)
            time.sleep(0.01)
            with count:
                at_work -= 1
                done += 1

    with ThreadPoolExecutor(12) as threads:
        list(threads.map(work, range(12)))
    assert (most, done) == (settings.UPLOADS_AT_ONCE, 12)


def test_a_place_is_free_again_after_an_error() -> None:
    for _ in range(settings.UPLOADS_AT_ONCE + 1):
        with pytest.raises(ValueError, match="broken"), upload_place():
            raise ValueError("broken")


@pytest.mark.services
@pytest.mark.django_db(transaction=True)
def test_an_upload_that_arrives_waits_or_is_done_holds_no_connection_to_the_database() -> None:
    require_postgresql(connection.vendor)

    def upload(_: int) -> bool:
        User.objects.count()
        received_at(RequestFactory().post("/"))
        is_held = connection.connection is not None
        with upload_place():
            User.objects.count()
        return is_held or connection.connection is not None

    with ThreadPoolExecutor(2) as threads:
        assert list(threads.map(upload, range(2))) == [False, False]


def test_the_time_of_receipt_does_not_change_when_it_is_asked_for_again() -> None:
    request = RequestFactory().post("/", {"field": "value"})
    first = received_at(request)
    time.sleep(0.001)
    assert received_at(request) == first
