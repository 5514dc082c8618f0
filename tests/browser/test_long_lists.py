"""Pages with a row for each topic: nothing goes sideways, and the filter works by keyboard, in place."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.test import TestCase
from playwright.sync_api import expect

from campaign.models import Task
from tests.browser.chromium import ARGUMENTS, CHROMIUM
from tests.factories import Cast
from tests.long_lists import make_own_topics, make_scored_topics

pytestmark = pytest.mark.browser
WIDTHS = (1280, 390)


@pytest.fixture
def task(cast: Cast, transactional_db: None) -> Task:
    made = make_scored_topics(cast, 25, TestCase.captureOnCommitCallbacks)
    make_own_topics(cast, ["1"])
    return made


def test_the_filter_of_a_long_list_works_by_keyboard_and_nothing_goes_sideways(
    task: Task, cast: Cast, live_server: Any, page: Any, sign_in: Callable[..., None]
) -> None:
    _filters(page, live_server.url + task.url("leaderboard_topics", number=1))
    _filters(page, live_server.url + task.url("leaderboard_run", number=1, tag="moves"))
    sign_in(page, cast.organiser)
    _filters(page, live_server.url + task.url("qrels_detail", version=1))
    _filters(page, live_server.url + task.url("topic_list"))
    sign_in(page, cast.assessor)
    _filters(page, live_server.url + task.url("my_topics"))


def test_a_phone_shows_the_difference_of_two_runs_beside_its_topic(task: Task, live_server: Any, page: Any) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(live_server.url + task.url("leaderboard_compare", number=1) + "?a=moves&b=still&measure=AP")
    row = page.locator("#listed tbody tr").first
    values = row.locator(".below-score")
    expect(values).to_have_text(re.compile(r"a \d\.\d{4}\s+b \d\.\d{4}"))
    for cell in (row.locator("th"), row.locator("bdi"), values):
        box = cell.bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 390
    page.set_viewport_size({"width": 1280, "height": 844})
    expect(values).to_be_hidden()
    expect(page.locator("#listed thead .beside-score")).to_have_text(["moves", "still"])


def test_letters_of_twice_their_size_do_not_make_a_page_wider_than_the_screen(
    task: Task, live_server: Any, browser: Any
) -> None:
    addresses = [
        live_server.url + task.url(name, number=1, **named)
        for name, named in (
            ("leaderboard_detail", {}),
            ("leaderboard_compare", {}),
            ("leaderboard_run", {"tag": "moves"}),
        )
    ]
    setting = "--blink-settings=defaultFontSize=32"
    large = browser.browser_type.launch(executable_path=str(CHROMIUM), args=[*ARGUMENTS, setting])
    try:
        page = large.new_page()
        for address in addresses:
            for width in WIDTHS:
                page.set_viewport_size({"width": width, "height": 844})
                page.goto(address)
                assert page.evaluate("getComputedStyle(document.documentElement).fontSize") == "32px"
                assert page.evaluate("document.documentElement.scrollWidth") == width, (address, width)
    finally:
        large.close()
    page = browser.new_page(viewport={"width": 1280, "height": 844})
    for address in addresses:
        page.goto(address)
        page.evaluate("document.documentElement.style.fontSize = '200%'; dispatchEvent(new Event('resize'))")
        assert page.evaluate("document.documentElement.scrollWidth") == 1280, address
    page.close()


def _filters(page: Any, address: str) -> None:
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 844})
        page.goto(address)
        page.evaluate("window.isTheSamePage = true")
        rows, search = page.locator("#listed tbody th[scope=row]"), page.locator("#topic-search")
        expect(page.locator("#listed caption")).to_contain_text("25 topics")
        search.focus()
        page.keyboard.type("23")
        expect(rows).to_have_count(1)
        expect(page.locator("#announcement")).to_have_text("1 of 25 topics matches.")
        assert "search=23" in page.url
        assert page.evaluate("[document.activeElement.id, isTheSamePage]") == ["topic-search", True]
        assert page.evaluate("document.documentElement.scrollWidth") == width
        if page.locator("#measure-kept").count():
            expect(page.locator("#measure-kept input[name=search]")).to_have_value("23")
        page.keyboard.type(" nowhere")
        page.keyboard.press("Enter")
        expect(page.locator("#listed .empty-title")).to_have_text("No topic matches")
        assert page.evaluate("[document.activeElement.id, isTheSamePage]") == ["topic-search", True]
        assert page.evaluate("document.documentElement.scrollWidth") == width
        page.get_by_role("link", name="Remove the filter").press("Enter")
        expect(search).to_have_value("")
        expect(page.locator("#listed caption")).to_contain_text("25 topics")
