import logging
import re
import sys
from typing import Any

import pytest
from django.test import Client

from campaign import logs
from campaign.mail.services import mail_user
from campaign.models import Job
from campaign.tasking import find_job
from tests.factories import make_user

FORGED = "x\n2026-01-01 00:00:00,000 INFO root request=- job=- all is well\r\x1b[2J\u2028\u202e"


@pytest.fixture
def lines(caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch) -> Any:
    """What the site's own formatter makes of the records."""
    find_job("send mail")  # the first search sets the logging of Django up again, without the handlers of pytest
    formatter = logs.LineFormatter("{levelname} request={request_id} job={job_id} {message}", style="{")
    monkeypatch.setattr(caplog.handler, "formatter", formatter)
    caplog.set_level("INFO", "campaign")
    return lambda: caplog.text.splitlines()


def test_what_users_type_makes_no_line_of_its_own(lines: Any) -> None:
    logging.getLogger("campaign").warning("the tag %s", FORGED)
    assert len(lines()) == 1
    assert lines()[0].isprintable()


def test_half_a_letter_does_not_break_the_log() -> None:
    assert logs.escaped("a\ud800b") == "a\\ud800b"


def test_a_traceback_cannot_forge_a_line(lines: Any) -> None:
    try:
        raise ValueError(FORGED)
    except ValueError:
        logging.getLogger("campaign").error("failed", exc_info=sys.exc_info())
    assert all(line.startswith("| ") for line in lines()[1:])


def test_a_request_and_the_job_that_it_asked_for_share_a_name_in_the_log(
    db: None, lines: Any, django_capture_on_commit_callbacks: Any
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        token = logs.request_id.set("made-by-hand")
        mail_user(user=make_user("eve"), subject="s", body="b")
        logs.request_id.reset(token)
    job = Job.objects.get(name="send mail")
    assert job.request_id == "made-by-hand"
    named = f"INFO request=made-by-hand job={job.pk} send mail: "
    assert [line.removeprefix(named)[:4] for line in lines() if line.startswith(named)] == ["atte", "done"]


@pytest.mark.parametrize(("proxies", "is_kept"), [(0, False), (1, True)])
def test_the_name_of_a_request_is_taken_from_proxies_of_our_own_alone(
    db: None, client: Client, settings: Any, proxies: int, is_kept: bool
) -> None:
    settings.PROXIES = proxies
    answer = client.get("/health/", headers={"X-Request-ID": "abc-123"})
    assert (answer["X-Request-ID"] == "abc-123") is is_kept


@pytest.mark.parametrize("given", ["", "a" * 65, "a\nb", "a b", "ä", "<script>"])
def test_a_name_that_would_not_fit_the_log_is_replaced(db: None, client: Client, settings: Any, given: str) -> None:
    settings.PROXIES = 1
    answer = client.get("/health/", headers={"X-Request-ID": given})
    assert re.fullmatch(r"[0-9a-f]{32}", answer["X-Request-ID"])


def test_a_request_that_may_change_something_is_logged_without_its_address(
    db: None, client: Client, lines: Any
) -> None:
    answer = client.post("/teams/join/a-secret-key/")
    said = [line for line in lines() if answer["X-Request-ID"] in line and " POST " in line]
    assert len(said) == 1
    assert "a-secret-key" not in said[0]
