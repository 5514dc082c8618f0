"""What only a browser shows: that no script, no htmx and no picture acts for whoever opens a page with an attack in it."""

from collections.abc import Callable
from typing import Any

import pytest

from campaign.models import Role, Task
from tests.browser.sent_pages import pages_of, sent, that_show_every_kind
from tests.security.hostile_world import make_hostile_world
from tests.security.payloads import MARK
from tests.world import World

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


@pytest.fixture
def requests(page: Any) -> list[tuple[str, str]]:
    """Method and address of everything that the browser asks for."""
    asked: list[tuple[str, str]] = []
    page.on("request", lambda request: asked.append((request.method, request.url)))
    return asked


def test_opening_pages_asks_for_nothing_that_a_text_names(
    world: World, live_server: Any, page: Any, sign_in: Callable[..., None], requests: list[tuple[str, str]]
) -> None:
    """Scripts act by classes, states and attributes: the pages that are opened hold each kind of element of all pages."""
    before = Role.objects.count()
    no_pages: set[str] = set()
    seen = [
        sent(answer, role, address)
        for role in ("organiser", "assessor")
        for address, answer in pages_of(world, role, no_pages)
    ]
    opened = that_show_every_kind(seen)
    assert sum(MARK in one.html for one in opened) > 20
    for role in ("organiser", "assessor"):
        sign_in(page, world.user(role))
        for one in [one for one in opened if one.role == role]:
            page.goto(live_server.url + one.address)
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
