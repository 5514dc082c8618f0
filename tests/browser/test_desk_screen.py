"""What stands beside and around the document at the desk: subtopics after the grade, passages, folds, and the own list."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from campaign.models import Document, Task, Topic
from judging.models import Assignment, Judgment
from tests.browser.desk_driver import SHOWN, docnos, expect_saved, press, ready, shown
from tests.factories import Cast, make_cast
from tests.judging.makers import judge, make_assignment, make_subtopics

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    return make_cast()


@pytest.fixture
def open_desk(open_desk: Callable[[Assignment], Page]) -> Callable[[Assignment], Page]:
    def opened(assignment: Assignment) -> Page:
        page = open_desk(assignment)
        page.wait_for_timeout(100)
        return page

    return opened


def test_after_the_grade_the_document_stays_for_its_subtopics_and_the_same_grade_goes_on(
    cast: Cast, open_desk: Callable[[Assignment], Page]
) -> None:
    assignment = make_assignment(cast, docnos(3))
    Task.objects.update(judging_mode="subtopic", subtopics_after_grade=True)
    make_subtopics(assignment.topic, ["1", "2"])
    page = open_desk(assignment)
    page.keyboard.press("2")
    expect_saved(page, "saved 1 · pending 0")
    assert shown(page) == "D001"
    page.keyboard.press("d")
    expect(page.locator("input[name=subtopic][value='2']")).to_be_checked()
    press(page, "2")
    expect_saved(page, "saved 1 · pending 0")
    page.wait_for_timeout(100)
    page.keyboard.press("3")
    expect_saved(page, "saved 2 · pending 0")
    page.keyboard.press("3")
    expect(page.locator(".desk-line")).to_contain_text("no subtopic is ticked")
    page.keyboard.press("t")
    expect(page.locator(SHOWN)).to_have_attribute("data-docno", "D003")
    current = Judgment.objects.filter(is_current=True).order_by("docno")
    assert [(one.grade, one.details) for one in current] == [(2, {"1": 0, "2": 1}), (3, {"1": 0, "2": 0})]
    assert Judgment.objects.filter(docno="D001").count() == 2


def test_a_passage_is_shown_first_where_organisers_want_it_and_each_judgment_says_what_was_read(
    cast: Cast, open_desk: Callable[[Assignment], Page]
) -> None:
    assignment = make_assignment(cast, docnos(4))
    Task.objects.update(passage_first=True)
    far = "Nothing to see here.\n" * 2_000 + "the title of an airship\n" + "Nothing to see here.\n" * 2_000
    Document.objects.filter(docno__in=["D001", "D002"]).update(text=far)
    page = open_desk(assignment)
    text = page.locator("#document .document-text")
    assert "airship" in (text.text_content() or "")
    assert len(text.text_content() or "") < 5_000
    press(page, "1")
    page.keyboard.press("p")
    assert len(text.text_content() or "") > 80_000
    press(page, "1")
    press(page, "1")
    expect_saved(page, "saved 3 · pending 0")
    extents = dict(Judgment.objects.values_list("docno", "extent"))
    assert extents == {"D001": "passage", "D002": "full", "D003": "full"}


def test_list_and_folds_by_key_and_on_a_small_screen(cast: Cast, open_desk: Callable[[Assignment], Page]) -> None:
    assignment = make_assignment(cast, docnos(5))
    Task.objects.update(guidelines="Read all of it.\n\n" * 30)
    judge(assignment, "D004", 2, note="a Zeppelin")
    page = open_desk(assignment)
    page.keyboard.press("i")
    expect(page.locator("#desk-guidelines")).to_have_attribute("open", "")
    page.keyboard.press("l")
    expect(page.locator("#own-lines li")).to_have_count(5)
    with page.expect_response(
        lambda answer: "zeppelin" in answer.url
    ):  # where typing is slow, parts are asked for before
        page.keyboard.type("zeppelin")
    expect(page.locator(".htmx-request, .htmx-swapping, .htmx-settling")).to_have_count(0)
    expect(page.locator("#own-lines li")).to_have_count(1)
    expect(page.locator("#desk-list-said")).to_contain_text("1 document")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    line = page.locator("#own-lines [data-docno=D004]")
    expect(line).to_be_focused()
    page.locator("#own-form").dispatch_event("submit")  # an answer comes late: the focus stays where it is
    expect(page.locator(".htmx-request, .htmx-swapping, .htmx-settling")).to_have_count(0)
    expect(line).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator(SHOWN)).to_have_attribute("data-docno", "D004")
    expect(page.locator("#desk-list")).to_be_hidden()
    expect(page.locator("#document")).to_be_focused()
    page.reload()
    ready(page)
    expect(page.locator("#desk-guidelines")).to_have_attribute("open", "")
    page.set_viewport_size({"width": 320, "height": 256})
    assert page.evaluate("document.documentElement.scrollWidth") == 320
    for name in ("cannot judge", "flag", "skip"):
        command = page.get_by_role("button", name=name, exact=True)
        assert command.evaluate("(one) => one.scrollWidth <= one.clientWidth"), f"{name} is cut off"
    page.keyboard.press("n")
    expect(page.locator("#desk-note")).to_be_focused()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Topic", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_be_in_viewport()


@pytest.mark.parametrize(("width", "height"), [(320, 256), (390, 500)])
def test_nothing_that_has_the_focus_is_behind_the_grades(
    cast: Cast, open_desk: Callable[[Assignment], Page], width: int, height: int
) -> None:
    assignment = make_assignment(cast, docnos(2))
    Task.objects.update(judging_mode="subtopic")
    make_subtopics(assignment.topic, ["1", "2", "3"])
    page = open_desk(assignment)
    page.set_viewport_size({"width": width, "height": height})
    covered = (Path(__file__).parent / "covered_focus.js").read_text()
    for key in ("Tab", "Shift+Tab"):
        page.locator("#document").focus()
        for _ in range(20):
            page.keyboard.press(key)
            assert page.evaluate(covered) == "", key


def test_what_the_own_list_asks_for_takes_no_focus_away(cast: Cast, open_desk: Callable[[Assignment], Page]) -> None:
    assignment = make_assignment(cast, docnos(5))
    judge(assignment, "D004", 2, note="a Zeppelin")
    page = open_desk(assignment)
    page.keyboard.press("l")
    expect(page.locator("#own-lines li")).to_have_count(5)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    with page.expect_response(lambda answer: "zeppelin" in answer.url):
        page.keyboard.type("zeppelin")
    expect(page.locator("#own-lines li")).to_have_count(1)
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    expect(page.locator("#own-lines [data-docno=D004]")).to_be_focused()
    page.evaluate("""document.getElementById("own-text").value = "nothing has these words" """)
    page.locator("#own-form").dispatch_event("submit")
    expect(page.locator("#own-lines li")).to_have_count(0)
    expect(page.locator("#own-text")).to_be_focused()
    assert len([url for url in asked if url.endswith("text=zeppelin")]) == 1, "leaving the field asked again"


@pytest.mark.parametrize(("width", "height"), [(390, 844), (320, 640)])
def test_on_a_phone_none_is_seen_however_many_subtopics_there_are(
    cast: Cast, open_desk: Callable[[Assignment], Page], width: int, height: int
) -> None:
    assignment = make_assignment(cast, docnos(2))
    Task.objects.update(judging_mode="subtopic")
    make_subtopics(assignment.topic, [str(number) for number in range(1, 11)])
    assignment.topic.subtopics.update(text="A subtopic that is told in many more words than a phone is wide")
    page = open_desk(assignment)
    page.set_viewport_size({"width": width, "height": height})
    assert page.evaluate("document.documentElement.scrollWidth") == width
    page.locator(".subtopic-toggle").first.click()
    expect(page.get_by_role("checkbox", checked=True)).to_have_count(1)
    none = page.get_by_role("button", name="none of the subtopics")
    box = none.bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)  # where it is, without scrolling to it
    expect(page.get_by_role("checkbox", checked=True)).to_have_count(0)
    last = page.locator(".subtopic-toggle").last
    last.click()
    expect(last.locator("input")).to_be_checked()


def test_on_a_phone_all_subtopics_and_the_first_lines_of_the_topic_are_seen_and_the_page_never_goes_sideways(
    cast: Cast, open_desk: Callable[[Assignment], Page]
) -> None:
    assignment = make_assignment(cast, docnos(2))
    Task.objects.update(judging_mode="subtopic")
    make_subtopics(assignment.topic, ["1", "2", "3"])
    assignment.topic.subtopics.update(text="A subtopic that is told in many more words than a phone is wide")
    Topic.objects.update(description="What a long topic asks for. " * 30)
    page = open_desk(assignment)
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    *toggles, none = page.locator(".subtopic-toggle, [data-answers-none]").all()
    assert len(toggles) == 3
    for control in (*toggles, none):
        box = control.bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 390, "a swipe is needed"
        assert box["y"] + box["height"] <= 844
    begins = page.locator(".topic-begins")
    expect(begins).to_have_attribute("aria-hidden", "true")
    expect(begins).to_be_visible()
    assert begins.bounding_box()["height"] < 60, "the document is pushed away"
    page.locator("#desk-topic-fold > summary").click()
    expect(page.get_by_text("What a long topic asks for.").last).to_be_visible()
    expect(begins).to_be_hidden()
