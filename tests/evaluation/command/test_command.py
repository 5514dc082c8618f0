"""The command as its users meet it: a process with arguments, files, standard input and output, and an exit status."""

import csv
import gzip
import io
import json
import os
import pty
import re
import shlex
import signal
import subprocess
import sys

import pytest

from campaign.version import VERSION
from evaluation.command.arguments import ScoreArguments
from evaluation.command.options import read_score_arguments
from evaluation.engine.measures.names.trec_eval import read_trec_eval_names
from evaluation.engine.scoring import score_run
from tests.evaluation.command.processes import environment, run_command
from tests.evaluation.engine.random_collections import make_judgments, make_run
from tests.places import REPOSITORY

QRELS_LINES = [("1", "a", 2), ("1", "b", 0), ("1", "c", 1), ("2", "a", 1), ("2", "d", 1), ("3", "e", 1)]
RUN_LINES = [("1", "a", 3.0), ("1", "b", 2.0), ("1", "c", 1.0), ("2", "x", 9.0), ("2", "d", 8.0)]
OTHER_LINES = [("1", "c", 3.0), ("2", "a", 2.0), ("3", "e", 1.0)]
OVERVIEW = "usage: python -m evaluation score [options] QRELS RUN [RUN ...]"


def qrels_text() -> str:
    return "".join(f"{topic} 0 {docno} {grade}\n" for topic, docno, grade in QRELS_LINES)


def run_text(lines=RUN_LINES, tag="mine") -> str:
    return "".join(
        f"{topic} Q0 {docno} {rank} {score} {tag}\n" for rank, (topic, docno, score) in enumerate(lines, start=1)
    )


@pytest.fixture
def files(tmp_path):
    (tmp_path / "qrels").write_text(qrels_text())
    (tmp_path / "run").write_text(run_text())
    (tmp_path / "other").write_text(run_text(OTHER_LINES, tag="other"))
    return tmp_path


def command(*words, cwd, stdin: bytes = b"") -> subprocess.CompletedProcess:
    return run_command([*words], cwd, stdin)


def printed(*words, cwd, stdin: bytes = b"") -> str:
    """What the command prints on the standard output when all is well."""
    done = command(*words, cwd=cwd, stdin=stdin)
    assert (done.returncode, done.stderr.decode()) == (0, "")
    return done.stdout.decode()


def test_files_after_two_dashes_are_no_options(files):
    for name in ("qrels", "run"):
        (files / name).rename(files / f"-{name}")
    done = command("score", "-m", "P@1", "--", "-qrels", "-run", cwd=files)
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"P@1" in done.stdout


def test_a_run_is_scored_in_the_lines_of_the_standard_tool(files):
    assert printed("score", "-q", "-m", "P.2", "-m", "num_q", "qrels", "run", cwd=files) == (
        "P_2                   \t1\t0.5000\n"
        "P_2                   \t2\t0.5000\n"
        "num_q                 \tall\t2\n"
        "P_2                   \tall\t0.5000\n"
    )


def test_short_options_may_be_run_together_and_stand_between_the_files(files):
    plain = printed("score", "-q", "-c", "-l", "2", "-M", "5", "-m", "P.2", "qrels", "run", "other", cwd=files)
    assert printed("score", "-qcl2", "qrels", "-M5", "run", "-mP.2", "other", cwd=files) == plain
    tool = ("--query_eval_wanted", "--complete_rel_info_wanted", "--level_for_rel=2", "--Max_retrieved_per_topic=5")
    assert printed("score", *tool, "--measure", "P.2", "qrels", "run", "other", cwd=files) == plain


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
def test_the_standard_input_may_be_the_run_or_the_judgments_packed_or_not(files, packed):
    expected = printed("score", "-m", "all_trec", "qrels", "run", cwd=files)
    for place, words in (("run", ("qrels", "-")), ("qrels", ("-", "run"))):
        data = (files / place).read_bytes()
        data = gzip.compress(data) if packed else data
        assert printed("score", "-m", "all_trec", *words, cwd=files, stdin=data) == expected


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def library_scores(lines, *measures):
    return score_run(make_run(*lines), make_judgments(*QRELS_LINES), measures)


