"""The style gdeval writes what gdeval 1.3 writes for the same files, byte for byte.

The files under golden_gdeval were made by that program from invented judgments and runs, with ties in single and in double
precision, unjudged documents, a topic without relevant documents, topics without judgments and missed topics.
"""

import io
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from campaign.command.files import InputError
from evaluation.command.arguments import ScoreArguments
from evaluation.command.output import write_scores
from tests.draws import examples
from tests.evaluation.engine.ir_measures_oracle import ir_measures_values
from tests.evaluation.engine.random_collections import Collection, collections

GOLDEN = Path(__file__).parent / "golden" / "gdeval"
BASELINE = str(GOLDEN / "baseline.txt")
CASES: dict[str, dict[str, Any]] = {
    "plain.csv": {},
    "c.csv": {"all_topics": True},
    "k5.csv": {"k": 5},
    "c-k3.csv": {"all_topics": True, "k": 3},
    "k1000-of-baseline.csv": {"k": 1000, "runs": (BASELINE,)},
    "prefixed.csv": {"runs": (str(GOLDEN / "run-prefixed.txt"),)},
    "baseline.csv": {"baseline": BASELINE},
    "baseline-alpha0.5.csv": {"baseline": BASELINE, "risk_alpha": 0.5},
    "c-k10-baseline-alpha5.csv": {"all_topics": True, "k": 10, "baseline": BASELINE, "risk_alpha": 5.0},
}


def written(**options: Any) -> str:
    golden = {"qrels": str(GOLDEN / "qrels.txt"), "runs": (str(GOLDEN / "run.txt"),), "style": "gdeval"}
    out = io.StringIO()
    write_scores(ScoreArguments(**{**golden, **options}), out)
    return out.getvalue()


def make_file(path: Path, *lines: str) -> str:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return str(path)


def lines_of(text: str) -> list[list[str]]:
    return [line.split(",") for line in text.splitlines()[1:]]


@pytest.mark.parametrize("golden", CASES)
def test_the_lines_are_those_of_the_program(golden):
    assert written(**CASES[golden]) == (GOLDEN / golden).read_text(encoding="utf-8")


def test_every_golden_file_of_the_program_is_compared():
    assert {path.name for path in GOLDEN.glob("*.csv")} == set(CASES)


@given(collections())
@examples(10)
def test_the_lines_of_topics_have_the_values_that_ir_measures_gets_from_the_program(tmp_path_factory, collection):
    """Scores are compared in double precision here, as the program does; ir_measures is given the same order."""
    numbers = {topic: str(number) for number, topic in enumerate(sorted({*collection.run, *collection.qrels}), start=1)}
    numbered = Collection(
        {
            numbers[topic]: {docno: float(-place) for place, docno in enumerate(collection.scoring_order(topic, float))}
            for topic in collection.run
        },
        {numbers[topic]: docs for topic, docs in collection.qrels.items()},
    )
    folder = tmp_path_factory.mktemp("gdeval")
    run = [
        f"{numbers[topic]} Q0 {docno} 0 {score!r} tag"
        for topic, docs in collection.run.items()
        for docno, score in docs.items()
    ]
    qrels = [f"{topic} 0 {docno} {grade}" for topic, docs in numbered.grades.items() for docno, grade in docs.items()]
    text = written(qrels=make_file(folder / "qrels", *qrels), runs=(make_file(folder / "run", *run),), k=3)
    expected = ir_measures_values(["nDCG(dcg='exp-log2')@3", "ERR@3"], numbered)
    *topics, mean = lines_of(text)
    with_relevant = [
        topic for topic, docs in numbered.grades.items() if max(docs.values()) > 0 and topic in numbered.run
    ]
    assert [line[1] for line in topics] == sorted(with_relevant, key=int)
    for _, topic, ndcg, err in topics:
        assert float(ndcg) == expected[topic, "nDCG(dcg='exp-log2')@3"]
        assert float(err) == expected[topic, "ERR@3"]
    assert mean[:2] == ["tag", "amean"]


