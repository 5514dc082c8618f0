from typing import Any

import pytest

from pooling.models import Pool, PoolEntry
from pooling.selectors.samples import is_sample
from tests.factories import make_cast, make_topics
from tests.judging.makers import BEST_POSITION, RUN_COUNT, make_pool

pytestmark = pytest.mark.django_db


def a_pool(*, sampled: bool) -> Pool:
    cast = make_cast()
    [topic] = make_topics(cast.task, ["1"])
    pool = make_pool(cast.task, {topic: ["a", "b"]}, cast.organiser)
    if sampled:
        place = {"position": 3, "best_position": BEST_POSITION, "run_count": RUN_COUNT}
        PoolEntry.objects.create(pool=pool, topic=topic, docno="c", inclusion_probability=0.5, **place)
    return pool


@pytest.mark.parametrize("sampled", [True, False])
def test_whether_a_pool_is_a_sample_is_asked_of_its_entries_once(sampled: bool, django_assert_num_queries: Any) -> None:
    pool = a_pool(sampled=sampled)
    assert is_sample(pool) is sampled
    with django_assert_num_queries(0):
        assert is_sample(pool) is sampled
