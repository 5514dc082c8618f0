"""What is registered goes all the way with its defaults: form, preview, freezing."""

import pytest
from django.test import Client

from pooling.core.preview.exactness import PoolReach
from pooling.core.strategies.registry import STRATEGIES
from pooling.core.strategies.spec import PoolSpec
from pooling.models import Pool
from pooling.services.pools import pool_freeze
from tests.factories import Cast, make_topics
from tests.pooling.makers import make_valid_run
from tests.pooling.test_pool_pages import page, words

pytestmark = pytest.mark.django_db


@pytest.fixture
def with_runs(cast: Cast, client: Client) -> Cast:
    make_topics(cast.task, ["1", "2"])
    make_valid_run(cast.task, cast.team, "alpha", {"1": list("abcdefghij"), "2": ["x"]})
    make_valid_run(cast.task, cast.other_team, "beta", {"1": list("jkbla")}, priority=2)
    client.force_login(cast.organiser)
    return cast


def test_every_strategy_freezes_the_pool_that_its_preview_counted(with_runs: Cast, client: Client) -> None:
    for name, method in STRATEGIES.items():
        response = client.get(page(with_runs, "pool_create"), {"strategy": name, "order": "random"})
        assert response.status_code == 200, name
        assert method.label in words(response)
        preview = response.context["preview"]
        frozen = pool_freeze(actor=with_runs.organiser, task=with_runs.task, spec=preview.spec)
        assert (frozen.strategy, frozen.size) == (name, preview.figures.total)
        assert frozen.reach == PoolReach(preview.figures.judged_whole, method.sampling)
        assert client.get(frozen.get_absolute_url()).status_code == 200
    assert Pool.objects.count() == len(STRATEGIES)


def test_an_optional_setting_may_stay_empty(with_runs: Cast, client: Client) -> None:
    for query in ({"strategy": "depth-k", "depths": ""}, {"strategy": "budget", "size": ""}):
        preview = client.get(page(with_runs, "pool_create"), {**query, "runs_per_team": ""}).context["preview"]
        assert preview.spec == PoolSpec.with_defaults(query["strategy"]).ordered_by(with_runs.task.ordering)


@pytest.mark.parametrize(("total", "whole"), [(4, 1), (11, 7), (100, 10)])
def test_the_page_of_a_frozen_pool_names_the_depth_that_it_holds_as_drawn(
    with_runs: Cast, client: Client, total: int, whole: int
) -> None:
    spec = PoolSpec.with_defaults("budget", {"total": total})
    preview = words(client.get(page(with_runs, "pool_preview"), {"strategy": "budget", "total": str(total)}))
    frozen = pool_freeze(actor=with_runs.organiser, task=with_runs.task, spec=spec)
    assert frozen.reach == PoolReach(whole)
    for told in (preview, words(client.get(frozen.get_absolute_url()))):
        assert f"Once all are judged, P@{whole}, RR@{whole}" in told


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"strategy": "depth-k", "depth": "2"}, None),
        ({"strategy": "rrf", "size": "50"}, "As drawn, the pool holds every pooled run to depth 10."),
        ({"strategy": "rrf", "size": "1"}, "As drawn, the pool does not hold the first document of every pooled run."),
        ({"strategy": "budget", "total": "4"}, "As drawn, the pool holds every pooled run to depth 1."),
    ],
)
def test_the_preview_tells_to_which_depth_the_pool_holds_all_runs(
    with_runs: Cast, client: Client, settings: dict[str, str], told: str | None
) -> None:
    text = words(client.get(page(with_runs, "pool_preview"), settings))
    assert told in text if told else "As drawn" not in text
