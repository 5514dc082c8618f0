"""The head of a page on a phone: the bell and the name; and a form whose session ends before it is sent."""

from collections.abc import Callable
from typing import Any

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from campaign.models import Run, Task
from tests.campaign.runs.makers import make_ready_cast
from tests.factories import Cast, make_received_run

pytestmark = pytest.mark.browser


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    return make_ready_cast()


def test_the_bell_counts_until_what_is_new_is_marked_and_a_form_without_a_session_loses_nothing(
    cast: Cast, live_server: Any, page: Any, sign_in: Callable[..., None]
) -> None:
    make_received_run(cast.task, cast.team, "fresh", b"1 Q0 a 1 1.0 fresh\n", state=Run.VALID)
    cast.member.display_name = "Theodora Lange"
    cast.member.save()
    sign_in(page, cast.member)
    page.set_viewport_size({"width": 390, "height": 700})
    page.goto(live_server.url)
    bell = page.locator(".bell-count")
    expect(bell).to_have_text("1 not seen")
    assert page.locator(".menu-button .ellipsis").bounding_box()["width"] >= 80, "more of the name than a letter"
    page.locator(".bell").click()
    expect(page.get_by_role("link", name="Run fresh is valid")).to_be_visible()
    page.get_by_role("button", name="Mark all as seen").click()
    expect(page.get_by_role("button", name="Mark all as seen")).to_have_count(0)
    page.goto(live_server.url + cast.task.url("question_ask"))
    expect(bell).to_have_text("")
    page.locator("textarea").first.fill("A question of an hour\nof work")
    page.context.clear_cookies(name="sessionid")
    page.locator("main form button[type=submit]").last.click()
    expect(page.locator("h1")).to_have_text("You are signed out")
    assert page.locator("textarea").first.input_value().replace("\r", "") == "A question of an hour\nof work"
    assert (
        page.get_by_role("link", name="Sign in (opens a new tab)")
        .get_attribute("href")
        .startswith(reverse("account_login"))
    )


def test_the_title_of_a_next_step_keeps_its_words_whole_beside_a_long_button_at_400_percent(
    cast: Cast, live_server: Any, page: Any, sign_in: Callable[..., None]
) -> None:
    Task.objects.filter(pk=cast.task.pk).update(phase=Task.SETUP)
    cast.task.topics.all().delete()
    sign_in(page, cast.organiser)
    page.set_viewport_size({"width": 320, "height": 256})
    page.goto(live_server.url)
    entry = page.locator(".entry", has=page.get_by_role("link", name="Import topics"))
    assert entry.locator(".entry-title").first.bounding_box()["width"] >= 150
