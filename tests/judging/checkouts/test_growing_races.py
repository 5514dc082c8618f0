"""Growing pools worked on by several at once. Needs a database with several writers: PostgreSQL."""

from collections import Counter

import pytest
from django.db import connection

from campaign.models import Role
from judging.checkouts.services import claims_take, topic_advance
from judging.judgments.selectors.own_documents import items
from judging.models import Assignment, Claim, Judgment
from pooling.models import Pool, PoolChoice, PoolEntry
from tests.campaign.concurrency import AT_ONCE, at_once
from tests.factories import Cast, make_cast, make_user
from tests.judging.growing_pools import first_difference, is_relevant, make_growing_pool
from tests.judging.makers import assign, judge
from tests.requirements import require_postgresql

ROUNDS = 10
"""Of four desks twice as many as there are documents to judge: desks wait for documents, and for each other."""

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    require_postgresql(connection.vendor)
    return make_cast()


def make_desks(cast: Cast, pool: Pool, count: int) -> list[int]:
    users = [make_user() for _ in range(count)]
    Role.objects.bulk_create(Role(campaign=cast.campaign, user=user, role=Role.ASSESSOR) for user in users)
    return [assign(pool, pool.task.topics.get(), user, cast.organiser).pk for user in users]


def desk(number: int) -> Assignment:
    return Assignment.objects.select_related("pool__task__campaign", "topic", "assessor").get(pk=number)


def test_jobs_that_choose_at_once_write_each_step_once(cast: Cast) -> None:
    pool = make_growing_pool(cast)
    [own] = make_desks(cast, pool, 1)
    claims_take(desk(own))
    judge(desk(own), items(desk(own))[0].docno, 2)

    def advance(number: int) -> None:
        topic_advance(pool=Pool.objects.get(pk=pool.pk), topic=pool.task.topics.get())

    assert at_once(advance) == [""] * AT_ONCE
    steps = list(PoolChoice.objects.order_by("step").values_list("step", flat=True))
    assert steps == list(range(1, len(steps) + 1)) != []
    assert PoolEntry.objects.filter(pool=pool, source=PoolEntry.CHOSEN).count() <= len(steps)
    assert first_difference(pool) is None


def test_assessors_and_workers_at_once_judge_no_document_twice(cast: Cast) -> None:
    pool = make_growing_pool(cast)
    desks = make_desks(cast, pool, 4)

    def act(number: int) -> None:
        if number >= len(desks):
            for _ in range(ROUNDS):
                topic_advance(pool=Pool.objects.get(pk=pool.pk), topic=pool.task.topics.get())
            return
        for _ in range(ROUNDS):
            own = desk(desks[number])
            claims_take(own)
            waiting = [item.docno for item in items(own) if not item.is_judged]
            if waiting:
                judge(own, waiting[0], 2 if is_relevant(waiting[0]) else 0)

    assert at_once(act, 6) == [""] * 6
    topic_advance(pool=Pool.objects.get(pk=pool.pk), topic=pool.task.topics.get())
    judged = Counter(Judgment.objects.values_list("docno", flat=True))
    assert set(judged.values()) == {1}
    assert set(judged) <= set(PoolEntry.objects.filter(pool=pool).values_list("docno", flat=True))
    assert not Claim.objects.filter(docno__in=judged).exists()
    assert first_difference(pool) is None