def test_a_table_has_a_line_for_every_value_of_every_run_in_all_digits(files):
    table = rows(
        printed("score", "-c", "-q", "-m", "AP", "-m", "nDCG@10", "--format", "csv", "qrels", "run", "other", cwd=files)
    )
    found = {(line["file"], line["run"], line["topic"], line["measure"]): float(line["value"]) for line in table}
    expected = {}
    for file, tag, lines in (("run", "mine", RUN_LINES), ("other", "other", OTHER_LINES)):
        scores = library_scores(lines, "AP", "nDCG@10")
        for row, measure in enumerate(("AP", "nDCG@10")):
            of_topics = zip(scores.topics, scores.values[row].tolist(), strict=True)
            expected |= {(file, tag, topic, measure): value for topic, value in of_topics}
            expected[file, tag, "all", measure] = sum(scores.values[row].tolist()) / 3
    assert found == pytest.approx(expected, abs=1e-15)
    assert len(table) == len(expected)


def test_a_table_holds_numbers_only_and_as_many_digits_as_were_asked_for(files):
    words = ("score", "-q", "-m", "map", "-m", "runid", "-m", "relstring", "-m", "num_ret", "--format", "csv")
    table = rows(printed(*words, "--digits", "2", "qrels", "run", cwd=files))
    assert [(line["topic"], line["measure"], line["value"]) for line in table] == [
        ("1", "num_ret", "3"),
        ("1", "map", "0.83"),
        ("2", "num_ret", "2"),
        ("2", "map", "0.25"),
        ("all", "num_ret", "5"),
        ("all", "map", "0.54"),
    ]


def test_json_says_what_was_computed_how_and_from_which_files(files):
    words = ("score", "-q", "-l", "2", "-m", "map", "-m", "relstring", "-m", "nDCG@5", "--format", "json")
    read = json.loads(printed(*words, "--reference", "9", "qrels", "run", "other", cwd=files))
    assert read["style"] == "trec_eval"
    assert read["qrels"] == "qrels"
    assert read["averaged_over"] == "topics of the qrels that the run answers"
    assert read["options"] == {"reference": "9", "level": 2, "judged_only": False, "judgment_groups": False}
    by_name = {measure["name"]: measure for measure in read["measures"]}
    assert list(by_name) == ["map", "relstring", "nDCG@5"]
    assert by_name["map"]["canonical"] == "AP(rel=2)"
    assert by_name["nDCG@5"]["parameters"] == {"gain": "linear", "k": 5, "judged_only": False}
    assert by_name["nDCG@5"]["range"] == [0.0, 1.0]
    assert [(run["file"], run["run"]) for run in read["runs"]] == [("run", "mine"), ("other", "other")]
    assert read["runs"][0]["topics"]["1"] == {
        "map": 1.0,
        "relstring": "201",
        "nDCG@5": library_scores(RUN_LINES, "nDCG@5").values[0, 0],
    }
    assert set(read["runs"][0]["topics"]) == {"1", "2"}
    assert read["runs"][0]["summary"]["map"] == 0.5


def test_json_says_that_unjudged_documents_were_left_out_wherever_it_says_anything_of_it(files):
    words = ("score", "-J", "-m", "map", "-m", "nDCG@5", "-m", "num_ret", "--format", "json", "qrels", "run")
    read = json.loads(printed(*words, cwd=files))
    by_name = {measure["name"]: measure for measure in read["measures"]}
    assert read["options"]["judged_only"] is True
    assert by_name["map"]["parameters"]["judged_only"] is True
    assert by_name["nDCG@5"]["canonical"] == "nDCG(judged_only=true)@5"
    assert by_name["num_ret"]["parameters"] == {}
    found = read["runs"][0]["summary"]["nDCG@5"]
    values = library_scores(RUN_LINES, by_name["nDCG@5"]["canonical"]).values[0]
    assert found == pytest.approx(values[:2].mean(), abs=1e-15)


