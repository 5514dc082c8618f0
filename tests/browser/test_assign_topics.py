"""*Assign topics* on a phone: short, nothing sideways; a plan is carried out with and without JavaScript."""

from collections.abc import Callable
from typing import Any

import pytest
from django.conf import settings
from playwright.sync_api import Page, expect

from campaign.models import Role
from judging.models import Assignment
from tests.factories import Cast, make_cast, make_collection, make_topics, make_user
from tests.judging.makers import assign, judge, make_pool

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
Opener = Callable[[Any, str], Page]
DOCNOS = [f"D{number}" for number in range(44)]


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    """As many topics, assessors and documents as the demo has; nobody has a topic."""
    cast = make_cast()
    Role.objects.create(campaign=cast.campaign, user=make_user(), role=Role.ASSESSOR)
    make_collection(cast.task, DOCNOS)
    topics = make_topics(cast.task, [str(number) for number in range(1, 17)])
    make_pool(cast.task, dict.fromkeys(topics, DOCNOS), cast.organiser)
    return cast


def height_and_width(page: Page, width: int) -> tuple[int, int]:
    page.set_viewport_size({"width": width, "height": 844})
    root = "document.documentElement"
    return page.evaluate(f"{root}.scrollHeight"), page.evaluate(f"{root}.scrollWidth")


def test_the_page_is_short_on_a_phone_and_no_part_of_it_goes_sideways(cast: Cast, open_page: Opener) -> None:
    address = cast.task.url("assignment_create")
    page = open_page(cast.organiser, address)
    assert height_and_width(page, 390)[0] < 1400
    pool = cast.task.pools.get()
    for topic in cast.task.topics.all():
        judge(assign(pool, topic, cast.assessor, cast.organiser), "D1", 1)
    page.goto(page.url)
    expect(page.get_by_role("heading", name="No topic is left to share")).to_be_visible()
    assert height_and_width(page, 390)[0] < 1400
    for summary in page.locator("summary:visible").all():
        summary.click()
    assert page.locator("main details:not([open])").count() == 0
    assert height_and_width(page, 320)[1] <= 320


@pytest.mark.parametrize("with_script", [True, False])
def test_all_topics_are_shared_among_the_ticked_assessors_with_and_without_script(
    cast: Cast, browser: Any, page: Page, sign_in: Callable[[Any, Any], None], live_server: Any, with_script: bool
) -> None:
    sign_in(page, cast.organiser)
    [session] = [one for one in page.context.cookies() if one["name"] == settings.SESSION_COOKIE_NAME]
    context = browser.new_context(java_script_enabled=with_script)
    context.add_cookies([session])
    own = context.new_page()
    own.goto(live_server.url + cast.task.url("assignment_create"))
    own.locator("#part-choose > summary").click()
    own.get_by_label(str(cast.assessor)).first.uncheck()
    own.get_by_role("button", name="Show who gets what").first.click()
    expect(own.locator("#preview")).to_contain_text("16 assignments for 1 assessor, 704 documents")
    expect(own.locator("#preview")).to_be_in_viewport(ratio=1)
    own.get_by_role("button", name="Assign as shown").click()
    expect(own.get_by_role("heading", name="No topic is left to share")).to_be_visible()
    assert Assignment.objects.exclude(assessor=cast.assessor).count() == 16
    assert own.evaluate("location.hash") == ""
    own.locator("#part-overlap > summary").click()
    own.locator("#part-overlap").get_by_role("button", name="Show who gets what").click()
    expect(own.locator("#part-overlap #preview")).to_be_in_viewport()
    expect(own.locator("main details.fold[open]")).to_have_count(1)
    context.close()


def test_an_entry_in_a_fold_that_the_browser_refuses_is_shown(cast: Cast, open_page: Opener) -> None:
    page = open_page(cast.organiser, cast.task.url("assignment_create"))
    page.locator("#part-choose > summary").click()
    how = page.locator("#part-how > summary")
    how.click()
    page.get_by_label("Divide topics of more documents than").fill("0")
    how.click()
    page.get_by_role("button", name="Show who gets what").first.click()
    expect(page.get_by_label("Divide topics of more documents than")).to_be_focused()
