"""The files of many runs as one zip, and their table: what is in them, for whom, and that they are made while they are sent."""

import csv
import errno
import gzip
import hashlib
import io
import json
import subprocess
import tracemalloc
import zipfile
from pathlib import Path
from typing import Any

import pytest
from django.core.files.storage import default_storage
from django.test import Client

from campaign.formats.spreadsheet import cell
from campaign.models import Run, Team
from campaign.runs.exports.archive import RunArchive
from campaign.runs.exports.file_names import ArchiveNames, safe_name
from campaign.runs.services.decisions import run_reject
from tests.campaign.runs.makers import make_ready_cast, signed_in, submit, submit_and_check
from tests.factories import Cast, make_received_run, run_lines

RANKING = {"1": ["a", "b"], "2": ["c"]}
QUESTIONS = [
    {"key": "model", "label": "Which model?", "kind": "text"},
    {"key": "size", "label": "How many parameters?", "kind": "number"},
]


@pytest.fixture
def cast(db: None) -> Cast:
    return make_ready_cast(max_runs_per_team=20, questions=QUESTIONS)


def fetch(client: Client, address: str) -> bytes:
    answer = client.get(address)
    assert answer.status_code == 200
    return b"".join(answer.streaming_content)


def archive(cast: Cast, query: str = "") -> zipfile.ZipFile:
    content = fetch(signed_in(cast.organiser), cast.task.url("run_archive") + query)
    opened = zipfile.ZipFile(io.BytesIO(content))
    assert opened.testzip() is None
    return opened


def table(cast: Cast, query: str = "", *, user: Any = None) -> list[dict[str, str]]:
    content = fetch(signed_in(user or cast.organiser), cast.task.url("runs_csv") + query)
    return list(csv.DictReader(io.StringIO(content.decode())))


def run_files(opened: zipfile.ZipFile) -> list[str]:
    return sorted(name for name in opened.namelist() if name.startswith("runs/"))


