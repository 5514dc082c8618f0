"""`python -m evaluation compare` as its users meet it."""

import csv
import io
import json
import subprocess
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from campaign.text.plurals import number_of
from evaluation.command.comparing.results import WIDER, of_wider_intervals
from evaluation.engine.significance.compare import compare
from evaluation.engine.significance.declarations import TESTS
from evaluation.engine.significance.equivalence import equivalence
from evaluation.engine.significance.families import all_pairs
from tests.evaluation.command.processes import run_command

TOPICS = [str(topic) for topic in range(1, 13)]
HEADER = "measure,a,b,mean_a,mean_b,difference,low,high,effect_size,p,p_corrected,test,correction,seed,resamples"


def run_text(tag: str, first: int, topics: list[str] = TOPICS) -> str:
    """A ranking of five documents whose relevant one, d0, stands at rank `first`, one lower on every third topic."""
    lines = []
    for number, topic in enumerate(topics):
        place = min(first + (number % 3 == 0), 5)
        ranking = [f"d{other}" for other in range(1, 5)]
        ranking.insert(place - 1, "d0")
        lines += [f"{topic} Q0 {docno} {rank} {10 - rank} {tag}\n" for rank, docno in enumerate(ranking, 1)]
    return "".join(lines)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "qrels").write_text("".join(f"{topic} 0 d0 1\n{topic} 0 d1 0\n" for topic in TOPICS))
    for tag, first in (("good", 1), ("fair", 2), ("poor", 4)):
        (tmp_path / tag).write_text(run_text(tag, first))
    return tmp_path


def command(*words: str, cwd: Path) -> "subprocess.CompletedProcess[bytes]":
    return run_command(["compare", *words], cwd, b"")


def printed(*words: str, cwd: Path) -> str:
    done = command(*words, cwd=cwd)
    assert (done.returncode, done.stderr.decode()) == (0, "")
    return done.stdout.decode()


def pairs_of(*words: str, cwd: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(printed("--format", "csv", *words, cwd=cwd))))


def test_a_reader_sees_ranks_groups_and_which_differences_are_real(folder: Path) -> None:
    text = printed("-m", "RR", "qrels", "poor", "good", "fair", cwd=folder)
    assert "RR: 3 runs, 12 topics, 3 comparisons" in text
    assert "test: step-down max-T test, 2,048 resamples, seed 0; for all compared pairs at once; intervals 95%" in text
    rows = [line.split() for line in text.splitlines()]
    assert [row[1] for row in rows if row[:1] in (["1"], ["2"], ["3"])] == ["good", "fair", "poor"]
    assert "good  fair" in text
    assert text == printed("-m", "RR", "qrels", "poor", "good", "fair", cwd=folder)


def test_a_row_of_the_table_holds_what_scipy_finds_of_the_pair(folder: Path) -> None:
    assert printed("--format", "csv", "-m", "RR", "qrels", "good", "poor", cwd=folder).startswith(f"{HEADER}\n")
    good = np.array([1 / (1 + (n % 3 == 0)) for n in range(12)])
    poor = np.array([1 / (4 + (n % 3 == 0)) for n in range(12)])
    [row] = pairs_of("-m", "RR", "--test", "t", "qrels", "good", "poor", cwd=folder)
    found = stats.ttest_rel(good, poor)
    assert (row["a"], row["b"], row["test"], row["correction"], row["resamples"]) == ("good", "poor", "t", "holm", "0")
    assert float(row["difference"]) == pytest.approx((good - poor).mean())
    assert float(row["p"]) == float(row["p_corrected"]) == pytest.approx(found.pvalue)
    interval = found.confidence_interval(0.95)
    assert (float(row["low"]), float(row["high"])) == pytest.approx((interval.low, interval.high))
    assert float(row["effect_size"]) == pytest.approx((good - poor).mean() / (good - poor).std(ddof=1))


@pytest.mark.parametrize("test", TESTS)
def test_every_test_answers_in_every_form(folder: Path, test: str) -> None:
    for form in ("text", "csv", "json", "latex"):
        assert (
            "nan" not in printed("--test", test, "--format", form, "qrels", "good", "fair", "poor", cwd=folder).lower()
        )


