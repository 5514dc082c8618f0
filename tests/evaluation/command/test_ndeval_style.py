"""The CSV of the web track's program: golden files are what ndeval 4.5 printed for these invented runs and qrels."""

from io import StringIO
from pathlib import Path

import pytest

from campaign.command.files import InputError
from evaluation.command.arguments import ScoreArguments
from evaluation.command.output import write_scores
from evaluation.command.styles.ndeval import DEFAULT_MEASURES
from evaluation.engine.measures.parameters import MeasureNameError

GOLDEN = Path(__file__).parent / "golden" / "ndeval"
QRELS = "qrels.txt"
CASES = {
    "default": ("novel.txt", {}),
    "prefixed_topics_in_any_order": ("shuffled.txt", {}),
    "alpha": ("novel.txt", {"alpha": 0.3}),
    "alpha_0": ("novel.txt", {"alpha": 0.0}),
    "alpha_1_beta_1": ("novel.txt", {"alpha": 1.0, "beta": 1.0}),
    "alpha_and_beta": ("shuffled.txt", {"alpha": 0.1, "beta": 0.8}),
    "depth": ("novel.txt", {"depth": 4}),
    "by_score": ("novel.txt", {"run_order": "score"}),
    "by_score_to_a_depth": ("shuffled.txt", {"run_order": "score", "depth": 7}),
    "all_topics": ("shuffled.txt", {"all_topics": True}),
    "baseline": ("novel.txt", {"baseline": "base.txt"}),
    "baseline_with_risk": ("novel.txt", {"baseline": "base.txt", "risk_alpha": 5.0}),
    "baseline_over_all_topics": ("shuffled.txt", {"baseline": "base.txt", "risk_alpha": 0.5, "all_topics": True}),
    "baseline_by_score_to_a_depth": (
        "base.txt",
        {"run_order": "score", "depth": 5, "beta": 0.7, "baseline": "novel.txt", "risk_alpha": 1.25},
    ),
    "baseline_is_the_run": ("novel.txt", {"baseline": "novel.txt", "risk_alpha": 2.0}),
}


def written(qrels, *runs, **options) -> str:
    out = StringIO()
    write_scores(ScoreArguments(str(qrels), tuple(map(str, runs)), style="ndeval", **options), out)
    return out.getvalue()


def golden_run(case: str, **more) -> str:
    run, options = CASES[case]
    baseline = {"baseline": str(GOLDEN / options["baseline"])} if "baseline" in options else {}
    return written(GOLDEN / QRELS, GOLDEN / run, **{**options, **baseline, **more})


def golden(case: str) -> str:
    return (GOLDEN / f"{case}.csv").read_text(encoding="utf-8")


def cells(text: str) -> list[list[str]]:
    return [line.split(",") for line in text.splitlines()]


def files(folder: Path, **texts: str) -> list[Path]:
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    return [folder / name for name in texts]


@pytest.mark.parametrize("case", CASES)
def test_the_lines_are_those_of_the_program(case):
    assert golden_run(case) == golden(case)


def test_values_in_the_middle_between_two_of_its_decimals_fall_to_the_same_side():
    """Halves and quarters abound in this collection: an error in the last bit shows in the sixth decimal."""
    runs = {"baseline": str(GOLDEN / "other.txt")}
    assert written(GOLDEN / "qrels_of_halves.txt", GOLDEN / "one.txt", **runs) == golden("rounding")


def test_where_the_program_divides_0_by_0_there_is_0_and_the_mean_is_that_of_the_other_topics_values():
    """Topic 2 has no relevant document: the program prints nNRBP as -nan there, and so does its mean over topics."""
    ours = cells(written(GOLDEN / "qrels_with_an_empty_topic.txt", GOLDEN / "novel.txt"))
    theirs = cells(golden("empty_topic"))
    column = theirs[0].index("nNRBP")
    undefined = [(row, place) for row, line in enumerate(theirs) for place, cell in enumerate(line) if "nan" in cell]
    assert undefined == [(2, column), (len(theirs) - 1, column)]
    assert ours[2][column] == "0.000000"
    values = [float(line[column]) for line in ours[1:-1] if line[1] in ("1", "2", "7")]
    assert float(ours[-1][column]) == pytest.approx(sum(values) / 3, abs=1e-6)
    for row, place in undefined:
        ours[row][place] = theirs[row][place]
    assert ours == theirs


