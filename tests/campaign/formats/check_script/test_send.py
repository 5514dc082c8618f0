"""The script that teams download sends what it has checked. The site here is a small one that keeps what it is sent."""

import gzip
import hashlib
import json
import re
import threading
from email import message_from_bytes
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from campaign.formats.check_script.send import is_safe_address
from tests.campaign.formats.check_script.test_check_script import run, write_run, write_script
from tests.campaign.formats.runs.bad_runs import GOOD

QUESTIONS = [
    {"key": "model", "label": "Which model?", "required": True, "choices": ["sparse", "dense"]},
    {"key": "note", "label": "Anything else?", "required": False, "choices": []},
]
SEND = ("--submit", "--team", "ours", "--answer", "model=dense")
TOKEN = {"RUNPOOL_TOKEN": "secret-token"}


class Site(ThreadingHTTPServer):
    """`states`: what it says of a run each time that it is asked; `refusal`: how it answers a submission instead."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.requests: list[tuple[str, str, dict[str, str], bytes]] = []
        self.states = ["valid"]
        self.docnos = b""
        self.too_often = 0
        self.refusal: tuple[int, dict[str, str], bytes] | None = None
        self.changed: dict[str, object] = {}
        self.address = f"http://127.0.0.1:{self.server_port}"

    def form(self) -> dict[str, tuple[bytes, str | None]]:
        """The parts of the first submission: content and file name by name."""
        _, _, headers, body = self.requests[0]
        message = message_from_bytes(f"Content-Type: {headers['Content-Type']}\r\n\r\n".encode() + body)
        return {
            str(part.get_param("name", header="content-disposition")): (
                part.get_payload(decode=True),
                part.get_filename(),
            )
            for part in message.get_payload()
        }


class Handler(BaseHTTPRequestHandler):
    server: Site

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self._keep(body)
        if self._is_too_often():
            return
        if self.server.refusal:
            self._answer(*self.server.refusal)
            return
        sent = self.server.form()["file"][0]
        receipt = {"tag": "base", "attempt": 2, "state": "received", "team": "ours", "size": len(sent)}
        receipt |= {
            "sha256": hashlib.sha256(sent).hexdigest(),
            "submitted_at": "2026-05-04T03:02:01Z",
            "url": "http://x/base",
        }
        self._answer(201, {}, json.dumps(receipt | self.server.changed).encode())

    def do_GET(self):
        self._keep(b"")
        if self._is_too_often():
            return
        if self.path.endswith("/docnos"):
            self._answer(200, {}, self.server.docnos)
            return
        state = self.server.states.pop(0)
        self._answer(200 if state else 503, {}, json.dumps({"state": state}).encode())

    def _is_too_often(self) -> bool:
        self.server.too_often -= 1
        if self.server.too_often < 0:
            return False
        self._answer(429, {"Retry-After": "0"}, b'{"detail": "Wait."}')
        return True

    def _keep(self, body: bytes) -> None:
        self.server.requests.append((self.command, self.path, dict(self.headers), body))

    def _answer(self, status: int, headers: dict[str, str], body: bytes) -> None:
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        """The tests say what goes on."""


@pytest.fixture
def site():
    with Site() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def script(tmp_path, site):
    path = write_script(tmp_path, site=site.address, questions=QUESTIONS)
    path.write_text(path.read_text().replace("PAUSE = 2.0", "PAUSE = 0.01"))
    return path


def test_a_run_is_sent_with_its_form_and_the_receipt_and_the_outcome_are_shown(site, script, tmp_path):
    site.states = ["received", "", "valid"]
    answer = run(
        script, write_run(tmp_path), *SEND, "--kind", "manual", "--priority", "3", "--description", "früh", **TOKEN
    )
    assert (answer.returncode, answer.stderr) == (0, "")
    method, path, headers, body = site.requests[0]
    assert (method, path) == ("POST", "/api/v1/campaigns/velo/tasks/everyday/runs")
    assert headers["Authorization"] == "Bearer secret-token"
    assert int(headers["Content-Length"]) == len(body)
    form = site.form()
    assert form.pop("file") == (GOOD, "base.txt")
    assert {name: value.decode() for name, (value, _) in form.items()} == {
        "team": "ours",
        "tag": "base",
        "kind": "manual",
        "priority": "3",
        "description": "früh",
        "replace": "false",
        "answers": '{"model": "dense"}',
    }
    assert [request[:2] for request in site.requests[1:]] == [("GET", f"{path}/base")] * 3
    assert f"{hashlib.sha256(GOOD).hexdigest()} (the same here and there)" in answer.stdout
    assert answer.stdout.endswith("The site has checked the run: it is valid.\n")


def test_the_token_can_come_from_a_file(site, script, tmp_path):
    token = write_run(tmp_path, b"from-a-file\n", "token")
    assert run(script, write_run(tmp_path), *SEND, "--token-file", token).returncode == 0
    assert site.requests[0][2]["Authorization"] == "Bearer from-a-file"
    assert "priority" not in site.form()


def test_a_run_with_errors_is_not_sent_and_a_good_one_beside_it_is(site, script, tmp_path):
    bad, good = write_run(tmp_path, b"1 Q0 a\n", "bad.txt"), write_run(tmp_path)
    answer = run(script, bad, good, *SEND, "--replace", **TOKEN)
    assert answer.returncode == 1
    assert "Not sent: repair the errors first." in answer.stdout
    assert [method for method, *_ in site.requests] == ["POST", "GET"]
    assert site.form()["replace"][0] == b"true"


def test_a_run_that_the_site_rejects_makes_the_exit_code_1(site, script, tmp_path):
    site.states = ["rejected"]
    answer = run(script, write_run(tmp_path), *SEND, **TOKEN)
    assert answer.returncode == 1
    assert "The site has rejected the run" in answer.stdout


def test_a_site_that_is_asked_too_often_is_asked_again_after_the_time_that_it_names(site, script, tmp_path):
    site.too_often = 4
    answer = run(script, write_run(tmp_path), *SEND, **TOKEN)
    assert (answer.returncode, answer.stderr.count("asks to wait 0 s")) == (0, 4)
    assert [method for method, *_ in site.requests] == ["POST"] * 5 + ["GET"]
    assert all(GOOD in body for _, _, _, body in site.requests[:5])


def test_a_site_that_never_stops_asking_to_wait_is_left_alone(site, script, tmp_path):
    site.too_often = 99
    answer = run(script, write_run(tmp_path), *SEND, **TOKEN)
    assert answer.returncode == 1
    assert "Not sent: the site answered 429. Wait." in answer.stdout
    assert len(site.requests) == 5


def test_a_list_of_documents_that_is_not_in_the_script_is_fetched_with_a_token(site, tmp_path):
    script = write_script(tmp_path, site=site.address, docnos=[], docno_count=3_000_000)
    site.docnos = gzip.compress(b"a\nb\n")
    answer = run(script, write_run(tmp_path), **TOKEN)
    assert answer.returncode == 1
    assert "error docno_unknown: line 4: Docno c is not in the collection." in answer.stdout
    [(method, path, headers, _)] = site.requests
    assert (method, path) == ("GET", "/api/v1/campaigns/velo/tasks/everyday/docnos")
    assert headers["Authorization"] == "Bearer secret-token"
    site.too_often = 99
    assert "could not be fetched: the site answered 429" in run(script, write_run(tmp_path), **TOKEN).stdout


def test_a_refusal_is_reported_in_the_words_of_the_site(site, script, tmp_path):
    problem = {
        "title": "Conflict",
        "detail": "The deadline was 4 May.",
        "errors": [{"field": "tag", "message": "Taken."}],
    }
    site.refusal = (409, {"Content-Type": "application/problem+json"}, json.dumps(problem).encode())
    answer = run(script, write_run(tmp_path), *SEND, **TOKEN)
    assert answer.returncode == 1
    assert "Not sent: the site answered 409. The deadline was 4 May.\n    tag: Taken.\n" in answer.stdout


@pytest.mark.parametrize("body", [b"<html>", b"[]", b'{"errors": 1}', b"\xff", b""])
def test_a_refusal_in_another_shape_is_reported_too(site, script, tmp_path, body):
    site.refusal = (502, {}, body)
    answer = run(script, write_run(tmp_path), *SEND, **TOKEN)
    assert (answer.returncode, answer.stderr) == (1, "")
    assert "Not sent: the site answered 502. Bad Gateway" in answer.stdout


def test_an_answer_that_is_none_of_the_site_is_reported(site, script, tmp_path):
    site.refusal = (200, {}, b"<html>")
    answer = run(script, write_run(tmp_path), *SEND, **TOKEN)
    assert (answer.returncode, answer.stderr) == (1, "")
    assert "Check on the site whether the run arrived." in answer.stdout


def test_the_token_does_not_follow_a_redirect(site, script, tmp_path):
    site.refusal = (302, {"Location": f"{site.address}/elsewhere"}, b"")
    answer = run(script, write_run(tmp_path), *SEND, **TOKEN)
    assert answer.returncode == 1
    assert "the token stays here" in answer.stdout
    assert len(site.requests) == 1


def test_a_file_that_arrives_changed_is_reported(site, script, tmp_path):
    site.changed = {"sha256": "0" * 64}
    answer = run(script, write_run(tmp_path), *SEND, **TOKEN)
    assert answer.returncode == 1
    assert "its SHA-256 differs" in answer.stdout


def test_a_site_that_does_not_answer_is_reported(tmp_path):
    answer = run(write_script(tmp_path), write_run(tmp_path), "--submit", "--team", "ours", **TOKEN)
    assert (answer.returncode, answer.stderr) == (1, "")
    assert "the connection failed" in answer.stdout


def test_the_result_as_json_holds_receipt_and_outcome(site, script, tmp_path):
    answer = run(script, write_run(tmp_path), "--json", *SEND, **TOKEN)
    told = json.loads(answer.stdout)["runs"][0]
    assert told["receipt"]["state"] == "valid"
    assert told["receipt"]["sha256"] == hashlib.sha256(GOOD).hexdigest()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--submit", "--answer", "model=dense"], "--submit needs --team"),
        (["--submit", "--team", "ours"], "Give --answer model=…: Which model?"),
        (["--submit", "--team", "ours", "--answer", "model=neural"], "--answer model must be one of: sparse, dense."),
        ([*SEND, "--answer", "colour=red"], "There is no question colour. The questions: model, note. If the task"),
        ([*SEND, "--answer", "red"], "--answer takes KEY=VALUE, not red."),
    ],
)
def test_what_is_missing_is_reported_before_anything_is_sent(site, script, tmp_path, arguments, words):
    answer = run(script, write_run(tmp_path), *arguments, **TOKEN)
    assert answer.returncode == 2
    assert words in answer.stderr
    assert site.requests == []


@pytest.mark.parametrize("token", ["", "two words", "line\nend", "ü"])
def test_without_a_proper_token_nothing_is_sent(site, script, tmp_path, token):
    answer = run(script, write_run(tmp_path), *SEND, RUNPOOL_TOKEN=token)
    assert answer.returncode == 2
    assert "There is no token: set RUNPOOL_TOKEN" in answer.stderr
    assert site.requests == []


def test_a_tag_that_the_task_does_not_take_is_not_sent(site, script, tmp_path):
    answer = run(script, write_run(tmp_path), "--tag", "base run", *SEND, **TOKEN)
    assert answer.returncode == 1
    assert "base run is no tag for this task" in answer.stdout
    assert site.requests == []


def test_a_token_is_not_sent_without_encryption(tmp_path):
    answer = run(
        write_script(tmp_path, site="http://runs.example"), write_run(tmp_path), "--submit", "--team", "o", **TOKEN
    )
    assert answer.returncode == 2
    assert "is not encrypted" in answer.stderr


@pytest.mark.parametrize(
    ("site", "is_safe"),
    [
        ("https://runs.example", True),
        ("http://localhost:8000", True),
        ("http://127.0.0.1", True),
        ("http://[::1]:8000", True),
        ("http://runs.example", False),
        ("http://localhost.example", False),
        ("http://10.0.0.1", False),
        ("ftp://localhost", False),
        ("//localhost", False),
    ],
)
def test_an_address_is_safe_when_it_is_encrypted_or_this_machine(site, is_safe):
    assert is_safe_address(site) is is_safe


def test_no_token_is_taken_from_the_command_line(script):
    help_text = run(script, "--help").stdout
    assert re.findall(r"--token[a-z-]*", help_text)
    assert set(re.findall(r"--token[a-z-]*", help_text)) == {"--token-file"}
