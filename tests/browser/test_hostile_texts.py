"""What only a browser shows: that no script, no htmx and no picture acts for whoever opens a page with an attack in it."""

from collections.abc import Callable
from typing import Any

import pytest

from campaign.models import Role, Task
from tests.security.hostile_world import make_hostile_world
from tests.security.payloads import MARK
from tests.world import GET, PUBLIC_ONCE_PUBLISHED, ROLES, ROWS, World

pytestmark = pytest.mark.browser
ATTACK = (
    "<div hx-post='/c/{slug}/people/' hx-trigger='load' hx-include='[name=csrfmiddlewaretoken]' hx-vals='{{}}'>x</div>"
)
PUT_IN = """([place, html]) => {
  document.querySelector(place).insertAdjacentHTML("beforeend", html);
  htmx.process(document.querySelector(place));
}"""


@pytest.fixture
def world(transactional_db: None) -> World:
    return make_hostile_world()


def pages_for(world: World, role: str) -> list[str]:
    """The addresses that answer this role with a whole page."""
    rows = [row for row in ROWS if row.method == GET]
    seen = [row for row in rows if row.name in PUBLIC_ONCE_PUBLISHED or row.expected.split()[ROLES.index(role)] == "ok"]
    return [world.address(row) for row in seen if _is_page(world.ask(row, role))]


def _is_page(answer: Any) -> bool:
    return not answer.streaming and answer.content.lstrip().startswith(b"<!DOCTYPE html")


@pytest.fixture
def requests(page: Any) -> list[tuple[str, str]]:
    """Method and address of everything that the browser asks for."""
    asked: list[tuple[str, str]] = []
    page.on("request", lambda request: asked.append((request.method, request.url)))
    return asked


def test_opening_pages_asks_for_nothing_that_a_text_names(
    world: World, live_server: Any, page: Any, sign_in: Callable[..., None], requests: list[tuple[str, str]]
) -> None:
    before = Role.objects.count()
    for role in ("organiser", "assessor"):
        sign_in(page, world.user(role))
        addresses = pages_for(world, role)
        assert len(addresses) > 20
        for address in addresses:
            page.goto(live_server.url + address)
    foreign = [
        (method, url)
        for method, url in requests
        if method != "GET" or not url.startswith(f"{live_server.url}/") or url.startswith(f"{live_server.url}/{MARK}")
    ]
    assert foreign == []
    assert Role.objects.count() == before


def test_markup_that_got_into_a_page_still_cannot_post(
    world: World, live_server: Any, page: Any, sign_in: Callable[..., None], requests: list[tuple[str, str]]
) -> None:
    """The walls behind the first: attributes put into a live page, outside of texts of users and inside of them."""
    Task.objects.update(guidelines="*Read* this.")
    sign_in(page, world.cast.organiser)
    page.goto(live_server.url + world.cast.task.get_absolute_url())
    attack = ATTACK.format(slug=world.cast.campaign.slug)
    for place in ("main", ".prose"):
        page.evaluate(PUT_IN, [place, attack])
    page.evaluate(PUT_IN, [".prose", "<i hx-get='/c/' hx-trigger='load'>x</i>"])
    page.wait_for_timeout(300)
    assert [method for method, _ in requests if method != "GET"] == []
    assert f"{live_server.url}/c/" not in [url for _, url in requests]
    assert page.evaluate("[htmx.config.allowEval, htmx.config.selfRequestsOnly, htmx.config.historyCacheSize]") == [
        False,
        True,
        0,
    ]
