"""The client of the API as a program: what it needs, what it repeats, and what it never does. The chain stands in tests/flows."""

import ast
import json
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from runpool.api import api
from runpool.client.commands import METHODS, RENAMED, commands
from runpool.client.make import client_file

ANSWERS: list[tuple[int, dict[str, str], Any]] = []
ASKED: list[tuple[str, str, str]] = []


class _Answering(BaseHTTPRequestHandler):
    """Gives the prepared answers one after the other, and notes what it was asked."""

    def _answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        ASKED.append((self.command, self.path, body.decode(errors="replace")))
        status, headers, answer = ANSWERS.pop(0)
        content = json.dumps(answer).encode()
        self.send_response(status)
        for name, value in {"Content-Length": str(len(content)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = _answer  # noqa: N815 - the names that the library asks for

    def log_message(self, *_: object) -> None:
        return


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    with HTTPServer(("127.0.0.1", 0), _Answering) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("client") / "runpool.py"
    path.write_text(client_file("https://runpool.example.org"), encoding="utf-8")
    return path


def run(program: Path, site: str, *arguments: str, answers: list[Any] | None = None, **more: str) -> Any:
    """The program by a Python that sees no packages; what the site answers, in this order."""
    ANSWERS[:], ASKED[:] = answers or [], []
    environment = {"RUNPOOL_SITE": site, "RUNPOOL_TOKEN": "rp_secret", "HOME": str(program.parent), **more}
    command = [sys.executable, "-S", str(program), *arguments]
    return subprocess.run(
        command,
        env=environment,
        capture_output=True,
        encoding=more.get("PYTHONIOENCODING", "utf-8"),
        timeout=60,
        cwd=program.parent,
    )


def test_every_command_leads_to_an_operation_and_every_operation_of_organisers_has_a_command() -> None:
    def plain(address: str) -> str:
        parts = address.replace("CAMPAIGN", "campaigns/{}").replace("TASK", "campaigns/{}/tasks/{}").split("/")
        return "/".join("{}" if part.startswith("{") else part for part in parts)

    http = {"LIST": "GET", "SAVE": "GET", "SEND": "POST", "JUDGE": "POST"}
    led_to = {(http.get(one.method, one.method), plain(one.address)) for one in commands()}
    document = api.get_openapi_schema()
    there = {
        (method.upper(), plain(path.removeprefix("/api/v1"))): operation
        for path, operations in document["paths"].items()
        for method, operation in operations.items()
    }
    assert led_to <= set(there)
    organising = {key for key, operation in there.items() if operation["tags"][0].startswith("Organising")}
    assert {there[key]["operationId"] for key in organising - led_to} == {"read_assigning_rules"}
    assert {one.method for one in commands()} <= METHODS


def test_a_topic_number_with_slashes_is_one_step_of_an_address() -> None:
    asked = [one.path(["velo/t", "10.2452/~451-AH"]) for one in commands() if one.address.endswith("{TOPIC}/texts")]
    assert asked[0] == "/campaigns/velo/tasks/t/topics/10.2452~1~0451-AH/texts"


def test_the_file_needs_nothing_but_python_3_9(program: Path) -> None:
    vermin = Path(sys.executable).with_name("vermin")
    answer = subprocess.run([vermin, "-t=3.9-", "--violations", "--no-tips", program], capture_output=True, text=True)
    assert answer.returncode == 0, answer.stdout
    nodes = list(ast.walk(ast.parse(program.read_text(encoding="utf-8"))))
    modules = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    modules |= {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)}
    assert {module.split(".")[0] for module in modules} <= sys.stdlib_module_names


def test_what_is_written_behind_a_command_is_what_is_sent(program: Path, site: str) -> None:
    (program.parent / "call.md").write_text("Come.\n")
    words = ["slug=velo", "title=Cycling", "call=@call.md", "tags[]=a", "tags[]=b", "opened_at:=null", "a.b:=[1]"]
    done = run(program, site, "campaign", "create", *words, answers=[(201, {}, {"slug": "velo"})])
    assert (done.returncode, done.stdout) == (0, "slug: velo\n")
    [(method, path, body)] = ASKED
    assert (method, path) == ("POST", "/api/v1/campaigns")
    assert json.loads(body) == {
        "slug": "velo",
        "title": "Cycling",
        "call": "Come.\n",
        "tags": ["a", "b"],
        "opened_at": None,
        "a": {"b": [1]},
    }


def test_only_what_can_do_nothing_twice_is_asked_again(program: Path, site: str) -> None:
    away, busy = (503, {"Retry-After": "0"}, {}), (429, {"Retry-After": "0"}, {})
    read = run(program, site, "me", answers=[away, busy, (200, {}, {"username": "olga"})])
    assert (read.returncode, len(ASKED)) == (0, 3)
    written = run(program, site, "run", "check-all", "velo/t", answers=[busy, away])
    assert (written.returncode, len(ASKED)) == (4, 2)


def test_a_redirect_does_not_get_the_token_and_what_others_wrote_controls_no_terminal(program: Path, site: str) -> None:
    moved = run(program, site, "me", answers=[(302, {"Location": "https://elsewhere.example.org/"}, {})])
    assert (moved.returncode, len(ASKED)) == (1, 1)
    assert "the token stays here" in moved.stderr
    hostile = {"items": [{"tag": "\x1b[2Jgone", "team": "a\u202eb"}], "count": 1, "next": None}
    listed = run(program, site, "run", "list", "velo/t", answers=[(200, {}, hostile)])
    assert "\\x1b[2Jgone" in listed.stdout
    assert "\u202e" not in listed.stdout


def test_a_refusal_is_printed_with_its_fields(program: Path, site: str) -> None:
    told = {
        "title": "Not accepted",
        "detail": "Correct it.",
        "errors": [{"field": "measures", "message": "There is no measure “Beauty”."}],
    }
    done = run(program, site, "task", "change", "velo/t", "measures[]=Beauty", answers=[(422, {}, told)])
    assert done.returncode == 1
    assert "422 Not accepted. Correct it.\n  measures: There is no measure “Beauty”." in done.stderr
    assert run(program, site, "campaign", "open", "velo", answers=[(409, {}, told)]).returncode == 3


def test_a_large_file_is_streamed_whole(program: Path, site: str) -> None:
    size = 5 * (1 << 20) + 17
    (program.parent / "large.jsonl").write_bytes(b"x" * size)
    receipt = {"state": "checking"}
    sent = run(
        program, site, "documents", "upload", "velo/t", "large.jsonl", "docnos_only=true", answers=[(202, {}, receipt)]
    )
    assert sent.returncode == 0, sent.stderr
    [(_, path, body)] = ASKED
    assert path == "/api/v1/campaigns/velo/tasks/t/imports/documents"
    assert 'name="docnos_only"\r\n\r\ntrue' in body
    assert body.count("x" * size) == 1


def test_a_file_that_is_not_made_yet_is_told_and_nothing_is_saved(program: Path, site: str) -> None:
    words, output = ("qrels", "ir-datasets", "velo/t", "1", "--output"), program.parent / "irds.py"
    waiting = run(program, site, *words, str(output), answers=[(202, {}, {"message": "Ask again in a moment."})])
    assert (waiting.returncode, waiting.stderr, output.exists()) == (4, "Ask again in a moment.\n", False)
    assert run(program, site, *words, str(output), answers=[(200, {}, "module")]).returncode == 0
    assert ASKED[0][1] == "/api/v1/campaigns/velo/tasks/t/qrels/1/ir-datasets"
    assert output.read_text() == '"module"'


def test_what_is_sent_beside_a_file_is_json_unless_it_is_text(program: Path, site: str) -> None:
    (program.parent / "run.txt").write_text("1 Q0 D-1 1 1.0 bm25\n")
    words = ["team=alba", 'answers:={"neural": true}', "answers.fields=all", "replace:=true", "tag:=null"]
    run(program, site, "run", "submit", "velo/t", "run.txt", *words, answers=[(201, {}, {"tag": "bm25"})])
    [(_, _, body)] = ASKED
    sent = dict(re.findall(r'name="(\w+)"\r\n\r\n(.*?)\r\n--', body))
    assert {**sent, "answers": json.loads(sent["answers"])} == {
        "team": "alba",
        "answers": {"neural": True, "fields": "all"},
        "replace": "true",
    }


@pytest.mark.parametrize(("old", "new"), RENAMED.items())
def test_a_command_of_an_earlier_release_names_the_new_one_and_sends_nothing(
    program: Path, site: str, old: str, new: str
) -> None:
    told = run(program, site, *old.split(), "some", "key=value")
    assert (told.returncode, ASKED) == (2, [])
    assert f"this command has another name now: {new}" in told.stderr
    there = {f"{one.group} {one.action}".strip() for one in commands()}
    assert old not in there
    assert set(re.split(r", | or ", new)) <= there


def test_a_command_for_one_act_sends_it_whatever_is_written_behind(program: Path, site: str) -> None:
    state = {"ways": []}
    run(program, site, "campaign", "close", "velo", "act=archive", "--yes", answers=[(200, {}, state)])
    assert ASKED == [("POST", "/api/v1/campaigns/velo/state", '{"act": "close", "confirm": true}')]


@pytest.mark.parametrize("encoding", ["cp1252", "ascii"])
def test_what_the_output_cannot_show_is_escaped_and_the_status_is_that_of_the_act(
    program: Path, site: str, encoding: str
) -> None:
    received = {"tag": "bm25", "sent_by": "Pawe\u0142 \U0001f600 \u00e9", "state": "valid"}
    for flags in ([], ["--json"]):
        done = run(
            program, site, "me", *flags, answers=[(200, {}, received)], PYTHONIOENCODING=encoding, PYTHONUTF8="0"
        )
        assert (done.returncode, done.stderr) == (0, ""), flags
        if flags:
            assert json.loads(done.stdout) == received
        else:
            assert "Pawe\\u0142 \\U0001f600" in done.stdout


@pytest.mark.parametrize("separator", ["\u2028", "\u2029", "\u0085", "\x7f", "\u00a0"])
@pytest.mark.parametrize(("mark", "end"), [("", "\n"), ("\ufeff", "\r\n")])
def test_lines_of_judgments_end_at_line_feeds_only(
    program: Path, site: str, separator: str, mark: str, end: str
) -> None:
    file = program.parent / "judgments.jsonl"
    line = '{"docno": "D-1", "grade": 2, "note": "before' + separator + 'after"}'
    file.write_bytes(f"{mark}{line}{end}".encode())
    done = run(program, site, "judge", "submit", "velo/t", "1", str(file), answers=[(200, {}, {"results": []})])
    assert (done.returncode, done.stderr) == (0, "")
    [(_, _, body)] = ASKED
    [sent] = json.loads(body)["judgments"]
    assert sent["note"] == f"before{separator}after"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b'{"docno": "caf\xe9", "grade": 2}\n', "line 1: The line is not valid UTF-8."),
        (b"PK\x03\x04", "This is a zip archive."),
        (
            b'{"docno": "a"}\n{"docno": "b", "grade": 1, "grade": 2}\n',
            "Line 2: “grade” stands more than once in one JSON",
        ),
    ],
)
def test_a_file_of_judgments_that_cannot_be_read_as_it_is_meant_is_named_as_what_it_is_and_not_sent(
    program: Path, site: str, content: bytes, said: str
) -> None:
    file = program.parent / "judgments.jsonl"
    file.write_bytes(content)
    done = run(program, site, "judge", "submit", "velo/t", "1", str(file))
    assert (done.returncode, ASKED) == (2, [])
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_a_pipe_that_nobody_reads_a_full_disk_and_no_output_at_all_end_the_program_without_a_traceback(
    program: Path, site: str
) -> None:
    def run_to(output: str) -> tuple[int, str]:
        ANSWERS[:] = [(200, {}, {"name": "x" * 200_000})]
        environment = {"RUNPOOL_SITE": site, "RUNPOOL_TOKEN": "rp_secret", "HOME": str(program.parent)}
        words = ["bash", "-c", f'"$0" -S "$1" me {output}; exit ${{PIPESTATUS[0]}}', sys.executable, str(program)]
        done = subprocess.run(words, env=environment, stderr=subprocess.PIPE, encoding="utf-8", timeout=60)
        return done.returncode, done.stderr

    assert run_to("| true") == (1, "")
    assert run_to("> /dev/full") == (1, "Stopped: No space left on device.\n")
    assert run_to(">&-") == (0, "")