@pytest.mark.parametrize(("style", "measures"), [("ndeval", 21), ("gdeval", 2)])
def test_the_other_styles_give_the_same_values_as_lines_table_and_json(files, style, measures):
    words = ("score", "--style", style, "qrels", "run", "other")
    lines = rows(printed(*words, cwd=files))
    table = rows(printed(*words, "--format", "csv", "--digits", "6" if style == "ndeval" else "5", cwd=files))
    as_table = {(row["run"], row["topic"], row["measure"]): row["value"] for row in table}
    as_lines = {
        (line["runid"], line["topic"].replace("amean", "all"), measure): value
        for line in lines
        for measure, value in line.items()
        if measure not in ("runid", "topic")
    }
    assert as_table == as_lines
    assert {row["file"] for row in table} == {"run", "other"}
    read = json.loads(printed(*words, "--format", "json", cwd=files))
    assert len(read["measures"]) == measures
    for run in read["runs"]:
        for name, value in run["summary"].items():
            assert float(as_table[run["run"], "all", name]) == pytest.approx(value, abs=1e-5)


@pytest.mark.parametrize(
    ("name", "bad", "expected"),
    [
        ("run", run_text() + "2 Q0 y 6 high mine\n", "run:6: Score high is not a number."),
        ("run", run_text() + "2 Q0 y 6 2,5 mine\n", "run:6: Score 2,5 is not a number."),
        ("run", run_text() + "2 Q0 y 6 7\n", "run:6: There are 5 columns instead of 6."),
        ("run", run_text() + "2 Q0 x 6 7 mine\n", "run:6: Docno x was already retrieved for topic 2 on line 4."),
        ("run", "", "run: The file holds no lines."),
        ("run", "9 Q0 x 6 7 mine\n", "run: no topic of it is in qrels."),
        ("qrels", qrels_text() + "3 0 f 1.5\n", "qrels:7: Grade 1.5 is not an integer."),
        ("qrels", qrels_text() + "3 0 e 0\n", "qrels:7: Docno e was already judged for topic 3 on line 6."),
    ],
    ids=lambda value: value[-30:].strip(),
)
def test_bad_input_is_told_by_file_and_line_and_nothing_is_printed(files, name, bad, expected):
    (files / name).write_text(bad)
    done = command("score", "qrels", "run", cwd=files)
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr.decode().startswith(expected)
    assert done.stderr.count(b"\n") == 1


def test_the_problems_of_all_files_are_told_at_once_and_those_of_no_good_file(files):
    (files / "qrels").write_text(qrels_text() + "3 0 f x\n")
    (files / "run").write_text(run_text() + "short\n")
    done = command("score", "qrels", "run", "other", "none", cwd=files)
    assert done.returncode == 1
    starts = ["qrels:7: Grade x", "run:6: There is 1 column", "none: No such file or directory."]
    assert [line[: len(start)] for line, start in zip(done.stderr.decode().splitlines(), starts, strict=True)] == starts
    (files / "qrels").write_text(qrels_text())
    done = command("score", "qrels", "run", "other", "none", cwd=files)
    assert [line.partition(":")[0] for line in done.stderr.decode().splitlines()] == ["run", "none"]


def test_as_many_problems_are_shown_as_asked_for_and_the_others_are_counted(files):
    (files / "run").write_text("".join(f"1 Q0 d{number} 1 x{number} mine\n" for number in range(40)))
    told = command("score", "qrels", "run", cwd=files).stderr.decode().splitlines()
    assert len(told) == 26
    assert told[24].startswith("run:25: Score x")
    assert told[25].startswith("and 15 more")
    told = command("score", "--max-errors", "40", "qrels", "run", cwd=files).stderr.decode().splitlines()
    assert len(told) == 40
    assert told[39].startswith("run:40: Score x")


def test_comments_are_passed_over_by_the_rules_of_release_10_only(files):
    (files / "run").write_text("# made by hand\n" + run_text(OTHER_LINES))
    done = command("score", "-m", "map", "qrels", "run", cwd=files)
    assert (done.returncode, done.stderr.decode()[:31]) == (1, "run:1: The line begins with #. ")
    with_10 = printed("score", "--trec-eval-version", "10", "-m", "map", "qrels", "run", cwd=files)
    assert with_10 == printed("score", "--reference", "10", "-m", "map", "qrels", "other", cwd=files)


def test_judgments_that_a_measure_cannot_be_computed_from_are_bad_input(files):
    done = command("score", "-m", "xinfAP", "qrels", "run", cwd=files)
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr.startswith(b"qrels: ")


