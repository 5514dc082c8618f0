"""The form of a task: folded parts, measures to tick, and what happens to entries that were not saved."""

from collections.abc import Callable
from typing import Any

import pytest
from django.conf import settings
from django.urls import reverse
from playwright.sync_api import Page, expect

from campaign.models import Role, Task
from campaign.modes import MODES
from campaign.setup.services.tasks import task_update
from tests.factories import Cast, make_cast

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
Opener = Callable[[Any, str], Page]


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    return make_cast()


@pytest.fixture
def new_task(cast: Cast) -> str:
    return reverse("task_create", kwargs={"campaign_slug": cast.campaign.slug})


def measures(page: Page) -> list[str]:
    return page.locator('[name="measures"]').input_value().splitlines()


def answer_posts(page: Page, **answer: Any) -> None:
    """What is sent gets this answer instead of the site's."""
    page.route("**/new/", lambda one: one.fulfill(**answer) if one.request.method == "POST" else one.fallback())


def wait_until_kept(page: Page, text: str) -> None:
    page.wait_for_function("text => Object.values(sessionStorage).some((draft) => draft.includes(text))", arg=text)


def test_what_a_new_task_needs_stands_on_one_screen_and_all_else_is_folded(
    new_task: str, cast: Cast, open_page: Opener
) -> None:
    page = open_page(cast.organiser, new_task)
    page.set_viewport_size({"width": 1280, "height": 900})
    expect(page.locator("details[open]")).to_have_count(0)
    for name in ("title", "slug", "judging_mode", "closes_at", "measures"):
        expect(page.locator(f'[name="{name}"]').first).to_be_in_viewport()
    assert page.evaluate("document.documentElement.scrollHeight") < 1600
    expect(page.get_by_label("Runs per team")).to_be_hidden()
    page.get_by_role("heading", name="Rules for runs").click()
    expect(page.get_by_label("Runs per team")).to_be_visible()


def test_a_mode_without_subtopics_shows_nothing_of_subtopics(new_task: str, cast: Cast, open_page: Opener) -> None:
    page = open_page(cast.organiser, new_task)
    page.locator("#part-desk > summary").click()
    page.locator("#measure-choices > summary").click()
    family = page.get_by_role("heading", name="Subtopics", exact=True)
    for mode, is_shown in (("graded", False), ("graded, with subtopics", True), ("binary", False)):
        page.get_by_label(mode, exact=True).check()
        expect(page.get_by_label("subtopics after the grade")).to_be_visible(visible=is_shown)
        expect(family).to_be_visible(visible=is_shown)


def test_a_heading_does_not_go_on_saying_what_was_changed_below_it(
    new_task: str, cast: Cast, open_page: Opener
) -> None:
    page = open_page(cast.organiser, new_task)
    grades, rules = page.locator("#part-grades > summary"), page.locator("#part-rules > summary")
    expect(grades).to_contain_text("3 perfect")
    page.get_by_label("binary", exact=True).check()
    expect(grades).to_contain_text("changed, not saved")
    expect(rules).to_contain_text("at most 5 runs")
    rules.click()
    page.get_by_label("Runs per team").fill("7")
    expect(rules).to_contain_text("changed, not saved")


def test_the_picker_says_which_measure_ranks_the_board_and_puts_another_first(
    new_task: str, cast: Cast, open_page: Opener
) -> None:
    page = open_page(cast.organiser, new_task)
    page.locator("#measure-choices > summary").click()
    page.locator('[name="measures"]').fill("AP\nP@5\nRR")
    expect(page.locator('[data-place="AP"]')).to_have_text("1, ranks")
    expect(page.locator('[data-place="RR"]')).to_have_text("3")
    expect(page.locator('[data-first="AP"]')).to_be_hidden()
    page.locator('[data-first="RR"]').click()
    assert measures(page) == ["RR", "AP", "P@5"]
    expect(page.locator('[data-place="RR"]')).to_have_text("1, ranks")
    expect(page.locator('[data-place="AP"]')).to_have_text("2")
    expect(page.locator('[data-place="ERR@20"]')).to_be_hidden()


def test_ticks_and_the_list_of_measures_follow_each_other(new_task: str, cast: Cast, open_page: Opener) -> None:
    page = open_page(cast.organiser, new_task)
    page.locator("#measure-choices > summary").click()
    tick = page.locator("[data-measure]")
    shown = [box.get_attribute("data-measure") for box in tick.all() if box.is_checked()]
    assert set(shown) == set(measures(page))
    before = measures(page)
    page.get_by_label("ERR@20", exact=True).check()
    page.get_by_label("AP", exact=True).uncheck()
    assert measures(page) == [*(name for name in before if name != "AP"), "ERR@20"]
    page.locator('[name="measures"]').fill("RBP(p=0.8); nDCG(gain=exponential)@7")
    expect(page.get_by_label("RBP(p=0.8)", exact=True)).to_be_checked()
    expect(page.get_by_label("nDCG@10", exact=True)).not_to_be_checked()
    page.get_by_label("P@5", exact=True).check()
    assert measures(page) == ["RBP(p=0.8)", "nDCG(gain=exponential)@7", "P@5"]


