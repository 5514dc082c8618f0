"""What the page of a run says of pools is so: withdrawn, left out by its priority or by name, accepted too late."""

import pytest
from django.test import Client
from django.utils import timezone

from campaign.models import Run
from pooling.selectors.pools_of_run import pools_of_run
from pooling.services.pools import pool_freeze
from tests.factories import Cast, make_topics
from tests.pooling.makers import depth_k, make_valid_run

pytestmark = pytest.mark.django_db


@pytest.fixture
def runs(cast: Cast) -> list[Run]:
    make_topics(cast.task, ["1"])
    first = make_valid_run(cast.task, cast.team, "first", {"1": ["a", "b"]})
    return [first, make_valid_run(cast.task, cast.team, "third", {"1": ["c"]}, priority=3)]


def test_the_page_of_a_run_says_whether_it_was_pooled(cast: Cast, runs: list[Run], client: Client) -> None:
    first, third = runs
    assert pools_of_run(first) == ["No pool is frozen so far. A pool can take this run."]
    pool_freeze(actor=cast.organiser, task=cast.task, spec=depth_k(max_priority=2))
    assert pools_of_run(first) == ["This run was pooled in pool 1."]
    by_priority = "This run is not in pool 1, which takes priorities up to 2; the run has priority 3."
    assert pools_of_run(third) == [f"{by_priority} A later pool can take it."]
    client.force_login(cast.member)
    assert by_priority in client.get(third.get_absolute_url()).content.decode()
    late = make_valid_run(cast.task, cast.team, "late", {"1": ["d"]}, state_changed_at=timezone.now())
    assert "which was frozen before the run was accepted" in pools_of_run(late)[0]
    pool_freeze(actor=cast.organiser, task=cast.task, spec=depth_k(runs=("first", "third")))
    assert pools_of_run(first) == ["This run was pooled in pools 1 and 2."]
    assert "for which the organisers chose other runs" in pools_of_run(late)[0]
    pool_freeze(actor=cast.organiser, task=cast.task, spec=depth_k(runs_per_team=1))
    assert "which takes at most 1 run per team, by priority, then by tag." in pools_of_run(third)[-1]
    better = make_valid_run(cast.task, cast.team, "a-first", {"1": ["d"]}, state_changed_at=timezone.now())
    assert "which was frozen before the run was accepted" in pools_of_run(better)[0]


def test_a_withdrawn_run_is_named_with_the_pools_that_keep_its_documents(cast: Cast, runs: list[Run]) -> None:
    Run.objects.filter(tag="third").update(state=Run.WITHDRAWN)
    pool_freeze(actor=cast.organiser, task=cast.task, spec=depth_k())
    Run.objects.filter(tag="first").update(state=Run.WITHDRAWN)
    told = [pools_of_run(run) for run in Run.objects.order_by("tag")]
    assert told == [["This run was pooled in pool 1; its documents stay there."], []]
