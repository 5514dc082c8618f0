"""Practice, agreement and disagreements in the browser: by keys alone, and what only a browser shows of the pictures."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from judging.models import Adjudication, PracticeGrade
from judging.practice.services import practice_set
from tests.browser.page_reader import Reader
from tests.factories import Cast, make_cast, make_user
from tests.judging.makers import assign, judge, make_assignment

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

GRADES = {"D1": (0, 3), "D2": (2, 1), "D3": (0, 0), "D4": (1, 1), "D5": (2, 2), "D6": (3, 3)}
"""Of the first assessor and of the second."""
COLOUR = "(cell) => getComputedStyle(cell).backgroundColor"


@pytest.fixture
def judged_twice(transactional_db: None) -> Cast:
    cast = make_cast()
    first = make_assignment(cast, list(GRADES))
    second = assign(first.pool, first.topic, make_user("zoe"), cast.organiser, pass_number=2)
    for docno, (one, other) in GRADES.items():
        judge(first, docno, one)
        judge(second, docno, other)
    return cast


def press(page: Page, key: str) -> None:
    """One key, once the page is there: its scripts have run then."""
    page.wait_for_load_state()
    page.keyboard.press(key)


def test_a_newcomer_practises_by_keys_from_the_list_of_topics_to_the_summary(
    cast: Cast, page: Page, sign_in: Callable[[Any, Any], None], live_server: Any
) -> None:
    make_assignment(cast, ["D1", "D2"])
    known = "401 D1 2 Names the tool.\n401 D2 0\n"
    assert practice_set(actor=cast.organiser, task=cast.task, text=known).problems.ok
    sign_in(page, cast.assessor)
    page.goto(live_server.url + cast.task.url("my_topics"))
    page.get_by_role("link", name="Practise").click()
    expect(page.locator("#document")).to_contain_text("D1")
    expect(page.get_by_text("Names the tool.")).to_have_count(0)
    press(page, "1")
    expect(page.get_by_role("status").filter(has_text="known grade")).to_contain_text("2 relevant")
    expect(page.get_by_text("Names the tool.")).to_be_visible()
    press(page, "j")
    expect(page.locator("#document")).to_contain_text("D2")
    press(page, "0")
    expect(page.locator("#document")).to_contain_text("as known")
    press(page, "j")
    expect(page.get_by_text("1 of 2 documents as known, 1 stricter, 0 more generous")).to_be_visible()
    assert list(PracticeGrade.objects.order_by("pk").values_list("grade", flat=True)) == [1, 0]


def test_the_pictures_of_agreement_show_what_their_numbers_say(
    judged_twice: Cast, page: Page, sign_in: Callable[[Any, Any], None], live_server: Any
) -> None:
    reader = Reader(page, live_server.url)
    sign_in(page, judged_twice.organiser)
    reader.read(judged_twice.task.url("judging_agreement"))
    assert reader.faults == set()
    page.set_viewport_size({"width": 1280, "height": 800})
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        colours = {str(cell): page.locator(f".confusion .shade-{cell}").first.evaluate(COLOUR) for cell in (0, 3, 5)}
        assert len(set(colours.values())) == 3, f"{scheme}: a larger part of the row looks like a smaller one"
    bar, whole = (
        page.locator(f"tr:has(th:text('all topics')) .alpha-{part}").bounding_box() for part in ("bar", "ground")
    )
    alpha = float(page.locator("tr:has(th:text('all topics')) svg.alpha").get_attribute("aria-label") or "")
    assert bar is not None
    assert whole is not None
    assert bar["width"] / whole["width"] == pytest.approx(alpha, abs=0.01)
    page.locator("#topics-caption ~ tbody a", has_text="401").click()
    expect(page.locator("tbody tr")).to_have_count(2)


def test_disagreements_are_decided_by_keys_and_one_is_left_for_later(
    judged_twice: Cast, page: Page, sign_in: Callable[[Any, Any], None], live_server: Any
) -> None:
    reader = Reader(page, live_server.url)
    sign_in(page, judged_twice.organiser)
    page.goto(live_server.url + judged_twice.task.get_absolute_url())
    page.get_by_role("link", name="Next: Decide 2 disagreements").click()
    page.get_by_role("link", name="Decide the first").click()
    expect(page).to_have_url(live_server.url + judged_twice.task.url("adjudicate", topic_number="401", docno="D1"))
    reader.look()
    assert reader.faults == set()
    press(page, "s")
    expect(page).to_have_url(live_server.url + judged_twice.task.url("adjudicate", topic_number="401", docno="D2"))
    press(page, "n")
    page.keyboard.type("Names 1 tool.")
    press(page, "Escape")
    press(page, "2")
    expect(page.get_by_text("Decided about D2 of topic 401.")).to_be_visible()
    press(page, "x")
    expect(page.get_by_text("Decided about D1 of topic 401.")).to_be_visible()
    expect(page.locator("main")).to_contain_text("All disagreements are decided")
    decided = dict(Adjudication.objects.values_list("docno", "grade"))
    assert decided == {"D1": None, "D2": 2}
    assert Adjudication.objects.get(docno="D2").note == "Names 1 tool."
