"""Texts that come in otherwise than by forms, and go out otherwise than by pages: API, names of files, headers, mails."""

import io
import re
import zipfile
from email.message import Message
from typing import Any
from urllib.parse import quote

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.mail import EmailMessage
from django.http import HttpResponse
from django.test import Client, TestCase
from django.urls import reverse

from campaign.models import Campaign, Role, Run, Task, Team, User
from campaign.setup.services.people import role_invite
from campaign.teams.services.allowances import allowance_give
from campaign.teams.services.registrations import team_register
from campaign.teams.services.teams import team_invite
from tests.api.makers import API, ask, make_token
from tests.campaign.runs.makers import RANKING, make_ready_cast, signed_in, submit_and_check
from tests.factories import Cast, run_lines
from tests.security.hostile_world import QUESTIONS
from tests.security.payloads import FORMULA, IN_ADDRESSES, MARK, PAYLOADS, SCRIPT, payload_of
from tests.security.reading import Page, require_json

SECOND_HEADER = "x\r\nBcc: everybody@example.org\r\n\r\n<script>"
FILE_NAMES = [
    "../../etc/passwd",
    "..\\..\\evil.txt",
    f'x"; filename="{MARK}.html',
    "=cmd().csv",
    "\u202etxt.exe",
    SCRIPT,
]
PLAIN_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]*")


@pytest.fixture
def ready(db: None) -> Cast:
    return make_ready_cast(max_runs_per_team=50, questions=QUESTIONS)


def pages_are_harmless(client: Client, *addresses: str) -> bool:
    return all(Page(client.get(address).content.decode()).offences == [] for address in addresses)


def campaign_page(name: str, campaign: Campaign) -> str:
    return reverse(name, kwargs={"campaign_slug": campaign.slug})


def test_what_comes_by_the_api_is_told_unchanged_and_is_harmless_on_pages(ready: Cast) -> None:
    token, task = make_token(ready.member), ready.task
    runs = f"{API}/campaigns/{task.campaign.slug}/tasks/{task.slug}/runs"
    about = {"description": payload_of(2000), "answers": {"q0": payload_of(300), "q1": "b"}}
    form = {"team": ready.team.slug, "tag": "fine", "description": FORMULA}
    ask(runs, token, method="POST", data=form, file=run_lines(RANKING, "fine"))
    edited = require_json(ask(f"{runs}/fine", token, method="PATCH", data=about))
    assert {key: edited[key] for key in about} == about
    assert require_json(ask(f"{runs}/fine", token))["description"] == about["description"]
    named = {"name": payload_of(80), "affiliation": payload_of(160)}
    founded = ask(f"{API}/teams", token, method="POST", data=named)
    assert {key: require_json(founded)[key] for key in named} == named
    team = Team.objects.get(name=named["name"])
    team_register(actor=ready.member, team=team, campaign=task.campaign, accepted=[])
    organiser = signed_in(ready.organiser)
    tables = (
        campaign_page("registration_list", task.campaign),
        task.url("run_list"),
        task.url("run_detail", tag="fine"),
    )
    assert pages_are_harmless(organiser, *tables, team.get_absolute_url())
    assert pages_are_harmless(signed_in(ready.member), reverse("home"), reverse("team_list"), *tables[1:])


def test_what_the_api_refuses_is_told_as_json_and_not_stored(ready: Cast) -> None:
    token, runs = make_token(ready.member), f"campaigns/{ready.campaign.slug}/tasks/{ready.task.slug}/runs"
    form = {"team": ready.team.slug, "tag": "fine"}
    for wrong in (
        {"tag": IN_ADDRESSES},
        {"team": PAYLOADS[2][:50]},
        {"kind": SCRIPT},
        {"answers": PAYLOADS[0]},
        {"answers": "[" * 5000},
        {"priority": SCRIPT},
        {"description": "x" * 10**6},
    ):
        answer = ask(runs, token, method="POST", data={**form, **wrong}, file=b"1 Q0 a 1 2 fine\n")
        assert 400 <= answer.status_code < 500, wrong
        require_json(answer)
    for address, data in (
        ("teams/join", {"key": SCRIPT}),
        ("teams", {"name": "\u202etxt.exe"}),
        (f"teams/{ready.team.slug}/invitations", {"email": SECOND_HEADER}),
        (f"teams/{ready.team.slug}/owners", {"username": SCRIPT}),
        (quote(f"teams/{IN_ADDRESSES}"), {"name": "x"}),
    ):
        answer = ask(address, token, method="POST" if "=" not in address else "PUT", data=data)
        assert 400 <= answer.status_code < 500
        require_json(answer)
    assert not Run.objects.exists()


