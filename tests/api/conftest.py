from collections.abc import Iterator
from copy import deepcopy

import pytest
from django.core.cache import cache

from tests.api.makers import World, make_world
from tests.conftest import MadeOnce


@pytest.fixture(autouse=True)
def no_requests_counted_yet(db: None) -> None:
    cache.clear()


@pytest.fixture
def world(db: None) -> World:
    return make_world()


@pytest.fixture(scope="module")
def world_of_all(made_once: MadeOnce) -> Iterator[World]:
    with made_once(make_world) as world:
        yield world


@pytest.fixture
def one_world(world_of_all: World, db: None) -> World:
    """The rows of a world that is made once for the module, for many tests that judge nothing.

    What a process remembers of judgments outlives the rows of a test that is over.
    """
    return deepcopy(world_of_all)
