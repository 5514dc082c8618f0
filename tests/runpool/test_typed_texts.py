"""What is typed into a form is not lost where the session ended meanwhile, and nobody else's page can put words here."""

import re
import sys
from html import unescape
from string import ascii_lowercase
from typing import Any
from urllib.parse import urlencode

import pytest
from django.forms import (
    BaseForm,
    CheckboxInput,
    EmailInput,
    Field,
    FileInput,
    NumberInput,
    PasswordInput,
    Textarea,
    TextInput,
    URLInput,
)
from django.test import Client
from django.urls import get_resolver, reverse

from runpool import typed_texts as typed_by
from tests.factories import Cast

pytestmark = pytest.mark.django_db
PAGE = {"HTTP_SEC_FETCH_SITE": "same-origin", "HTTP_ACCEPT": "text/html,*/*"}
TYPED = {"subject": "A long story", "text": "</textarea><b>of an hour", "old_password": "my secret words"}


def send(cast: Cast, client: Client, **headers: Any) -> Any:
    return client.post(reverse("notice_create", kwargs={"campaign_slug": cast.campaign.slug}), TYPED, **headers)


def test_a_form_of_who_is_signed_out_shows_what_was_typed(cast: Cast) -> None:
    answer = send(cast, Client(), **PAGE)
    shown = answer.content.decode()
    assert (answer.status_code, answer["Cache-Control"]) == (403, "no-store")
    assert "A long story</textarea>" in shown
    assert "&lt;/textarea&gt;&lt;b&gt;of an hour</textarea>" in shown
    assert "my secret words" not in shown
    assert f"{reverse('account_login')}?next=/c/{cast.campaign.slug}/news/new/" in shown


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {**PAGE, "HTTP_SEC_FETCH_SITE": "cross-site"},
        {**PAGE, "HTTP_ACCEPT": "*/*"},
        {**PAGE, "HTTP_HX_REQUEST": "true"},
    ],
)
def test_scripts_and_other_sites_are_led_to_the_sign_in(cast: Cast, headers: dict[str, str]) -> None:
    assert send(cast, Client(), **headers).status_code == 302


def test_a_form_of_an_old_session_shows_what_was_typed_but_for_other_sites(cast: Cast) -> None:
    client = Client(enforce_csrf_checks=True)
    for sent_by, is_shown in (("same-origin", True), ("cross-site", False)):
        answer = send(cast, client, **{**PAGE, "HTTP_SEC_FETCH_SITE": sent_by})
        assert (answer.status_code, "A long story" in answer.content.decode()) == (403, is_shown)


FORMS = [
    "notice_create",
    "question_ask",
    "milestone_list",
    "campaign_edit",
    "campaign_profile",
    "task_create",
    "task_edit",
    "team_create",
    "token_list",
]
LABEL = re.compile(r'<label for="(id_[^"]+)">\s*([^<]+?)\s*<')
TEXT_ENTRY = re.compile(r'<(?:textarea|input type="(?:text|url|number|datetime-local)")[^>]* name="([^"]+)"')
SHOWN = re.compile(r'<label for="typed-\d+">([^<]+)</label>')
ZONE = re.compile(r" \([A-Z][A-Za-z_/]+\)$")


def page_of(cast: Cast, name: str) -> str:
    task = {"task_slug": cast.task.slug} if name in ("question_ask", "task_edit") else {}
    campaign = {} if name in ("team_create", "token_list") else {"campaign_slug": cast.campaign.slug}
    return reverse(name, kwargs=campaign | task)


@pytest.mark.parametrize("name", FORMS)
def test_an_entry_has_the_label_of_its_form(cast: Cast, name: str) -> None:
    """Without the time zone of a date: whoever is signed out must not learn whether the campaign exists."""
    client = Client()
    client.force_login(cast.organiser)
    page = client.get(page_of(cast, name)).content.decode()
    labels = dict(LABEL.findall(page))
    names = TEXT_ENTRY.findall(page)
    expected = {entry: ZONE.sub("", unescape(labels[f"id_{entry}"])) for entry in names if f"id_{entry}" in labels}
    assert expected, name
    answer = Client().post(page_of(cast, name), dict.fromkeys(expected, "some words"), **PAGE).content.decode()
    shown = [unescape(label).replace(" (row 1)", "") for label in SHOWN.findall(answer)]
    assert shown == list(expected.values())


def typed(cast: Cast, name: str, entries: dict[str, str]) -> Any:
    return Client().post(page_of(cast, name), entries, **PAGE)


def test_rows_and_rules_have_their_labels_and_no_number_of_a_row_is_too_long(cast: Cast) -> None:
    entries = {
        "title": "Old news",
        "grades-1-value": "1",
        "grades-1-label": "partly",
        f"grades-{'9' * 4400}-gain": "x",
        "rules-topic_missing": "off",
    }
    sent, kind = urlencode(entries), "application/x-www-form-urlencoded"
    answer = Client().post(page_of(cast, "task_edit"), sent, content_type=kind, **PAGE)
    labels = SHOWN.findall(answer.content.decode())
    assert labels == ["Title", "Value (row 2)", "Label (row 2)", "Gain", "a topic has no document"]