def test_with_a_baseline_every_run_is_compared_with_it_alone(folder: Path) -> None:
    rows = pairs_of("-m", "RR", "--baseline", "fair", "qrels", "good", "poor", cwd=folder)
    assert [(row["a"], row["b"], row["test"], row["correction"]) for row in rows] == [
        ("good", "fair", "max-t", "none"),
        ("poor", "fair", "max-t", "none"),
    ]
    text = printed("-m", "RR", "--baseline", "fair", "qrels", "good", "fair", "poor", cwd=folder)
    marks = {line.split()[1]: line.split()[-1] for line in text.splitlines() if line[:4].strip() in ("1", "2", "3")}
    assert marks == {"good": "better", "fair": "baseline", "poor": "worse"}


def test_where_less_is_better_the_lower_mean_ranks_first_and_is_better_than_the_baseline(folder: Path) -> None:
    text = printed("-m", "RankFirstRel", "--baseline", "fair", "qrels", "good", "poor", cwd=folder)
    ranked = [line.split() for line in text.splitlines() if line[:4].strip() in ("1", "2", "3")]
    assert [(row[1], row[-1]) for row in ranked] == [("good", "better"), ("fair", "baseline"), ("poor", "worse")]


def test_groups_and_ranks_are_left_out_where_the_correction_does_not_hold_for_all_pairs_together(folder: Path) -> None:
    for correction in ("none", "bh"):
        text = printed("--test", "t", "--correction", correction, "qrels", "good", "fair", cwd=folder)
        assert "rank may be" not in text
        assert "no groups and ranks: they need a test or a correction that holds for all pairs together" in text
    told = json.loads(printed("--format", "json", "qrels", "good", "fair", "poor", cwd=folder))
    best = told["measures"][0]["runs"][0]
    assert (best["run"], best["rank"]) == ("good", [1, 1])
    assert {"group", "ranks"} <= best.keys()


def test_a_topic_that_a_run_misses_counts_with_the_worst_value(folder: Path) -> None:
    (folder / "half").write_text(run_text("half", 1, TOPICS[:6]))
    [row] = pairs_of("-m", "RR", "qrels", "good", "half", cwd=folder)
    assert float(row["mean_b"]) == pytest.approx(sum(1 / (1 + (n % 3 == 0)) for n in range(6)) / 12)


def test_runs_of_one_tag_are_told_apart_by_their_files(folder: Path) -> None:
    (folder / "again").write_text(run_text("good", 3))
    [row] = pairs_of("qrels", "good", "again", cwd=folder)
    assert (row["a"], row["b"]) == ("good", "again")


def test_tags_cannot_write_commands_into_the_latex_table(folder: Path) -> None:
    (folder / "evil").write_text(run_text(r"\input{x}%_&", 3))
    table = printed("--format", "latex", "-m", "RR", "-m", "P@1", "qrels", "good", "evil", cwd=folder)
    assert r"\textbackslash{}input\{x\}\%\_\&" in table
    assert r"\begin{tabular}{lrr}" in table
    assert table.count(r"\\") == 3
    assert r"1.0000" not in table.splitlines()[0]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["qrels", "good"], "there is one run only: give at least two to compare."),
        (["--test", "tukey", "--correction", "holm", "qrels", "good", "fair"], "leave --correction out."),
        (["--test", "anova", "qrels", "good", "fair"], "invalid choice: 'anova'"),
        (["-m", "nDCH@10", "qrels", "good", "fair"], "nDCH"),
        (["qrels", "-", "-"], "the standard input (-) can be read only once."),
    ],
)
def test_wrong_usage_says_what_to_do(folder: Path, words: list[str], said: str) -> None:
    done = command(*words, cwd=folder)
    assert (done.returncode, done.stdout) == (2, b"")
    assert said in done.stderr.decode()


def test_all_wrong_runs_are_named_before_anything_is_printed(folder: Path) -> None:
    (folder / "wrong").write_text("1 Q0 d0 1 many tag\n")
    done = command("qrels", "good", "wrong", "absent", cwd=folder)
    assert (done.returncode, done.stdout) == (1, b"")
    assert "wrong" in done.stderr.decode()
    assert "absent" in done.stderr.decode()


