"""`python -m evaluation reliability`, from files."""

import json
from pathlib import Path

import pytest

from evaluation.command.main import main
from evaluation.command.reliability.text import lines
from tests.evaluation.engine.reliability.test_report import many_topics_report

RUNS = {"bm25": {"1": "abc", "2": "xyz"}, "dense": {"1": "cab", "2": "zyx"}, "lame": {"1": "bde", "2": "xuv"}}
QRELS = "1 0 a 1\n1 0 b 0\n1 0 c 2\n1 0 e 1\n2 0 x 0\n2 0 y 1\n2 0 z 1\n3 0 q 0\n"


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    (tmp_path / "qrels.txt").write_text(QRELS)
    for tag, ranking in RUNS.items():
        lines = [
            f"{topic} Q0 {docno} {rank} {9 - rank} {tag}\n"
            for topic, docnos in ranking.items()
            for rank, docno in enumerate(docnos, start=1)
        ]
        (tmp_path / f"{tag}.txt").write_text("".join(lines))
    return [str(tmp_path / "qrels.txt"), *(str(tmp_path / f"{tag}.txt") for tag in RUNS)]


def test_the_text_has_every_part_in_words(files: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["reliability", "--found", "100", "-m", "AP", "-m", "P@2", *files]) == 0, capfd.readouterr().err
    said = capfd.readouterr().out
    for words in (
        "AP: 3 runs, 3 teams, 3 topics; found: to rank 100, as given",
        "lame: 1 document of its own",
        "none: 3",
        "too few topics of all runs to show a difference; for a difference of 0.05",
        "of 5; the last",
        "The kinds of the systems are not told.",
        "95 % of draws from",
        "There is one set of judgments only",
        "more than nine of ten judged: no topic",
    ):
        assert words in said, said


