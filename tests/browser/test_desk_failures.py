"""The desk when the browser, the server or the clock lets it down: no judgment is lost, doubled or held up."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, Route, expect

from judging.models import Judgment
from tests.browser.desk_driver import docnos, expect_saved, grades, press, ready, shown
from tests.factories import Cast, make_cast
from tests.judging.makers import make_assignment, make_subtopics

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

NO_DATABASE = "Object.defineProperty(globalThis, 'indexedDB', { get() { throw new Error('refused'); } });"
FULL_DATABASE = "IDBObjectStore.prototype.add = () => { throw new DOMException('full', 'QuotaExceededError'); };"
SLOW_DATABASE = """
    const listen = IDBTransaction.prototype.addEventListener;
    IDBTransaction.prototype.addEventListener = function (name, heard) {
      listen.call(this, name, name === "complete" ? (event) => setTimeout(heard, 400, event) : heard);
    };
"""
FULL_STORAGE = "Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError'); };"
NO_LOCKS = "Object.defineProperty(Navigator.prototype, 'locks', { get: () => undefined });"

Opener = Callable[..., Page]


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    return make_cast()


def stop_sending(context: BrowserContext) -> None:
    context.route("**/judgments/", lambda route: route.abort())


def send_again(context: BrowserContext) -> None:
    context.unroute("**/judgments/")


def test_a_connection_that_comes_back_during_an_attempt_is_used_at_once(cast: Cast, open_desk: Opener) -> None:
    """After many failures the next attempt is up to a minute away, and the browser tells of the connection once."""
    assignment = make_assignment(cast, docnos(12))
    page = open_desk(assignment)
    held: list[Route] = []
    stop_sending(page.context)
    for _ in range(6):
        press(page, "2")
        page.wait_for_timeout(50)
    expect_saved(page, "saved 0 · pending 6")
    send_again(page.context)
    page.context.route("**/judgments/", lambda route: held.append(route), times=1)
    with page.expect_request("**/judgments/"):
        press(page, "2")
    page.evaluate("dispatchEvent(new Event('online'))")
    held[0].abort()
    expect(page.locator("#desk-saved")).to_have_text("saved 7 · pending 0")


def test_on_a_phone_the_whole_warning_of_a_lost_connection_can_be_read(cast: Cast, open_desk: Opener) -> None:
    page = open_desk(make_assignment(cast, docnos(3)))
    page.set_viewport_size({"width": 390, "height": 844})
    stop_sending(page.context)
    press(page, "2")
    banner = page.locator("#desk-banner")
    expect(banner).to_contain_text("No connection")
    right = "(words) => { const all = new Range(); all.selectNodeContents(words); return all.getBoundingClientRect().right; }"
    assert banner.evaluate(right) <= 390


def test_without_indexeddb_what_is_pending_survives_a_reload(cast: Cast, open_desk: Opener) -> None:
    assignment = make_assignment(cast, docnos(8))
    page = open_desk(assignment, NO_DATABASE)
    stop_sending(page.context)
    for key in "321":
        press(page, key)
    expect_saved(page, "saved 0 · pending 3")
    page.reload()
    ready(page)
    assert shown(page) == "D004"
    expect_saved(page, "saved 0 · pending 3")
    send_again(page.context)
    press(page, "0")
    expect_saved(page, "saved 4 · pending 0")
    assert grades(assignment) == {"D001": 3, "D002": 2, "D003": 1, "D004": 0}
    assert Judgment.objects.count() == 4
    assert page.evaluate("Object.keys(localStorage).filter((key) => key.startsWith('runpool-outbox'))") == []


def test_two_tabs_without_indexeddb_and_locks_lose_nothing(cast: Cast, open_desk: Opener) -> None:
    assignment = make_assignment(cast, docnos(12))
    first = open_desk(assignment, NO_DATABASE, NO_LOCKS)
    second = open_desk(assignment, at=first.context.new_page())
    stop_sending(first.context)
    for _ in range(3):
        press(first, "1")
        press(second, "2")
    assert first.evaluate("Object.keys(localStorage).filter((key) => key.startsWith('runpool-outbox:')).length") == 6
    send_again(first.context)
    press(first, "3")
    expect_saved(first, "saved 4 · pending 0")
    assert Judgment.objects.count() == 7
    assert grades(assignment) == {"D001": 2, "D002": 2, "D003": 2, "D004": 3}


def test_what_a_private_window_brought_into_storage_is_sent_once_indexeddb_is_back(
    cast: Cast, open_desk: Opener, browser: Any
) -> None:
    assignment = make_assignment(cast, docnos(5))
    page = open_desk(assignment)
    act = {
        "uuid": "6f1e7a52-0d6a-4d35-9b0a-0c9c5d0d1f11",
        "docno": "D001",
        "verdict": "graded",
        "grade": 2,
        "judged_at": "2026-01-01T00:00:00.000Z",
    }
    entry = {"assessor": assignment.assessor_id, "assignment": assignment.pk, "act": act}
    page.evaluate(
        """(entry) => {
            entry.url = JSON.parse(document.getElementById("desk-data").textContent).submitUrl;
            localStorage.setItem(`runpool-outbox:${entry.act.judged_at}:${entry.act.uuid}`, JSON.stringify(entry));
        }""",
        entry,
    )
    page.reload()
    ready(page)
    expect_saved(page, "saved 1 · pending 0")
    assert shown(page) == "D002"
    assert grades(assignment) == {"D001": 2}


def test_with_a_full_disk_each_judgment_goes_to_the_server_before_the_next_document(
    cast: Cast, open_desk: Opener
) -> None:
    assignment = make_assignment(cast, docnos(8))
    page = open_desk(assignment, FULL_DATABASE, FULL_STORAGE)
    press(page, "2")
    press(page, "s")
    press(page, "1")
    expect_saved(page, "saved 2 · pending 0")
    assert grades(assignment) == {"D001": 2, "D003": 1}
    stop_sending(page.context)
    page.wait_for_timeout(150)
    page.keyboard.press("3")
    expect(page.locator("#desk-banner")).to_contain_text("It was NOT noted")
    assert shown(page) == "D004"
    send_again(page.context)
    press(page, "3")
    expect_saved(page, "saved 3 · pending 0")
    expect(page.locator("#desk-banner")).to_be_hidden()
    assert grades(assignment) == {"D001": 2, "D003": 1, "D004": 3}


def test_a_note_that_is_begun_while_the_browser_still_stores_a_flag_keeps_the_keys(
    cast: Cast, open_desk: Opener
) -> None:
    assignment = make_assignment(cast, docnos(3))
    page = open_desk(assignment, SLOW_DATABASE)
    page.wait_for_timeout(100)
    for key in "fn":
        page.keyboard.press(key)
    page.keyboard.type("1 of 2, see page 3", delay=50)
    expect(page.locator("#desk-note")).to_have_value("1 of 2, see page 3")
    page.reload()
    ready(page)
    assert shown(page) == "D001"
    expect(page.locator("#desk-note")).to_have_value("1 of 2, see page 3")


def test_a_judgment_that_the_server_fails_on_holds_up_no_other(cast: Cast, open_desk: Opener) -> None:
    assignment = make_assignment(cast, docnos(12))
    page = open_desk(assignment)
    is_reachable = False

    def fail_on_the_second(route: Any) -> None:
        if not is_reachable:
            route.abort()
        elif '"D002"' in (route.request.post_data or ""):
            route.fulfill(status=500, body="")
        else:
            route.continue_()

    page.context.route("**/judgments/", fail_on_the_second)
    for key in "1231":
        press(page, key)
    is_reachable = True
    press(page, "2")
    expect_saved(page, "saved 4 · pending 1")
    assert grades(assignment) == {"D001": 1, "D003": 3, "D004": 1, "D005": 2}
    send_again(page.context)
    press(page, "0")
    expect_saved(page, "saved 6 · pending 0")
    assert Judgment.objects.count() == 6


def test_a_second_tab_follows_what_the_first_one_judges(cast: Cast, open_desk: Opener) -> None:
    assignment = make_assignment(cast, docnos(8))
    first = open_desk(assignment)
    second = open_desk(assignment, at=first.context.new_page())
    press(first, "3")
    press(first, "1")
    expect(second.locator("#desk-undo")).to_have_text("undo 1 on D002")
    expect(second.get_by_role("button", name="3 perfect")).to_have_attribute("aria-pressed", "true")
    press(second, "2")
    assert shown(second) == "D003"
    expect_saved(second, "saved 2 · pending 0")
    assert grades(assignment) == {"D001": 2, "D002": 1}


@pytest.mark.parametrize("hours", [-24, 24])
def test_a_clock_that_is_wrong_or_jumps_by_a_day_keeps_the_order_of_acts(
    cast: Cast, open_desk: Opener, hours: int
) -> None:
    assignment = make_assignment(cast, docnos(6))
    wrong = f"const right = Date.now; globalThis.jump = 0; Date.now = () => right() + {hours * 3_600_000} + globalThis.jump;"
    page = open_desk(assignment, wrong)
    press(page, "3")
    page.evaluate(f"globalThis.jump = {hours * 3_600_000}")
    press(page, "2")
    press(page, "k")
    press(page, "k")
    press(page, "0")
    expect_saved(page, "saved 2 · pending 0")
    assert grades(assignment) == {"D001": 0, "D002": 2}
    first, *_, last = Judgment.objects.order_by("pk")
    assert 0 < (last.judged_at - first.judged_at).total_seconds() < 60
    assert all(abs((one.received_at - one.judged_at).total_seconds()) < 30 for one in Judgment.objects.all())


def test_undo_after_a_reload_takes_back_the_last_judgment_and_keeps_its_note(cast: Cast, open_desk: Opener) -> None:
    assignment = make_assignment(cast, docnos(5))
    page = open_desk(assignment)
    page.fill("#desk-note", "two airships")
    page.keyboard.press("Escape")
    press(page, "3")
    expect_saved(page, "saved 1 · pending 0")
    page.reload()
    ready(page)
    press(page, "u")
    expect_saved(page, "saved 0 · pending 0")
    page.reload()
    ready(page)
    assert shown(page) == "D001"
    expect(page.locator("#desk-note")).to_have_value("two airships")
    press(page, "1")
    expect_saved(page, "saved 1 · pending 0")
    assert Judgment.objects.get(is_current=True).note == "two airships"


@pytest.mark.parametrize("mode", ["binary", "graded", "subtopic"])
def test_a_topic_of_every_mode_is_judged_to_its_end(open_desk: Opener, transactional_db: None, mode: str) -> None:
    cast = make_cast(judging_mode=mode)
    assignment = make_assignment(cast, docnos(4))
    make_subtopics(assignment.topic, ["1", "2"])
    page = open_desk(assignment)
    if mode == "subtopic":
        page.keyboard.press("d")
    for key in "10":
        press(page, key)
    page.wait_for_timeout(100)
    page.keyboard.press("x")
    press(page, "0")  # a reason of one's own
    page.wait_for_timeout(100)
    page.keyboard.press("1")
    expect(page.locator("#document")).to_contain_text("is done: 4 of 4 documents judged")
    expect_saved(page, "saved 4 · pending 0")
    assert grades(assignment) == {"D001": 1, "D002": 0, "D003": None, "D004": 1}
    expected = {"1": 0, "2": 1} if mode == "subtopic" else {}
    assert Judgment.objects.get(docno="D001", is_current=True).details == expected
    assignment.refresh_from_db()
    assert assignment.finished_at is not None
