"""`python -m pooling simulate`: what it reads, refuses and writes; and the page of reference that it made."""

import csv
from pathlib import Path

import pytest

from tests.places import CRANFIELD, REPOSITORY
from tests.pooling.command.makers import run_here, write_runs

PAGE = REPOSITORY / "docs" / "reference" / "pooling.md"


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_runs(tmp_path)
    (tmp_path / "qrels").write_text("10 0 a 2\n10 0 e 1\n2 0 z 1\n77 0 q 1\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


ONCE = ("--qrels", "qrels", "--strategy", "depth-k", "--seeds", "1", "--processes", "1", "north.txt", "south.txt")


def test_a_table_and_a_picture_are_written(files: Path, capfd: pytest.CaptureFixture[str]) -> None:
    done = run_here(capfd, "simulate", "--format", "csv", "--picture", "p.svg", "--costs", "100", *ONCE)
    assert (done.status, done.err) == (0, "")
    values = {row["value"]: row["mean"] for row in csv.DictReader(done.out.splitlines())}
    assert (values["judged"], values["found"]) == ("8.0", "1.0")
    assert (files / "p.svg").read_bytes().startswith(b"<?xml")


def test_the_lowest_relevant_grade_is_an_option(capfd: pytest.CaptureFixture[str]) -> None:
    done = run_here(capfd, "simulate", "--format", "json", "-l", "2", *ONCE)
    assert '"relevant": 1,' in done.out


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        (["--level", "5", *ONCE], 1, "qrels: no document of grade 5 or above for a topic of the runs."),
        (["--qrels", "qrels", "north.txt"], 1, "an order of runs needs two runs at least"),
        (["--qrels", "nowhere", "north.txt", "south.txt"], 1, "nowhere: No such file or directory. Check the path."),
        (["--qrels", "north.txt", "north.txt", "south.txt"], 1, "north.txt:1:"),
        (["--picture", "no/such/p.svg", *ONCE], 1, "no/such/p.svg: No such file or directory. Name a file"),
        (["--strategy", "depthk", *ONCE], 2, "there is no strategy depthk. Did you mean depth-k?"),
        (["--costs", "0", *ONCE], 2, "expected a number from 0.1 to 1000, not 0"),
        (["north.txt", "south.txt"], 2, "the following arguments are required: --qrels"),
    ],
)
def test_what_cannot_be_used_is_refused_with_what_to_do(
    capfd: pytest.CaptureFixture[str], words: list[str], status: int, message: str
) -> None:
    done = run_here(capfd, "simulate", *words)
    assert (done.status, done.out) == (status, "")
    assert message in done.err


@pytest.mark.cranfield
@pytest.mark.skipif(not CRANFIELD.is_dir(), reason="needs the Cranfield collection in ../shared/data/cranfield")
def test_the_page_holds_what_the_command_finds(capfd: pytest.CaptureFixture[str]) -> None:
    """The rows of depth-k, which no seed changes: the others take minutes."""
    runs = sorted(str(path) for path in (CRANFIELD / "runs").glob("*.gz"))
    given = ["--qrels", str(CRANFIELD / "qrels.graded.txt"), "--teams", str(CRANFIELD / "runs.csv"), "--processes", "1"]
    done = run_here(capfd, "simulate", *given, "--strategy", "depth-k", "--seeds", "1", "--format", "markdown", *runs)
    rows = [line for line in done.out.splitlines() if line.startswith("| `depth-k` |")]
    page = PAGE.read_text(encoding="utf-8").splitlines()
    assert len(rows) == 3
    assert [row for row in rows if row not in page] == []