def test_a_run_without_a_judged_topic_has_zeros_where_the_program_prints_a_mean_of_nan(tmp_path):
    qrels, run = files(tmp_path, qrels="1 1 a 1\n", run="2 Q0 a 1 5 tag\n")
    header, topic, mean = written(qrels, run).splitlines()
    assert header == ",".join(["runid", "topic", *DEFAULT_MEASURES])
    assert topic == "tag,2" + ",0.000000" * 21
    assert mean == "tag,amean" + ",0.000000" * 21


def test_documents_stand_in_the_order_of_the_rank_column_unless_that_of_scores_is_asked_for(tmp_path):
    qrels, run = files(tmp_path, qrels="1 1 a 1\n", run="1 Q0 b 7 9 tag\n1 Q0 a 3 5 tag\n1 Q0 c 5 8 tag\n")
    names = tuple(f"P-IA@{k}" for k in (1, 2, 3))
    assert written(qrels, run, measures=names).splitlines()[1] == "tag,1,1.000000,0.500000,0.333333"
    assert written(qrels, run, measures=names, run_order="score").splitlines()[1] == "tag,1,0.000000,0.000000,0.333333"


def test_equal_scores_are_ordered_by_docno_and_scores_are_compared_in_double_precision(tmp_path):
    lines = ("1 Q0 a 1 5 t", "1 Q0 b 2 5 t", "2 Q0 a 1 16777217 t", "2 Q0 b 2 16777216 t")
    qrels, run = files(tmp_path, qrels="1 1 b 1\n2 1 a 1\n", run="\n".join(lines) + "\n")
    assert written(qrels, run, measures=("P-IA@1",), run_order="score").splitlines()[1:3] == [
        "t,1,1.000000",
        "t,2,1.000000",
    ]


def test_of_several_runs_one_header_is_written_and_the_lines_of_one_run_after_another():
    runs = ("novel.txt", "shuffled.txt", "base.txt")
    single = [written(GOLDEN / QRELS, GOLDEN / run).splitlines(keepends=True) for run in runs]
    assert written(GOLDEN / QRELS, *(GOLDEN / run for run in runs)) == "".join(
        [single[0][0], *(line for lines in single for line in lines[1:])]
    )


def test_more_digits_are_the_same_numbers():
    few, many = cells(golden("default")), cells(golden_run("default", digits=12))
    assert [line[:2] for line in few] == [line[:2] for line in many]
    for line, longer in zip(few[1:], many[1:], strict=True):
        for cell, more in zip(line[2:], longer[2:], strict=True):
            assert len(more) == len(cell) + 6
            assert float(more) == pytest.approx(float(cell), abs=0.5001e-6)


def test_columns_that_are_asked_for_have_the_name_by_which_they_were_asked():
    asked = ("strec@10", "alpha_nDCG@5", "MAP-IA", "NRBP(alpha=0.5,beta=0.5)", "P@5")
    lines = golden_run("default", measures=asked).splitlines()
    assert lines[0] == 'runid,topic,strec@10,alpha_nDCG@5,MAP-IA,"NRBP(alpha=0.5,beta=0.5)",P@5'
    header, *theirs = cells(golden("default"))
    places = [header.index(name) for name in ("strec@10", "alpha-nDCG@5", "MAP-IA", "NRBP")]
    assert [line.split(",")[:-1] for line in lines[1:]] == [
        [*line[:2], *(line[place] for place in places)] for line in theirs
    ]


def test_alpha_and_beta_hold_for_measures_that_do_not_set_them_themselves():
    by_option = golden_run("default", measures=("nNRBP", "nNRBP(alpha=0.2)"), alpha=0.3, beta=0.9)
    by_name = golden_run("default", measures=("nNRBP(alpha=0.3,beta=0.9)", "nNRBP(alpha=0.2,beta=0.9)"))
    assert by_option.splitlines()[1:] == by_name.splitlines()[1:]


def test_unjudged_documents_can_be_taken_out_and_a_higher_level_asked_for(tmp_path):
    qrels, run = files(
        tmp_path, qrels="1 1 a 1\n1 1 b 2\n1 1 c -1\n", run="1 Q0 c 1 3 t\n1 Q0 x 2 2 t\n1 Q0 a 3 1 t\n1 Q0 b 4 0 t\n"
    )
    names = ("P-IA@1", "P-IA@2")
    assert written(qrels, run, measures=names).splitlines()[1] == "t,1,0.000000,0.000000"
    assert written(qrels, run, measures=names, judged_only=True).splitlines()[1] == "t,1,1.000000,1.000000"
    assert written(qrels, run, measures=names, judged_only=True, level=2).splitlines()[1] == "t,1,0.000000,0.500000"


