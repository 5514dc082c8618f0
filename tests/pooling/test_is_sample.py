from typing import Any

import pytest

from pooling.selectors.samples import is_sample
from tests.factories import make_cast, make_topics
from tests.judging.makers import make_pool

pytestmark = pytest.mark.django_db


def test_whether_a_pool_is_a_sample_is_asked_of_its_entries_once(django_assert_num_queries: Any) -> None:
    cast = make_cast()
    make_topics(cast.task, ["1"])
    pool = make_pool(cast.task, {cast.task.topics.get(number="1"): ["a", "b"]}, cast.organiser)
    assert not is_sample(pool)
    with django_assert_num_queries(0):
        assert not is_sample(pool)
