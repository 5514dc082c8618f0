"""The desk for pairs in the browser: by keys alone, without a connection, and in two tabs."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from campaign.models import Document, Task
from judging.models import PreferenceAct, PreferenceAssignment
from judging.preferences.selectors import standing_of
from tests.browser.killed_browser import KilledBrowser
from tests.evaluation.makers import make_qrels
from tests.factories import Cast, make_cast, make_collection, make_topics
from tests.judging.preferences.makers import by_docno, make_comparison

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

DOCNOS = [f"D{number}" for number in range(1, 7)]
KEYS = {"left": "1", "right": "3"}
SHOWN = "[data-side=left] [data-docno]", "[data-side=right] [data-docno]"


@pytest.fixture
def comparison(transactional_db: None) -> PreferenceAssignment:
    cast: Cast = make_cast()
    [topic] = make_topics(cast.task, ["401"])
    make_collection(cast.task, DOCNOS)
    make_qrels(cast.task, {"401": dict.fromkeys(DOCNOS, 3)}, cast.organiser)
    return make_comparison(cast, topic, DOCNOS, control_percent=10)


@pytest.fixture
def desk(page: Page, sign_in: Callable[[Any, Any], None], live_server: Any, comparison: PreferenceAssignment) -> Page:
    sign_in(page, comparison.assessor)
    page.goto(live_server.url + comparison.qrels.task.url("preference_desk", topic_number="401"))
    return ready(page)


def ready(page: Page) -> Page:
    page.wait_for_selector("html[data-desk=ready]")
    return page


def shown(page: Page) -> tuple[str, str]:
    left, right = (page.get_attribute(side, "data-docno") or "" for side in SHOWN)
    return left, right


def answer(page: Page) -> tuple[str, str]:
    """Press the key of the better document, when the pair has been there long enough not to count as a bounce."""
    pair = shown(page)
    page.wait_for_timeout(100)
    page.keyboard.press(KEYS[by_docno(*pair)])
    page.wait_for_function(
        "([sides, before]) => sides.map((at) => document.querySelector(at)?.dataset.docno).join() !== before",
        arg=[list(SHOWN), ",".join(pair)],
    )
    return pair


def expect_saved(page: Page, count: int) -> None:
    expect(page.locator("#desk-saved")).to_have_text(f"saved {count} · pending 0", timeout=15_000)


def test_a_topic_is_put_in_order_by_keys_and_undo_shows_the_pair_again(
    desk: Page, comparison: PreferenceAssignment
) -> None:
    first = answer(desk)
    expect_saved(desk, 1)
    desk.keyboard.press("u")
    expect(desk.locator(f"{SHOWN[0]}[data-docno={first[0]}]")).to_be_visible()
    expect_saved(desk, 0)
    while desk.locator(SHOWN[0]).count():
        answer(desk)
        desk.wait_for_selector(f"{SHOWN[0]}, .desk-done .buttons")
    expect(desk.locator(".desk-done h2")).to_have_text("Topic 401 is done: its documents are in order.")
    expect(desk.locator("#pair-count")).to_have_text("done")
    assert standing_of(comparison).state.levels == tuple((docno,) for docno in DOCNOS)
    assert PreferenceAct.objects.filter(input_method="key", active_ms__gt=0).exists()


@pytest.mark.parametrize("shown_as", [Task.PAGE, Task.FRAME])
def test_each_pair_is_shown_as_the_task_says_and_keys_arrive_from_a_frame(
    page: Page,
    sign_in: Callable[[Any, Any], None],
    live_server: Any,
    comparison: PreferenceAssignment,
    shown_as: str,
) -> None:
    Document.objects.update(text="<p>Boil <b>eggs</b></p>" * 50)
    Task.objects.update(documents_shown_as=shown_as)
    sign_in(page, comparison.assessor)
    page.goto(live_server.url + comparison.qrels.task.url("preference_desk", topic_number="401"))
    ready(page)
    for count in range(1, 4):
        answer(page)
        expect_saved(page, count)
        for side in SHOWN:
            if shown_as == Task.FRAME:
                framed = page.frame_locator(f"{side} iframe")
                expect(framed.locator("b").first).to_have_text("eggs")
                framed.locator("b").first.click()
            else:
                expect(page.locator(f"{side} b").first).to_be_visible()
    assert PreferenceAct.objects.count() == 3


def test_answers_wait_without_a_connection_survive_a_reload_and_are_sent_once(
    desk: Page, comparison: PreferenceAssignment
) -> None:
    desk.wait_for_load_state("networkidle")
    desk.context.route("**/answers/", lambda route: route.abort())
    pairs = [answer(desk), answer(desk)]
    expect(desk.locator("#desk-saved")).to_have_text("saved 0 · pending 2")
    assert not PreferenceAct.objects.exists()
    desk.on("dialog", lambda dialog: dialog.accept())
    desk.reload()
    ready(desk)
    expect(desk.locator("#desk-saved")).to_have_text("saved 0 · pending 2")
    pairs.append(answer(desk))
    desk.context.unroute("**/answers/")
    desk.evaluate("dispatchEvent(new Event('online'))")
    expect_saved(desk, 3)
    desk.wait_for_selector(SHOWN[0])
    assert list(standing_of(comparison).answers) == pairs
    assert PreferenceAct.objects.count() == 3
    assert shown(desk) == standing_of(comparison).state.open[0]


@pytest.fixture
def killed(browser: Any, tmp_path: Path) -> Iterator[KilledBrowser]:
    own = KilledBrowser(browser.browser_type, tmp_path / "profile")
    yield own
    own.context.close()


def test_answers_and_an_undo_survive_a_browser_that_is_killed_and_arrive_once(
    killed: KilledBrowser,
    sign_in: Callable[[Any, Any], None],
    live_server: Any,
    comparison: PreferenceAssignment,
) -> None:
    address = live_server.url + comparison.qrels.task.url("preference_desk", topic_number="401")

    def start(*, connected: bool) -> Page:
        page = killed.start()
        sign_in(page, comparison.assessor)
        if not connected:
            page.context.route("**/answers/", lambda route: route.abort())
        page.goto(address)
        return ready(page)

    page = start(connected=False)
    page.wait_for_load_state("networkidle")
    pairs = [answer(page), answer(page)]
    expect(page.locator("#desk-saved")).to_have_text("saved 0 · pending 2")
    killed.kill()
    page = start(connected=False)
    expect(page.locator("#desk-saved")).to_have_text("saved 0 · pending 2")
    page.keyboard.press("u")
    expect(page.locator("#desk-saved")).to_have_text("saved 0 · pending 3")
    pairs.append(answer(page))
    expect(page.locator("#desk-saved")).to_have_text("saved 0 · pending 4")
    killed.kill()
    assert not PreferenceAct.objects.exists()
    page = start(connected=True)
    expect_saved(page, 2)
    assert PreferenceAct.objects.count() == 4
    assert pairs[2] == pairs[1]
    assert list(standing_of(comparison).answers) == [pairs[0], pairs[2]]
    page.wait_for_selector(SHOWN[0])
    assert shown(page) == standing_of(comparison).state.open[0]


def test_two_tabs_go_on_from_each_others_answers(desk: Page, comparison: PreferenceAssignment) -> None:
    other = desk.context.new_page()
    other.goto(desk.url)
    ready(other)
    pair = answer(other)
    expect_saved(desk, 1)
    desk.wait_for_function(
        "([at, left, right]) => document.querySelector(at[0])?.dataset.docno !== left"
        " || document.querySelector(at[1])?.dataset.docno !== right",
        arg=[list(SHOWN), *pair],
    )
    assert shown(desk) == shown(other) == standing_of(comparison).state.open[0]
