"""The heads of runs that previews are drawn from, and the cache that keeps them."""

import pytest
from django.core.cache import caches

from campaign.models import Run
from campaign.storage.disk import place
from pooling.selectors.runs import KEPT_DEPTH, pooled_run, run_head
from tests.factories import Cast, make_topics
from tests.pooling.makers import make_valid_run

pytestmark = pytest.mark.django_db


@pytest.fixture
def run(cast: Cast) -> Run:
    caches["bulk"].clear()
    make_topics(cast.task, ["2"])
    return make_valid_run(cast.task, cast.team, "alpha", {"2": [f"d{place}" for place in range(KEPT_DEPTH + 20)]})


def kept_values() -> list[bytes]:
    return list(caches["bulk"]._cache.values())


def test_a_head_is_read_from_its_table_once(run: Run) -> None:
    head = run_head(run, 10)
    assert head.ranking.equals(pooled_run(run, KEPT_DEPTH).ranking)
    place(run.file.name).unlink()
    assert run_head(run, KEPT_DEPTH).ranking.equals(head.ranking)


def test_what_is_deeper_than_heads_are_kept_is_read_from_the_table(run: Run) -> None:
    assert run_head(run, KEPT_DEPTH + 1).ranking.height == KEPT_DEPTH + 1
    assert run_head(run, None).ranking.height == KEPT_DEPTH + 20
    assert kept_values() == []


def test_a_task_that_orders_otherwise_gets_other_heads(run: Run) -> None:
    assert run_head(run, 1).ranking["docno"][0] == "d0"
    run.task.run_order = "line"
    run_head(run, 1)
    assert len(kept_values()) == 2