def test_a_fifth_column_changes_no_ordinary_measure_but_is_refused_and_read_for_those_that_ask_for_it(files):
    lines = [f"{topic} 0 {docno} 1 {grade}\n" for topic, docno, grade in QRELS_LINES]
    (files / "sample").write_text("".join(lines))
    done = command("score", "-m", "AP", "sample", "run", cwd=files)
    assert (done.returncode, done.stdout, done.stderr.count(b"\n")) == (1, b"", 1)
    assert done.stderr.startswith(b"sample: Every line has 5 columns, not 4: topic 0 docno grade.")
    for name in (b"xinfAP", b"infNDCG", b"statAP"):
        assert name in done.stderr
    for style in ("ndeval", "gdeval"):
        assert command("score", "--style", style, "sample", "run", cwd=files).stderr == done.stderr
    # Where every document was drawn, the estimate is the average precision, but for the smoothing of the tool.
    estimated = printed("score", "-m", "xinfAP", "-m", "AP", "--format", "csv", "sample", "run", cwd=files)
    values = {line["measure"]: float(line["value"]) for line in rows(estimated)}
    assert values["AP"] == pytest.approx(sum(library_scores(RUN_LINES, "AP").values[0].tolist()) / 2)
    assert values["xinfAP"] == pytest.approx(values["AP"], abs=1e-4)


def test_an_estimator_that_the_strata_do_not_fit_is_computed_as_trec_eval_does_with_a_warning(files):
    (files / "sample").write_text("1 0 a 1 1\n1 0 b 1 0\n1 0 c 2 -1\n1 0 d 2 1\n")
    done = command("score", "-m", "infAP", "-m", "xinfAP", "sample", "run", cwd=files)
    assert (done.returncode, done.stdout.count(b"\n")) == (0, 2)
    warned = done.stderr.decode()
    assert warned.startswith(
        "sample: warning: infAP estimates from a uniform sample of each topic's pool, but topic 1 was"
    )
    assert "Use xinfAP." in warned


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("score -m map run qrels", ["run: Every line has 6 columns or more", "qrels: Every line has 4 columns"]),
        ("score -m nDCG@10 AP qrels run", ["AP: No such file or directory. AP is a measure: write -m before each"]),
        ("score -m map qrels P.5,10 run", ["P.5,10: No such file or directory. P.5,10 is a measure: write -m"]),
        ("score qrels nosuch", ["nosuch: No such file or directory. Check the path."]),
        ("score qrels .", [".: Is a directory. Name the files in it, as in DIR/*."]),
    ],
)
def test_files_that_were_mistaken_are_told_with_what_to_do(files, words, expected):
    done = command(*words.split(), cwd=files)
    assert (done.returncode, done.stdout) == (1, b"")
    told = done.stderr.decode().splitlines()
    assert [line[: len(start)] for line, start in zip(told, expected, strict=False)] == expected


@pytest.mark.parametrize(("measure", "with_option"), [("Fallout", True), ("nDCX", False), ("P@", False)])
def test_the_option_for_the_size_of_the_collection_is_told_where_only_that_is_lacking(files, measure, with_option):
    done = command("score", "-m", measure, "qrels", "run", cwd=files)
    assert (done.returncode, done.stdout) == (2, b"")
    assert (b"-N gives the size of the collection" in done.stderr) is with_option
    printed("score", "-m", "Fallout", "-N", "9", "qrels", "run", cwd=files)


def test_a_name_that_no_measure_has_is_wrong_usage_and_near_names_are_told(files):
    for words in (("score", "-m", "nDCX", "qrels", "run"), ("measures", "nDCX")):
        done = command(*words, cwd=files)
        assert (done.returncode, done.stdout) == (2, b"")
        assert b"Unknown measure nDCX. Near names: nDCG" in done.stderr


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("--style ndeval -q qrels run", "-q or --per-topic has no meaning with --style ndeval"),
        ("--style gdeval -m P@5 qrels run", "-m or --measure has no meaning with --style gdeval"),
        ("--style gdeval --reference 10 qrels run", "--trec-eval-version has no meaning with --style gdeval"),
        ("--style gdeval -m P@5 qrels run", "Leave it out, or write --style trec_eval or --style ndeval."),
        ("-k 5 qrels run", "-k or --cutoff has no meaning with --style trec_eval: it belongs to --style gdeval."),
        ("--baseline run qrels run", "it belongs to --style ndeval and --style gdeval."),
        (
            "--style ndeval --by-rank --by-score qrels run",
            "--run-order takes one order: --by-score",
        ),
        ("--style ndeval --risk-alpha 1 qrels run", "--risk-alpha needs the run to compare with"),
        ("--format json --digits 3 qrels run", "--digits has no meaning with --format json"),
        ("- -", "the standard input (-) can be read only once."),
        ("-l one qrels run", "expected a whole number from 0, not one"),
        ("-M 0 qrels run", "expected a whole number from 1, not 0"),
        ("--style ndeval --alpha nan qrels run", "expected a number from 0 to 1, not nan"),
        ("-R prefs qrels run", "invalid choice: 'prefs'"),
        ("-Z means qrels run", "unrecognized arguments: -Z"),
        ("qrels", "the following arguments are required: RUN"),
    ],
)
def test_what_makes_no_sense_is_refused_with_a_reason(capsys, words, expected):
    with pytest.raises(SystemExit) as ended:
        arguments(words)
    assert ended.value.code == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert expected in shown.err