def test_topics_are_the_same_when_their_numbers_are(tmp_path):
    qrels, run = files(tmp_path, qrels="01 1 a 1\n2 1 a 1\n", run="wt-1 Q0 a 1 1 t\n002 Q0 a 1 1 t\n-10 Q0 a 1 1 t\n")
    lines = written(qrels, run, measures=("P-IA@1",)).splitlines()
    assert lines[1:] == ["t,1,1.000000", "t,2,1.000000", "t,10,0.000000", "t,amean,1.000000"]


@pytest.mark.parametrize(
    ("qrels", "run", "problem"),
    [
        ("1 1 a 1\n", "1 Q0 a 4 2 t\n1 Q0 b 5 1 t\n1 Q0 c 4 1 t\n", "run: topic 1: a and c have the same rank 4. Give"),
        ("1 1 a 1\n", "1 Q0 a 1 2 t\n1 Q0 a 2 1 t\n", "run:2: "),
        ("1 1 a 1\n", "1 Q0 a first 2 t\n", "run:1: Rank first is not an integer."),
        ("1 1 a 1\n", "one Q0 a 1 2 t\n", "run: topic one is not a number. Write 1, or a prefix"),
        ("1 1 a 1\n", "wt09-1-2 Q0 a 1 2 t\n", "run: topic wt09-1-2 is not a number."),
        ("wt09-1 1 a 1\n", "1 Q0 a 1 2 t\n", "qrels: topic wt09-1 is not a number. Only runs may write a prefix"),
        ("1 1 a 1\n01 1 b 1\n", "1 Q0 a 1 2 t\n", "qrels: topics 01 and 1 are one number. Write it in one way."),
    ],
)
def test_files_that_have_no_defined_order_or_topics_are_refused_before_anything_is_written(
    tmp_path, qrels, run, problem
):
    paths = files(tmp_path, qrels=qrels, run=run)
    out = StringIO()
    with pytest.raises(InputError) as refusal:
        write_scores(ScoreArguments(*map(str, paths[:1]), (str(paths[1]),), style="ndeval"), out)
    assert f"{tmp_path}/{problem}" in refusal.value.lines[0]
    assert out.getvalue() == ""


def test_equal_ranks_do_not_matter_when_documents_are_ordered_by_score(tmp_path):
    qrels, run = files(tmp_path, qrels="1 1 a 1\n", run="1 Q0 a 0 2 t\n1 Q0 b 0 1 t\n1 Q0 c any 3 t\n")
    assert written(qrels, run, run_order="score", measures=("P-IA@2",)).splitlines()[1] == "t,1,0.500000"


def test_a_rank_may_return_in_another_topic_whose_lines_are_scattered(tmp_path):
    qrels, run = files(
        tmp_path, qrels="1 1 a 1\n2 1 b 1\n", run="1 Q0 a 2 1 t\n2 Q0 a 2 1 t\n1 Q0 b 1 1 t\n2 Q0 b 1 1 t\n"
    )
    assert written(qrels, run, measures=("P-IA@1",)).splitlines()[1:3] == ["t,1,0.000000", "t,2,1.000000"]


def test_the_problems_of_all_runs_are_told_together(tmp_path):
    qrels, one, two = files(tmp_path, qrels="1 1 a 1\n", one="x Q0 a 1 1 t\n", two="1 Q0 a 1 2\n")
    with pytest.raises(InputError) as refusal:
        written(qrels, one, GOLDEN / "novel.txt", two)
    assert [line.split(" ")[0] for line in refusal.value.lines] == [f"{one}:", f"{two}:1:"]


def test_options_out_of_their_range_are_refused():
    with pytest.raises(InputError) as refusal:
        golden_run("default", alpha=2.0, beta=-0.5, depth=0, risk_alpha=-1.0)
    assert refusal.value.lines == (
        "--alpha 2.0: expected a number from 0 to 1.",
        "--beta -0.5: expected a number from 0 to 1.",
        "-M 0: expected a whole number from 1.",
        "--risk-alpha -1.0: expected a number from 0.",
    )


def test_a_column_that_is_no_measure_is_refused():
    with pytest.raises(MeasureNameError, match="Near names: StRecall@10"):
        golden_run("default", measures=("strek@10",))
