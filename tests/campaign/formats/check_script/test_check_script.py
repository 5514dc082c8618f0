"""The script that teams download reports what the site reports."""

import ast
import contextlib
import gzip
import io
import json
import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import HealthCheck, given, settings

from campaign.formats.check_script import make
from campaign.formats.check_script.make import PACKED_DOCNOS, ScriptTask, make_check_script
from campaign.formats.runs.check import check_run
from campaign.formats.runs.rules import DocnoSet, RunRules
from campaign.formats.runs.tags import HEAD_BYTES, suggested_tag
from campaign.formats.source import Limits
from tests.campaign.formats.runs.bad_runs import BAD_RUNS, DOCNOS, GOOD, make_rules, run_files, settings_of_rules
from tests.campaign.formats.runs.tag_cases import TAG_CASES

MADE_AT = datetime(2026, 5, 4, 3, 2, tzinfo=UTC)


def make_task(**changed) -> ScriptTask:
    asked = {
        "campaign": "velo",
        "task": "everyday",
        "title": 'Everyday """cycling"""\n\\',
        "site": "http://localhost:1",
        "rules": make_rules(docnos=None),
        "limits": Limits(),
        "docnos": sorted(DOCNOS),
        "docno_count": len(DOCNOS),
    }
    return ScriptTask(**{**asked, **changed})


@pytest.fixture
def script(tmp_path) -> Path:
    return write_script(tmp_path)


def write_script(folder: Path, **changed) -> Path:
    path = folder / "check.py"
    path.write_text(make_check_script(make_task(**changed), MADE_AT), encoding="utf-8")
    return path


def run(script: Path, *arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
    """As a team starts it: without anything installed."""
    return subprocess.run(
        [sys.executable, "-I", "-S", "-W", "error", script, *map(str, arguments)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", **environment},
    )


def write_run(folder: Path, data: bytes = GOOD, name: str = "base.txt") -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


def test_the_script_finds_in_every_bad_file_what_the_site_finds(script, tmp_path):
    paths = {name: write_run(tmp_path, data, f"{i}.txt") for i, (name, data) in enumerate(BAD_RUNS.items())}
    answer = run(script, "--json", *paths.values())
    assert (answer.returncode, answer.stderr) == (1, "")
    for told, path in zip(json.loads(answer.stdout)["runs"], paths.values(), strict=True):
        tag = suggested_tag(path.read_bytes()[:HEAD_BYTES], path.name)
        with path.open("rb") as file:
            expected = check_run(file, make_rules(docnos=DocnoSet(DOCNOS), tag=tag))
        assert told["problems"] == expected.problems.to_json(), path
        assert (told["tag"], told["lines"], told["topics"]) == (tag, expected.lines, expected.topics)


@pytest.fixture(scope="module")
def code():
    """The script as a module: a process for every generated file would take too long."""
    module = sys.modules["check_of_a_task"] = ModuleType("check_of_a_task")
    exec(compile(make_check_script(make_task(), MADE_AT), "check.py", "exec"), module.__dict__)
    yield module
    del sys.modules["check_of_a_task"]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=run_files, severities=settings_of_rules)
def test_the_script_finds_in_whatever_file_what_the_site_finds(code, tmp_path, data, severities):
    path = write_run(tmp_path, data)
    task = json.loads(code.TASK)
    task["rules"]["severities"] = severities
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        code.main(task, code.DOCNOS, ["--json", "--tag", "base", str(path)])
    with path.open("rb") as file:
        expected = check_run(file, make_rules(tag="base", severities=severities))
    told = json.loads(printed.getvalue())["runs"][0]
    assert told["problems"] == expected.problems.to_json()
    assert (told["lines"], told["topics"]) == (expected.lines, expected.topics)


def test_the_script_runs_on_every_python_since_3_9(script):
    vermin = Path(sys.executable).with_name("vermin")
    answer = subprocess.run([vermin, "-t=3.9-", "--violations", "--no-tips", script], capture_output=True, text=True)
    assert answer.returncode == 0, answer.stdout


def test_the_script_imports_the_standard_library_alone(script):
    nodes = list(ast.walk(ast.parse(script.read_text(encoding="utf-8"))))
    modules = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    modules |= {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)}
    assert {module.split(".")[0] for module in modules} <= sys.stdlib_module_names


