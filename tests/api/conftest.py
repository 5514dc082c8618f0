from collections.abc import Iterator
from copy import deepcopy

import pytest
from django.conf import LazySettings
from django.core.cache import cache, caches

from tests.api.makers import World, make_world
from tests.conftest import MadeOnce


@pytest.fixture(autouse=True)
def no_requests_counted_yet(db: None, settings: LazySettings) -> None:
    """Counted in memory: in the table of a site without Redis, limits take an eighth of the time.

    In that table count test_refusals.py and tests/campaign/web/test_cache.py.
    """
    in_memory = {"BACKEND": "django.core.cache.backends.locmem.LocMemCache", "LOCATION": "counts"}
    settings.CACHES = {**settings.CACHES, "default": in_memory}
    cache.clear()


@pytest.fixture(scope="module")
def world_of_all(made_once: MadeOnce) -> Iterator[World]:
    with made_once(make_world) as world:
        yield world


@pytest.fixture
def world(world_of_all: World, db: None) -> World:
    """The rows of a world that is made once for the module; what a test does is taken back, also from what processes remember."""
    caches["bulk"].clear()
    return deepcopy(world_of_all)
