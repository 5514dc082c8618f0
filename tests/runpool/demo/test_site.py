"""An empty site by one command: it asks for the first account at a terminal, and refuses where it cannot ask."""

import sys

import pytest
from django.contrib.auth import authenticate
from django.core.management import CommandError

from campaign.models import AuditEvent, User
from runpool.management.commands import site
from tests.factories import make_campaign, make_user

PASSWORD = "four words in a row"


@pytest.fixture
def command(db: None) -> site.Command:
    return site.Command()


def answer_with(monkeypatch: pytest.MonkeyPatch, *answers: str) -> None:
    left = iter(answers)
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("builtins.input", lambda _: next(left))
    monkeypatch.setattr(site, "getpass", lambda _: next(left))


def test_the_first_account_is_asked_for_until_it_is_right_and_operates_the_site(
    command: site.Command, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    answer_with(
        monkeypatch,
        "olga",
        "",
        PASSWORD,
        "another",
        "olga",
        "",
        "123",
        "123",
        "olga",
        "o@example.org",
        PASSWORD,
        PASSWORD,
    )
    command.stdout._out = sys.stdout  # type: ignore[attr-defined]
    command.fill()
    said = capsys.readouterr().out
    assert "These are two passwords." in said
    assert "too short" in said
    user = authenticate(username="olga", password=PASSWORD)
    assert isinstance(user, User)
    assert user.is_superuser
    assert AuditEvent.objects.filter(verb="create", object_id=str(user.pk)).exists()


def test_a_site_with_an_account_asks_nothing(command: site.Command, monkeypatch: pytest.MonkeyPatch) -> None:
    make_user()
    answer_with(monkeypatch)
    command.fill()
    assert User.objects.count() == 1


def test_without_a_terminal_the_refusal_says_how_the_first_account_is_made(command: site.Command) -> None:
    with pytest.raises(CommandError, match="create_user NAME --superuser --password-stdin"):
        command.fill()
    assert not User.objects.exists()


def test_the_data_of_the_demo_is_no_empty_site(command: site.Command) -> None:
    make_campaign("velo")
    with pytest.raises(
        CommandError, match=r"holds the demo campaign\. Choose another folder: make site RUNPOOL_DATA_DIR="
    ):
        command.fill()


def test_the_address_that_an_empty_site_prints_is_that_of_the_first_campaign(
    command: site.Command, capsys: pytest.CaptureFixture[str]
) -> None:
    command.stdout._out = sys.stdout  # type: ignore[attr-defined]
    command.welcome(8000)
    assert "http://127.0.0.1:8000/c/new/\n" in capsys.readouterr().out
    make_campaign("first")
    command.welcome(8000)
    assert "http://127.0.0.1:8000/\n" in capsys.readouterr().out
