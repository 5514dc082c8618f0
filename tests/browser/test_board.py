"""A leaderboard at a glance: the board comes first, changes in place, explains its columns and compares what is ticked."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.test import TestCase
from playwright.sync_api import expect

from campaign.models import Task
from evaluation.selectors.leaderboard_drafts import Terms
from evaluation.services.leaderboards import leaderboard_publish
from evaluation.services.scoring import scores_request
from tests.evaluation.analysis.makers import make_scored_task
from tests.evaluation.makers import make_valid_run
from tests.factories import Cast

pytestmark = pytest.mark.browser
TOP_PX = 350
"""Where the first row of a board begins at the latest, on a screen of 1280 pixels."""
TOP_ON_A_PHONE_PX = 400
"""The same on a phone."""
NOTE = "The first release. " * 20
ONE_ROW_PX = 62
PHONE = {"width": 390, "height": 844}


@pytest.fixture
def board(cast: Cast, transactional_db: None) -> str:
    make_scored_task(cast, TestCase.captureOnCommitCallbacks)
    task = Task.objects.get(pk=cast.task.pk)
    terms = Terms(note=NOTE)
    return leaderboard_publish(actor=cast.organiser, task=task, audience="public", terms=terms).get_absolute_url()


def test_the_first_row_is_seen_at_once_and_a_change_of_measure_or_order_leaves_the_reader_where_it_was(
    board: str, cast: Cast, live_server: Any, page: Any, sign_in: Callable[..., None]
) -> None:
    _first_rows_of_all_roles(board, cast, live_server, page, sign_in)
    page.set_viewport_size({"width": 1280, "height": 500})
    page.goto(live_server.url + board)
    expect(page.locator("#board-note p")).to_be_hidden()
    page.locator("#board-note summary").click()
    expect(page.locator("#board-note p")).to_have_text(NOTE.strip())
    page.reload()

    _columns_explain_themselves(page)
    page.evaluate("window.isTheSamePage = true")
    page.evaluate("scrollTo(0, 150)")
    page.locator("#sort-about-run").click()
    expect(page.locator(".board thead th.run")).to_have_attribute("aria-sort", "ascending")
    assert page.evaluate("[scrollY, document.activeElement.id, isTheSamePage]") == [150, "sort-about-run", True]
    page.locator("#board-measure").focus()
    page.locator("#board-measure").select_option("RR")
    expect(page.locator("#sort-about-measure")).to_have_text("RR")
    expect(page.locator("figure img:visible").first).to_have_attribute("src", re.compile("RR"))
    assert page.evaluate("[document.activeElement.id, isTheSamePage]") == ["board-measure", True]
    page.go_back()
    expect(page.locator("#board-measure")).to_have_value("AP")

    tags = page.locator(".board tbody th a").all_inner_texts()[:2]
    _box(page, tags[0]).check()
    page.locator("#sort-about-team").click()
    expect(page.locator(".board thead th.team")).to_have_attribute("aria-sort", "ascending")
    expect(_box(page, tags[0])).to_be_checked()
    expect(_box(page, tags[1])).not_to_be_checked()
    _box(page, tags[1]).check()
    page.emulate_media(media="print")
    assert page.locator(".board .tick input:visible").count() == 0
    page.emulate_media(media="screen")
    page.get_by_role("button", name="Compare ticked runs").click()
    expect(page.locator("h1")).to_have_text("Compare two runs")
    assert {page.locator(f"[name={name}]").input_value() for name in "ab"} == set(tags)

    newest = live_server.url + _published_with_a_run_of_which_little_is_judged(cast)
    Task.objects.filter(pk=cast.task.pk).update(measures=["AP", "P(rel=9)@10"])
    _first_row_is_high(page, newest)
    _older_version_leads_to_the_newest(page, live_server.url + board)
    page.goto(newest)
    warning = page.locator("#board-warnings")
    expect(warning.locator("summary")).to_contain_text("contradiction")
    expect(warning.locator("a").first).to_be_hidden()
    assert page.locator("main .task-warnings").count() == page.locator(".task-warnings").count() == 1
    expect(page.locator("#board-judged summary")).to_contain_text("0.0 % to")
    expect(page.locator("#board-judged p")).to_be_hidden()


def _first_rows_of_all_roles(board: str, cast: Cast, live_server: Any, page: Any, sign_in: Callable[..., None]) -> None:
    """The organiser, who has most tabs and buttons, is last and stays signed in."""
    for user in (None, cast.assessor, cast.member, cast.organiser):
        if user:
            page.context.clear_cookies()
            sign_in(page, user)
        _first_row_is_high(page, live_server.url + board)


def _first_row_is_high(page: Any, address: str) -> None:
    for size, most in (({"width": 1280, "height": 800}, TOP_PX), (PHONE, TOP_ON_A_PHONE_PX)):
        page.set_viewport_size(size)
        page.goto(address)
        assert page.locator(".board tbody tr").first.bounding_box()["y"] <= most, size
        assert page.evaluate("document.documentElement.scrollWidth") == size["width"]


def _older_version_leads_to_the_newest(page: Any, board: str) -> None:
    for size in ({"width": 1280, "height": 800}, PHONE):
        page.set_viewport_size(size)
        _first_row_is_high(page, board)
        page.set_viewport_size(size)
        expect(page.locator(".newer-version")).to_contain_text("This version is not the newest")
        link = page.get_by_role("link", name="see version 2").bounding_box()
        assert link["y"] < page.locator(".tabs").bounding_box()["y"], "above the board"
        assert link["x"] >= 0
        assert link["x"] + link["width"] <= size["width"]
    page.get_by_role("link", name="see version 2").click()
    expect(page.locator("h1")).to_have_text("Leaderboard 2")
    assert page.locator(".newer-version").count() == 0


def _published_with_a_run_of_which_little_is_judged(cast: Cast) -> str:
    make_valid_run(cast.task, cast.team, "unknown", {"1": [f"u{place}" for place in range(10)]})
    with TestCase.captureOnCommitCallbacks(execute=True):
        scores_request(actor=cast.organiser, task=cast.task)
    task = Task.objects.get(pk=cast.task.pk)
    terms = Terms(note=NOTE)
    return leaderboard_publish(actor=cast.organiser, task=task, audience="public", terms=terms).get_absolute_url()


def test_several_columns_are_chosen_one_after_the_other_in_the_part_that_was_opened(
    board: str, live_server: Any, page: Any
) -> None:
    page.goto(live_server.url + board)
    page.locator("#board-columns summary").click()
    box = page.locator("#board-columns input[value=RR]")
    heading = page.locator(".board thead").get_by_role("link", name="RR")
    for is_shown in (False, True):
        box.focus()
        page.keyboard.press("Space")
        expect(heading).to_have_count(int(is_shown))
        expect(box).to_be_checked(checked=is_shown)
        expect(box).to_be_focused()


def test_a_picture_answers_to_pointer_and_keys(board: str, live_server: Any, page: Any) -> None:
    page.goto(f"{live_server.url}{board}heatmap/")
    picture = page.locator(".plot img[tabindex]:visible")
    tip, ring = page.locator(".tip"), page.locator(".picture-mark")
    picture.focus()
    page.keyboard.press("ArrowRight")
    first = page.evaluate("document.querySelector('table.data tbody th').textContent")
    expect(tip).to_contain_text(first)
    words = tip.inner_text()
    expect(page.locator("[role=status]", has_text=first)).to_be_attached()
    frame = ring.bounding_box()
    page.keyboard.press("ArrowRight")
    expect(tip).to_contain_text(first)
    expect(tip).not_to_have_text(words)
    assert ring.bounding_box()["x"] > frame["x"]
    page.keyboard.press("ArrowLeft")
    expect(tip).to_have_text(words, use_inner_text=True)
    page.keyboard.press("ArrowDown")
    expect(tip).not_to_contain_text(first)
    assert ring.bounding_box()["y"] > frame["y"]
    page.keyboard.press("Home")
    expect(tip).to_contain_text(first)
    page.keyboard.press("Escape")
    expect(tip).to_be_hidden()
    expect(ring).to_be_hidden()

    page.mouse.move(frame["x"] + frame["width"] / 2, frame["y"] + frame["height"] / 2)
    expect(tip).to_be_visible()
    assert tip.inner_text() == words
    page.mouse.move(2, 2)
    expect(tip).to_be_hidden()
    address = page.url
    picture.blur()
    page.keyboard.press("End")
    expect(page.locator("footer")).to_be_in_viewport()
    expect(tip).to_be_hidden()
    picture.dispatch_event("click")
    assert page.url == address, "a click that a program made has no place"
    picture.focus()
    page.keyboard.press("End")
    expect(tip).to_be_visible()
    topic = page.locator(".tip dd").nth(1).inner_text()
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/topics/{topic}/?measure=AP")


def test_a_matrix_marks_the_column_and_the_row_under_pointer_and_focus(board: str, live_server: Any, page: Any) -> None:
    page.goto(f"{live_server.url}{board}heatmap/")
    marked = page.locator(".matrix .in-column")
    page.locator(".matrix tbody tr").nth(1).locator("td").nth(1).hover()
    expect(marked).to_have_count(page.locator(".matrix tr").count())
    assert {cell.evaluate("cell => cell.cellIndex") for cell in marked.all()} == {2}
    plain, row, column, both = (
        page.locator(".matrix tbody tr")
        .nth(place)
        .locator("td")
        .nth(cell)
        .evaluate("cell => getComputedStyle(cell).backgroundColor")
        for place, cell in ((0, 0), (1, 0), (0, 1), (1, 1))
    )
    assert row == column
    assert len({plain, row, both}) == 3
    page.mouse.move(2, 2)
    expect(marked).to_have_count(0)
    page.locator(".matrix thead a").first.focus()
    assert {cell.evaluate("cell => cell.cellIndex") for cell in marked.all()} == {1}
    page.locator(".matrix tbody th a").first.focus()
    expect(marked).to_have_count(0)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_on_a_phone_the_first_touch_of_a_picture_tells_and_the_second_opens(
    board: str, live_server: Any, browser: Any, scheme: str
) -> None:
    context = browser.new_context(viewport=PHONE, has_touch=True, color_scheme=scheme)
    page = context.new_page()
    page.goto(f"{live_server.url}{board}topics/")
    picture = page.locator(".plot img[tabindex]:visible")
    picture.focus()
    page.keyboard.press("End")
    tip = page.locator(".tip")
    expect(tip).to_be_visible()
    _is_inside(tip)
    page.keyboard.press("Home")
    _is_inside(tip)
    topic = page.locator(".tip dd").first.inner_text()
    frame = page.locator(".picture-mark").bounding_box()
    page.keyboard.press("Escape")
    x, y = frame["x"] + frame["width"] / 2, frame["y"] + frame["height"] / 2
    page.touchscreen.tap(x, y)
    expect(tip).to_contain_text("Touch again to open the page.")
    _is_inside(tip)
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
    assert page.url.endswith("/topics/")
    page.touchscreen.tap(x, y)
    page.wait_for_url(f"**/topics/{topic}/?measure=AP")
    context.close()


def _is_inside(tip: Any) -> None:
    box = tip.bounding_box()
    assert box["x"] >= 0
    assert box["y"] >= 0
    assert box["x"] + box["width"] <= PHONE["width"]
    assert box["y"] + box["height"] <= PHONE["height"]


def _box(page: Any, tag: str) -> Any:
    return page.get_by_label(re.compile(rf"^\d: compare {tag}$"))


def _columns_explain_themselves(page: Any) -> None:
    """To the pointer and to the focus, each with its own words; Escape puts them away."""
    card = page.locator(".column-help")
    heads = page.locator(".board thead [aria-describedby]")
    assert heads.count() == page.locator(".board thead th").count()
    for place in range(heads.count()):
        words = page.locator(f"#{heads.nth(place).get_attribute('aria-describedby')}").text_content()
        heads.nth(place).focus()
        expect(card).to_be_visible()
        expect(card).to_have_text(words)
        page.keyboard.press("Escape")
        expect(card).to_be_hidden()
    page.locator(".board thead .rank").first.hover()
    expect(card).to_be_visible()
    page.mouse.move(2, 2)
    expect(card).to_be_hidden()


def test_a_phone_shows_rank_run_team_and_score_with_its_rank_range_on_its_first_screen(
    board: str, live_server: Any, page: Any
) -> None:
    page.set_viewport_size(PHONE)
    page.goto(live_server.url + board)
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
    first = page.locator(".board tbody tr").first
    for part in (
        ".rank >> nth=0",
        "th.run a",
        ".team-below",
        ".measure-main",
        ".below-score",
        ".below-score span >> nth=-1",
    ):
        box = first.locator(part).bounding_box()
        assert box["y"] + box["height"] <= PHONE["height"]
        assert box["x"] + box["width"] <= PHONE["width"]
    expect(first.locator(".below-score")).to_have_text(
        re.compile(r"^\s*95 % interval: 0\.\d{4} to [01]\.\d{4}\s+rank 1–\d\s+better than none\s*$")
    )
    assert page.locator(".board :is(.beside-score, .interval-cell):visible").count() == 0
    expect(page.locator(".board thead .below-score")).to_have_text("95 % interval, tests")
    page.set_viewport_size({"width": 320, "height": 640})
    score = first.locator(".measure-main").bounding_box()
    assert score["x"] + score["width"] <= 320, "as with 400 % zoom"
    last = first.locator(".below-score span >> nth=-1")
    last.evaluate("(text) => { text.textContent = 'better than ranks 11–12, 14, 17–18 and 3 more'; }")
    for width in (320, PHONE["width"]):
        page.set_viewport_size({"width": width, "height": 640})
        score = first.locator(".measure-main").bounding_box()
        assert score["x"] + score["width"] <= width, "many ranks wrap"
    last.evaluate("(text) => { text.textContent = 'better than ranks 21–31'; }")
    assert last.bounding_box()["height"] < 20, "a few ranks take one line"
    page.set_viewport_size({"width": 1280, "height": 800})
    assert page.locator(".below-score:visible").count() == 0
    assert first.locator(".beside-score:visible").all_inner_texts() == ["1–3", "none"]


def test_a_picture_that_is_wider_than_a_phone_scrolls_in_its_own_box_and_says_so(
    board: str, live_server: Any, page: Any
) -> None:
    page.set_viewport_size(PHONE)
    page.goto(live_server.url + board)
    plot = page.locator(".plot").first
    expect(plot).to_have_attribute("data-more", "")
    hint = "(box) => getComputedStyle(box, '::after').content"
    assert "scroll for more" in plot.evaluate(hint)
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
    plot.evaluate("(box) => { box.scrollLeft = box.scrollWidth; }")
    expect(plot).not_to_have_attribute("data-more", "")
    page.set_viewport_size({"width": 1280, "height": 800})
    expect(plot).not_to_have_attribute("data-more", "")


def test_on_a_phone_what_leads_elsewhere_takes_one_row_each_that_shows_where_one_is_and_that_there_is_more(
    board: str, cast: Cast, live_server: Any, page: Any, sign_in: Callable[..., None]
) -> None:
    sign_in(page, cast.organiser)
    page.set_viewport_size(PHONE)
    page.goto(live_server.url + board)
    for row in (".crumbs ol", ".page-board .page-meta", ".task-tabs ul", ".tabs", ".board-filter", ".board-lines"):
        assert page.locator(row).bounding_box()["height"] < ONE_ROW_PX, row
    expect(page.locator(".task-tabs [aria-current]")).to_be_in_viewport(ratio=1)
    filters = page.locator(".board-filter")
    expect(filters).to_have_attribute("data-more", "")
    filters.evaluate("(row) => { row.scrollLeft = row.scrollWidth; }")
    expect(filters).not_to_have_attribute("data-more", "")
    page.evaluate("document.documentElement.dir = 'rtl'")
    filters.evaluate("(row) => { row.scrollLeft = 0; }")
    expect(filters).to_have_attribute("data-more", "")
    filters.evaluate("(row) => { row.scrollLeft = -row.scrollWidth; }")
    expect(filters).not_to_have_attribute("data-more", "")
    page.evaluate("document.documentElement.dir = 'ltr'")
    page.locator("#board-columns summary").click()
    assert page.locator("#board-columns").bounding_box()["width"] <= PHONE["width"]
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]


def test_at_400_percent_no_head_that_has_the_focus_is_behind_the_column_that_stays(
    board: str, live_server: Any, page: Any
) -> None:
    page.set_viewport_size({"width": 320, "height": 256})
    page.goto(f"{live_server.url}{board}")
    covered = (Path(__file__).parent / "covered_focus.js").read_text()
    heads = page.locator(".board thead a:visible")
    heads.last.focus()
    for _ in range(heads.count() - 1):
        page.keyboard.press("Shift+Tab")
        assert page.evaluate(covered) == ""
    expect(heads.first).to_be_focused()
