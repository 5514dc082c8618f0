"""The desk as assessors use it: by key, without a connection, over a reload."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from campaign.models import Document, Topic
from judging.models import Assignment, Judgment
from tests.browser.desk_driver import docnos, expect_saved, grades, press, ready, shown
from tests.factories import Cast, make_cast
from tests.judging.makers import judge, make_assignment, make_subtopics

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    return make_cast()


def test_ten_documents_by_key_are_ten_rows(cast: Cast, open_desk: Callable[[Assignment], Page]) -> None:
    assignment = make_assignment(cast, docnos(12))
    page = open_desk(assignment)
    for number in range(10):
        press(page, str(number % 4))
    expect_saved(page, "saved 10 · pending 0")
    assert grades(assignment) == {docno: number % 4 for number, docno in enumerate(docnos(10))}
    assert Judgment.objects.count() == 10
    assert shown(page) == "D011"
    times = Judgment.objects.values_list("shown_at", "judged_at", "active_ms")
    assert all(shown_at < judged_at and 50 < active_ms < 60_000 for shown_at, judged_at, active_ms in times)


def test_what_is_judged_offline_is_sent_once_when_the_connection_is_back(
    cast: Cast, open_desk: Callable[[Assignment], Page]
) -> None:
    assignment = make_assignment(cast, docnos(40))
    page = open_desk(assignment)
    page.wait_for_timeout(1_000)
    page.context.set_offline(True)
    for _ in range(30):
        press(page, "2")
    expect_saved(page, "saved 0 · pending 30")
    expect(page.locator("#desk-banner")).to_contain_text("No connection")
    assert not Judgment.objects.exists()
    page.context.set_offline(False)
    expect_saved(page, "saved 30 · pending 0")
    expect(page.locator("#desk-banner")).to_be_hidden()
    assert Judgment.objects.count() == 30
    assert grades(assignment) == dict.fromkeys(docnos(30), 2)


def test_what_is_pending_survives_a_reload_and_arrives_exactly_once(
    cast: Cast, open_desk: Callable[[Assignment], Page]
) -> None:
    assignment = make_assignment(cast, docnos(12))
    page = open_desk(assignment)
    page.route("**/judgments/", lambda route: route.abort())
    for _ in range(4):
        press(page, "3")
    expect_saved(page, "saved 0 · pending 4")
    page.reload()
    ready(page)
    assert shown(page) == "D005"
    expect_saved(page, "saved 0 · pending 4")
    page.unroute("**/judgments/")
    press(page, "1")
    expect_saved(page, "saved 5 · pending 0")
    assert grades(assignment) == {"D001": 3, "D002": 3, "D003": 3, "D004": 3, "D005": 1}
    assert Judgment.objects.count() == 5


def test_an_answer_that_got_lost_does_not_record_a_judgment_twice(
    cast: Cast, open_desk: Callable[[Assignment], Page]
) -> None:
    assignment = make_assignment(cast, docnos(6))
    page = open_desk(assignment)

    def lose_the_answer(route: Any) -> None:
        route.fetch()
        route.abort()

    page.route("**/judgments/", lose_the_answer, times=1)
    press(page, "2")
    expect_saved(page, "saved 1 · pending 0")
    assert Judgment.objects.count() == 1


def test_a_session_that_ended_loses_nothing(
    cast: Cast, open_desk: Callable[[Assignment], Page], sign_in: Callable[[Any, Any], None]
) -> None:
    assignment = make_assignment(cast, docnos(9))
    page = open_desk(assignment)
    page.wait_for_timeout(300)
    page.context.clear_cookies()
    press(page, "2")
    expect(page.locator("#desk-banner")).to_contain_text("Sign in again")
    press(page, "1")
    sign_in(page, assignment.assessor)
    expect_saved(page, "saved 2 · pending 0")
    assert grades(assignment) == {"D001": 2, "D002": 1}


def test_judgments_are_never_sent_under_another_users_name(
    cast: Cast, open_desk: Callable[[Assignment], Page], sign_in: Callable[[Any, Any], None]
) -> None:
    assignment = make_assignment(cast, docnos(6))
    page = open_desk(assignment)
    page.wait_for_timeout(300)
    sign_in(page, cast.organiser)
    press(page, "2")
    expect(page.locator("#desk-banner")).to_contain_text("Somebody else is signed in")
    expect_saved(page, "saved 0 · pending 1")
    assert not Judgment.objects.exists()
    sign_in(page, assignment.assessor)
    expect_saved(page, "saved 1 · pending 0")
    assert Judgment.objects.get().assessor == assignment.assessor


def test_undo_goes_back_to_the_document_and_says_what_was_taken_back(
    cast: Cast, open_desk: Callable[[Assignment], Page]
) -> None:
    assignment = make_assignment(cast, docnos(6))
    page = open_desk(assignment)
    press(page, "3")
    press(page, "1")
    expect(page.locator("#desk-undo")).to_have_text("undo 1 on D002")
    press(page, "u")
    assert shown(page) == "D002"
    expect(page.locator(".desk-line")).to_contain_text("Taken back: 1")
    press(page, "0")
    assert shown(page) == "D003"
    expect_saved(page, "saved 2 · pending 0")
    assert grades(assignment) == {"D001": 3, "D002": 0}
    assert Judgment.objects.count() == 4


def test_a_digit_in_a_note_never_judges_and_the_note_goes_with_the_grade(
    cast: Cast, open_desk: Callable[[Assignment], Page]
) -> None:
    assignment = make_assignment(cast, docnos(6))
    page = open_desk(assignment)
    page.keyboard.press("n")
    page.keyboard.type("3 airships in 1937, see 2")
    assert shown(page) == "D001"
    page.keyboard.press("Escape")
    press(page, "2")
    expect_saved(page, "saved 1 · pending 0")
    assert Judgment.objects.get(is_current=True).note == "3 airships in 1937, see 2"
    expect(page.locator("#desk-note")).to_have_value("")


def test_a_key_held_down_judges_one_document(cast: Cast, open_desk: Callable[[Assignment], Page]) -> None:
    assignment = make_assignment(cast, docnos(8))
    page = open_desk(assignment)
    page.wait_for_timeout(100)
    for _ in range(6):
        page.keyboard.down("2")
        page.wait_for_timeout(120)
    page.keyboard.up("2")
    expect_saved(page, "saved 1 · pending 0")
    assert shown(page) == "D002"


def test_a_space_after_a_click_scrolls_and_does_not_judge_again(
    cast: Cast, open_desk: Callable[[Assignment], Page]
) -> None:
    assignment = make_assignment(cast, docnos(6))
    page = open_desk(assignment)
    page.wait_for_function("document.activeElement.id === 'document'")  # the desk is ready
    page.wait_for_timeout(150)  # after a time in which a press counts as a bouncing key
    page.get_by_role("button", name="2 relevant").click()
    page.wait_for_timeout(150)
    page.keyboard.press(" ")
    expect_saved(page, "saved 1 · pending 0")
    page.wait_for_function("document.activeElement.id === 'document'")


def test_a_skipped_document_comes_back_at_the_end_and_one_that_is_judged_does_not(
    cast: Cast, open_desk: Callable[[Assignment], Page]
) -> None:
    page = open_desk(make_assignment(cast, docnos(3)))
    press(page, "s")
    assert shown(page) == "D002"
    page.wait_for_timeout(100)
    page.keyboard.press("x")
    press(page, "2")
    expect(page.locator("#desk-undo")).to_have_text("undo cannot judge on D002")
    expect(page.locator("#desk-history span")).to_have_text("cannot judge")
    press(page, "k")
    assert shown(page) == "D002"
    press(page, "s")
    press(page, "1")
    assert shown(page) == "D001"
    for key, told in (("s", "the only document left"), ("k", "the first document")):
        page.keyboard.press(key)
        expect(page.locator(".desk-line")).to_contain_text(told)
    press(page, "1")
    expect(page.locator("#document")).to_contain_text("is done: 3 of 3 documents judged")
    expect_saved(page, "saved 3 · pending 0")
    assert Judgment.objects.get(docno="D002", verdict="cannot_judge").reason == "in a language that I do not read"


def test_going_back_shows_the_own_grade_and_a_new_one_replaces_it(
    cast: Cast, open_desk: Callable[[Assignment], Page]
) -> None:
    assignment = make_assignment(cast, docnos(6))
    page = open_desk(assignment)
    press(page, "3")
    press(page, "k")
    assert shown(page) == "D001"
    expect(page.get_by_role("button", name="3 perfect")).to_have_attribute("aria-pressed", "true")
    press(page, "0")
    assert shown(page) == "D002"
    expect_saved(page, "saved 1 · pending 0")
    assert grades(assignment) == {"D001": 0}


def test_a_judgment_that_the_server_refuses_is_kept_and_shown(
    cast: Cast, open_desk: Callable[[Assignment], Page]
) -> None:
    assignment = make_assignment(cast, docnos(6))
    page = open_desk(assignment)
    cast.task.grades.filter(value=3).delete()
    press(page, "3")
    expect(page.locator("#desk-refused-list")).to_contain_text("D001: Grade 3 is not on the task's scale: use 0, 1, 2")
    expect_saved(page, "saved 0 · pending 0 · not accepted 1")
    press(page, "2")
    expect_saved(page, "saved 1 · pending 0 · not accepted 1")
    page.get_by_role("button", name="Throw away").click()
    expect_saved(page, "saved 1 · pending 0")


def test_subtopics_are_toggled_by_letter_and_saved_with_the_grade(
    page: Page, open_desk: Callable[[Assignment], Page], transactional_db: None
) -> None:
    cast = make_cast(judging_mode="subtopic")
    assignment = make_assignment(cast, docnos(4))
    make_subtopics(assignment.topic, ["1", "2", "3"])
    page = open_desk(assignment)
    page.keyboard.press("a")
    page.keyboard.press("e")
    press(page, "2")
    expect(page.get_by_role("checkbox", checked=True)).to_have_count(0)
    page.keyboard.press("d")
    press(page, "1")
    for key in ("a", "d", "z"):  # the last one ticks none
        page.keyboard.press(key)
    press(page, "1")
    expect_saved(page, "saved 3 · pending 0")
    stored = dict(Judgment.objects.filter(is_current=True).values_list("docno", "details"))
    assert stored == {
        "D001": {"1": 1, "2": 0, "3": 1},
        "D002": {"1": 0, "2": 1, "3": 0},
        "D003": {"1": 0, "2": 0, "3": 0},
    }


def test_ticks_that_do_not_go_with_the_grade_are_asked_about_and_saved_when_the_grade_is_given_again(
    open_desk: Callable[[Assignment], Page], transactional_db: None
) -> None:
    cast = make_cast(judging_mode="subtopic")
    assignment = make_assignment(cast, docnos(4))
    make_subtopics(assignment.topic, ["1", "2"])
    page = open_desk(assignment)
    page.wait_for_timeout(100)
    page.keyboard.press("a")
    page.keyboard.press("0")
    expect(page.locator(".desk-line")).to_contain_text("0 not relevant, but a subtopic is ticked.")
    assert shown(page) == "D001"
    press(page, "0")
    expect_saved(page, "saved 1 · pending 0")
    kept = Judgment.objects.get(docno="D001", is_current=True)
    assert (kept.grade, kept.details) == (0, {"1": 1, "2": 0})


def test_ticks_and_notes_without_a_grade_are_there_after_a_reload_and_on_documents_judged_before(
    open_desk: Callable[[Assignment], Page], transactional_db: None
) -> None:
    cast = make_cast(judging_mode="subtopic")
    assignment = make_assignment(cast, docnos(4))
    make_subtopics(assignment.topic, ["1", "2"])
    page = open_desk(assignment)
    first, second = (page.get_by_role("checkbox", name=f"{number} aspect {number}") for number in ("1", "2"))
    press(page, "1")
    page.keyboard.press("a")
    expect(first).to_be_checked()
    page.keyboard.press("n")
    expect(page.locator("#desk-note")).to_be_focused()
    page.keyboard.type("see page 2")
    page.keyboard.press("Escape")
    press(page, "k")
    page.keyboard.press("d")
    expect(second).to_be_checked()
    press(page, "j")
    expect(first).to_be_checked()
    expect_saved(page, "saved 1 · pending 0")
    page.evaluate("localStorage.clear()")
    page.reload()
    ready(page)
    expect(first).to_be_checked()
    expect(page.locator("#desk-note")).to_have_value("see page 2")
    kept = Judgment.objects.get(docno="D001", is_current=True)
    assert (kept.grade, kept.details) == (1, {"1": 0, "2": 1})


def test_undoing_a_change_brings_the_earlier_grade_back_also_after_a_reload(
    cast: Cast, open_desk: Callable[[Assignment], Page]
) -> None:
    assignment = make_assignment(cast, docnos(4))
    page = open_desk(assignment)
    press(page, "1")
    press(page, "k")
    press(page, "0")
    expect_saved(page, "saved 1 · pending 0")
    page.reload()
    ready(page)
    press(page, "u")
    expect(page.locator(".desk-line")).to_contain_text("Taken back: 0. 1 counts again.")
    expect_saved(page, "saved 1 · pending 0")
    assert grades(assignment) == {"D001": 1}


def test_a_flag_is_kept_and_shown_again(cast: Cast, open_desk: Callable[[Assignment], Page]) -> None:
    page = open_desk(make_assignment(cast, docnos(3)))
    page.keyboard.press("f")
    expect(page.get_by_role("button", name="flag")).to_have_attribute("aria-pressed", "true")
    expect_saved(page, "saved 0 · pending 0")
    press(page, "j")
    expect(page.get_by_role("button", name="flag")).to_have_attribute("aria-pressed", "false")
    press(page, "b")
    expect(page.get_by_role("button", name="flag")).to_have_attribute("aria-pressed", "true")
    assert Judgment.objects.get().flagged


def test_a_press_that_comes_with_a_document_is_refused_in_words(
    cast: Cast, open_desk: Callable[[Assignment], Page]
) -> None:
    assignment = make_assignment(cast, docnos(6))
    page = open_desk(assignment)
    page.wait_for_timeout(100)
    page.evaluate(
        """() => { for (const key of ["1", "2"])
             document.body.dispatchEvent(new KeyboardEvent("keydown", { key, code: `Digit${key}`, bubbles: true })); }"""
    )
    expect(page.locator(".desk-line")).to_contain_text("That was too quick: no grade was stored for D002")
    expect_saved(page, "saved 1 · pending 0")
    assert grades(assignment) == {"D001": 1}


@pytest.mark.parametrize(
    ("key", "code", "grade"), [("&", "Digit1", 1), ("é", "Digit2", 2), ("ч", "KeyX", None), ("2", "Digit2", 2)]
)
def test_keys_count_by_their_place_where_the_keyboard_writes_something_else(
    cast: Cast, open_desk: Callable[[Assignment], Page], key: str, code: str, grade: int | None
) -> None:
    cast.task.cannot_judge_reasons = ""
    cast.task.save()
    assignment = make_assignment(cast, docnos(3))
    page = open_desk(assignment)
    page.wait_for_timeout(100)
    page.evaluate(
        "([key, code]) => document.body.dispatchEvent(new KeyboardEvent('keydown', { key, code, bubbles: true }))",
        [key, code],
    )
    expect_saved(page, "saved 1 · pending 0")
    assert grades(assignment) == {"D001": grade}


def test_end_reaches_the_end_of_a_long_document(cast: Cast, open_desk: Callable[[Assignment], Page]) -> None:
    assignment = make_assignment(cast, docnos(2))
    Document.objects.filter(docno="D001").update(
        text="\n".join(f"line {number} of many words" for number in range(9000))
    )
    page = open_desk(assignment)
    page.keyboard.press("End")
    page.wait_for_function(
        """() => { const one = document.getElementById("document");
          return one.scrollTop > 1e4 && one.scrollHeight - one.scrollTop - one.clientHeight < 3 }"""
    )


def test_paragraphs_run_in_the_direction_of_their_script_and_words_are_marked_in_any_script(
    cast: Cast, open_desk: Callable[[Assignment], Page]
) -> None:
    assignment = make_assignment(cast, docnos(2))
    text = "An English line\nוהספרים בבית של הספר\n東京の旅行は楽しい\nun cafe\u0301"
    Document.objects.filter(docno="D001").update(text=text, title="ספר")
    page = open_desk(assignment)
    page.fill("#desk-words", 'ספר 東京 café "English  line"')
    page.keyboard.press("Enter")
    marked = page.locator(".document-text mark").all_inner_texts()
    assert marked == ["English line", "והספרים", "הספר", "東京", "cafe\u0301"]
    left, right = (
        page.evaluate(
            """(from) => { const text = document.querySelector('.document-text'), range = document.createRange();
              const node = [...text.querySelectorAll('mark')][from];
              return node.getBoundingClientRect().left - text.getBoundingClientRect().left > text.clientWidth / 2 }""",
            place,
        )
        for place in (0, 1)
    )
    assert (left, right) == (False, True)


def test_single_keys_that_are_switched_off_do_nothing(cast: Cast, open_desk: Callable[[Assignment], Page]) -> None:
    cast.assessor.single_keys = False
    cast.assessor.save()
    page = open_desk(make_assignment(cast, docnos(3)))
    page.wait_for_timeout(100)
    page.keyboard.press("2")
    page.wait_for_timeout(200)
    assert shown(page) == "D001"
    assert not Judgment.objects.exists()


def test_a_document_cannot_bring_markup_of_its_own(cast: Cast, open_desk: Callable[[Assignment], Page]) -> None:
    assignment = make_assignment(cast, docnos(4))
    hostile = "<img src=x onerror=document.title='owned'> title of <b>401</b>"
    cast.task.collection.documents.update(text=hostile, title=hostile)
    page = open_desk(assignment)
    press(page, "1")
    assert page.locator("#document img, #document b").count() == 0
    assert page.locator("#document .document-text").text_content() == hostile
    assert page.locator("#document mark").count() > 0


def test_a_long_document_is_shown_whole_and_at_once(cast: Cast, open_desk: Callable[[Assignment], Page]) -> None:
    assignment = make_assignment(cast, docnos(3))
    text = "the title of an airship\n\n" * 20_000 + "the end"
    cast.task.collection.documents.update(text=text)
    page = open_desk(assignment)
    page.wait_for_timeout(1_000)
    press(page, "1")
    blocks = page.locator("#document .document-text > .block").all_text_contents()
    assert len(blocks) > 100
    assert "\n".join(blocks) == text


def test_the_desk_works_without_javascript(
    cast: Cast, browser: Any, sign_in: Callable[[Any, Any], None], live_server: Any
) -> None:
    assignment = make_assignment(cast, docnos(3))
    judge(assignment, "D001", 1)
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    sign_in(page, assignment.assessor)
    page.goto(live_server.url + cast.task.url("desk", topic_number="401"))
    assert page.locator(".docno").text_content() == "D002"
    page.get_by_role("button", name="2 relevant").click()
    page.get_by_role("button", name="cannot judge").click()
    assert "is done: 3 of 3" in (page.locator("#document").text_content() or "")
    page.get_by_role("button", name="undo").click()
    assert page.locator(".docno").text_content() == "D003"
    context.close()
    assert grades(assignment) == {"D001": 1, "D002": 2}


def test_the_next_document_never_waits_for_the_server(cast: Cast, open_desk: Callable[[Assignment], Page]) -> None:
    assignment = make_assignment(cast, docnos(52))
    cast.task.collection.documents.update(text="the title of an airship is a word\n\n" * 115)
    page = open_desk(assignment)
    held = []
    page.context.route("**/judgments/", lambda route: held.append(route))
    for _ in range(50):
        press(page, "1")
    assert shown(page) == "D051"
    assert held
    assert grades(assignment) == {}


def test_the_next_document_is_announced_with_its_title_and_what_is_left_and_at_400_percent_it_has_room(
    cast: Cast, open_desk: Callable[[Assignment], Page]
) -> None:
    page = open_desk(make_assignment(cast, docnos(3)))
    press(page, "1")
    expect(page.locator("#desk-announcement")).to_have_text("related. Next: title of D002, 2 of 3 left")
    page.keyboard.press("s")
    expect(page.locator("#desk-announcement")).to_have_text("Skipped. Next: title of D003, 2 of 3 left")
    page.set_viewport_size({"width": 320, "height": 256})
    room = page.evaluate("""() => {
      const text = document.getElementById("document");
      scrollTo(0, text.offsetTop);
      const [shown, grades] = [text, document.querySelector(".grades")].map((part) => part.getBoundingClientRect());
      return Math.min(shown.bottom, grades.top) - Math.max(shown.top, 0);
    }""")
    assert room >= 120


def test_a_document_whose_text_is_late_is_announced_by_its_docno_and_again_with_its_title(
    cast: Cast, open_desk: Callable[[Assignment], Page], page: Page
) -> None:
    late: list[Route] = []
    page.context.route(lambda address: "docno=D002" in address, lambda route: late.append(route))
    open_desk(make_assignment(cast, docnos(3)))
    press(page, "1", is_fetched=False)
    expect(page.locator("#desk-announcement")).to_have_text("related. Next: D002, 2 of 3 left")
    for request in late:
        request.continue_()
    expect(page.locator("#desk-announcement")).to_have_text("related. Next: title of D002, 2 of 3 left")


def test_a_message_stands_above_the_line_of_what_is_saved_and_hides_nothing(
    cast: Cast, open_desk: Callable[[Assignment], Page]
) -> None:
    page = open_desk(make_assignment(cast, docnos(3)))
    page.evaluate(
        """() => { const body = new FormData();
        body.set("csrfmiddlewaretoken", document.querySelector("[name=csrfmiddlewaretoken]").value);
        body.set("act", "graded"); body.set("docno", "D001"); body.set("grade", "99");
        return fetch(location.href, {method: "POST", body, redirect: "manual"}); }"""
    )
    page.reload()
    ready(page)
    message, status = page.locator("#messages").bounding_box(), page.locator(".desk-status").bounding_box()
    assert message
    assert status
    assert message["height"] > 0
    assert message["y"] + message["height"] <= status["y"] + 1
    assert status["y"] + status["height"] <= page.locator("#document").bounding_box()["y"] + 1
    assert page.locator("button[value='0']").first.is_visible()


def test_own_words_are_found_in_the_whole_of_a_document_of_a_megabyte_and_come_before_those_of_the_topic(
    cast: Cast, open_desk: Callable[[Assignment], Page]
) -> None:
    assignment = make_assignment(cast, docnos(2))
    Topic.objects.update(title="airship")
    lines = ["an airship over the town"] * 20 + ["nothing of interest in this line"] * 5
    text = "\n".join([*lines * 1_400, "the needle at its end"])
    assert len(text) > 900_000
    Document.objects.filter(docno="D001").update(text="one needle\n" + text)
    page = open_desk(assignment)
    expect(page.locator("#desk-hits")).to_have_text("the first 1000 of the topic")
    page.keyboard.press("w")
    page.keyboard.type("needle")
    page.keyboard.press("Enter")
    hits, here = page.locator("#desk-hits"), page.locator("mark.is-here")
    expect(hits).to_have_text("1 of 2 of yours")
    expect(here).to_have_text("needle")
    page.keyboard.press("h")
    expect(hits).to_have_text("2 of 2 of yours")
    expect(here).to_be_in_viewport()
    expect(page.locator(".block").last).to_contain_text("the needle at its end")
    assert here.evaluate("mark => mark.closest('.block') === [...document.querySelectorAll('.block')].at(-1)")
    page.keyboard.press("h")
    expect(hits).to_have_text("1 of the first 1000 of the topic")
    page.keyboard.press("g")
    expect(hits).to_have_text("2 of 2 of yours")
    page.keyboard.press("w")
    assert page.evaluate("getSelection().toString()") == "needle"
    page.keyboard.type("interest")
    page.keyboard.press("Enter")
    expect(hits).to_have_text("1 of 7000 of yours")


def test_own_words_that_are_not_in_the_document_are_none_and_nothing_of_the_topic_is_shown_for_them(
    cast: Cast, open_desk: Callable[[Assignment], Page]
) -> None:
    assignment = make_assignment(cast, docnos(2))
    Topic.objects.update(title="airship")
    Document.objects.filter(docno="D001").update(text="an airship, another airship and a third airship")
    Document.objects.filter(docno="D002").update(title="", text="nothing")
    page = open_desk(assignment)
    hits = page.get_by_role("status").and_(page.locator("#desk-hits"))
    expect(hits).to_have_text("3 of the topic")
    for _ in range(2):
        page.keyboard.press("w")
        page.keyboard.type("needle")
        page.keyboard.press("Enter")
        expect(hits).to_have_text("0 of yours, 3 of the topic")
        expect(page.locator("mark.is-here")).to_have_count(0)
        page.keyboard.press("h")
        expect(hits).to_have_text("1 of 3 of the topic")
    press(page, "j")
    expect(hits).to_have_text("0 of yours")
