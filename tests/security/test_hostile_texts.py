"""Texts of users stay texts: on every page for everybody, in every form, in every file. A new page joins by its row."""

import re
from collections.abc import Iterator, Sequence
from copy import deepcopy
from urllib.parse import quote

import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from campaign.models import Job, Role, User
from campaign.models.lookalikes import skeleton
from tests.api.makers import ask, make_token
from tests.api.test_access import ROWS as API_ROWS
from tests.conftest import MadeOnce
from tests.security.hostile_world import make_hostile_world, texts_of_users
from tests.security.payloads import MARK, payload_of
from tests.security.reading import Entry, Form, Page, offences, require_json, texts_in
from tests.world import ACCOUNT_ROWS, GET, PUBLIC_ONCE_PUBLISHED, ROLES, ROWS, Row, World

ACTORS = ("anonymous", "member", "assessor", "organiser", "operator")
"""Those who can set texts."""
ROW_OF_MANY = re.compile(r"-\d+-")
"""In the names of entries that a form repeats for each row, such as a grade: one row stands for all."""
SHOWN = {
    "home",
    "campaign_detail",
    "task_detail",
    "run_detail",
    "run_edit",
    "document_detail",
    "topic_list",
    "leaderboard_csv",
    "people",
    "scores_reliability",
    "scores_reliability_json",
}


@pytest.fixture(scope="module")
def hostile_world(made_once: MadeOnce) -> Iterator[World]:
    with made_once(make_hostile_world) as world:
        yield world


@pytest.fixture
def world(hostile_world: World, db: None) -> World:
    return deepcopy(hostile_world)


PAGES = pytest.mark.parametrize(
    "row", [row for row in (*ROWS, *ACCOUNT_ROWS) if row.method == GET], ids=lambda row: row.name
)


@PAGES
def test_no_answer_and_no_form_takes_a_text_for_a_part_of_the_page(world: World, row: Row) -> None:
    """For everybody who gets the answer; then all texts of each form at once and each in turn, and where that leads.

    Each in turn, so that no other keeps it from being stored.
    """
    found: dict[tuple[str, ...], list[str]] = {}
    forms: dict[str, list[Form]] = {}
    for role in _seen_by(row):
        answer = world.ask(row, role)
        content = _content(answer)
        if answer.get("Content-Type", "").startswith("text/html"):
            page = Page(content.decode())
            found[(role,)], forms[role] = page.offences, page.forms
        else:
            found[(role,)] = offences(answer, content)
    for role in [role for role in ACTORS if role in forms]:
        client, address = world.client(role), world.address(row)
        for form in forms[role]:
            texts = {ROW_OF_MANY.sub("-", entry.name): entry for entry in form.entries if entry.is_text}
            for attacked in ([[*texts.values()]] if texts else []) + [[entry] for entry in texts.values()]:
                what = (form.method, form.action or address, *(entry.name for entry in attacked))
                if what not in found:
                    found[what] = _attacked(client, address, form, attacked)
    assert {what: offences for what, offences in found.items() if offences} == {}


def test_every_answer_of_the_api_is_json_with_the_texts_as_they_are(world: World) -> None:
    job = Job.objects.filter(task=world.cast.task).first()
    names = {"version": 1, "number": 1, "username": world.cast.member.username, "import_id": world.values["import"]}
    names |= {"job": job.pk if job else 1, "model_assessor": world.values["model"], "preference": 1}
    values = {name: quote(str(value), safe="") for name, value in {**world.values, **names}.items()}
    tokens = {role: make_token(world.user(role)) for role in ACTORS[1:]}
    shown: set[str] = set()
    for row in (row for row in API_ROWS if row.method == GET):
        for role in ACTORS:
            answer = ask(row.address.format(**values), tokens.get(role, ""))
            assert answer.status_code < 500
            assert answer["X-Content-Type-Options"] == "nosniff"
            if "attachment" not in answer.get("Content-Disposition", ""):
                shown |= {row.name for text in texts_in(require_json(answer)) if f"<{MARK}" in text}
    assert shown >= {"me", "read_campaign", "read_task", "read_team", "read_run", "list_topics", "list_problems"}


def test_the_page_on_which_a_role_is_confirmed_takes_no_text_for_a_part_of_itself(world: World) -> None:
    rows = User.objects.filter(pk=world.cast.stranger.pk)
    [stranger] = rows.values_list("username", flat=True)
    rows.update(username_skeleton=skeleton(stranger))  # people are found by it, and the attack stands in it
    address = reverse("people", kwargs={"campaign_slug": world.values["campaign"]})
    answer = world.client("organiser").post(address, {"person": stranger, "role": Role.ORGANISER})
    assert "Is this the person you mean?" in answer.content.decode()
    assert MARK in answer.content.decode()
    assert offences(answer, answer.content) == []


def test_the_attack_is_in_every_column_and_on_the_pages(world: World) -> None:
    """So that the tests above look at something."""
    missed = [
        f"{model.__name__}.{field.name}"
        for model, field in texts_of_users()
        if model._base_manager.exists() and not model._base_manager.filter(**{f"{field.name}__contains": "<"}).exists()
    ]
    assert missed == []
    shown = {row.name for row in ROWS if row.name in SHOWN and MARK.encode() in _content(world.ask(row, "organiser"))}
    assert shown == SHOWN


def test_the_reader_of_pages_notices_what_an_unescaped_text_would_make() -> None:
    for payload in (payload_of(None), payload_of(60), payload_of(12)):
        assert Page(f"<p>{payload}</p>").offences
        assert Page(f'<input value="{payload}">').offences
    for markup in ("<p onclick=x>", f"<a href=javascript:{MARK}>", f"<i hx-post='/c/{MARK}'>", f"<i hx-get=/{MARK}>"):
        assert Page(markup).offences


def _seen_by(row: Row) -> list[str]:
    """The roles that get the page: a refusal shows nothing of the world. Here the leaderboard is published."""
    if row.name in PUBLIC_ONCE_PUBLISHED:
        return [*ROLES]
    return [role for role, outcome in zip(ROLES, row.expected.split(), strict=True) if outcome == "ok"]


def _attacked(client: Client, address: str, form: Form, attacked: Sequence[Entry]) -> list[str]:
    data: dict[str, list[str]] = {}
    for entry in form.entries:
        value = payload_of(entry.length) if entry in attacked else entry.value
        data.setdefault(entry.name, []).append(value)
    target = (form.action or address).removeprefix("http://testserver")
    answer = client.get(target, data) if form.method == "get" else client.post(target, data)
    assert answer.status_code < 500
    found = offences(answer, _content(answer))
    if answer.status_code in (302, 303):
        shown = client.get(answer["Location"])
        found += offences(shown, _content(shown))
    return found


def _content(answer: HttpResponse) -> bytes:
    if not answer.streaming:
        return answer.content
    seen = getattr(answer, "content_seen", None)
    return b"".join(answer.streaming_content) if seen is None else seen
