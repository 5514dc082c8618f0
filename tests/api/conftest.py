import pytest
from django.core.cache import cache

from tests.api.makers import World, make_world


@pytest.fixture(autouse=True)
def no_requests_counted_yet(db: None) -> None:
    cache.clear()


@pytest.fixture
def world(db: None) -> World:
    return make_world()