@pytest.mark.parametrize(
    ("variables", "told"),
    [
        ({"RUNPOOL_TOKEN": "rp_a\nb"}, "The token holds a character that no token has"),
        ({"RUNPOOL_SITE": "https://exa..mple"}, "https://exa..mple is no address of a site"),
        ({"RUNPOOL_SITE": "http://127.0.0.1:99999"}, "is no address of a site"),
        ({"RUNPOOL_TOKEN": "", "RUNPOOL_CONFIG": "list.json"}, "list.json is no JSON object"),
    ],
)
def test_a_token_site_or_file_that_can_be_none_is_named_before_anything_is_sent(
    program: Path, site: str, variables: dict[str, str], told: str
) -> None:
    (program.parent / "list.json").write_text("[1]")
    done = run(program, site, "me", **variables)
    assert (done.returncode, ASKED) == (2, [])
    assert told in done.stderr
    assert "Traceback" not in done.stderr


def test_arguments_are_utf_8_whatever_the_locale(program: Path, site: str) -> None:
    old = {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
    done = run(program, site, "people", "invite", "velo", "person=zo\u00eb", answers=[(201, {}, {})], **old)
    assert done.returncode == 0, done.stderr
    assert json.loads(ASKED[0][2])["person"] == "zo\u00eb"


def test_a_key_that_stands_twice_in_a_value_is_named_and_nothing_is_sent(program: Path, site: str) -> None:
    done = run(program, site, "campaign", "create", 'answers:={"a": 1, "a": 2}')
    assert (done.returncode, ASKED) == (2, [])
    assert "“a” stands more than once in one JSON object. Keep one of them." in done.stderr


def test_a_file_that_cannot_be_used_is_named_with_what_to_do(program: Path, site: str) -> None:
    done = run(program, site, "run", "submit", "velo/rank", "nowhere.txt", "team=nova")
    assert done.returncode == 2
    assert done.stderr.startswith("nowhere.txt cannot be used: No such file or directory. Check the path")