def test_another_mode_brings_its_measures_unless_others_were_chosen(cast: Cast, open_page: Opener) -> None:
    task_update(actor=cast.organiser, task=cast.task, measures=list(MODES["graded"].measures))
    page = open_page(cast.organiser, cast.task.url("task_edit"))
    page.get_by_label("graded, with subtopics", exact=True).check()
    assert measures(page) == list(MODES["subtopic"].measures)
    page.locator("#measure-choices > summary").click()
    expect(page.get_by_label("alpha-nDCG@10", exact=True)).to_be_checked()
    expect(page.get_by_role("button", name="Use these measures")).to_be_hidden()
    page.locator('[name="measures"]').fill("AP\nalpha-nDCG@20")
    page.get_by_label("binary", exact=True).check()
    assert measures(page) == ["AP", "alpha-nDCG@20"]
    expect(page.get_by_text("Usual for the judging mode binary: nDCG@10, AP,")).to_be_visible()
    page.get_by_role("button", name="Use these measures").click()
    assert measures(page) == list(MODES["binary"].measures)
    expect(page.get_by_role("button", name="Use these measures")).to_be_hidden()


def test_without_javascript_measures_of_another_mode_are_named_and_the_usual_ones_saved_by_a_button(
    cast: Cast, browser: Any, sign_in: Any, live_server: Any
) -> None:
    task_update(actor=cast.organiser, task=cast.task, judging_mode="subtopic", measures=["AP", "NRBP"])
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    sign_in(page, cast.organiser)
    page.goto(live_server.url + cast.task.url("task_edit"))
    page.get_by_label("graded", exact=True).check()
    page.locator('[name="title"]').fill("Kept")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("NRBP: computed from judgments of subtopics").first).to_be_visible()
    page.get_by_role("button", name="Save with the usual measures").click()
    expect(page.get_by_text("Saved.")).to_be_visible()
    task = Task.objects.get(pk=cast.task.pk)
    assert (task.title, task.judging_mode, task.measures) == ("Kept", "graded", list(MODES["graded"].measures))
    context.close()


def test_a_folded_entry_that_the_browser_refuses_is_shown(new_task: str, cast: Cast, open_page: Opener) -> None:
    page = open_page(cast.organiser, new_task)
    page.get_by_label("Title").fill("Ad hoc")
    page.locator("#part-rules > summary").click()
    page.get_by_label("Runs per team").fill("-1")
    page.locator("#part-rules > summary").click()
    page.get_by_role("button", name="Create the task").click()
    expect(page.get_by_label("Runs per team")).to_be_focused()


def test_a_form_that_is_left_asks_first_and_offers_what_was_typed(new_task: str, cast: Cast, open_page: Opener) -> None:
    page = open_page(cast.organiser, new_task)
    page.get_by_label("Title").fill("Ad hoc")
    page.locator("#part-grades > summary").click()
    page.get_by_role("button", name="Add a grade").click()
    page.locator('[name="grades-5-label"]').fill("a sixth")
    wait_until_kept(page, "a sixth")
    asked: list[str] = []
    page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.accept()))
    page.goto(page.url)
    assert asked == ["beforeunload"]
    expect(page.get_by_label("Title")).to_have_value("")
    page.get_by_role("button", name="Restore it").click()
    expect(page.get_by_label("Title")).to_have_value("Ad hoc")
    expect(page.locator('[name="slug"]')).to_have_value("ad-hoc")
    expect(page.locator('[name="grades-5-label"]')).to_have_value("a sixth")
    page.goto(page.url)
    page.get_by_role("button", name="Discard it").click()
    expect(page.get_by_role("button", name="Restore it")).to_be_hidden()
    asked.clear()
    page.goto(page.url)
    expect(page.get_by_role("button", name="Restore it")).to_be_hidden()
    assert asked == []


