import json
import logging
import re
import sys
from io import StringIO
from typing import Any

import pytest
from django.core.exceptions import BadRequest, PermissionDenied, SuspiciousOperation
from django.core.files.base import ContentFile
from django.core.handlers.exception import response_for_exception
from django.db import OperationalError
from django.http.multipartparser import MultiPartParserError
from django.test import Client, RequestFactory
from gunicorn.config import Config

from campaign import log
from campaign.log import lines as lines_of_log
from campaign.log.lines import formatter_named
from campaign.mail.services import mail_user
from campaign.models import DamagedFile, Job, Run
from campaign.queue.jobs import find_job
from campaign.storage.interface import StorageAwayError
from campaign.storage.quarantine import DamagedFileError
from campaign.storage.room import DiskFullError
from runpool import env
from runpool.gunicorn_log import SiteLogger
from tests.api.makers import make_token
from tests.campaign.runs.makers import RANKING, make_ready_cast
from tests.evaluation.makers import make_qrels
from tests.factories import make_user, run_lines

FORGED = "x\n2026-01-01 00:00:00,000 INFO root request=- job=- all is well\r\x1b[2J\u2028\u202e"


def load_all_jobs() -> None:
    """Celery sets up Django when it loads them, and Django its logging, without the handlers of pytest."""
    find_job("no job has this name")  # one that another test has loaded would be found without the others


@pytest.fixture
def lines(caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch) -> Any:
    """What the site's own formatter makes of the records."""
    load_all_jobs()
    formatter = lines_of_log.LineFormatter("{levelname} request={request_id} job={job_id} {message}", style="{")
    monkeypatch.setattr(caplog.handler, "formatter", formatter)
    for name in ("campaign", "runpool"):
        caplog.set_level("INFO", name)
    return lambda: caplog.text.splitlines()


def test_what_users_type_makes_no_line_of_its_own(lines: Any) -> None:
    logging.getLogger("campaign").warning("the tag %s", FORGED)
    assert len(lines()) == 1
    assert lines()[0].isprintable()


def test_half_a_letter_does_not_break_the_log() -> None:
    assert lines_of_log.escaped("a\ud800b") == "a\\ud800b"


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
        token = log.request_id.set("made-by-hand")
        mail_user(user=make_user("eve"), subject="s", body="b")
        log.request_id.reset(token)
    job = Job.objects.get(name="send mail")
    assert job.request_id == "made-by-hand"
    named = f"INFO request=made-by-hand job={job.pk} send mail: "
    assert [line.removeprefix(named)[:4] for line in lines() if line.startswith(named)] == ["atte", "done"]


@pytest.mark.parametrize(("proxies", "is_kept"), [(0, False), (1, True)])
def test_the_name_of_a_request_is_taken_from_proxies_of_our_own_alone(
    db: None, client: Client, settings: Any, proxies: int, is_kept: bool
) -> None:
    settings.TRUSTED_PROXY_COUNT = proxies
    answer = client.get("/health/", headers={"X-Request-ID": "abc-123"})
    assert (answer["X-Request-ID"] == "abc-123") is is_kept


@pytest.mark.parametrize("given", ["", "a" * 65, "a\nb", "a b", "ä", "<script>"])
def test_a_name_that_would_not_fit_the_log_is_replaced(db: None, client: Client, settings: Any, given: str) -> None:
    settings.TRUSTED_PROXY_COUNT = 1
    answer = client.get("/health/", headers={"X-Request-ID": given})
    assert re.fullmatch(r"[0-9a-f]{32}", answer["X-Request-ID"])


def test_a_request_that_may_change_something_is_logged_without_its_address(
    db: None, client: Client, lines: Any
) -> None:
    answer = client.post("/teams/join/a-secret-key/")
    said = [line for line in lines() if answer["X-Request-ID"] in line and " POST " in line]
    assert len(said) == 1
    assert "a-secret-key" not in said[0]


def json_lines(caplog: pytest.LogCaptureFixture) -> list[dict[str, Any]]:
    return [json.loads(line) for line in caplog.text.splitlines()]


