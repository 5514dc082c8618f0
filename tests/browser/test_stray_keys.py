"""Who types outside a field at the desk grades nothing, and is told so; keys that have a meaning are left alone."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from campaign.models import Document, Task, User
from judging.models import Assignment, Judgment
from tests.browser.desk_driver import SHOWN, docnos, expect_saved, grades, press, shown
from tests.factories import Cast, make_cast
from tests.judging.makers import make_assignment

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    return make_cast()


def test_what_is_typed_after_a_letter_that_does_nothing_is_no_grade_and_says_so(
    cast: Cast, open_desk: Callable[[Assignment], Page]
) -> None:
    assignment = make_assignment(cast, docnos(3))
    page = open_desk(assignment)
    page.wait_for_timeout(200)
    page.keyboard.type("q3sx0")
    assert shown(page) == "D001"
    expect(page.locator(".desk-line")).to_contain_text("no grade was stored")
    page.wait_for_timeout(1_100)
    press(page, "2")
    expect_saved(page, "saved 1 · pending 0")
    assert grades(assignment) == {"D001": 2}


def test_who_still_presses_the_earlier_key_of_the_note_grades_nothing_and_is_told_the_new_one(
    cast: Cast, open_desk: Callable[[Assignment], Page]
) -> None:
    page = open_desk(make_assignment(cast, docnos(3)))
    page.wait_for_timeout(200)
    page.keyboard.type("m3 airships")
    assert shown(page) == "D001"
    expect(page.locator(".desk-line")).to_contain_text("The note is at n.")
    assert not Judgment.objects.exists()
    page.wait_for_timeout(1_100)
    page.keyboard.type("q3")
    expect(page.locator(".desk-line")).not_to_contain_text("The note is at")


@pytest.mark.parametrize("letter", ["u", "p", "o", "c", "v"])
def test_letters_of_commands_that_are_not_offered_now_are_not_stray(
    cast: Cast, open_desk: Callable[[Assignment], Page], letter: str
) -> None:
    """The last is one that the assessor has chosen for the full text, which this task does not have."""
    assignment = make_assignment(cast, docnos(3))
    Task.objects.update(assessors_add_documents=False)
    if letter == "v":
        User.objects.filter(pk=cast.assessor.pk).update(desk_keys={"full": "v"})
        cast.assessor.refresh_from_db()
    page = open_desk(assignment)
    page.wait_for_timeout(200)
    page.keyboard.press(letter)
    press(page, "2")
    expect_saved(page, "saved 1 · pending 0")


def test_commands_among_stray_letters_do_not_prolong_the_lock_and_the_search_is_always_open(
    cast: Cast, open_desk: Callable[[Assignment], Page]
) -> None:
    page = open_desk(make_assignment(cast, docnos(3)))
    page.wait_for_timeout(200)
    page.keyboard.press("q")
    page.wait_for_timeout(700)
    page.keyboard.press("f")
    page.wait_for_timeout(500)
    press(page, "2")
    expect_saved(page, "saved 1 · pending 0")
    page.keyboard.press("q")
    page.keyboard.press("/")
    expect(page.locator("#desk-words")).to_be_focused()


def test_in_a_dialog_no_key_is_taken_for_typing(cast: Cast, open_desk: Callable[[Assignment], Page]) -> None:
    Task.objects.update(cannot_judge_reasons="not my language")
    page = open_desk(make_assignment(cast, docnos(3)))
    page.wait_for_timeout(200)
    page.keyboard.press("x")
    expect(page.locator("#cannot-judge-reasons")).to_be_visible()
    page.keyboard.press("q")
    page.keyboard.press("1")
    expect(page.locator(SHOWN)).to_have_attribute("data-docno", "D002")
    expect_saved(page, "saved 1 · pending 0")


def test_the_sentence_about_stray_letters_is_seen_and_leaves_the_text_where_it_is(
    cast: Cast, open_desk: Callable[[Assignment], Page]
) -> None:
    assignment = make_assignment(cast, docnos(2))
    Document.objects.update(text="\n".join(f"line {number}" for number in range(1, 400)))
    page = open_desk(assignment)
    page.evaluate("document.getElementById('document').scrollTop = 3000")
    page.wait_for_timeout(200)
    at = """() => { const pane = document.getElementById("document").getBoundingClientRect();
      const range = document.caretRangeFromPoint(pane.x + pane.width / 2, pane.y + pane.height / 2);
      return [range.startContainer.data.slice(range.startOffset).split("\\n")[0], range.getBoundingClientRect().y]; }"""
    before = page.evaluate(at)
    page.keyboard.type("q2")
    expect(page.locator(".desk-line")).to_be_in_viewport()
    assert page.evaluate("document.getElementById('document').scrollTop") >= 3_000
    assert page.evaluate(at) == before


def test_pages_that_say_nothing_of_stray_letters_take_every_key(
    cast: Cast, open_page: Callable[[Any, str], Page]
) -> None:
    page = open_page(cast.assessor, "/")
    page.evaluate("""() => { const button = document.createElement("button");
      button.setAttribute("aria-keyshortcuts", "2");
      button.textContent = "two";
      button.addEventListener("click", () => { document.title = "pressed"; });
      document.querySelector("main").append(button); }""")
    page.keyboard.type("q2")
    expect(page).to_have_title("pressed")
