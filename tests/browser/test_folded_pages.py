"""Long pages whose parts are folded: a link opens its part, also on reload and without JavaScript; paper has all of it."""

from typing import Any

import pytest
from django.test import TestCase
from playwright.sync_api import expect

from campaign.models import Task
from evaluation.services.leaderboards import leaderboard_publish
from tests.evaluation.analysis.makers import make_scored_task
from tests.factories import Cast

pytestmark = pytest.mark.browser


@pytest.fixture
def report(cast: Cast, transactional_db: None, live_server: Any) -> str:
    make_scored_task(cast, TestCase.captureOnCommitCallbacks)
    task = Task.objects.get(pk=cast.task.pk)
    with TestCase.captureOnCommitCallbacks(execute=True):
        board = leaderboard_publish(actor=cast.organiser, task=task, audience="public")
    return f"{live_server.url}{board.get_absolute_url()}reliability/"


def test_a_verdict_opens_its_part_also_on_reload_and_when_it_is_used_again(report: str, page: Any) -> None:
    page.goto(report)
    part, link = page.locator("#reliability-halves"), page.get_by_role("link", name="Split-half")
    expect(part).to_be_hidden()
    link.click()
    expect(part).to_be_in_viewport()
    expect(page.locator("details[open]")).to_have_count(1)
    page.reload()
    expect(part).to_be_visible()
    page.locator("details[open] > summary").click()
    expect(part).to_be_hidden()
    link.click()
    expect(part).to_be_in_viewport()


def test_without_javascript_a_verdict_opens_its_part(report: str, browser: Any) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(report)
    page.get_by_role("link", name="Leave-one-topic-out").click()
    expect(page.locator("#reliability-topics")).to_be_visible()
    context.close()


def test_paper_has_every_part_with_its_heading(report: str, page: Any) -> None:
    page.goto(report)
    page.emulate_media(media="print")
    for heading in page.locator(".fold > summary h2").all():
        expect(heading).to_be_visible()
    assert page.locator("#reliability-halves").bounding_box()["height"] > 0


@pytest.mark.parametrize("width", [320, 1280])
def test_the_report_is_short_and_no_wider_than_the_screen(report: str, page: Any, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    page.goto(report)
    assert page.evaluate("document.documentElement.scrollHeight") < (1600 if width > 1000 else 2600)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