def test_of_equal_medians_neither_run_is_called_better_whatever_the_test_says(tmp_path: Path) -> None:
    topics = [str(topic) for topic in range(1, 31)]
    (tmp_path / "qrels").write_text("".join(f"{topic} 0 d0 1\n" for topic in topics))
    rankings = {"first": ["d0"] * 30, "late": ["d1 d2 d3 d4 d5 d0"] * 14 + ["d0"] * 16}
    for tag, of_run in rankings.items():
        lines = [
            f"{topic} Q0 {docno} {rank} {10 - rank} {tag}\n"
            for topic, ranking in zip(topics, of_run, strict=True)
            for rank, docno in enumerate(ranking.split(), 1)
        ]
        (tmp_path / tag).write_text("".join(lines))
    words = ("-m", "RankFirstRel@10", "--test", "t", "qrels", "late", "first")
    text = printed("--baseline", "first", *words, cwd=tmp_path)
    assert "test and number disagree" in text
    assert "better" not in text
    both = json.loads(printed("--format", "json", "--correction", "holm", *words, cwd=tmp_path))
    assert [run.keys() & {"group", "ranks"} for run in both["measures"][0]["runs"]] == [set(), set()]
    assert "runs are ranked by medians, and this test goes by means." in both["measures"][0]["notes"][-1]


@pytest.mark.parametrize("test", ["wilcoxon", "sign", "tukey"])
def test_a_test_from_which_no_ranks_follow_prints_neither_groups_nor_ranks_and_says_why(
    folder: Path, test: str
) -> None:
    words, why = ("--test", test, "-m", "RR", "qrels", "good", "fair", "poor"), TESTS[test].no_ranks
    text = printed(*words, cwd=folder)
    assert f"no groups and ranks: {why}" in text
    assert [said for said in ("rank may be", "share a letter") if said in text] == []
    [measure] = json.loads(printed("--format", "json", *words, cwd=folder))["measures"]
    assert measure["notes"] == [f"Rank intervals and letters do not follow: {why}."]
    assert [run.keys() & {"group", "ranks"} for run in measure["runs"]] == [set()] * 3
    table = printed("--format", "latex", *words, cwd=folder)
    assert f"Rank intervals and letters do not follow: {why}." in table
    assert "mathrm" not in table


def test_a_margin_adds_the_equivalence_of_the_compared_pairs_in_every_form(folder: Path) -> None:
    (folder / "near").write_text(run_text("near", 2, TOPICS[:1]) + run_text("near", 1, TOPICS[1:]))
    words = ("--margin", "0.4", "-m", "RR", "-m", "GMAP")
    rows = pairs_of(*words, "qrels", "good", "near", "poor", cwd=folder)
    by_rr = {(row["a"], row["b"]): row for row in rows if row["measure"] == "RR"}
    good = np.array([1 / (1 + (n % 3 == 0)) for n in range(12)])
    near = np.array([1 / 3, *[1 / (1 + (n % 3 == 0)) for n in range(11)]])
    expected = equivalence(np.vstack([good, near]), np.array([[0, 1]]), 0.4).p[0]
    assert float(by_rr["good", "near"]["p_equivalence"]) == pytest.approx(3 * expected)
    assert [row["equivalence"] for row in by_rr.values()] == ["equivalent", "not shown", "not shown"]
    assert {(row["margin"], row["equivalence"]) for row in rows if row["measure"] != "RR"} == {("", "")}
    told = json.loads(printed(*words, "--format", "json", "qrels", "good", "near", "poor", cwd=folder))
    assert told["margin"] == 0.4
    assert told["measures"][0]["pairs"][0]["equivalence"] == "equivalent"
    text = printed(*words, "qrels", "good", "near", "poor", cwd=folder)
    assert "within 0.4: two one-sided t-tests, by t and by t adjusted for skewness, Holm-corrected" in text
    assert "is no mean over topics: the margin is none of it" in text
    assert "margin" not in printed("--format", "csv", "qrels", "good", "near", cwd=folder)
    refused = command("--margin", "0", "qrels", "good", "near", cwd=folder)
    assert (refused.returncode, b"expected a number" in refused.stderr) == (2, True)


def new_documents(folder: Path) -> None:
    """A run whose first document is judged on no topic."""
    lines = [f"{topic} Q0 n{topic} 1 9 new\n{topic} Q0 d1 2 8 new\n" for topic in TOPICS]
    (folder / "new").write_text("".join(lines))


UNJUDGED = ("--unjudged", "-m", "P@1", "-m", "AP", "--test", "sign")


