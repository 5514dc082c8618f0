"""What organisers do while an assessor judges without a connection: it is told at the desk, and nothing entered is lost."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from campaign.models import Role
from campaign.setup.services.people import role_grant, role_revoke
from judging.assigning.services.assignments import assignments_create
from judging.models import Assignment, Judgment
from judging.qrels.services.releases import qrels_release
from tests.browser.desk_driver import docnos, expect_saved, grades, press, ready, shown
from tests.factories import Cast, make_cast, make_user
from tests.judging.makers import make_assignment, make_subtopics

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

LOADING_MS = 3000
"""The desk knows the server's time to about the time that its page took to load."""


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    return make_cast()


def judge_offline(page: Page, keys: str) -> None:
    page.context.set_offline(True)
    for key in keys:
        press(page, key)
    expect_saved(page, f"saved 0 · pending {len(keys)}")


def test_after_a_hand_over_what_was_judged_before_arrives_and_what_was_judged_since_is_refused_and_kept(
    cast: Cast, open_desk: Callable[[Assignment], Page]
) -> None:
    assignment = make_assignment(cast, docnos(6))
    page = open_desk(assignment)
    judge_offline(page, "21")
    second = make_user()
    Role.objects.create(campaign=cast.campaign, user=second, role=Role.ASSESSOR)
    assignments_create(actor=cast.organiser, pool=assignment.pool, topics=[assignment.topic], assessor=second)
    page.wait_for_timeout(LOADING_MS)
    press(page, "3")
    page.context.set_offline(False)
    expect_saved(page, "saved 2 · pending 0 · not accepted 1")
    expect(page.locator("#desk-refused-list")).to_contain_text("D003: Topic 401 was handed over to another assessor")
    assert grades(assignment) == {"D001": 2, "D002": 1}
    page.reload()
    ready(page)
    expect(page.locator("#desk-refused-list")).to_contain_text("D003")
    assert second.username not in page.content()


def test_a_role_that_is_taken_away_refuses_what_is_pending_and_one_given_back_takes_it(
    cast: Cast, open_desk: Callable[[Assignment], Page]
) -> None:
    assignment = make_assignment(cast, docnos(6))
    page = open_desk(assignment)
    judge_offline(page, "213")
    person = {"actor": cast.organiser, "campaign": cast.campaign, "user": cast.assessor, "role": Role.ASSESSOR}
    role_revoke(**person)
    page.context.set_offline(False)
    expect_saved(page, "saved 0 · pending 0 · not accepted 3")
    expect(page.locator("#desk-refused-list")).to_contain_text("You are no assessor of")
    assert not Judgment.objects.exists()
    role_grant(**person)
    for left in (2, 1, 0):
        page.get_by_role("button", name="Send again").first.click()
        expect_saved(page, f"saved {3 - left} · pending 0" + (f" · not accepted {left}" if left else ""))
    assert grades(assignment) == {"D001": 2, "D002": 1, "D003": 3}


def test_a_release_holds_what_had_arrived_and_what_arrives_later_is_in_the_next_one(
    cast: Cast, open_desk: Callable[[Assignment], Page]
) -> None:
    assignment = make_assignment(cast, docnos(4))
    page = open_desk(assignment)
    press(page, "1")
    expect_saved(page, "saved 1 · pending 0")
    page.context.set_offline(True)
    press(page, "2")
    first = qrels_release(actor=cast.organiser, task=cast.task, pool=assignment.pool)
    press(page, "3")
    page.context.set_offline(False)
    expect_saved(page, "saved 3 · pending 0")
    assert shown(page) == "D004"
    second = qrels_release(actor=cast.organiser, task=cast.task, pool=assignment.pool)
    assert (first.judgment_count, second.judgment_count) == (1, 3)


def test_ticks_notes_and_flags_made_without_a_connection_survive_a_reload_and_arrive_once(
    open_desk: Callable[[Assignment], Page], transactional_db: None
) -> None:
    cast = make_cast(judging_mode="subtopic")
    assignment = make_assignment(cast, docnos(4))
    make_subtopics(assignment.topic, ["1", "2"])
    page = open_desk(assignment)
    page.context.route("**/judgments/", lambda route: route.abort())
    page.wait_for_timeout(100)
    for key in ("a", "f", "n"):
        page.keyboard.press(key)
    page.keyboard.type("only the first")
    page.keyboard.press("Escape")
    press(page, "2")
    page.keyboard.press("d")
    page.reload()
    ready(page)
    assert shown(page) == "D002"
    expect(page.get_by_role("checkbox", name="2 aspect 2")).to_be_checked()
    page.context.unroute("**/judgments/")
    press(page, "1")
    expect_saved(page, "saved 2 · pending 0")
    current = {one.docno: one for one in Judgment.objects.filter(is_current=True)}
    first = current["D001"]
    assert (first.grade, first.details, first.note, first.flagged) == (2, {"1": 1, "2": 0}, "only the first", True)
    assert (current["D002"].grade, current["D002"].details) == (1, {"1": 0, "2": 1})