def test_what_was_saved_is_neither_asked_about_nor_offered(new_task: str, cast: Cast, open_page: Opener) -> None:
    page = open_page(cast.organiser, new_task)
    asked: list[str] = []
    page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.accept()))
    start = page.url
    page.get_by_label("Title").fill("Ad hoc")
    page.get_by_role("button", name="Create the task").click()
    page.wait_for_url("**/ad-hoc/import/")
    assert page.evaluate("Object.keys(sessionStorage).filter((key) => key.startsWith('draft '))") == []
    page.go_back()
    expect(page.get_by_role("button", name="Restore it")).to_be_hidden()
    page.goto(start)
    expect(page.get_by_role("button", name="Restore it")).to_be_hidden()
    assert asked == []


def test_what_was_sent_in_vain_is_offered_whichever_way_one_comes_back_and_typing_does_not_overwrite_it(
    new_task: str, cast: Cast, open_page: Opener
) -> None:
    page = open_page(cast.organiser, new_task)
    page.on("dialog", lambda dialog: dialog.accept())
    start = page.url
    answer_posts(page, status=503, body="away")
    page.get_by_label("Title").fill("First")
    page.get_by_role("button", name="Create the task").click()
    expect(page.get_by_text("away")).to_be_visible()
    page.goto(start)
    page.get_by_label("Title").fill("Second")
    wait_until_kept(page, "Second")
    page.goto(start)
    page.get_by_role("button", name="Restore it").click()
    expect(page.get_by_label("Title")).to_have_value("Second")
    page.get_by_role("button", name="Restore it").click()
    expect(page.get_by_label("Title")).to_have_value("First")


def test_an_answer_that_leads_nowhere_leaves_the_form_guarded(new_task: str, cast: Cast, open_page: Opener) -> None:
    page = open_page(cast.organiser, new_task)
    asked: list[str] = []
    page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.accept()))
    answer_posts(page, status=204)
    page.get_by_label("Title").fill("First")
    with page.expect_response("**/new/"):
        page.get_by_role("button", name="Create the task").click()
    page.get_by_label("Title").fill("First and more")
    wait_until_kept(page, "First and more")
    page.goto(page.url)
    assert asked == ["beforeunload"]
    expect(page.get_by_role("button", name="Restore it")).to_be_visible()


def test_without_javascript_a_folded_entry_that_is_wrong_is_answered_by_the_server(
    new_task: str, cast: Cast, browser: Any, sign_in: Any, live_server: Any
) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    sign_in(page, cast.organiser)
    page.goto(live_server.url + new_task)
    page.locator("#measure-choices > summary").click()
    expect(page.get_by_text("A tick adds the measure")).to_be_hidden()
    page.locator('[name="title"]').fill("Ad hoc")
    page.locator('[name="slug"]').fill("ad-hoc")
    page.locator("#part-rules > summary").click()
    page.get_by_label("Runs per team").fill("-1")
    page.locator("#part-rules > summary").click()
    page.get_by_role("button", name="Create the task").click()
    expect(page.locator("#part-rules .errorlist").first).to_be_visible()
    context.close()


def test_a_session_that_ends_in_the_middle_of_a_form_loses_nothing(cast: Cast, open_page: Opener) -> None:
    page = open_page(cast.organiser, cast.task.url("task_edit"))
    cast.organiser.set_password("a long pass phrase")
    cast.organiser.save()
    page.get_by_label("Title").fill("Another title")
    page.context.clear_cookies(name=settings.SESSION_COOKIE_NAME)
    page.get_by_role("button", name="Save", exact=True).click()
    page.wait_for_url("**/login/**")
    page.locator('[name="login"]').fill(cast.organiser.username)
    page.locator('[name="password"]').fill("a long pass phrase")
    page.locator("main button[type=submit]").click()
    page.wait_for_url("**/edit/")
    page.get_by_role("button", name="Restore it").click()
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("Saved.")).to_be_visible()
    assert Task.objects.get(pk=cast.task.pk).title == "Another title"


def test_a_restored_form_still_names_what_somebody_else_changed_meanwhile(cast: Cast, open_page: Opener) -> None:
    Role.objects.create(campaign=cast.campaign, user=cast.stranger, role=Role.ORGANISER)
    page = open_page(cast.organiser, cast.task.url("task_edit"))
    page.on("dialog", lambda dialog: dialog.accept())
    page.get_by_label("Title").fill("Another title")
    wait_until_kept(page, "Another title")
    task_update(actor=cast.stranger, task=Task.objects.get(pk=cast.task.pk), max_runs_per_team=3)
    page.goto(page.url)
    page.get_by_role("button", name="Restore it").click()
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("this was changed meanwhile")).to_be_visible()
    expect(page.get_by_label("Runs per team")).to_have_value("3")
    expect(page.get_by_label("Runs per team")).to_be_visible()
    expect(page.get_by_label("Title")).to_have_value("Another title")