def test_with_unjudged_every_form_says_which_pairs_unjudged_documents_would_change(folder: Path) -> None:
    new_documents(folder)
    rows = pairs_of(*UNJUDGED, "qrels", "new", "good", "poor", cwd=folder)
    told = {(row["a"], row["b"]): row for row in rows if row["measure"] == "P@1"}
    assert {pair: row["unjudged"] for pair, row in told.items()} == {
        ("new", "good"): "changes",
        ("new", "poor"): "changes",
        ("good", "poor"): "holds",
    }
    row = told["new", "poor"]  # of `poor` nothing of the first rank is relevant, judged or not
    assert float(row["p_unjudged_best"]) == float(row["p_unjudged_best_of_a"]) == pytest.approx(3 * 2 / 2**12)
    assert row["p_unjudged_best_of_b"] == row["p_corrected"] == "1.0"
    assert {row["unjudged"] for row in rows if row["measure"] == "AP"} == {""}
    data = json.loads(printed(*UNJUDGED, "--format", "json", "qrels", "new", "good", "poor", cwd=folder))
    first, second = data["measures"]
    assert data["highest_grade"] == 1
    assert first["unjudged_documents"][0].endswith("the result of 2 of 3 tested pairs would change.")
    assert second["unjudged_documents"] == ["What they would change is told by the first measure only: P@1."]
    assert [pair["unjudged"] for pair in first["pairs"]] == ["changes", "changes", "holds"]
    text = printed(*UNJUDGED, "qrels", "new", "good", "poor", cwd=folder)
    assert "Unjudged documents, the highest grade being 1:" in text
    table = text.split("those of b alone")[1].split("corrected p, and")[0].splitlines()
    assert [line.split()[:2] for line in table if line.split()] == [["good", "new"], ["new", "poor"]]
    assert "0.0015: new" in table[2]
    assert "unjudged" not in printed("--format", "csv", "qrels", "new", "good", cwd=folder)


def test_against_a_baseline_the_case_of_a_is_that_of_the_other_run_whichever_file_came_first(folder: Path) -> None:
    new_documents(folder)
    for runs in (("new", "poor"), ("poor", "new")):
        [row] = pairs_of(*UNJUDGED[:3], "--test", "sign", "--baseline", "poor", "qrels", *runs, cwd=folder)
        assert (row["a"], row["p_unjudged_best_of_b"]) == ("new", row["p_corrected"])
        assert float(row["p_unjudged_best_of_a"]) == pytest.approx(2 / 2**12)
    text = printed(*UNJUDGED[:3], "--test", "sign", "--baseline", "poor", "qrels", "poor", "new", cwd=folder)
    assert ": new" in text.split("those of b alone")[1]


def test_documents_below_the_depth_change_nothing(folder: Path) -> None:
    new_documents(folder)
    (folder / "late").write_text("".join(f"{t} Q0 d1 1 9 late\n{t} Q0 n{t} 2 8 late\n" for t in TOPICS))
    words = ("--unjudged", "-m", "P@2", "--format", "json", "qrels", "late", "poor")
    assert "would change." in printed(*words, cwd=folder)
    assert "no value by P@2 would change" in printed("--depth", "1", *words, cwd=folder)


def test_what_cannot_be_told_of_unjudged_documents_is_a_sentence_and_no_number(folder: Path) -> None:
    new_documents(folder)
    text = printed("--unjudged", "-m", "bpref", "qrels", "new", "good", cwd=folder)
    assert "bpref does not take them for not relevant: there is no number for the case that they are." in text
    [row] = pairs_of("--unjudged", "-m", "bpref", "qrels", "new", "good", cwd=folder)
    assert (row["p_unjudged_best"], row["unjudged"]) == ("", "")
    (folder / "graded").write_text((folder / "qrels").read_text().replace("d0 1", "d0 3"))
    done = command("--unjudged", "--highest-grade", "2", "graded", "new", "good", cwd=folder)
    assert (done.returncode, done.stdout) == (1, b"")
    assert "graded: it has the grade 3, above --highest-grade 2" in done.stderr.decode()
    for words, said in (
        (("--highest-grade", "2"), "--highest-grade is for --unjudged"),
        (("--unjudged", "--format", "latex"), "the LaTeX table has no room for --unjudged"),
        (("--unjudged", "--highest-grade", "0"), "expected a"),
    ):
        done = command(*words, "qrels", "new", "good", cwd=folder)
        assert (done.returncode, done.stdout) == (2, b"")
        assert said in done.stderr.decode()


