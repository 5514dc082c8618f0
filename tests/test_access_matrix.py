"""Every address of the site for everybody who may ask for it. An address without a row in `tests/world.py` fails the suite.

A row says what each role gets, in the order of `ROLES`: `ok` a page, `->` a redirect, `login` the way to the log-in,
or the number of the refusal. Asked are GET where the address answers to it, and POST with nothing in it.
"""

import re
from collections.abc import Iterator
from copy import deepcopy
from functools import cache

import pytest
from django.http import HttpResponse
from django.urls import resolve

from campaign.models import AuditEvent, Campaign, Role, Run, Task
from evaluation.services.leaderboards import leaderboard_publish
from judging.models import Qrels
from tests.conftest import MadeOnce
from tests.evaluation.makers import make_qrels
from tests.factories import make_campaign, make_task
from tests.test_architecture import account_patterns, our_patterns
from tests.world import (
    ACCOUNT_ROWS,
    GET,
    PUBLIC_ONCE_PUBLISHED,
    ROLES,
    ROWS,
    TASK,
    TELL_NO_SCORE,
    Row,
    World,
    is_html,
    is_page,
    links_of,
    make_world,
    outcome,
)

EXPECTED = {row.name: row.expected.split() for row in [*ROWS, *ACCOUNT_ROWS] if row.name not in PUBLIC_ONCE_PUBLISHED}
FRAGMENTS = {
    "archive_state",
    "restoration_state",
    *(
        "import_state",
        "qrels_import_state",
        "pool_import_state",
        "judgments_import_state",
        "run_state",
        "run_list_rows",
        "runs_recheck_state",
    ),
    *("notice_recipients", "pool_preview", "pool_card", "judging_card", "scores_card"),
    "whats_new_count",
}
"""Addresses for scripts alone, which put the answer into a page."""

TOLD_NO_SCORE = ("anonymous", "stranger", "member", "other_member", "assessor")
SECONDS_OF_THIS_MACHINE = {"metrics"}
"""Any of the hundreds may look like the score. Its labels are held by tests/runpool/operations/test_metrics.py."""
SCORE_ROUNDED = re.compile(rb"(?<!\d)0?\.753")
"""The marked score in any precision, and no part of a second in a time of day."""


@pytest.fixture(scope="module")
def world_of_all(made_once: MadeOnce) -> Iterator[World]:
    with made_once(make_world) as world:
        yield world


@pytest.fixture
def world(world_of_all: World, db: None) -> World:
    """What a test changes in the database is gone afterwards; the objects are copies of its own."""
    return deepcopy(world_of_all)


def test_every_address_has_a_row() -> None:
    assert {row.name for row in ROWS} == {pattern.name for pattern in our_patterns()}
    assert {row.name for row in ACCOUNT_ROWS} == {pattern.name for pattern in account_patterns()}


@pytest.mark.parametrize(
    "roles",
    [
        pytest.param(
            ("member", "organiser"), marks=pytest.mark.sqlite
        ),  # whose pages show most, so ask most statements
        ("anonymous", "stranger", "other_member", "assessor", "operator"),
    ],
    ids=" ".join,
)
@pytest.mark.parametrize("row", [*ROWS, *ACCOUNT_ROWS], ids=lambda row: row.name)
def test_each_role_gets_what_the_matrix_says_no_score_before_publication_and_no_link_that_opens_a_fragment_or_a_refusal(
    world: World, row: Row, roles: tuple[str, ...]
) -> None:
    answers = {role: world.ask(row, role) for role in roles}
    expected = dict(zip(ROLES, row.expected.split(), strict=True))
    assert {role: outcome(answer) for role, answer in answers.items()} == {role: expected[role] for role in roles}
    pages = {role: answer.content.decode() for role, answer in answers.items() if is_page(answer)}
    astray = {(role, link) for role, page in pages.items() for link in links_of(page) if leads_astray(link, role)}
    assert astray == set()
    if row.method == GET and row.name not in SECONDS_OF_THIS_MACHINE:
        assert {role for role in roles if role in TOLD_NO_SCORE and tells_a_score(answers[role])} == set()
    parts = {role for role, answer in answers.items() if is_html(answer) and not is_page(answer)}
    is_fragment = row.name in FRAGMENTS and "ok" in map(outcome, answers.values())
    assert bool(parts) == is_fragment, "FRAGMENTS names the addresses that answer with part of a page"


def tells_a_score(answer: HttpResponse) -> bool:
    content = answer.content_seen if answer.streaming else answer.content  # type: ignore[attr-defined]
    return TELL_NO_SCORE.encode() in content or bool(SCORE_ROUNDED.search(content))