def test_the_archive_holds_every_file_as_it_was_sent_with_its_checksum(cast: Cast, tmp_path: Path) -> None:
    plain, packed = run_lines(RANKING, "plain"), gzip.compress(run_lines(RANKING, "packed"))
    submit_and_check(cast, "plain", plain)
    submit_and_check(cast, "packed", packed, team=cast.other_team, actor=cast.other_member)
    opened = archive(cast)
    team, other = cast.team.slug, cast.other_team.slug
    assert opened.read(f"runs/{team}/plain.txt") == plain
    assert opened.read(f"runs/{other}/packed.gz") == packed
    opened.extractall(tmp_path)
    checked = subprocess.run(
        ["sha256sum", "--strict", "-c", "SHA256SUMS"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert checked.returncode == 0, checked.stderr
    assert f"runs/{team}/plain.txt: OK" in checked.stdout
    assert sorted({line.split(":")[0] for line in checked.stdout.splitlines()} | {"SHA256SUMS"}) == sorted(
        opened.namelist()
    )
    assert "2 runs" in opened.read("README.txt").decode()


def test_the_archive_tells_what_is_known_of_every_run(cast: Cast) -> None:
    header = b"# ir_metadata.start\n# tag: told\n# ir_metadata.end\n"
    told = submit_and_check(cast, "told", answers={"model": "=BM25", "size": 3}, description="About\nit, “all”.")
    Run.objects.filter(pk=told.pk).update(metadata={"tag": "told"})
    bad = submit_and_check(cast, "bad", b"nothing\n" + header)
    good = submit_and_check(cast, "good", team=cast.other_team, actor=cast.other_member)
    run_reject(actor=cast.organiser, run=good, reason="Made for another task.")
    opened = archive(cast, "?sort=time")
    records = {record["tag"]: record for record in json.loads(opened.read("runs.json"))}
    assert list(records) == ["told", "bad", "good"]
    assert records["told"]["answers"] == {"model": "=BM25", "size": 3}
    assert records["told"]["ir_metadata"] == {"tag": "told"}
    assert records["told"]["description"] == "About\nit, “all”."
    assert records["told"]["file"] in opened.namelist()
    assert records["good"]["decision"] == "rejected"
    assert records["good"]["reason"] == "Made for another task."
    assert [problem["code"] for problem in records["bad"]["problems"]] == [
        problem.code for problem in bad.problems.all()
    ]
    assert records["bad"]["problems"][0]["remedy"]
    rows = list(csv.DictReader(io.StringIO(opened.read("runs.csv").decode())))
    assert [row["file"] for row in rows] == [record["file"] for record in records.values()]
    assert rows[0]["answers.model"] == "'=BM25"
    for tag, record in records.items():
        assert hashlib.sha256(opened.read(record["file"])).hexdigest() == record["sha256"], tag


def test_archive_and_table_take_the_filters_of_the_list(cast: Cast) -> None:
    submit_and_check(cast, "good")
    submit_and_check(cast, "mended", b"nothing\n")
    submit_and_check(cast, "mended")
    submit_and_check(cast, "bad", b"nothing\n")
    team = cast.team.slug
    assert run_files(archive(cast, "?state=valid")) == [f"runs/{team}/good.txt", f"runs/{team}/mended.2.txt"]
    assert len(run_files(archive(cast, "?attempts=all"))) == 4
    assert [row["tag"] for row in table(cast, "?state=valid&sort=tag")] == ["good", "mended"]
    assert [row["attempt"] for row in table(cast, "?attempts=all&search=mended&sort=tag")] == ["2", "1"]
    assert "state: valid" in archive(cast, "?state=valid").read("README.txt").decode()
    empty = archive(cast, "?search=nothing")
    assert run_files(empty) == []
    assert json.loads(empty.read("runs.json")) == []


def test_the_archive_holds_nothing_of_other_tasks_and_campaigns(cast: Cast) -> None:
    submit_and_check(cast, "here")
    elsewhere = make_ready_cast()
    submit_and_check(elsewhere, "elsewhere")
    opened = archive(cast)
    assert len(run_files(opened)) == 1
    everything = b"".join(opened.read(name) for name in opened.namelist())
    assert b"elsewhere" not in everything
    assert elsewhere.team.slug.encode() + b"/" not in everything


def test_only_organisers_get_the_archive_and_members_the_table_of_their_own_runs(cast: Cast) -> None:
    submit_and_check(cast, "ours")
    submit_and_check(cast, "theirs", team=cast.other_team, actor=cast.other_member)
    assert signed_in(cast.member).get(cast.task.url("run_archive")).status_code == 403
    assert [row["tag"] for row in table(cast, user=cast.member)] == ["ours"]
    assert [row["tag"] for row in table(cast, f"?team={cast.other_team.slug}", user=cast.member)] == ["ours"]
    assert signed_in(cast.assessor).get(cast.task.url("runs_csv")).status_code == 403


def test_the_table_has_a_row_for_each_run_and_a_column_for_each_question(cast: Cast) -> None:
    run = submit_and_check(cast, "one", answers={"size": -7}, priority=4, description="@all of it")
    [row] = table(cast)
    assert list(row) == [
        "team", "tag", "attempt", "state", "decision", "reason", "kind", "priority", "description", "submitted_by",
        "submitted_at", "sha256", "size", "lines", "topics_answered", "errors", "warnings",
        "error_findings", "warning_findings", "after_qrels", "judged_before", "answers.model", "answers.size",
    ]  # fmt: skip
    assert row["submitted_at"] == run.submitted_at.strftime("%Y-%m-%dT%H:%M:%SZ")
    assert row["submitted_by"] == cast.member.username
    assert (row["lines"], row["topics_answered"], row["priority"]) == ("3", "2", "4")
    assert (row["answers.size"], row["description"], row["answers.model"]) == ("-7", "'@all of it", "")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("=1+1", "'=1+1"), ("+1", "'+1"), ("-1", "'-1"), ("@SUM", "'@SUM"), ("\tx", "'\tx"), ("\rx", "'\rx"),
        ("＝x", "'＝x"), ("plain", "plain"), ("a=b", "a=b"), ("", ""), (-1, -1), (1.5, 1.5), (None, ""), (True, "yes"),
    ],
)  # fmt: skip
def test_a_cell_never_becomes_a_formula_and_numbers_stay_numbers(value: object, expected: object) -> None:
    assert cell(value) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("BM25.k1_0-9", "BM25.k1_0-9"), ("../x", "_x"), ("..", "_"), (".hidden", "hidden"), ("a/b\\c", "a_b_c"),
        ("a:b*c?", "a_b_c_"), ("CON", "_CON"), ("nul.txt", "_nul.txt"), ("console", "console"), ("Zürich", "Zurich"),
        ("実行", "_"), ("-rf", "_-rf"), ("end.", "end"), ("", "_"), ("a\nb\0", "a_b_"), ("x" * 300, "x" * 80),
    ],
)  # fmt: skip
def test_names_in_the_archive_are_safe_on_every_file_system(name: str, expected: str) -> None:
    assert safe_name(name) == expected


