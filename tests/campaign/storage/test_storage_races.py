"""Bytes that are stored, cleaned away and set aside at the same moment. Needs a database with several writers: PostgreSQL."""

import os
import time
from io import BytesIO
from pathlib import Path

import pytest
from django.db import connection

from campaign.models import DamagedFile
from campaign.storage import store
from campaign.storage.inventory import remove_unnamed
from campaign.storage.quarantine import DamagedFileError
from campaign.storage.reading import verified_bytes
from tests.campaign.concurrency import at_once
from tests.campaign.storage.makers import damage, place
from tests.requirements import require_postgresql

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]
CONTENT, DAY = b"1 Q0 a 1 2.0 bm25\n" * 1000, 24 * 3600.0
ROUNDS = 15


@pytest.fixture(autouse=True)
def _storage(transactional_db: None, settings, tmp_path: Path) -> None:
    require_postgresql(connection.vendor)
    settings.MEDIA_ROOT = tmp_path


def test_what_was_stored_is_there_however_many_clean_at_that_moment() -> None:
    name = store(BytesIO(CONTENT), folder="runs").name

    def store_or_clean(number: int) -> None:
        if number % 2:
            store(BytesIO(CONTENT), folder="runs")
        else:
            remove_unnamed(name, DAY)

    for _ in range(ROUNDS):
        if place(name).exists():
            os.utime(place(name), (time.time() - 2 * DAY,) * 2)
        assert at_once(store_or_clean) == [""] * 8
        assert place(name).read_bytes() == CONTENT


def test_damage_that_many_meet_while_the_right_bytes_come_in_is_reported_once_and_restored() -> None:
    name = store(BytesIO(CONTENT), folder="runs").name

    def store_or_read(number: int) -> None:
        if number == 0:
            store(BytesIO(CONTENT), folder="runs")
            return
        try:
            assert verified_bytes(name, found_by="a test") == CONTENT
        except DamagedFileError:
            return

    for _ in range(ROUNDS):
        damage(name, byte=9)
        assert at_once(store_or_read) == [""] * 8
        assert place(name).read_bytes() == CONTENT
    assert not DamagedFile.objects.filter(restored_at=None).exists()