@pytest.mark.parametrize("door", ["page", "api"])
def test_no_name_of_a_file_leads_elsewhere_or_ends_a_header(ready: Cast, door: str) -> None:
    member, token = signed_in(ready.member), make_token(ready.member)
    runs = f"{API}/campaigns/{ready.campaign.slug}/tasks/{ready.task.slug}/runs"
    about = {"kind": "automatic", "priority": 1}
    for number, name in enumerate(FILE_NAMES):
        form = {**about, "tag": f"run{number}", "file": SimpleUploadedFile(name, run_lines(RANKING, f"run{number}"))}
        if door == "page":
            member.post(ready.task.url("run_create"), {**form, "team": ready.team.pk})
        else:
            member.post(runs, {**form, "team": ready.team.slug}, headers={"authorization": f"Bearer {token}"})
    assert Run.objects.count() == len(FILE_NAMES)
    for run in Run.objects.all():
        download = member.get(run.task.url("run_download", tag=run.tag))
        assert b"".join(download.streaming_content)
        require_plain_attachment(download)
    require_plain_attachment(ask(f"{runs}/run2/file", token))
    archive = signed_in(ready.organiser).get(ready.task.url("run_archive"))
    names = zipfile.ZipFile(io.BytesIO(b"".join(archive.streaming_content))).namelist()
    require_plain_attachment(archive)
    assert len(names) == len(set(names)) > len(FILE_NAMES)
    assert all(PLAIN_NAME.fullmatch(step) for name in names for step in name.split("/"))


def require_plain_attachment(answer: HttpResponse) -> None:
    """A file to be saved, under a name that is one step and shows every character that it holds."""
    told = Message()
    told["Content-Disposition"] = answer["Content-Disposition"]
    name = told.get_filename() or ""
    assert told.get_content_disposition() == "attachment"
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert name.isprintable()
    assert not {"/", "\\"} & set(name)


def test_no_title_or_name_becomes_a_header_of_a_mail(ready: Cast, mailoutbox: list[EmailMessage]) -> None:
    """The rows are poisoned past all checks: whatever once let such a text in."""
    for model, column in ((Campaign, "title"), (Task, "title"), (Team, "affiliation")):
        model._base_manager.update(**{column: SECOND_HEADER})
    Team.objects.filter(pk=ready.team.pk).update(name=SECOND_HEADER)
    User.objects.update(display_name=SECOND_HEADER)
    cast = Cast(**{name: type(row).objects.get(pk=row.pk) for name, row in vars(ready).items()})
    with TestCase.captureOnCommitCallbacks(execute=True):
        role_invite(actor=cast.organiser, campaign=cast.campaign, user=cast.stranger, role=Role.ASSESSOR)
        team_invite(actor=cast.member, team=cast.team, email="new@example.org")
        more: dict[str, Any] = {"extra_runs": 1, "closes_at": None, "reason": SECOND_HEADER}
        allowance_give(actor=cast.organiser, task=cast.task, team=cast.team, **more)
        Client().post(reverse("account_reset_password"), {"email": cast.member.email})
    submit_and_check(cast)
    assert len(mailoutbox) >= 5
    for mail in mailoutbox:
        sent = mail.message()
        assert "Bcc" not in sent
        assert "\n" not in mail.subject
        assert len(mail.recipients()) == 1
        assert sent.get_content_type() == "text/plain"


@pytest.mark.parametrize("name", [*PAYLOADS[1:], SECOND_HEADER, "a@example.org", "\u202eabc", "{{ 7|add:700 }}"])
def test_a_name_at_the_sign_up_is_refused_or_harmless(db: None, name: str) -> None:
    client = Client()
    form = {
        "username": name,
        "email": "new@example.org",
        "password1": "a long password",
        "password2": "a long password",
    }
    answer = client.post(reverse("account_signup"), form)
    assert answer.status_code in (200, 302)
    assert Page(answer.content.decode()).offences == []
    for made in User.objects.all():
        assert made.username == name
        assert pages_are_harmless(client, reverse("home"), reverse("account_settings"), reverse("team_list"))
