"""Topics that several assessors take at once. Needs a database with several writers: PostgreSQL."""

from concurrent.futures import ThreadPoolExecutor
from datetime import date

import pytest
from django.core.exceptions import ValidationError
from django.db import connection

from campaign.models import Mail, Role, Topic, User
from judging.assigning.services.reminders import reminders_send
from judging.assigning.services.self_assignment import topic_take
from judging.models import AssigningRules, Assignment
from pooling.models import Pool
from tests.factories import Cast, make_cast, make_topics, make_user
from tests.judging.makers import make_pool
from tests.requirements import require_postgresql

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    require_postgresql(connection.vendor)
    return make_cast()


def take(asked: tuple[User, Pool, Topic]) -> bool:
    assessor, pool, topic = asked
    try:
        topic_take(assessor=assessor, pool=pool, topic=topic)
    except ValidationError:
        return False
    finally:
        connection.close()
    return True


def test_a_topic_goes_to_one_of_those_who_ask_at_once_and_nobody_passes_the_limit(cast: Cast) -> None:
    topics = make_topics(cast.task, ["1", "2", "3"])
    pool = make_pool(cast.task, {topic: ["D1"] for topic in topics}, cast.organiser)
    AssigningRules.objects.create(task=cast.task, topics_are_open=True, topics_at_once=1)
    people = [make_user() for _ in range(4)]
    Role.objects.bulk_create(Role(campaign=cast.campaign, user=user, role=Role.ASSESSOR) for user in people)
    with ThreadPoolExecutor(8) as threads:
        assert sum(threads.map(take, [(user, pool, topics[0]) for user in people])) == 1
        alone = next(user for user in people if not Assignment.objects.filter(assessor=user).exists())
        assert sum(threads.map(take, [(alone, pool, topic) for topic in topics[1:]])) == 1
    assert Assignment.objects.count() == 2


def test_two_workers_that_remind_at_once_send_one_mail(cast: Cast) -> None:
    [topic] = make_topics(cast.task, ["1"])
    pool = make_pool(cast.task, {topic: ["D1"]}, cast.organiser)
    AssigningRules.objects.create(task=cast.task, due_on=date(2020, 1, 1))
    User.objects.filter(pk=cast.assessor.pk).update(email="assessor@example.org")
    Assignment.objects.create(pool=pool, topic=topic, assessor=cast.assessor, assigned_by=cast.organiser)

    def remind(_: int) -> int:
        try:
            return reminders_send(cast.task)
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as threads:
        assert sum(threads.map(remind, range(4))) == 1
    assert Mail.objects.count() == 1