def test_topics_are_printed_by_number_without_their_prefix_and_the_mean_is_over_them(tmp_path):
    qrels = make_file(tmp_path / "qrels", "wt09-10 0 a 1", "wt09-9 0 a 1", "wt09-100 0 a 0", "wt09-2 0 b 1")
    run = make_file(
        tmp_path / "run", "10 Q0 x 1 9 r", "10 Q0 a 2 8 r", "a-b-9 Q0 a 1 9 r", "100 Q0 a 1 9 r", "2 Q0 a 1 9 r"
    )
    lines = lines_of(written(qrels=qrels, runs=(run,)))
    assert lines == [
        ["r", "2", "0.00000", "0.00000"],
        ["r", "9", "1.00000", "0.06250"],
        ["r", "10", "0.63093", "0.03125"],
        ["r", "amean", "0.54364", "0.03125"],
    ]


def test_a_topic_that_both_runs_miss_differs_by_0_where_the_program_goes_on_with_the_topic_before(tmp_path):
    """With -c and a baseline gdeval 1.3 does not reset the baseline's value between missed topics: topic 2 gets topic 1's."""
    qrels = make_file(tmp_path / "qrels", "1 0 a 1", "2 0 a 1", "3 0 a 1")
    run = make_file(tmp_path / "run", "3 Q0 a 1 9 r")
    baseline = make_file(tmp_path / "baseline", "1 Q0 a 1 9 b", "3 Q0 a 1 9 b")
    lines = lines_of(written(qrels=qrels, runs=(run,), baseline=baseline, all_topics=True))
    assert [(line[-3], line[-2]) for line in lines] == [
        ("3", "0.00000"),
        ("1", "-1.00000"),
        ("2", "0.00000"),
        ("amean", "-0.33333"),
    ]


def test_several_runs_follow_one_another_under_one_header():
    runs = (str(GOLDEN / "run.txt"), BASELINE)
    together = written(runs=runs, k=1000).splitlines()
    assert together == [*written(k=1000).splitlines(), *written(runs=runs[1:], k=1000).splitlines()[1:]]


def test_more_digits_can_be_printed():
    header, line, *_ = written(digits=9).splitlines()
    assert header == "runid,topic,ndcg@20,err@20"
    assert [len(value.partition(".")[2]) for value in line.split(",")[2:]] == [9, 9]
    assert line.startswith("alto-end,2,0.22729")


def test_a_run_without_any_judged_topic_has_a_mean_of_0(tmp_path):
    run = make_file(tmp_path / "run", "77 Q0 a 1 9 r")
    assert lines_of(written(runs=(run,))) == [["r", "amean", "0.00000", "0.00000"]]


@pytest.mark.parametrize(
    ("qrels", "run", "problem"),
    [
        ("1 0 a 5", "1 Q0 a 1 9 r", "topic 1: document a has grade 5. Give grades up to 4"),
        ("one 0 a 1", "1 Q0 a 1 9 r", "qrels: topic one is not a number. Give topics whole numbers"),
        ("1 0 a 1", "q1 Q0 a 1 9 r", "run: topic q1 is not a number"),
    ],
)
def test_what_the_program_cannot_take_is_refused_with_the_remedy_and_nothing_is_printed(tmp_path, qrels, run, problem):
    out = io.StringIO()
    arguments = ScoreArguments(
        qrels=make_file(tmp_path / "qrels", qrels), runs=(make_file(tmp_path / "run", run),), style="gdeval"
    )
    with pytest.raises(InputError) as error:
        write_scores(arguments, out)
    assert problem in error.value.lines[0]
    assert out.getvalue() == ""


def test_topics_that_are_one_without_their_prefixes_are_refused_where_a_document_is_judged_twice(tmp_path):
    qrels = make_file(tmp_path / "qrels", "a-1 0 d 1", "b-1 0 d 2")
    run = make_file(tmp_path / "run", "1 Q0 d 1 9 r")
    with pytest.raises(InputError, match="document d is judged more than once"):
        written(qrels=qrels, runs=(run,))


def test_the_problems_of_all_runs_are_told_at_once(tmp_path):
    runs = tuple(make_file(tmp_path / name, "q1 Q0 a 1 9 r") for name in ("first", "second"))
    with pytest.raises(InputError) as error:
        written(runs=runs)
    assert [Path(line.partition(":")[0]).name for line in error.value.lines] == ["first", "second"]
