"""`python -m pooling draw` as its users meet it: files, options, what is printed, what is refused and with which words."""

import gzip
import json
from pathlib import Path

import pytest

from pooling.command.main import main
from tests.factories import run_lines
from tests.pooling.command.makers import NORTH, PYTHON, SOUTH, run_alone, run_here, write_runs

DEPTH_1 = ("--set", "depth=1", "--order", "docno")


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_runs(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_program_prints_the_pool_and_never_loads_django(files: Path) -> None:
    (files / "qrels").write_text("10 0 a 1\n2 0 y 1\n")
    code = (
        "import sys; from pooling.command.main import main\n"
        "words = ['north.txt', 'south.txt']\n"
        "main(['draw', '--set', 'depth=1', '--order', 'docno', *words])\n"
        "main(['simulate', '--qrels', 'qrels', '--strategy', 'depth-k', '--seeds', '1', '--processes', '1', *words])\n"
        "assert 'django' not in sys.modules\n"
    )
    done = run_alone(PYTHON, "-c", code, cwd=files)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.startswith(b"10 a\n10 d\n2 x\n2 y\ncost 25 %")


def test_the_standard_input_and_packed_files_are_read(files: Path) -> None:
    (files / "packed").write_bytes(gzip.compress((files / "south.txt").read_bytes()))
    done = run_alone(
        PYTHON, "-m", "pooling", "draw", *DEPTH_1, "-", "packed", cwd=files, stdin=(files / "north.txt").read_bytes()
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"10 a\n10 d\n2 x\n2 y\n", b"")


@pytest.mark.parametrize("words", [["--help"], ["--version"], ["drw"]])
def test_the_program_explains_itself(capfd: pytest.CaptureFixture[str], words: list[str]) -> None:
    status = main(words)
    done = capfd.readouterr()
    assert (status, done.out.split()[:1]) == {
        "--help": (0, ["usage:"]),
        "--version": (0, ["Runpool"]),
        "drw": (2, []),
    }[words[0]]
    assert ("Did you mean draw?" in done.err) == (words == ["drw"])


@pytest.mark.parametrize("command", ["draw", "preview", "strategies", "simulate"])
def test_every_subcommand_explains_its_options(capfd: pytest.CaptureFixture[str], command: str) -> None:
    done = run_here(capfd, command, "--help")
    assert (done.status, done.err) == (0, "")
    assert f"python -m pooling {command}" in done.out


def test_topics_come_in_byte_order_or_in_that_of_a_file_and_others_are_left_out(
    files: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (files / "numbers").write_text("2\n10\n\n")
    (files / "topics.tsv").write_text("2\tsecond\n")
    runs = ["north.txt", "south.txt"]
    assert run_here(capfd, "draw", *DEPTH_1, *runs).out == "10 a\n10 d\n2 x\n2 y\n"
    assert run_here(capfd, "draw", *DEPTH_1, "--topics", "numbers", *runs).out == "2 x\n2 y\n10 a\n10 d\n"
    assert run_here(capfd, "draw", *DEPTH_1, "--topics", "topics.tsv", *runs).out == "2 x\n2 y\n"


def test_a_sampled_pool_has_strata_and_probabilities(capfd: pytest.CaptureFixture[str]) -> None:
    done = run_here(capfd, "draw", "--strategy", "stratified", "--set", "rates=1:1 4:0.5", "north.txt", "south.txt")
    lines = [line.split() for line in done.out.splitlines()]
    assert {len(line) for line in lines} == {4}
    assert {(stratum, probability == "1.0") for _, _, stratum, probability in lines} >= {("1", True)}


def test_priorities_and_teams_come_from_a_table_by_tag_or_by_file(
    files: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (files / "teams.csv").write_text("run,team,priority\nnorth,'=one,2\nsouth.txt,two,1\n")
    given = ("draw", *DEPTH_1, "--teams", "teams.csv", "north.txt", "south.txt")
    assert run_here(capfd, *given, "--max-priority", "1").out == "10 d\n2 y\n"
    (files / "teams.csv").write_text("run,team,priority\nnorth,one,2\nsouth,one,1\n")
    assert run_here(capfd, *given, "--runs-per-team", "1").out == "10 d\n2 y\n"


def test_a_table_with_files_names_runs_by_tag_and_gives_a_file_its_tag(
    files: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (files / "runs").mkdir()
    (files / "runs" / "a.txt").write_bytes(run_lines(NORTH, "same"))
    (files / "runs" / "b.txt").write_bytes(run_lines(SOUTH, "same"))
    rows = "runs/a.txt,one,alpha,valid\nruns/b.txt,two,beta,valid\nruns/lost.txt,two,gamma,withdrawn\n"
    (files / "runs.csv").write_text(f"file,team,tag,state\n{rows}")
    done = run_here(capfd, "draw", *DEPTH_1, "--teams", "runs.csv", "--", "alpha", "beta")
    assert (done.status, done.out) == (0, "10 a\n10 d\n2 x\n2 y\n")


def test_only_as_many_documents_count_as_the_maximum_says(files: Path, capfd: pytest.CaptureFixture[str]) -> None:
    done = run_here(capfd, "draw", "--set", "depth=9", "--order", "docno", "-M", "1", "north.txt", "south.txt")
    assert done.out == "10 a\n10 d\n2 x\n2 y\n"


REFUSED = [
    (["--strategy", "depthk", "north.txt"], 2, "there is no strategy depthk. Did you mean depth-k?"),
    (["--set", "dept=3", "north.txt"], 2, "has no parameter dept. Did you mean depth?"),
    (["--set", "depth=0", "north.txt"], 2, "depth is a whole number from 1 to 1,000, not “0”"),
    (["--set", "depth", "north.txt"], 2, "--set depth is no PARAMETER=VALUE"),
    (["--set", "depth=1", "--set", "depth=2", "north.txt"], 2, "gives depth twice"),
    (["--seed", "x", "north.txt"], 2, "seed is a whole number"),
    (["--order", "rank", "north.txt"], 2, "There is no order “rank”. Use one of: random, docno"),
    (["--run-order", "rank", "--by-order", "north.txt"], 2, "takes one order"),
    (["--teams", "-", "-"], 2, "the standard input (-) can be read only once"),
    (["nowhere.txt"], 1, "nowhere.txt: No such file or directory. Check the path."),
    (["short.txt"], 1, "short.txt:2: There are 5 columns instead of 6. Write topic Q0 docno rank score tag"),
    (
        ["twice.txt"],
        1,
        "twice.txt:2: Docno a was already retrieved for topic 1 on line 1. Keep one line for each document.",
    ),
    (["empty.txt"], 1, "empty.txt: The file holds no lines."),
    (["north.txt", "copy.txt"], 1, "copy.txt: has the tag north of north.txt. Give each run its own tag"),
    (["--topics", "others", "north.txt"], 1, "None of the topics in the file is a topic of this task."),
    (["--topics", "doubled", "north.txt"], 1, "doubled:2: Topic 10 was already given on line 1. Keep one of the two."),
    (
        ["--teams", "unknown.csv", "north.txt"],
        1,
        "unknown.csv:2: there is no run west among those given. Give its file too",
    ),
    (
        ["--teams", "bad.csv", "north.txt"],
        1,
        "bad.csv:2: The setting priority is a whole number from 1 to 32,767, not “0”",
    ),
    (
        ["--teams", "headless.csv", "north.txt"],
        1,
        "headless.csv:1: The first line must name the columns: run,team,priority.",
    ),
    (["--max-priority", "1", "--teams", "second.csv", "north.txt"], 1, "or the settings take none of them"),
    (
        ["--strategy", "maxmean", "--set", "size=2", "north.txt", "south.txt"],
        1,
        "needs 5 judgments at the start, 5 for the base of depth 5 and 0 for the control sample, and size allows 2",
    ),
]


@pytest.mark.parametrize(("words", "status", "message"), REFUSED, ids=[" ".join(words)[:40] for words, _, _ in REFUSED])
def test_what_cannot_be_used_is_refused_with_what_to_do(
    files: Path, capfd: pytest.CaptureFixture[str], words: list[str], status: int, message: str
) -> None:
    (files / "short.txt").write_text("1 Q0 a 1 2.0 t\n1 Q0 b 2 1.0\n")
    (files / "twice.txt").write_text("1 Q0 a 1 2.0 t\n1 Q0 a 2 1.0 t\n")
    (files / "empty.txt").write_text("")
    (files / "copy.txt").write_bytes((files / "north.txt").read_bytes())
    (files / "others").write_text("77\n")
    (files / "doubled").write_text("10\n10\n")
    (files / "unknown.csv").write_text("run,team\nwest,one\n")
    (files / "bad.csv").write_text("run,priority\nnorth,0\n")
    (files / "headless.csv").write_text("north,one,1\n")
    (files / "second.csv").write_text("run,priority\nnorth,2\n")
    done = run_here(capfd, "draw", *words)
    assert (done.status, done.out) == (status, "")
    assert message in done.err


def test_a_run_without_a_document_for_a_topic_is_told_of_and_pooled(
    files: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (files / "half.txt").write_bytes(run_lines({"2": ["w"]}, "half"))
    done = run_here(capfd, "draw", *DEPTH_1, "north.txt", "half.txt")
    assert done.out == "10 a\n2 w\n2 x\n"
    assert "half.txt: no document for 1 of 2 topics: 10." in done.err


def test_problems_of_all_files_are_told_at_once(files: Path, capfd: pytest.CaptureFixture[str]) -> None:
    for name in ("one.txt", "two.txt"):
        (files / name).write_text("1 Q0 a 1 high t\n1 Q0 b 2 1.0\n")
    done = run_here(capfd, "draw", "--max-errors", "3", "one.txt", "two.txt")
    assert done.status == 1
    assert [line.split(":")[0] for line in done.err.splitlines()[:3]] == ["one.txt", "one.txt", "two.txt"]
    assert "and 1 more; --max-errors N shows N of them" in done.err


def test_the_strategies_are_listed_as_text_markdown_and_json(capfd: pytest.CaptureFixture[str]) -> None:
    from pooling.core.strategies.registry import STRATEGIES

    listed = json.loads(run_here(capfd, "strategies", "--format", "json").out)
    assert [strategy["name"] for strategy in listed] == list(STRATEGIES)
    text, markdown = (run_here(capfd, "strategies", "--format", form).out for form in ("text", "markdown"))
    for strategy in STRATEGIES.values():
        for parameter in strategy.parameters:
            assert f"{parameter.name}: {parameter.expected.split(',')[0][:40]}" in text
            assert f"| `{parameter.name}` |" in markdown
    assert run_here(capfd, "strategies", "depthk").status == 2


@pytest.mark.parametrize(
    ("words", "status", "told"),
    [
        (["--all"], 1, "The strategy depth-k draws no sample: leave --all out."),
        (["--priority", "north"], 2, "--priority north is no TAG=N, such as bm25=1."),
        (["--priority", "north=0"], 2, "--priority north=0: "),
        (
            ["--priority", "north=1", "--priority", "north=2"],
            2,
            "--priority north=2 gives the priority of north twice.",
        ),
        (["--priority", "east=1"], 1, "--priority east: there is no run with this tag among those given."),
    ],
)
def test_options_that_do_not_fit_are_refused_with_the_remedy(
    capfd: pytest.CaptureFixture[str], words: list[str], status: int, told: str
) -> None:
    done = run_here(capfd, "draw", *words, "north.txt", "south.txt")
    assert (done.status, done.out) == (status, "")
    assert told in done.err


def test_a_priority_that_is_given_holds_whatever_the_table_says(files: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (files / "teams.csv").write_text("run,team,priority\nnorth,n,2\nsouth,s,2\n")
    words = ["--set", "depth=1", "--set", "depths=1:2", "--order", "docno", "--teams", "teams.csv"]
    done = run_here(capfd, "draw", *words, "--priority", "north=1", "north.txt", "south.txt")
    assert done.out == "10 a\n10 b\n10 d\n2 x\n2 y\n"