def leads_astray(link: str, role: str) -> bool:
    """Followed without scripts, the link opens part of a page, or a page that is refused this role."""
    name = name_of(link)
    expected = EXPECTED.get(name)
    if expected is None or role == "other_member":  # the API's own pages; somebody whose team has no row
        return False
    return name in FRAGMENTS or expected[ROLES.index(role)] not in ("ok", "->", "login")


@cache
def name_of(link: str) -> str:
    return resolve(link).url_name or ""


@pytest.mark.parametrize("row", [*ROWS, *ACCOUNT_ROWS], ids=lambda row: row.name)
def test_no_method_gets_more_than_the_matrix_says(world: World, row: Row) -> None:
    """Who is refused a page is refused it by every method; what no page takes does nothing, whoever asks."""
    events, found = AuditEvent.objects.count(), {}
    refused = [role for role, expected in zip(ROLES, row.expected.split(), strict=True) if expected not in ("ok", "->")]
    for method in {"GET", "HEAD", "POST"} - {row.method}:  # that one the test above asks
        found |= {(method, role): outcome(world.ask(row, role, method)) for role in refused}
    for method in ("PUT", "PATCH", "DELETE", "OPTIONS"):
        got = {(method, role): _without_effect(world.ask(row, role, method)) for role in ("anonymous", "operator")}
        if row in ROWS:  # the library answers some with the page that a GET gets, or with its form, empty
            found |= got
    assert {what: got for what, got in found.items() if got in ("ok", "->")} == {}
    assert AuditEvent.objects.count() == events


def _without_effect(answer: HttpResponse) -> str:
    """An empty answer, or one that leads on, to a method that no page takes tells and does nothing."""
    got = outcome(answer)
    return "nothing" if got == "->" or not answer.getvalue() else got


@pytest.mark.parametrize("row", [row for row in ROWS if "campaign_slug" in row.kwargs], ids=lambda row: row.name)
def test_a_draft_does_not_exist_for_outsiders(world: World, row: Row) -> None:
    Campaign.objects.update(opened_at=None)
    outsiders = ("anonymous", "stranger", "other_member") if "tag" not in row.kwargs else ("anonymous", "stranger")
    assert {outcome(world.ask(row, role)) for role in outsiders} <= {"404", "login", "401", "400"}


@pytest.mark.parametrize("row", [row for row in ROWS if "task_slug" in row.kwargs], ids=lambda row: row.name)
def test_a_task_in_its_set_up_does_not_exist_for_outsiders(world: World, row: Row) -> None:
    Task.objects.update(phase=Task.SETUP)
    assert {outcome(world.ask(row, role)) for role in ("anonymous", "stranger")} <= {"404", "login", "401", "400"}


@pytest.mark.parametrize("row", [row for row in ROWS if "task_slug" in row.kwargs], ids=lambda row: row.name)
def test_an_organiser_of_another_campaign_is_an_outsider(world: World, row: Row) -> None:
    foreign = make_campaign()
    Role.objects.create(campaign=foreign, user=world.cast.stranger, role=Role.ORGANISER)
    make_task(foreign)
    assert outcome(world.ask(row, "stranger")) == row.expected.split()[ROLES.index("stranger")]


def test_organisers_do_see_the_marked_scores(world: World) -> None:
    [row] = [row for row in ROWS if row.name == "score_board"]
    assert TELL_NO_SCORE in world.ask(row, "organiser").content.decode()


@pytest.mark.parametrize("name", PUBLIC_ONCE_PUBLISHED)
def test_what_is_published_is_seen_by_all(world: World, name: str) -> None:
    leaderboard_publish(actor=world.cast.organiser, task=world.cast.task)
    [row] = [row for row in ROWS if row.name == name]
    assert {outcome(world.ask(row, role)) for role in ROLES} == {"ok"}


def test_a_later_release_stays_hidden_although_an_earlier_one_is_published(world: World) -> None:
    leaderboard_publish(actor=world.cast.organiser, task=world.cast.task)
    make_qrels(world.cast.task, {"1": {"b": 1}}, world.cast.organiser)
    assert Qrels.objects.filter(published_at__isnull=False).count() == 1
    row = Row("qrels_download", {**TASK, "version": 2}, "")
    assert [outcome(world.ask(row, role)) for role in ("anonymous", "member", "organiser")] == ["404", "404", "ok"]


def test_a_run_of_a_team_that_left_the_campaign_stays_its_own(world: World) -> None:
    assert Run.objects.visible_to(world.cast.member).count() == 1
    assert Run.objects.visible_to(world.cast.other_member).count() == 0