def test_json_has_the_same_and_teams_come_from_a_table(
    files: list[str], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    teams = tmp_path / "teams.csv"
    teams.write_text("run,team\nbm25,north\ndense,north\nlame.txt,south\n")
    assert main(["reliability", "--cutoff", "3", "--teams", str(teams), "--format", "json", *files]) == 0
    data = json.loads(capfd.readouterr().out)
    assert {row["team"]: row["unique"] for row in data["without_unique_documents"]} == {"north": 4, "south": 1}
    assert data["saturation"]["teams"]["shares"] == [0.5, 1.0]
    assert data["topics_with_few_relevant"] == {"none": ["3"], "one_or_two": ["2"], "below_five": ["1"]}


def test_kinds_come_from_the_table_of_teams(
    files: list[str], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    teams = tmp_path / "teams.csv"
    teams.write_text("run,team,kind\nbm25,north,automatic\ndense,north,automatic\nlame.txt,south,manual\n")
    assert main(["reliability", "--found", "3", "--teams", str(teams), "--kinds", "--format", "json", *files]) == 0
    data = json.loads(capfd.readouterr().out)
    assert {row["kind"]: row["unique"] for row in data["without_unique_documents_by_kind"]} == {
        "automatic": 4,
        "manual": 1,
    }
    with pytest.raises(SystemExit, match="2"):
        main(["reliability", "--kinds", *files])
    assert "--kinds needs --teams" in capfd.readouterr().err


def test_orders_under_several_assessors_are_compared_on_what_all_judged(
    files: list[str], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "second.txt"
    other.write_text("1 0 a 0\n1 0 b 1\n1 0 c 1\n2 0 x 1\n2 0 y 0\n9 0 new 1\n")
    assert main(["reliability", "--other-qrels", str(other), "--format", "json", *files]) == 0
    found = json.loads(capfd.readouterr().out)["assessor_effect"]
    assert (found["sets"], found["topics"], found["documents"]) == (["A", "B", "union"], 2, 5)
    assert found["overlap"] == pytest.approx(1 / 5)
    assert [(row["first"], row["second"]) for row in found["pairs"]] == [("A", "B"), ("A", "union"), ("B", "union")]
    assert main(["reliability", "--other-qrels", str(other), *files]) == 0
    assert "second.txt: 5 documents of 2 topics, overlap of the relevant ones 0.200" in capfd.readouterr().out


def test_assessors_who_judged_nothing_in_common_are_told(
    files: list[str], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "second.txt"
    other.write_text("9 0 new 1\n")
    assert main(["reliability", "--other-qrels", str(other), *files]) == 0
    assert "No document is judged by all sets." in capfd.readouterr().out


@pytest.mark.parametrize(
    ("table", "words"),
    [("tag,who\n", "name the columns run and team"), ("run,team\nbm25,north\n", "no line names the team of run dense")],
)
def test_a_table_of_teams_that_does_not_fit_is_told(
    files: list[str], tmp_path: Path, capfd: pytest.CaptureFixture[str], table: str, words: str
) -> None:
    teams = tmp_path / "teams.csv"
    teams.write_text(table)
    assert main(["reliability", "--teams", str(teams), *files]) == 1
    assert words in capfd.readouterr().err


@pytest.mark.parametrize(
    ("table", "words"),
    [
        (b"", "name the columns topic and assessor: topic,assessor."),
        (
            b"topic;assessor\n1,A\n",
            ".csv:2: Columns are separated by commas here, and by semicolons in the first line.",
        ),
        (b"topic,assessor\n", "no line names a topic of QRELS and its assessor."),
        (b"topic,assessor\n9,A\n1,\n", "no line names a topic of QRELS and its assessor."),
        (b"topic,assessor\n1,A,B\n", ".csv:2: There are 3 cells, and the first line names 2 columns."),
        (b'topic,assessor\n1,"A\n', "This cannot be read as CSV"),
        (b"topic,assessor\n1," + b"A" * 200_000 + b"\n", "This cannot be read as CSV"),
        ("topic,assessor\n1,Müller\n".encode("latin-1"), ".csv:2: The line is not valid UTF-8. Save it as UTF-8"),
    ],
)
def test_a_table_of_assessors_that_cannot_be_meant_is_refused_in_words(
    files: list[str], tmp_path: Path, capfd: pytest.CaptureFixture[str], table: bytes, words: str
) -> None:
    assessors = tmp_path / "assessors.csv"
    assessors.write_bytes(table)
    assert main(["reliability", "--assessors", str(assessors), *files]) == 1
    assert words in capfd.readouterr().err


def test_a_table_of_assessors_is_read_as_spreadsheets_write_it_and_what_it_lacks_is_counted(
    files: list[str], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """A mark of UTF-8, ends of lines of three systems, and blanks, which must not make two persons of one."""
    assessors = tmp_path / "assessors.csv"
    for table, said in (
        (b"\xef\xbb\xbfTopic,assessor\r1,A\r2, A \r3,A\r", "One person judged all topics."),
        ("sep=;\r\ntopic;assessor\r\n1;A\r\n2;A\r\n3;A\r\n".encode("utf-16"), "One person judged all topics."),
        (b"topic,assessor\r\n2,A\r\n", "Who judged is not told for 2 of 3 topics."),
    ):
        assessors.write_bytes(table)
        assert main(["reliability", "--assessors", str(assessors), *files]) == 0
        assert f"not known, over groups: {said}" in capfd.readouterr().out
    assert main(["reliability", *files]) == 0
    assert (
        "not known, over groups: Who judged which topic is not told: give --assessors FILE." in capfd.readouterr().out
    )


def test_wrong_usage_is_told(files: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["reliability", "-m", "nonsense", *files]) == 2
    assert "nonsense" in capfd.readouterr().err


def test_taus_and_topics_needed_are_printed_with_their_intervals() -> None:
    data = many_topics_report("AP")
    said = "".join(lines(data))
    taus = [*data["without_unique_documents"], *data["assessor_effect"]["pairs"]]
    for row in taus:
        interval = "" if row["tau_interval"] is None else " ({:.3f} to {:.3f})".format(*row["tau_interval"])
        assert f"tau {row['tau']:.3f}{interval}," in said
    measure = data["measures"][0]
    low, high = measure["topics_needed_interval"]
    assert f"for a difference of 0.05: {measure['topics_needed']} topics ({low:,} to {high:,})" in said
    low, high = data["split_half"]["interval"]
    assert f"two new sets of 6 topics, which share less: from {low:.3f} to {high:.3f} in about 9 of 10 cases" in said
    measure["topics_needed_interval"] = [7, None]
    assert f"{measure['topics_needed']} topics (7 to over 100,000)" in "".join(lines(data))


def test_who_judged_which_topic_and_the_draw_of_a_sample_are_told_from_files(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    topics, docnos = [str(number) for number in range(1, 7)], [f"d{number}" for number in range(8)]
    qrels, runs, assessors = (tmp_path / name for name in ("sample.txt", "runs", "assessors.csv"))
    qrels.write_text("".join(
        f"{topic} 0 {docno} {number // 4} {-1 if number % 4 == 3 else (int(topic) + number) % 2}\n"
        for topic in topics for number, docno in enumerate(docnos)
    ))  # fmt: skip
    runs.mkdir()
    for place, tag in enumerate(("north", "south")):
        (runs / tag).write_text("".join(
            f"{topic} Q0 {docnos[(rank * (2 * place + 1 + 2 * (int(topic) % 2))) % 8]} {rank} {9 - rank} {tag}\n"
            for topic in topics for rank in (1, 2, 3)
        ))  # fmt: skip
    assessors.write_text(
        "topic,assessor\n" + "".join(f"{topic},{'A' if topic in '12' else topic}\n" for topic in topics)
    )
    files = ["-m", "xinfAP", str(qrels), str(runs / "north"), str(runs / "south")]
    assert main(["reliability", "--assessors", str(assessors), "--format", "json", *files]) == 0, capfd.readouterr().err
    found = json.loads(capfd.readouterr().out)["error_budget"]
    assert (found["groups"], found["draws"], found["strata_of_one"]) == (5, 25, 0)
    assert found["missing"] == {"assessors": "No topic was judged twice."}
    assert main(["reliability", "--assessors", str(assessors), *files]) == 0
    said = capfd.readouterr().out
    row = found["differences"][0]
    assert (
        f", over groups ± {row['half_width_over_groups']:.4f}, by the draw SD {row['deviation_by_draws']:.4f}" in said
    )
    assert "not known, SD by assessors: No topic was judged twice." in said
    assessors.write_text("topic,who\n1,A\n")
    assert main(["reliability", "--assessors", str(assessors), *files]) == 1
    assert "name the columns topic and assessor" in capfd.readouterr().err