def arguments(text: str):
    return read_score_arguments(text.split())


def test_all_options_reach_the_arguments():
    trec = arguments(
        "-q -c -n -l 2 -J -M 9 -N 99 -R qrels_jg -m map -m P.5 --digits 6 --reference 10 --format csv --problems 3 q a b"
    )
    assert (trec.qrels, trec.runs, trec.measures) == ("q", ("a", "b"), ("map", "P.5"))
    assert (trec.per_topic, trec.all_topics, trec.summary, trec.judged_only) == (True, True, False, True)
    assert (trec.level, trec.depth, trec.collection_size, trec.judgment_groups) == (2, 9, 99, True)
    assert (trec.digits, trec.reference, trec.form, trec.problems_shown) == (6, "10", "csv", 3)
    web = arguments("--style ndeval --alpha .1 --beta .2 --by-score --baseline b --risk-alpha 3 q a")
    assert (web.alpha, web.beta, web.run_order, web.baseline, web.risk_alpha) == (0.1, 0.2, "score", "b", 3.0)
    assert arguments("--style ndeval -traditional q a").run_order == "score"
    assert arguments("--style ndeval --by-rank q a").run_order == "rank"
    assert arguments("--run-order line --trec-eval-version 10 --max-errors 3 q a") == arguments(
        "--by-order --reference 10 --problems 3 q a"
    )
    assert arguments("--style gdeval -k 7 q a").k == 7
    assert arguments("q a") == ScoreArguments("q", ("a",))


@pytest.mark.parametrize("style", ["trec_eval", "ndeval", "gdeval"])
def test_every_style_takes_each_of_the_three_orders(tmp_path, style):
    (tmp_path / "qrels").write_text("1 1 a 0\n1 1 b 0\n1 1 c 1\n")
    # By score c comes first, by rank second, as the lines stand third; ranks are not in the order of the file.
    (tmp_path / "run").write_text("1 Q0 a 3 1 t\n1 Q0 b 1 2 t\n1 Q0 c 2 3 t\n")
    measure = {"ndeval": ["-m", "P-IA@1", "-m", "P-IA@2"], "gdeval": ["-k", "2"], "trec_eval": ["-m", "RR"]}[style]
    told = {}
    for order in ("score", "rank", "order"):
        words = ("score", "--style", style, f"--by-{order}", *measure, "--format", "json", "qrels", "run")
        data = json.loads(printed(*words, cwd=tmp_path))
        told[order] = list(data["runs"][0]["summary"].values())
        assert data["runs_ordered_by"].split()[0].startswith({"order": "lines"}.get(order, order))
    assert told["score"][-1] > told["rank"][-1] > told["order"][-1] or style == "ndeval"
    assert style != "ndeval" or told == {"score": [1.0, 0.5], "rank": [0.0, 0.5], "order": [0.0, 0.0]}


def test_help_lists_every_option_by_its_short_and_long_name(files):
    told = printed("score", "--help", cwd=files)
    for option in (
        "-q, --per-topic", "-c, --all-topics", "-n, --no-summary", "-l, --level N", "-J, --judged-only", "-M, --depth N",
        "-N, --collection-size N", "-R, --qrels-format", "-m, --measure NAME", "--digits N", "--trec-eval-version 9|10",
        "--style", "--format", "--alpha", "--beta", "--run-order BY", "--baseline", "--risk-alpha",
        "-k, --cutoff N", "--max-errors N",
    ):  # fmt: skip
        assert option in told
    assert told.count("    python -m evaluation score ") == 2
    assert max(map(len, told.splitlines())) <= 110
    assert printed("--help", cwd=files).startswith(OVERVIEW)


