"""Judging modes in the browser: the values of all their controls are sent, kept and shown again."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from campaign.setup.services.tasks import task_create
from judging.models import Assignment, Judgment
from tests.browser.desk_driver import docnos, expect_saved, press, ready, shown
from tests.factories import Cast, make_cast
from tests.judging.core.modes import sureness
from tests.judging.makers import make_assignment, make_subtopics

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    return make_cast()


def desk_url(assignment: Assignment) -> str:
    return assignment.pool.task.url("desk", topic_number=assignment.topic.number)


def test_a_mode_that_the_scripts_never_heard_of_is_judged_by_key_and_survives_a_reload(
    cast: Cast, open_page: Callable[[Any, str], Page], monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    sureness.register(monkeypatch, settings)
    cast.task = task_create(
        actor=cast.organiser, campaign=cast.campaign, slug="sure", title="Sure", judging_mode="sureness"
    )
    page = open_page(cast.assessor, desk_url(make_assignment(cast, docnos(3))))
    ready(page)
    page.keyboard.press("c")
    press(page, "9")
    expect(page.get_by_role("radio", checked=True)).to_have_count(0)
    page.get_by_role("radio", name="a guess").click()
    press(page, "0")
    press(page, "5")
    expect_saved(page, "saved 2 · pending 0 · not accepted 1")
    expect(page.locator("#desk-refused-list")).to_contain_text("D003: Say how sure you are")
    assert dict(Judgment.objects.values_list("docno", "details")) == {"D001": {"sureness": 3}, "D002": {"sureness": 1}}
    page.reload()
    ready(page)
    while shown(page) != "D001":
        press(page, "k")
    expect(page.get_by_role("radio", name="certain")).to_be_checked()


def test_what_the_desk_kept_in_the_browser_is_shown_and_sent(cast: Cast, open_page: Callable[[Any, str], Page]) -> None:
    cast.task.judging_mode = "subtopic"
    cast.task.save()
    assignment = make_assignment(cast, docnos(3))
    make_subtopics(assignment.topic, ["1", "2"])
    act = {"uuid": "6f0f2c8e-1f3a-4a53-9a53-0d5e4a1b7c01", "docno": "D001", "verdict": "graded", "grade": 3, "note": ""}
    act |= {"judged_at": "2026-01-01T10:00:00.000Z", "answers": {"subtopic": ["2"]}}
    kept = {"assessor": cast.assessor.pk, "assignment": assignment.pk, "act": act}
    kept["url"] = cast.task.url("judgment_submit", topic_number="401")
    page = open_page(cast.assessor, cast.task.url("my_topics"))
    page.context.route("**/judgments/", lambda route: route.abort())
    page.evaluate("entry => localStorage.setItem('runpool-outbox:1', entry)", json.dumps(kept))
    page.goto(page.url.removesuffix("/") + "/401/")
    ready(page)
    expect_saved(page, "saved 0 · pending 1")
    assert shown(page) == "D002"
    press(page, "k")
    expect(page.get_by_role("checkbox", name="2 aspect 2")).to_be_checked()
    expect(page.get_by_role("checkbox", checked=True)).to_have_count(1)
    page.reload()
    ready(page)
    expect_saved(page, "saved 0 · pending 1")
    page.context.unroute("**/judgments/")
    expect_saved(page, "saved 1 · pending 0")
    assert Judgment.objects.get().details == {"1": 0, "2": 1}


def test_the_scale_and_the_measures_of_a_new_task_follow_the_mode_until_somebody_changes_them(
    cast: Cast, open_page: Callable[[Any, str], Page]
) -> None:
    page = open_page(cast.organiser, reverse("task_create", kwargs={"campaign_slug": cast.campaign.slug}))
    labels, measures = page.locator('[name^="grades-"][name$="-label"]'), page.locator('[name="measures"]')
    mode = page.get_by_label
    mode("binary", exact=True).check()
    assert [field.input_value() for field in labels.all()][:3] == ["not relevant", "relevant", ""]
    mode("graded, with subtopics").check()
    assert [field.input_value() for field in labels.all()][:4] == ["not relevant", "related", "relevant", "perfect"]
    assert measures.input_value().splitlines()[-1] == "alpha-nDCG@10"
    measures.fill("AP")
    mode("graded", exact=True).check()
    assert measures.input_value() == "AP"
    page.locator("#part-grades > summary").click()
    labels.nth(1).fill("somewhat")
    mode("binary", exact=True).check()
    assert labels.nth(1).input_value() == "somewhat"