@pytest.fixture
def as_json(caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch) -> pytest.LogCaptureFixture:
    load_all_jobs()
    monkeypatch.setattr(caplog.handler, "formatter", formatter_named("json"))
    for name in ("campaign", "runpool", "evaluation", "django.request"):
        caplog.set_level("INFO", name)
    return caplog


def test_a_line_of_json_is_one_object_whatever_was_typed(as_json: pytest.LogCaptureFixture) -> None:
    try:
        raise ValueError(FORGED)
    except ValueError:
        logging.getLogger("campaign").exception('{"level": "INFO"}\n%s', FORGED)
    [line] = json_lines(as_json)
    assert (line["level"], line["logger"]) == ("ERROR", "campaign")
    assert line["message"].isprintable()
    assert all(part.isprintable() for part in line["exception"].split("\n"))
    assert as_json.text.strip().isascii()


def test_a_run_is_followed_from_its_upload_to_its_score_by_the_name_of_one_request(
    db: None, client: Client, as_json: pytest.LogCaptureFixture, django_capture_on_commit_callbacks: Any
) -> None:
    cast = make_ready_cast(measures=["AP"])
    make_qrels(cast.task, {"1": {"a": 1}, "2": {"c": 1}}, cast.organiser)
    client.force_login(cast.member)
    file = ContentFile(run_lines(RANKING, "followed"), name="followed.txt")
    address = f"/c/{cast.campaign.slug}/{cast.task.slug}/runs/new/"
    as_json.clear()
    with django_capture_on_commit_callbacks(execute=True):
        answer = client.post(address, {"team": cast.team.pk, "file": file, "kind": "automatic", "priority": 1})
    run = Run.objects.get(tag="followed")
    lines = [line for line in json_lines(as_json) if line.get("request_id") == answer["X-Request-ID"]]
    upload = next(line for line in lines if line.get("page") == "run_create")
    told = (upload["user_id"], upload["run_id"], upload["campaign_id"], upload["task_id"], upload["status"])
    assert told == (cast.member.pk, run.pk, cast.campaign.pk, cast.task.pk, 303)
    of_run = [(line["job"], line["message"]) for line in lines if line.get("run_id") == run.pk and "job" in line]
    assert ("check run", f"run {run.pk} is checked: valid") in of_run
    assert ("score task", f"run {run.pk} is scored") in of_run
    [board] = [line for line in lines if line["message"].startswith("the board is computed")]
    assert (board["message"], board["job"]) == ("the board is computed: runs 1, measures 1, topics 2", "score task")
    assert board["task_id"] == cast.task.pk


@pytest.mark.parametrize(
    "secret",
    ["eve@example.org", "rp_abcdefghijklmnopqrstuvwxyz0123456789", "redis://:hunter2@db/0", "pbkdf2_sha256$1$s$hash="],
)
@pytest.mark.parametrize("name", ["plain", "json"])
def test_no_secret_comes_into_the_log(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch, name: str, secret: str
) -> None:
    monkeypatch.setattr(caplog.handler, "formatter", formatter_named(name))
    try:
        raise ValueError(f"refused: ({secret}, x)")
    except ValueError:
        logging.getLogger("campaign").exception("not taken: %s", secret)
    assert not any(part in caplog.text for part in (secret, "hunter2", "eve@", "$hash"))


@pytest.mark.parametrize("address", ["/teams/join/a-secret-key/", "/teams/join/a-secret-key/mistyped/ä"])
def test_a_page_that_is_not_found_is_logged_without_its_address(
    db: None, client: Client, as_json: pytest.LogCaptureFixture, address: str
) -> None:
    client.force_login(make_user("eve"))
    answer = client.get(address)
    assert answer.status_code == 404
    [line] = [line for line in json_lines(as_json) if line["logger"] == "django.request"]
    assert line["request_id"] == answer["X-Request-ID"]
    assert "a-secret-key" not in as_json.text


