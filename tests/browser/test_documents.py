"""Hostile documents at the desk, in each way of showing them: nothing runs, nothing is asked for, and every key arrives."""

import socket
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from campaign.models import Document, Task
from judging.models import Judgment
from tests.browser.desk_driver import expect_saved, press, ready
from tests.campaign.formats.hostile_pages import HOSTILE_PAGES, MARK
from tests.factories import make_cast
from tests.judging.makers import make_assignment

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
LONG = "<h1>Eggs</h1>" + "".join(f"<p>paragraph {number} about a title</p>" for number in range(60))

AT_END = """() => {
  const pane = document.getElementById("document");
  return pane.scrollTop + pane.clientHeight > pane.scrollHeight - 5;
}"""


class Elsewhere:
    """Another host: it never answers, but knows whether anybody connected."""

    def __init__(self) -> None:
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.socket.setblocking(False)
        self.address = f"http://127.0.0.1:{self.socket.getsockname()[1]}"

    def was_asked(self) -> bool:
        try:
            self.socket.accept()
        except BlockingIOError:
            return False
        return True


@pytest.fixture
def elsewhere() -> Iterator[Elsewhere]:
    host = Elsewhere()
    yield host
    host.socket.close()


@pytest.mark.parametrize("shown_as", Task.DISPLAYS)
def test_nothing_of_a_hostile_document_runs_or_is_asked_for(
    shown_as: str, page: Page, sign_in: Callable[[Any, Any], None], live_server: Any, elsewhere: Elsewhere
) -> None:
    cast = make_cast()
    assignment = make_assignment(cast, [f"D{number:02}" for number in range(len(HOSTILE_PAGES) + 1)])
    for document, text in zip(Document.objects.order_by("docno"), [LONG, *HOSTILE_PAGES.values()], strict=True):
        Document.objects.filter(pk=document.pk).update(text=text.replace(f"http://{MARK}", elsewhere.address))
    Task.objects.update(documents_shown_as=shown_as)
    sign_in(page, assignment.assessor)
    desk_url = live_server.url + cast.task.url("desk", topic_number="401")
    page.goto(desk_url)
    ready(page)
    for _ in HOSTILE_PAGES:
        press(page, "2")
    expect_saved(page, f"saved {len(HOSTILE_PAGES)} · pending 0")
    page.wait_for_timeout(300)
    assert not elsewhere.was_asked()
    assert page.url.startswith(desk_url)
    assert Judgment.objects.filter(text_sha256="").count() == 0


def test_a_sanitised_page_has_its_words_marked(
    page: Page, sign_in: Callable[[Any, Any], None], live_server: Any
) -> None:
    open_long(page, sign_in, live_server, Task.PAGE)
    assert page.locator(".document-page h3").inner_text() == "Eggs"
    assert page.locator(".document-page mark").count() == 60
    page.keyboard.press("h")
    expect(page.locator("#desk-hits")).to_have_text("1 of 61 of the topic")


def test_whoever_clicks_into_a_raw_page_goes_on_by_key_and_scrolls_to_its_end(
    page: Page, sign_in: Callable[[Any, Any], None], live_server: Any
) -> None:
    open_long(page, sign_in, live_server, Task.FRAME)
    frame = page.frames[-1]
    # The frame's document is replaced while it loads: until then it may have no root element.
    frame.get_by_text("paragraph 59 ").wait_for(state="attached")
    assert frame.evaluate("[self.origin, document.documentElement.scrollHeight <= innerHeight]") == ["null", True]
    page.mouse.click(500, 400)
    page.wait_for_function("() => document.activeElement.id === 'document'")
    page.keyboard.press("End")
    page.wait_for_function(AT_END)
    press(page, "3")
    expect_saved(page, "saved 1 · pending 0")


def open_long(page: Page, sign_in: Callable[[Any, Any], None], live_server: Any, shown_as: str) -> None:
    cast = make_cast()
    assignment = make_assignment(cast, ["D1", "D2"])
    Document.objects.update(text=LONG)
    Task.objects.update(documents_shown_as=shown_as)
    sign_in(page, assignment.assessor)
    page.goto(live_server.url + cast.task.url("desk", topic_number="401"))
    ready(page)