@pytest.mark.parametrize("name", ["score", "compare", "reliability", "components", "curves", "measures"])
def test_help_says_what_every_option_takes(files, name):
    assert " None" not in printed(name, "--help", cwd=files)


@pytest.mark.parametrize("words", [(), ("publish",)])
def test_without_a_known_command_the_commands_are_told(files, words):
    done = command(*words, cwd=files)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.decode().startswith(OVERVIEW)


@pytest.mark.parametrize(
    ("words", "meant"),
    [("qrels run", "qrels run"), ("qrels", "qrels"), ("-q qrels run", "-q qrels run"), ("publish", None)],
)
def test_who_forgets_the_word_score_is_reminded_of_it(files, words, meant):
    done = command(*words.split(), cwd=files)
    assert (done.returncode, done.stdout) == (2, b"")
    assert (b"Did you mean" in done.stderr) is (meant is not None)
    assert f"score {meant}?" in done.stderr.decode() or meant is None


def test_the_version_is_that_of_the_project(files):
    assert printed("--version", cwd=files) == f"Runpool {VERSION}\n"


def ended_in_shell(line: str, cwd) -> subprocess.CompletedProcess:
    python = shlex.quote(sys.executable)
    buffered = {name: value for name, value in environment().items() if name != "PYTHONUNBUFFERED"}
    return subprocess.run(
        ["sh", "-c", line.replace("COMMAND", f"{python} -m evaluation")],
        cwd=cwd,
        capture_output=True,
        check=False,
        env=buffered,
        timeout=60,
    )


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("COMMAND score qrels run >/dev/full", "the results could not be written: No space left on device"),
        ("COMMAND measures nDCG >/dev/full", "the results could not be written: No space left on device"),
        ("COMMAND score --help >/dev/full", "the results could not be written: No space left on device"),
        ("COMMAND --version >/dev/full", "the results could not be written: No space left on device"),
        ("COMMAND score qrels run >&-", "the standard output is closed"),
        ("COMMAND --help >&-", "the standard output is closed"),
        ("COMMAND score qrels - <&-", "<stdin>: The standard input is closed"),
    ],
)
def test_an_output_or_input_that_is_full_or_closed_is_told_in_a_line(files, line, expected):
    done = ended_in_shell(line, files)
    assert (done.returncode, done.stdout) == (1, b"")
    assert expected in done.stderr.decode()
    assert done.stderr.count(b"\n") == 1


def test_without_a_standard_error_the_exit_status_still_tells(files):
    assert ended_in_shell("COMMAND score qrels none 2>&-", files).returncode == 1


def test_the_listing_of_a_measure_says_how_unjudged_documents_are_left_out(files):
    assert "judged_only: take unjudged documents out of the ranking first" in printed("measures", "nDCG", cwd=files)
    assert "judged_only" not in printed("measures", "NumRet", cwd=files)


def modules_loaded(*words, cwd) -> set[str]:
    """By a process that starts as the command does it for its users."""
    python = [sys.executable, "-X", "importtime", "-m", "evaluation"]
    done = subprocess.run([*python, *words], cwd=cwd, capture_output=True, env=environment(), timeout=300)
    lines = done.stderr.decode().splitlines()
    return {line.rpartition("|")[2].strip() for line in lines if line.startswith("import time:")}


def test_the_command_starts_without_django_and_explains_itself_without_numpy(files):
    heavy = {"django", "celery", "scipy", "matplotlib"}
    loaded = modules_loaded("score", "-q", "-m", "all_trec", "qrels", "run", cwd=files)
    assert "numpy" in loaded
    assert not (heavy | {"polars"}) & loaded
    (files / "packed").write_bytes(gzip.compress((files / "run").read_bytes() + b"\xef\xbb\xbf"))
    loaded = modules_loaded("score", "--style", "ndeval", "qrels", "packed", cwd=files)
    assert "polars" in loaded
    assert not (heavy | {"campaign.formats.qrels.read"}) & loaded
    for words in (("score", "--help"), ("score", "qrels"), ("score", "-k", "5", "qrels", "run")):
        loaded = modules_loaded(*words, cwd=files)
        assert "evaluation.command.options" in loaded
        assert not {"numpy", "polars"} & loaded