@pytest.mark.parametrize("form", ["plain", "json"])
@pytest.mark.parametrize(
    ("refused", "reason"),
    [
        (PermissionDenied("Only organisers may.\nforged"), "Only organisers may."),
        (SuspiciousOperation("A forged cookie."), "A forged cookie."),
        (BadRequest("Half a form."), "Half a form."),
        (MultiPartParserError("Cut off."), "Cut off."),
    ],
)
def test_a_refusal_is_one_line_with_page_user_and_reason(
    caplog: pytest.LogCaptureFixture, monkeypatch: Any, rf: RequestFactory, form: str, refused: Exception, reason: str
) -> None:
    monkeypatch.setattr(caplog.handler, "formatter", formatter_named(form))
    request = rf.get("/teams/join/a-secret-key/")
    setattr(request, log.OVER, {"user_id": 7})
    response_for_exception(request, refused)
    [line] = caplog.text.splitlines()
    assert reason in line
    assert "user 7" in line
    assert "no page" in line
    assert "a-secret-key" not in line


def test_a_host_that_strangers_name_is_a_refusal_and_no_error_of_ours(db: None, client: Client, caplog: Any) -> None:
    assert client.get("/", headers={"host": "evil.example"}).status_code == 400
    [record] = [found for found in caplog.records if found.name == "django.security.DisallowedHost"]
    plain, as_object = formatter_named("plain").format(record), json.loads(formatter_named("json").format(record))
    assert " WARNING django.security.DisallowedHost " in plain
    assert as_object["level"] == "WARNING"
    assert " to RUNPOOL_ALLOWED_HOSTS." in plain
    assert "\n" not in plain


REFUSED: list[tuple[int, str, dict[str, Any]]] = [
    (403, "/account/login/", {"data": {"login": "a"}}),
    (403, "/", {"method": "DELETE"}),
    (404, "/nowhere/", {"headers": {"referer": "http://["}}),
    (404, "/c/%ff%fe/", {"method": "GET"}),
    (400, "/account/login/", {"content_type": "multipart/form-data", "data": b"half"}),
    (400, "/account/login/", {"content_type": "multipart/form-data; boundary=" + "b" * 300, "data": b"half"}),
    (400, "/", {"headers": {"host": "h" * 3000}}),
    (400, "/?q=%00", {"method": "PUT"}),
    (401, "/api/v1/campaigns", {"content_type": "application/json", "data": b"\xff"}),
    (401, "/api/v1/me", {"method": "GET", "headers": {"authorization": "Bearer \xff"}}),
    (400, "/api/v1/campaigns", {"content_type": "application/json", "data": b"[" * 100_000, "token": True}),
    (404, "/api/v1/nowhere", {"method": "PATCH", "token": True}),
]


@pytest.mark.parametrize(("status", "address", "how"), REFUSED)
def test_a_refused_request_is_one_short_line_with_method_and_page(
    db: None, lines: Any, status: int, address: str, how: dict[str, Any]
) -> None:
    how = dict(how)
    user, method, headers = make_user("eve"), how.pop("method", "POST"), dict(how.pop("headers", {}))
    if how.pop("token", False):
        headers["authorization"] = f"Bearer {make_token(user)}"
    client = Client(enforce_csrf_checks=True)
    if "authorization" not in headers:
        client.force_login(user)
    before = len(lines())
    if isinstance(how.get("data"), dict):
        answer = client.post(address, how["data"], headers=headers)
    else:
        answer = client.generic(method, address, headers=headers, **how)
    [line] = lines()[before:]
    assert answer.status_code == status
    assert f"; {method} " in line
    assert len(line) < 800


def refused_line(form: str, reason: str) -> str:
    record = logging.LogRecord("django.request", logging.WARNING, __file__, 1, "%s", (reason,), None)
    record.status_code, record.request = 400, RequestFactory().post("/")
    return formatter_named(form).format(record)


@pytest.mark.parametrize("form", ["plain", "json"])
@pytest.mark.parametrize("character", ["\x85", "\u202e", "\ud800", "\\", '"', "é", "\U0001f600"])
def test_a_refused_request_is_one_short_line_whatever_its_sender_wrote(form: str, character: str) -> None:
    line = refused_line(form, character * 600)
    assert 500 <= len(line) < {"plain": 700, "json": 900}[form]
    assert line.isprintable()
    assert "; POST " in line


