"""An archive is of one moment, while others go on writing. Needs a database with several writers: PostgreSQL."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection

from campaign.models import Archive, Topic
from campaign.storage.consistent_read import one_state
from runpool.archive.services.requests import archive_request
from runpool.jobs import make_archive
from tests.campaign.runs.makers import make_ready_cast
from tests.factories import Cast, make_task, make_topics, make_user
from tests.requirements import require_postgresql
from tests.runpool.archive.makers import Silent, bytes_of, restore

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    require_postgresql(connection.vendor)
    return make_ready_cast()


def add_topics() -> None:
    try:
        make_topics(make_task(), ["901", "902"])
    finally:
        connection.close()


def test_what_others_write_meanwhile_is_not_seen(cast: Cast) -> None:
    with one_state():
        before = Topic.objects.count()
        with ThreadPoolExecutor(1) as others:
            others.submit(add_topics).result()
        assert Topic.objects.count() == before
    assert Topic.objects.count() > before


def test_an_archive_is_made_and_restored_without_a_transaction_around_it(cast: Cast) -> None:
    archive = archive_request(actor=cast.organiser, campaign=cast.campaign)
    for _ in range(2):
        make_archive.body(Silent(), archive_id=archive.pk)
    made = Archive.objects.get(pk=archive.pk)
    campaign = restore(bytes_of(made), make_user()).campaign
    assert campaign is not None
    assert campaign.tasks.get().topics.count() == cast.task.topics.count()