def test_names_that_become_the_same_are_kept_apart() -> None:
    names = ArchiveNames()
    assert [names.name("runs", "t", tag, suffix=".txt") for tag in ("a/b", "a_b", "A_B")] == [
        "runs/t/a_b.txt", "runs/t/a_b-2.txt", "runs/t/A_B-3.txt",
    ]  # fmt: skip


def test_a_team_or_tag_with_the_signs_of_a_path_stays_inside_the_archive(cast: Cast) -> None:
    Team.objects.filter(pk=cast.team.pk).update(slug="../../etc")
    cast.team.refresh_from_db()
    for tag in ("../x", "/x", "C:x", "run one"):
        make_received_run(cast.task, cast.team, tag, f"content of {tag}".encode())
    opened = archive(cast)
    files = run_files(opened)
    assert len(files) == 4
    for name in opened.namelist():
        assert not name.startswith("/")
        assert not {"..", ""} & set(name.split("/"))
        assert not set(name) & set('\\:*?"<>| ')


def test_a_file_that_is_gone_or_changed_is_named_and_the_rest_is_there(cast: Cast) -> None:
    gone, damaged = submit_and_check(cast, "gone", b"gone\n"), submit_and_check(cast, "damaged", b"damaged\n")
    submit_and_check(cast, "fine")
    default_storage.delete(gone.file.name)
    Path(default_storage.path(damaged.file.name)).write_bytes(b"other bytes")
    opened = archive(cast)
    missing = opened.read("MISSING.txt").decode()
    assert f"gone, attempt 1: The stored file {gone.file.name} is missing" in missing
    assert f"damaged, attempt 1: The stored file {damaged.file.name} is damaged" in missing
    assert "fine" not in missing
    assert run_files(opened) == [f"runs/{cast.team.slug}/fine.txt"]
    assert "gone" not in opened.read("SHA256SUMS").decode()
    assert [record["file"] for record in json.loads(opened.read("runs.json")) if record["tag"] == "gone"] == [None]


def test_a_storage_that_breaks_off_in_the_middle_gives_a_whole_zip_that_says_so(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    submit_and_check(cast, "one")

    class BreakingWhenReadAgain(io.BytesIO):
        is_read = False

        def read(self, size: int | None = -1) -> bytes:
            part = super().read(size)
            if self.is_read and not part:
                raise OSError("the disk is gone")
            self.is_read = self.is_read or not part
            return part

    content = run_lines(RANKING, "one")
    monkeypatch.setattr(default_storage, "open", lambda name: BreakingWhenReadAgain(content))
    assert "one.txt is cut short" in archive(cast).read("MISSING.txt").decode()


def test_a_file_that_the_system_refuses_is_told_without_the_folders_of_the_server(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    submit_and_check(cast, "one")

    def refuse(*args: object, **values: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", "/srv/runpool/files/runs/ab")

    monkeypatch.setattr("campaign.runs.exports.archive.sent_file", refuse)
    missing = archive(cast).read("MISSING.txt").decode()
    assert "one, attempt 1: its file cannot be read now. Tell the operators of the site" in missing
    assert "/srv" not in missing
    assert "Errno" not in missing


def test_without_losses_nothing_is_said_to_be_missing(cast: Cast) -> None:
    submit(cast, "one")
    assert "MISSING.txt" not in archive(cast).namelist()


def test_the_first_bytes_come_before_any_file_is_read_and_memory_stays_flat(cast: Cast) -> None:
    run = make_received_run(cast.task, cast.team, "large", b"x" * 64_000_000)
    opened: list[str] = []
    original = default_storage.open

    def noted(name: str, *arguments: Any) -> Any:
        opened.append(name)
        return original(name, *arguments)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(default_storage, "open", noted)
        parts = iter(RunArchive(cast.task, [run.pk], "all"))
        assert next(parts).startswith(b"PK")
        assert not opened
        tracemalloc.start()
        length = sum(len(part) for part in parts)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert length > 10_000
    assert peak < 8_000_000


def test_the_addresses_of_the_exports_are_no_tags(cast: Cast) -> None:
    submit_and_check(cast, "archive")
    submit_and_check(cast, "runs.zip")
    for tag in ("archive", "runs.zip"):
        assert signed_in(cast.member).get(cast.task.url("run_detail", tag=tag)).status_code == 200
    assert run_files(archive(cast)) == [f"runs/{cast.team.slug}/archive.txt", f"runs/{cast.team.slug}/runs.zip.txt"]