def test_a_difference_lies_in_its_interval_and_is_said_to_be_of_fewer_topics_where_a_run_lacks_some(
    folder: Path,
) -> None:
    (folder / "short").write_text(run_text("short", 2, TOPICS[:8]))
    words = ("-m", "Judged@1", "-m", "Judged@10", "qrels", "good", "fair", "poor", "short")
    for row in pairs_of(*words, cwd=folder):
        assert float(row["low"]) <= float(row["difference"]) <= float(row["high"])
    text = printed(*words, cwd=folder)
    assert "note: max-t and differences go by the topics that every run has: 8 of 12." in text
    assert "difference: mean of a minus b over the topics of all runs; effect:" in text
    assert "difference: mean of a minus b over the topics of both; effect:" in printed(
        "--test", "t", *words, cwd=folder
    )


def test_no_rank_and_no_better_run_is_told_by_a_measure_that_does_not_tell_how_good_a_run_is(folder: Path) -> None:
    words = ("-m", "Judged@2", "-m", "unj@2", "-m", "RR", "qrels", "good", "fair", "poor")
    listed = json.loads(printed("--format", "json", *words, cwd=folder))["measures"]
    assert [[run["rank"] for run in one["runs"]] for one in listed] == [[None] * 3] * 2 + [[[1, 1], [2, 2], [3, 3]]]
    *of_judged, of_quality = printed(*words, cwd=folder).split(
        "no groups and ranks: this measure tells how much is judged"
    )
    assert len(of_judged) == 2
    for part in of_judged:
        header, *rows = part.splitlines()[-4:]
        assert (header[:9], {row[:6] for row in rows}) == ("rank  run", {" " * 6})
    assert "\n   1  good  0.8333" in of_quality
    against = printed("--baseline", "poor", "--test", "t", *words, cwd=folder).splitlines()
    assert [line.split()[-1] for line in against if line.lstrip(" 123").startswith("good  ") and "]  " in line] == [
        *("higher", "*", "lower", "*", "better", "*")
    ]
    assert [line for line in against if line.startswith("vs baseline")] == [
        *["vs baseline: by the corrected p; no ranks: this measure tells how much is judged, not how good a run is"]
        * 2,
        "vs baseline: by the corrected p",
    ]


def test_triangles_of_the_latex_table_stand_at_measures_that_tell_how_good_a_run_is(folder: Path) -> None:
    words = ("--baseline", "poor", "--test", "t", "--format", "latex", "qrels", "good", "fair", "poor")
    [of_good] = [
        row for row in printed("-m", "Judged@2", "-m", "RR", *words, cwd=folder).splitlines() if "good &" in row
    ]
    assert of_good.count("triangle") == 1
    assert of_good.split("&")[2].count("blacktriangle") == 1
    assert "Triangles: better or worse than poor (" in printed("-m", "Judged@2", "-m", "RR", *words, cwd=folder)
    of_judged = printed("-m", "Judged@2", *words, cwd=folder)
    assert "riangle" not in of_judged
    assert "do not follow: this measure tells how much is judged, not how good a run is." in of_judged


def test_runs_without_a_topic_in_common_have_no_difference(folder: Path) -> None:
    (folder / "first").write_text(run_text("first", 2, TOPICS[:6]))
    (folder / "last").write_text(run_text("last", 1, TOPICS[6:]))
    for test in ("max-t", "t"):
        [row] = pairs_of("-m", "Judged@10", "--test", test, "qrels", "first", "last", cwd=folder)
        assert (row["difference"], row["low"], row["high"], row["p"]) == ("nan", "-inf", "inf", "1.0")
    assert "first  last           –      none       –  1.0000" in printed(
        "-m", "Judged@10", "qrels", "first", "last", cwd=folder
    )


def test_pairs_that_are_shown_are_counted_where_their_intervals_hold_0() -> None:
    random, counts = np.random.default_rng(3), []
    quality = np.array([0, 0, 0.05, 0.1, 0.3, 0.6, 0.62, 0.8])[:, np.newaxis] * 0.3
    for _ in range(30):
        values = random.random(30) * 0.3 + quality + random.normal(0, 0.05, (8, 30))
        found = compare(values, all_pairs(8), resamples=1000)
        shown = found.p < 0.05
        assert not ((found.low > 0) | (found.high < 0))[~shown].any()
        count = int((shown & (found.low <= 0) & (found.high >= 0)).sum())
        told = of_wider_intervals(found, shown.tolist())
        assert told == ((WIDER.format(pairs=number_of(count, "pair")),) if count else ())
        counts.append(count)
    assert max(counts) > 0