def started(*words, cwd) -> subprocess.Popen:
    return subprocess.Popen(
        [sys.executable, "-m", "evaluation", *words],
        cwd=cwd,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )


def test_a_reader_that_goes_away_ends_the_command_quietly(files):
    (files / "qrels").write_text("".join(f"{topic} 0 a 1\n" for topic in range(2000)))
    (files / "run").write_text("".join(f"{topic} Q0 a 1 1 mine\n" for topic in range(2000)))
    with started("score", "-q", "qrels", "run", cwd=files) as process:
        assert process.stdout.read(10) == b"num_ret   "
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(timeout=300) == -signal.SIGPIPE


def test_an_interrupt_ends_the_command_quietly(files):
    with started("score", "qrels", "-", cwd=files) as process:
        process.stdin.write(run_text().encode() * 2000)  # more than a pipe holds: afterwards the command is reading
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=300) == -signal.SIGINT
        assert (process.stdout.read(), process.stderr.read()) == (b"", b"")


def test_an_interrupt_ends_the_command_as_quietly_after_polars_was_loaded_late():
    code = "from campaign.command.streams_and_signals import *; end_quietly(); load_polars(); os.kill(os.getpid(), 2); input()"
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=REPOSITORY, stdin=subprocess.PIPE, capture_output=True, timeout=60
    )
    assert (run.returncode, run.stdout, run.stderr) == (-signal.SIGINT, b"", b"")


def test_tags_and_topics_that_are_not_ascii_are_printed_byte_for_byte(files):
    (files / "qrels").write_bytes("é 0 a 1\n".encode())
    (files / "run").write_bytes("é Q0 a 1 1 ".encode() + b"caf\xe9\n")
    done = command("score", "-q", "-m", "runid", "-m", "map", "qrels", "run", cwd=files)
    assert done.stderr == b""
    assert done.stdout == "map                   \té\t1.0000\nrunid                 \tall\t".encode() + (
        b"caf\xe9\nmap                   \tall\t1.0000\n"
    )


def commands_of_the_guide() -> list[str]:
    text = (REPOSITORY / "docs/guide/command.md").read_text(encoding="utf-8")
    found = re.findall(r"(?:^    .*?|`)(?:python -m evaluation|\.\.\.) score ([^`\n]*)", text, flags=re.MULTILINE)
    return [words for words in found if "QRELS" in words or "qrels" in words]


@pytest.mark.parametrize("words", commands_of_the_guide())
def test_the_commands_of_the_guide_are_understood(words):
    read = read_score_arguments(shlex.split(words))
    if read.style == "trec_eval":
        names = read_trec_eval_names(
            read.measures, read.defaults, reference=read.reference, judgment_groups=read.judgment_groups
        )
        assert names


def test_the_guide_has_commands():
    assert len(commands_of_the_guide()) >= 10


def test_a_tag_that_is_a_formula_is_a_text_in_every_table(files):
    (files / "other").write_text(run_text(OTHER_LINES, tag="=1+1"))
    of_both = ("-m", "AP", "--format", "csv", "qrels", "run", "other")
    for table in (printed("score", *of_both, cwd=files), printed("compare", *of_both, cwd=files)):
        assert "'=1+1" in table
        assert ",=1+1" not in table
    assert ",'=1+1," in printed("curves", "qrels", "run", "other", cwd=files)


def test_a_tag_steers_no_terminal_and_comes_through_a_pipe_as_it_is(files):
    """What strangers send is scored here: a tag may hold what clears the screen or writes into the title."""
    (files / "other").write_text(run_text(OTHER_LINES, tag="\x1b[2Jgone"))
    terminal, end = pty.openpty()
    command = [sys.executable, "-m", "evaluation", "score", files / "qrels", files / "other"]
    subprocess.run(command, stdout=end, cwd=REPOSITORY, check=True, timeout=120)
    shown = os.read(terminal, 65_536).decode()
    assert (r"\x1b[2Jgone" in shown, "\x1b" in shown) == (True, False)
    assert "\x1b[2Jgone" in printed("score", "qrels", "other", cwd=files)
