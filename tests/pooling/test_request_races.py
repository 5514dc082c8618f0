"""Pools and previews that are asked for at the same moment. Needs several writers: PostgreSQL."""

import pytest
from django.db import connection

from campaign.models import AuditEvent, Job
from pooling.models import Pool
from pooling.selectors.pools import FREEZE_POOL
from pooling.selectors.previews import previewed
from pooling.services import pools, previews
from tests.campaign.concurrency import AT_ONCE, at_once
from tests.factories import Cast, make_cast, make_topics
from tests.pooling.makers import depth_k, make_valid_run
from tests.requirements import require_postgresql

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def cast(transactional_db: None, monkeypatch: pytest.MonkeyPatch) -> Cast:
    require_postgresql(connection.vendor)
    monkeypatch.setattr("campaign.queue.jobs.send", lambda row: None)  # as where every worker is busy
    monkeypatch.setattr(pools, "MOST_WAITING", 2)
    monkeypatch.setattr(previews, "MOST_WAITING", 2)
    return make_cast()


def test_no_more_freezings_wait_where_they_are_asked_for_at_once(cast: Cast) -> None:
    seen = pools.Confirmed("", 0)

    def ask(number: int) -> None:
        pools.pool_freeze_request(actor=cast.organiser, task=cast.task, spec=depth_k(number + 1), confirmed=seen)

    assert at_once(ask).count("") == 2
    assert Job.objects.filter(name=FREEZE_POOL).count() == 2


def test_no_more_previews_wait_where_they_are_asked_for_at_once(cast: Cast) -> None:
    assert (
        at_once(
            lambda number: previews.preview_request(
                actor=cast.organiser, asked=previewed(cast.task, depth_k(number + 1))
            )
        ).count("")
        == 2
    )
    assert Job.objects.filter(name=previews.PREVIEW_POOL).count() == 2


def test_the_same_pool_that_is_frozen_several_times_at_once_is_one_version(cast: Cast) -> None:
    make_topics(cast.task, ["1"])
    make_valid_run(cast.task, cast.team, "alpha", {"1": ["a", "b"]})
    told = at_once(lambda number: pools.pool_freeze(actor=cast.organiser, task=cast.task, spec=depth_k(2)))
    assert told == [""] * AT_ONCE
    pool = Pool.objects.get()
    assert (pool.version, pool.entries.count()) == (1, 2)
    assert AuditEvent.objects.filter(verb="freeze").count() == 1


def test_different_pools_that_are_frozen_at_once_have_numbers_one_after_the_other(cast: Cast) -> None:
    make_topics(cast.task, ["1"])
    make_valid_run(cast.task, cast.team, "alpha", {"1": ["a", "b", "c", "d"]})
    told = at_once(lambda number: pools.pool_freeze(actor=cast.organiser, task=cast.task, spec=depth_k(number + 1)), 4)
    assert told == [""] * 4
    assert sorted(Pool.objects.values_list("version", flat=True)) == [1, 2, 3, 4]
    assert sorted(Pool.objects.values_list("size", flat=True)) == [1, 2, 3, 4]