def test_the_script_says_what_it_is_and_holds_no_notes_to_linters(script):
    text = script.read_text(encoding="utf-8")
    head = text.split("from __future__")[0]
    assert "http://localhost:1/c/velo/everyday/" in head
    assert "2026-05-04 03:02 UTC" in head
    assert "python check_velo_everyday.py RUN" in head
    assert all(line.startswith("#") or not line for line in head.splitlines())
    for note in ("noqa", "type: ignore", "fmt:", "campaign.formats"):
        assert note not in text


def test_parts_that_would_clash_in_one_file_are_refused(monkeypatch):
    monkeypatch.setattr(make, "SOURCES", (*make.SOURCES, make.CAMPAIGN / "formats" / "runs" / "rules.py"))
    with pytest.raises(ValueError, match="would clash"):
        make_check_script(make_task(), MADE_AT)


def test_a_good_run_is_reported_in_one_line_and_the_exit_code_is_0(script, tmp_path):
    answer = run(script, write_run(tmp_path))
    assert answer.returncode == 0
    assert answer.stdout.endswith("4 lines, 3 topics: 0 errors, 0 warnings; it can be submitted.\n")


def test_a_bad_run_is_reported_with_code_line_excerpt_and_remedy_and_the_exit_code_is_1(script, tmp_path):
    answer = run(script, write_run(tmp_path, GOOD + "003 Q0 d 3 höchst base\n".encode()))
    assert answer.returncode == 1
    assert "  error score_not_finite: line 5: Score höchst is not a finite number.\n" in answer.stdout
    assert "      > 003 Q0 d 3 höchst base\n      Write scores as decimal numbers" in answer.stdout
    assert "1 error, 0 warnings; it would be rejected." in answer.stdout


def test_a_terminal_that_lacks_a_character_shows_its_number(script, tmp_path):
    path = write_run(tmp_path, "1 Q0 a 1 höchst base\n".encode())
    answer = subprocess.run(
        [sys.executable, script, path],
        capture_output=True,
        env={"PATH": os.environ["PATH"], "PYTHONIOENCODING": "ascii"},
    )
    assert (answer.returncode, answer.stderr) == (1, b"")
    assert b"Score h\\xf6chst is not a finite number." in answer.stdout


def test_a_title_is_shown_as_it_is_but_cannot_steer_the_terminal(tmp_path):
    script = write_script(tmp_path, title="%(prog)s 100% %d \x1b[2J\u202edone")
    answer = run(script, "--help")
    assert (answer.returncode, answer.stderr) == (0, "")
    assert r"%(prog)s 100% %d \x1b[2J\u202edone" in " ".join(answer.stdout.split())


def test_no_text_of_a_task_can_steer_the_terminal(tmp_path):
    question = {"key": "model", "label": "\x1b]0;owned\x07", "kind": "text", "required": True}
    script = write_script(tmp_path, questions=[question])
    answer = run(script, write_run(tmp_path), "--submit", "--team", "alba")
    assert answer.returncode == 2
    assert r"Give --answer model=…: \x1b]0;owned\x07" in answer.stderr
    assert "\x1b" not in answer.stderr


def test_a_run_has_the_tag_that_the_site_would_propose(script, tmp_path):
    folders = [tmp_path / str(number) for number in range(len(TAG_CASES))]
    for folder in folders:
        folder.mkdir()
    files = [write_run(folder, data, name) for folder, (name, data, _) in zip(folders, TAG_CASES.values(), strict=True)]
    told = json.loads(run(script, "--json", *files).stdout)["runs"]
    assert [entry["tag"] for entry in told] == [tag for _, _, tag in TAG_CASES.values()]