def test_one_word_is_typed_and_a_choice_or_what_the_page_sends_itself_is_not(cast: Cast) -> None:
    assert SHOWN.findall(typed(cast, "notice_create", {"subject": "Delay", "batch": "7"}).content.decode()) == [
        "Subject"
    ]
    assert typed(cast, "notice_create", {"audience": "everybody", "batch": "7"}).status_code == 302


def own_fields() -> dict[str, Field]:
    """Of all forms, by module, class and name."""
    forms = sorted(set(typed_by._forms(BaseForm)), key=lambda form: (form.__module__, form.__name__))
    return {
        f"{form.__module__}.{form.__name__}.{name}": field
        for form in forms
        for name, field in getattr(form, "base_fields", {}).items()
    }


IS_TYPED_INTO = re.compile(r'<textarea|<input type="(?:text|email|url|number|date|time|datetime-local|search|tel)"')


def test_of_every_form_what_a_browser_lets_one_type_into_counts_as_typed_and_nothing_else() -> None:
    get_resolver().url_patterns  # noqa: B018 - loads every view, and with it every form
    seen = set()
    for place, field in own_fields().items():
        name = place.rpartition(".")[2]
        if isinstance(field.widget, PasswordInput):
            assert typed_by.NOT_SHOWN.search(name), place
        elif not field.widget.is_hidden:
            is_typed = bool(IS_TYPED_INTO.search(field.widget.render(name, None)))
            assert typed_by._is_typed(field, "x") == is_typed, place
            seen.add(type(field.widget))
    assert {EmailInput, URLInput, NumberInput, TextInput, Textarea, CheckboxInput, FileInput} < seen


@pytest.mark.parametrize(
    ("name", "entries", "labels"),
    [
        ("board_settings", {"margin": "0.013"}, ["Equivalence margin"]),
        ("run_links", {"paper_url": "https://a.example/p.pdf"}, ["Paper"]),
        ("team_invite", {"email": "ada@example.org"}, ["Mail address"]),
    ],
)
def test_addresses_mails_and_numbers_alone_are_shown(
    cast: Cast, name: str, entries: dict[str, str], labels: list[str]
) -> None:
    task = {"campaign_slug": cast.campaign.slug, "task_slug": cast.task.slug}
    kwargs = {"board_settings": task, "run_links": {**task, "tag": "a"}, "team_invite": {"team_slug": cast.team.slug}}
    answer = Client().post(reverse(name, kwargs=kwargs[name]), entries, **PAGE)
    assert SHOWN.findall(answer.content.decode()) == labels


@pytest.mark.parametrize(
    ("sent", "number_found"),
    [
        ("{number}-title", 650),
        ("{letters}-title", typed_by.MOST_SHAPES),
        ("{letters}-1-title", typed_by.MOST_SHAPES),
        ("{letters}", 0),
        ("{letters}-nothing", 0),
    ],
)
def test_a_thousand_names_of_a_stranger_cost_little(sent: str, number_found: int) -> None:
    """By calls, not by seconds."""
    calls = 0

    def count(*about: object) -> None:
        nonlocal calls
        calls += about[1] == "call"

    pairs = [f"qq{first}{second}" for first in ascii_lowercase[:25] for second in ascii_lowercase]
    names = [sent.format(letters=letters, number=number) for number, letters in enumerate(pairs)]
    get_resolver().url_patterns  # noqa: B018 - loads every form
    sys.setprofile(count)
    try:
        fields = typed_by._fields(test_a_thousand_names_of_a_stranger_cost_little, names)
    finally:
        sys.setprofile(None)
    assert len(fields) == number_found
    assert calls < 5_000


def test_names_that_no_form_has_are_shown_as_texts(cast: Cast) -> None:
    shown = typed(cast, "task_edit", {"subtopic-2": "two words", "seen": "7"}).content.decode()
    assert SHOWN.findall(shown) == ["Subtopic 2"]
    shown = typed(cast, "notice_create", {'<b>some_"name': "two words"}).content.decode()
    assert "&lt;b&gt;some &quot;name</label>" in shown
    assert "<b>some" not in shown


@pytest.mark.parametrize(("origin", "is_shown"), [("http://testserver", True), ("http://other.example", False)])
def test_a_browser_that_says_the_origin_alone_is_asked_for_it(
    cast: Cast, settings: Any, origin: str, is_shown: bool
) -> None:
    """Without encryption browsers say no more."""
    settings.SITE_URL = "http://testserver"
    answer = send(cast, Client(), HTTP_ACCEPT="text/html", HTTP_ORIGIN=origin)
    assert ("A long story" in answer.content.decode()) == is_shown


@pytest.mark.parametrize("text", ["风筝的相关性", "one\ntwo", "https://example.org/" + "a" * 40])
def test_texts_without_a_blank_are_typed_too_where_no_form_has_the_entry(cast: Cast, text: str) -> None:
    assert text in typed(cast, "task_edit", {"subtopic-2": text}).content.decode()


def test_the_way_back_has_the_query_of_the_address(cast: Cast) -> None:
    address = f"{page_of(cast, 'notice_create')}?about=a%26b"
    assert "%3Fabout%3Da%2526b" in Client().post(address, TYPED, **PAGE).content.decode()
