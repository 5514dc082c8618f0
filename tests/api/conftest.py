from collections.abc import Iterator
from copy import deepcopy

import pytest
from django.core.cache import cache

from tests.api.makers import World, make_world
from tests.conftest import MadeOnce


@pytest.fixture(autouse=True)
def no_requests_counted_yet(db: None) -> None:
    cache.clear()


@pytest.fixture(scope="module")
def world_of_all(made_once: MadeOnce) -> Iterator[World]:
    with made_once(make_world) as world:
        yield world


@pytest.fixture
def world(world_of_all: World, db: None) -> World:
    """What a test changes in the database is gone afterwards; the objects are copies of its own."""
    return deepcopy(world_of_all)