def test_a_tag_can_be_given_for_one_file_only(script, tmp_path):
    first, second = write_run(tmp_path), write_run(tmp_path, name="second.txt")
    assert "submitted as mine" in run(script, first, "--tag", "mine").stdout
    answer = run(script, first, second, "--tag", "mine")
    assert answer.returncode == 2
    assert "--tag names one run" in answer.stderr


@pytest.mark.parametrize(
    "arguments", [[], ["nowhere.txt"], ["--submit"], ["base.txt", "--docnos", "nowhere.txt"], ["."]]
)
def test_a_wrong_call_is_reported_in_words_and_the_exit_code_is_2(script, tmp_path, arguments):
    answer = run(script, *arguments)
    assert answer.returncode == 2
    assert answer.stderr
    assert "Traceback" not in answer.stderr


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_documents_are_checked_against_a_list_that_is_given(tmp_path, pack):
    script = write_script(tmp_path, docnos=[], docno_count=3_000_000)
    path, docnos = write_run(tmp_path), write_run(tmp_path, pack(b"a\r\nb\n\n"), "docnos")
    without = run(script, path)
    assert without.returncode == 0
    assert "Note: Document numbers were not checked: the list of 3,000,000 document numbers is not in" in without.stdout
    answer = run(script, path, "--docnos", docnos)
    assert answer.returncode == 1
    assert "Docno c is not in the collection." in answer.stdout
    assert "Note:" not in answer.stdout


def test_a_list_of_documents_that_cannot_be_read_is_reported(script, tmp_path):
    answer = run(script, write_run(tmp_path), "--docnos", write_run(tmp_path, b"PK\x03\x04", "docnos.zip"))
    assert answer.returncode == 2
    assert "a zip archive" in answer.stderr


def test_only_a_list_of_moderate_size_is_put_into_the_script():
    small, large = (make_task(docnos=[f"d{i}" for i in range(count)]) for count in (PACKED_DOCNOS, PACKED_DOCNOS + 1))
    assert 'DOCNOS = """"""' in make_check_script(large, MADE_AT)
    assert len(make_check_script(small, MADE_AT)) < 900_000


def test_a_task_without_topics_and_lists_is_fine(tmp_path):
    script = write_script(tmp_path, rules=RunRules(), docnos=[], docno_count=0)
    answer = run(script, write_run(tmp_path))
    assert answer.returncode == 0
    assert "Note:" not in answer.stdout


def test_a_pattern_that_this_python_does_not_know_is_left_out_with_a_note(tmp_path):
    script = write_script(tmp_path, rules=RunRules(docno_pattern="(?<bad", tag_pattern="(?<bad"))
    answer = run(script, write_run(tmp_path))
    assert answer.returncode == 0
    assert answer.stdout.count("does not understand the pattern") == 2


def test_a_pattern_that_python_never_finishes_costs_the_script_a_limited_time(tmp_path):
    rules = make_rules(docnos=None, docno_pattern="(?:[A-Za-z0-9]+)+-")
    script = write_script(tmp_path, rules=rules, docnos=(), docno_count=0)
    script.write_text(script.read_text().replace("SECONDS_FOR_A_PATTERN = 20.0", "SECONDS_FOR_A_PATTERN = 0.5"))
    path = write_run(tmp_path, b"301 Q0 %b 1 2.0 base\n" % (b"a" * 60))
    answer = run(script, path)
    assert answer.stderr == ""
    assert (
        "Note: The pattern (?:[A-Za-z0-9]+)+- took too long here and was not checked; the site checks it."
        in answer.stdout
    )
    assert "docno_pattern" not in answer.stdout


def test_a_pattern_that_may_be_slow_is_checked_by_the_script_all_the_same(tmp_path):
    rules = make_rules(docnos=None, docno_pattern="(?:[a-z]+[0-9]*)+")
    script = write_script(tmp_path, rules=rules, docnos=(), docno_count=0)
    path = write_run(tmp_path, b"301 Q0 d1 1 2.0 base\n301 Q0 1d 2 1.0 base\n")
    answer = run(script, path)
    assert answer.stderr == ""
    assert answer.stdout.count("error docno_pattern: line 2") == 1
