"""Bad input, sent through the real upload page: a clear answer with lines, nothing half-stored, never a 500."""

import gzip
import io
import tarfile
import zipfile
from collections.abc import Callable
from typing import Any

import pytest
from django.test import override_settings

from campaign.formats.runs.check import check_run
from campaign.formats.runs.rules import RunRules
from campaign.models import Job, Run
from campaign.runs.services.decisions import run_finish_check
from tests.campaign.formats.packing import gzip_of_repeats
from tests.campaign.runs.makers import RANKING, make_ready_cast, post_run, signed_in, stored_bytes
from tests.factories import Cast, run_lines

GOOD = run_lines(RANKING, "bm25")


@pytest.fixture
def cast(db: None) -> Cast:
    return make_ready_cast(rule_severities={"topic_unknown": "error", "tag_unexpected": "error"})


def _zip(content: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("run.txt", content)
    return buffer.getvalue()


def _tar(content: bytes) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        entry = tarfile.TarInfo("run.txt")
        entry.size = len(content)
        archive.addfile(entry, io.BytesIO(content))
    return buffer.getvalue()


BAD_FILES: list[tuple[str, bytes, str, int | None]] = [
    ("an unknown format", b'{"topic": "1"}\n', "column_count", 1),
    ("five columns", GOOD + b"2 Q0 a 2 1.0\n", "column_count", 4),
    ("a docno twice", GOOD.replace(b"1 Q0 b 2 98", b"1 Q0 a 2 98"), "docno_duplicate", 2),
    ("broken UTF-8", GOOD.replace(b"Q0 b", b"Q0 b\xff"), "not_utf8", 2),
    ("broken UTF-16", GOOD.decode().encode("utf-16") + b"\0", "not_in_encoding", 4),
    ("a gzip bomb", gzip_of_repeats((b"0" * 999 + b"\n") * 1000, 10), "gzip_ratio", None),
    ("a line without end", b"1" * (2 << 20), "line_too_long", 1),
    ("gzip that is damaged", gzip.compress(GOOD, mtime=0)[:12] + b"not gzip any more" * 4, "gzip_corrupt", None),
    ("gzip that is cut", gzip.compress(GOOD, mtime=0)[:-9], "gzip_truncated", None),
    ("gzip of nothing", gzip.compress(b"", mtime=0), "empty_file", None),
    ("lines of nothing", b"\n\n\n", "empty_file", None),
    ("a NUL byte", GOOD + b"1 Q0 \0 3 1.0 bm25\n", "binary_file", 4),
    ("a score that is no number", GOOD.replace(b"99", b"nan"), "score_not_finite", 1),
    ("an unknown topic", GOOD.replace(b"2 Q0", b"9 Q0"), "topic_unknown", 3),
    ("an unknown docno", GOOD.replace(b"Q0 c", b"Q0 z"), "docno_unknown", 3),
]


@pytest.mark.parametrize(("what", "content", "code", "line"), BAD_FILES, ids=[what for what, *_ in BAD_FILES])
def test_a_bad_file_is_rejected_with_code_line_and_remedy_on_its_page(
    cast: Cast, what: str, content: bytes, code: str, line: int | None
) -> None:
    answer = post_run(cast, content)
    assert answer.status_code == 303
    run = Run.objects.get()
    assert (run.state, run.table.name) == (Run.REJECTED, "")
    problem = run.problems.filter(code=code, line=line).first()
    assert problem is not None, list(run.problems.values_list("code", "line"))
    page = signed_in(cast.member).get(answer.url).content.decode()
    assert code in page
    assert f"line {line}" in page or line is None
    assert stored_bytes(run) == content


@pytest.mark.parametrize("content", [_zip(GOOD), _tar(GOOD), gzip.compress(_tar(GOOD), mtime=0)])
def test_an_archive_is_refused_before_anything_is_stored(cast: Cast, content: bytes) -> None:
    answer = post_run(cast, content)
    assert answer.status_code == 422
    assert (
        "archive. Send the text file itself, plain or compressed with gzip. Nothing was stored."
        in answer.content.decode()
    )
    assert not Run.objects.exists()


ACCEPTED_FILES: list[tuple[str, Callable[[bytes], bytes], str]] = [
    ("a byte order mark", lambda content: b"\xef\xbb\xbf" + content, "byte_order_mark"),
    ("names of columns", lambda content: b"topic Q0 docno rank score tag\n" + content, "head_line"),
    ("UTF-16, as PowerShell writes it", lambda content: content.decode().encode("utf-16"), "utf16"),
    ("CRLF line ends", lambda content: content.replace(b"\n", b"\r\n"), ""),
    ("no last line end", lambda content: content.removesuffix(b"\n"), ""),
    ("gzip", gzip.compress, ""),
    ("tabs", lambda content: content.replace(b" ", b"\t"), ""),
]


@pytest.mark.parametrize(("what", "change", "code"), ACCEPTED_FILES, ids=[what for what, *_ in ACCEPTED_FILES])
def test_a_harmless_oddity_is_accepted_and_reported(
    cast: Cast, what: str, change: Callable[[bytes], bytes], code: str
) -> None:
    post_run(cast, change(GOOD))
    run = Run.objects.get()
    assert (run.state, run.lines) == (Run.VALID, 3)
    assert not code or run.problems.get().code == code


def test_a_description_without_an_end_refuses_the_run(cast: Cast) -> None:
    post_run(cast, b"<SYSDESC>BM25 baseline\n" + GOOD)
    run = Run.objects.get()
    assert (run.state, run.lines, run.description) == (Run.REJECTED, 3, "")
    assert run.problems.get().code == "description_open"


def test_the_description_in_a_file_of_ntcir_becomes_that_of_a_run_that_has_none_at_its_first_check(cast: Cast) -> None:
    content = b"<SYSDESC>BM25 of titles</SYSDESC>\n" + GOOD
    post_run(cast, content)
    run = Run.objects.get()
    assert (run.state, run.lines, run.description) == (Run.VALID, 3, "BM25 of titles")
    assert run.problems.get().code == "head_line"
    assert stored_bytes(run) == content
    for description in ("Ours", ""):
        Run.objects.update(description=description, state=Run.RECEIVED)
        run.refresh_from_db()
        assert run_finish_check(run=run, check=check_run(io.BytesIO(content), RunRules()))
        run.refresh_from_db()
        assert (run.state, run.description) == (Run.VALID, description)


def test_an_empty_file_is_refused_with_what_to_do_and_nothing_is_stored(cast: Cast) -> None:
    answer = post_run(cast, b"")
    assert answer.status_code == 422
    assert "The file is empty. Choose the right one" in answer.content.decode()
    _assert_nothing_stored()


def test_no_file_is_refused_with_what_to_do(cast: Cast) -> None:
    answer = post_run(cast, b"", file="")
    assert answer.status_code == 422
    assert "Choose a run file." in answer.content.decode()
    _assert_nothing_stored()


@override_settings(UPLOAD_LIMIT_BYTES=20)
def test_a_file_over_the_limit_is_refused_at_its_field_and_nothing_is_stored(cast: Cast) -> None:
    answer = post_run(cast, GOOD)
    assert answer.status_code == 422
    assert "larger than" in answer.content.decode()
    _assert_nothing_stored()


def test_the_tag_in_the_file_must_be_that_of_the_form(cast: Cast) -> None:
    post_run(cast, GOOD, tag="other")
    run = Run.objects.get()
    assert run.state == Run.REJECTED
    assert "tag" in run.problems.get().code


def test_a_problem_of_many_lines_is_listed_once_with_its_number(cast: Cast) -> None:
    answer = post_run(cast, b"one column\n" * 1000)
    problem = Run.objects.get().problems.get(code="column_count")
    assert (problem.line, problem.count) == (1, 1000)
    page = signed_in(cast.member).get(answer.url).content.decode()
    assert page.count("column_count, 1,000 times") == 1


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"tag": "../../x"}, "no run tag here"),
        ({"tag": "a\0b"}, "Null characters"),
        ({"tag": "new"}, "no run tag here"),
        ({"tag": "x" * 61}, "at most 60"),
        ({"priority": "0"}, "greater than or equal to 1"),
        ({"priority": "99999999999999999999"}, "less than or equal to 999"),
        ({"kind": "magic"}, "Select a valid choice"),
        ({"team": "0"}, "Select a valid choice"),
        ({"team": "'; --"}, "Select a valid choice"),
    ],
)
def test_a_bad_entry_is_refused_at_its_field_and_nothing_is_stored(
    cast: Cast, values: dict[str, Any], message: str
) -> None:
    answer = post_run(cast, GOOD, **values)
    assert answer.status_code == 422
    assert message in answer.content.decode()
    _assert_nothing_stored()


def test_another_teams_name_in_the_form_is_refused(cast: Cast) -> None:
    answer = post_run(cast, GOOD, team=cast.other_team.pk)
    assert answer.status_code == 422
    _assert_nothing_stored()


@pytest.mark.parametrize(
    "name", ["../../../etc/passwd", "C:\\runs\\bm25.txt", "x" * 300 + ".txt", 'a"b;c.txt', "ü.txt"]
)
def test_a_strange_file_name_is_only_a_name(cast: Cast, name: str) -> None:
    post_run(cast, GOOD, name=name)
    run = Run.objects.get()
    assert run.state == Run.VALID
    assert "/" not in run.file_name
    assert "\\" not in run.file_name
    answer = signed_in(cast.member).get(run.task.url("run_download", tag=run.tag))
    assert answer.headers["Content-Disposition"].startswith("attachment; filename")
    assert b"".join(answer.streaming_content) == GOOD


def _assert_nothing_stored() -> None:
    assert not Run.objects.exists()
    assert not Job.objects.exists()