@pytest.mark.parametrize("form", ["plain", "json"])
@pytest.mark.parametrize(
    "secret", ["rp_" + "A1b2" * 10, "user.name@example.org", "postgres://u:a-password@host/db", "argon2$abcdefgh"]
)
def test_no_part_of_a_secret_stands_where_a_long_reason_is_cut(form: str, secret: str) -> None:
    for place in range(499 - len(secret), 500):
        line = refused_line(form, f"{'x' * place} {secret} and more")
        assert not any(part in line for part in ("A1b", "user", "u:", "argon")), line


def test_an_address_to_go_on_to_that_nobody_can_read_is_no_fault_of_ours(db: None, client: Client) -> None:
    eve = make_user("eve")
    for address in ("http://[", "//\u2100.example/"):
        assert client.get("/account/login/", {"next": address}).status_code == 200
        client.force_login(eve)
        assert client.get("/account/login/", {"next": address}).status_code == 302
        assert client.post("/account/logout/", {"next": address}).status_code == 302


@pytest.mark.parametrize("form", ["plain", "json"])
@pytest.mark.parametrize(
    ("problem", "status"),
    [
        (DamagedFileError(DamagedFile(name="runs/ab/abcd")), 503),
        (StorageAwayError("The bucket refuses the keys."), 503),
        (OperationalError("connection refused\nIs the server running?"), 503),
        (DiskFullError(), 507),
    ],
)
def test_what_operators_mend_is_one_line_and_an_error(
    caplog: pytest.LogCaptureFixture, monkeypatch: Any, rf: RequestFactory, form: str, problem: Exception, status: int
) -> None:
    """A page that everybody may ask for would write a traceback at each request."""
    monkeypatch.setattr(caplog.handler, "formatter", formatter_named(form))
    try:
        raise problem
    except type(problem):  # as Django does: the page asks which exception is at hand
        assert response_for_exception(rf.get("/"), problem).status_code == status
    [line] = [line for line in caplog.text.splitlines() if "django.request" in line]
    assert str(problem).partition("\n")[0] in line
    assert "ERROR" in line
    assert "Traceback" not in caplog.text


@pytest.mark.parametrize("form", ["plain", "json"])
def test_what_is_ours_to_mend_has_its_traceback(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch, rf: RequestFactory, form: str
) -> None:
    monkeypatch.setattr(caplog.handler, "formatter", formatter_named(form))
    response_for_exception(rf.get("/"), ZeroDivisionError("ours"))
    assert "ZeroDivisionError: ours" in caplog.text


@pytest.fixture
def own_handlers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pytest's handlers stand at this logger too, and a formatter that they are given would stay for all later tests."""
    monkeypatch.setattr(logging.getLogger("gunicorn.error"), "handlers", [])


@pytest.mark.usefixtures("own_handlers")
def test_lines_of_the_web_servers_own_have_the_same_form(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(env, "LOG_FORMAT", "json")
    logger = SiteLogger(Config())
    assert all(isinstance(handler.formatter, lines_of_log.JsonFormatter) for handler in logger.error_log.handlers)
    assert logger.error_log.handlers


@pytest.mark.usefixtures("own_handlers")
@pytest.mark.parametrize("form", ["plain", "json"])
def test_a_request_that_the_web_server_itself_refuses_is_one_short_line(
    monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    logger = SiteLogger(Config())
    kept = StringIO()
    handler = logging.StreamHandler(kept)
    handler.setFormatter(formatter_named(form))
    monkeypatch.setattr(logger.error_log, "handlers", [handler])
    logger.warning(f"Invalid request from ip=127.0.0.1: Unable to comply with expectation: {'x%' * 3500}")
    logger.warning("%s of %s", 1, "\n")
    [long, short] = kept.getvalue().splitlines()
    assert "Unable to comply with expectation: x%x%" in long
    assert len(long) < 800
    assert "1 of " in short
