"""The lines that the command prints in trec_eval's style.

The expected files were printed by release 9.0.4 of the tool with the options listed here; the runs and judgments are
invented. Tests further down name each case in which other lines than the tool's are printed on purpose.
"""

import getopt
import io
from pathlib import Path

import pytest

from campaign.command.files import InputError
from evaluation.command.arguments import ScoreArguments
from evaluation.command.output import write_scores
from evaluation.command.scoring import score_files
from evaluation.command.styles.trec_eval import STYLE
from evaluation.engine.measures.parameters import MeasureNameError

GOLDEN = Path(__file__).parent / "golden" / "trec_eval"
EXPECTED = GOLDEN / "expected"
CASES = {
    "official": "qrels.txt run.txt",
    "official-per-topic": "-q qrels.txt run.txt",
    "all-trec": "-m all_trec qrels.txt run.txt",
    "all-trec-per-topic": "-q -m all_trec qrels.txt run.txt",
    "set": "-m set -q qrels.txt run.txt",
    "complete": "-c -m all_trec qrels.txt run.txt",
    "complete-per-topic": "-c -q -m official qrels.txt run.txt",
    "complete-counts": "-c -m num_q -m num_ret -m num_rel -m num_rel_ret -m num_nonrel_judged_ret -m gm_map "
    "-m gm_bpref -m yaap -m utility.1,-1,-2,0.5 qrels.txt run.txt",
    "level-2": "-l 2 -m all_trec qrels.txt run.txt",
    "level-3-per-topic": "-q -l 3 -m official qrels.txt run.txt",
    "level-2-per-topic-binary": "-q -l2 -m bpref -m infAP -m binG -m map -m ndcg qrels.txt run.txt",
    "judged-only": "-J -m all_trec qrels.txt run.txt",
    "judged-only-complete": "-J -c -q -m num_ret -m P.5 -m bpref -m infAP -m relstring qrels.txt run.txt",
    "depth-7": "-M 7 -m all_trec qrels.txt run.txt",
    "depth-3-judged-only": "-M 3 -J -q -m num_ret -m P.1,2,3 -m relstring.5 -m Rprec -m success qrels.txt run.txt",
    "depth-level-complete": "-M 10 -l 2 -c -m map -m ndcg -m recall -m relative_P qrels.txt run.txt",
    "no-summary": "-n -q -m map -m runid -m num_q -m gm_map qrels.txt run.txt",
    "no-summary-no-topics": "-n -m all_trec qrels.txt run.txt",
    "cut-offs": "-q -m P.50,1,3 -m recall.7 -m map_cut.10,2 -m ndcg_cut.4 -m relative_P.25,1 -m success.3 qrels.txt run.txt",
    "recall-levels": "-m iprec_at_recall.0,.05,.5 -m Rprec_mult.1.25,.1 -m 11pt_avg qrels.txt run.txt",
    "eleven-points-of-three": "-q -m 11pt_avg.0.2,0.5,0.8 qrels.txt run.txt",
    "gains": "-q -m ndcg.1=1,2=3,3=7 -m G.1=2,3=9 -m Rndcg.2=4 -m ndcg_rel.1=4.5,2=9.0,12=20 qrels.txt run.txt",
    "graded-defaults": "-q -m ndcg -m ndcg_rel -m Rndcg -m G -m binG qrels.txt run.txt",
    "utilities": "-q -m utility.2,-1,-.5,0 -m set_F.0.5 qrels.txt run.txt",
    "utility-of-collection": "-N 1000 -m utility.1,-1,0,0.25 -q qrels.txt run.txt",
    "set-f-beta-squared": "-m set_F.4 -m set_F -m set_P -m set_recall -q qrels.txt run.txt",
    "relevance-strings": "-q -m relstring.20 -m num_ret qrels.txt run.txt",
    "order-of-names": "-m ndcg -m P.5 -m map -m runid -m recip_rank qrels.txt run.txt",
    "names-twice": "-m map -m official -m map -m num_q qrels.txt run.txt",
    "nickname-with-parameters": "-m official -m P.3 -m iprec_at_recall.0.5 qrels.txt run.txt",
    "yaap": "-q -m yaap qrels.txt run.txt",
    "wild-file": "-q -m official -m relstring qrels.txt wild-run.txt",
    "wild-file-depth": "-c -M 5 -m all_trec qrels.txt wild-run.txt",
    "judgment-groups": "-R qrels_jg -q -m qrels_jg groups.txt run.txt",
    "judgment-groups-level": "-R qrels_jg -l 2 -c -m map_avgjg -m P_avgjg.3,9 -m Rprec_mult_avgjg.0.5,1.5 -m num_q "
    "groups.txt run.txt",
    "judgment-groups-depth": "-R qrels_jg -M 8 -q -m map_avgjg -m Rprec_mult_avgjg groups.txt run.txt",
}
SWITCHES = {
    "-q": {"per_topic": True},
    "-c": {"all_topics": True},
    "-n": {"summary": False},
    "-J": {"judged_only": True},
}
NUMBERS = {"-l": "level", "-M": "depth", "-N": "collection_size"}


def arguments_of(flags: str, folder: Path, **more) -> ScoreArguments:
    """The arguments of a command line of the tool, with the tool's own option letters."""
    options, (qrels, *runs) = getopt.getopt(flags.split(), "qcnJl:M:N:R:m:")
    values = {"measures": tuple(value for option, value in options if option == "-m"), **more}
    for option, value in options:
        values |= SWITCHES.get(option, {})
        if option in NUMBERS:
            values[NUMBERS[option]] = int(value)
        if option == "-R":
            values["judgment_groups"] = value == "qrels_jg"
    return ScoreArguments(str(folder / qrels), tuple(str(folder / run) for run in runs), **values)


def printed(flags: str, folder: Path = GOLDEN, **more) -> str:
    out = io.StringIO()
    write_scores(arguments_of(flags, folder, **more), out)
    return out.getvalue()


def values_of(text: str) -> dict[tuple[str, str], str]:
    """The printed values by measure and topic."""
    return {
        (measure.rstrip(), topic): value for measure, topic, value in (line.split("\t") for line in text.splitlines())
    }


@pytest.fixture
def files(tmp_path):
    """Write files of lines and give the folder that holds them."""

    def make(**lines: list[str]) -> Path:
        for name, content in lines.items():
            (tmp_path / name).write_text("".join(f"{line}\n" for line in content), encoding="utf-8")
        return tmp_path

    return make


@pytest.mark.parametrize("name", CASES)
def test_the_lines_are_those_of_the_standard_tool(name):
    assert printed(CASES[name]) == (EXPECTED / f"{name}.txt").read_text(encoding="utf-8")


def test_every_expected_file_is_compared():
    assert {path.stem for path in EXPECTED.iterdir()} == set(CASES)
    assert len(CASES) >= 25


def test_a_digit_more_or_less_widens_or_narrows_the_numbers_only(files):
    folder = files(qrels=["1 0 a 1", "1 0 b 1"], run=["1 Q0 x 1 3 t", "1 Q0 y 2 2 t", "1 Q0 a 3 1 t"])
    assert printed("-m map -m num_ret qrels run", folder, digits=7) == (
        "num_ret               \tall\t3\nmap                   \tall\t0.1666667\n"
    )
    assert printed("-m utility.-11,0,0,0 qrels run", folder, digits=0) == "utility_-11,0,0,0     \tall\t-11\n"


def test_several_runs_make_one_table_with_the_run_in_a_fourth_field(files):
    folder = files(qrels=["1 0 a 1"], **{"good%d": ["1 Q0 a 1 1 t"], "bad": ["1 Q0 x 1 1 u"]})
    assert printed("-q -m map -m runid qrels good%d bad", folder) == (
        f"map                   \t1\t1.0000\t{folder}/good%d\n"
        f"runid                 \tall\tt\t{folder}/good%d\n"
        f"map                   \tall\t1.0000\t{folder}/good%d\n"
        f"map                   \t1\t0.0000\t{folder}/bad\n"
        f"runid                 \tall\tu\t{folder}/bad\n"
        f"map                   \tall\t0.0000\t{folder}/bad\n"
    )


def test_canonical_names_follow_the_tools_under_the_name_asked():
    lines = printed("-m nDCG(gain=exponential)@10 -m P@5 -m P.5 qrels.txt run.txt").splitlines()
    assert [line.split("\t")[0] for line in lines] == [
        "P_5                   ",
        "nDCG(gain=exponential)@10",
        "P@5".ljust(22),
    ]
    assert lines[0].split("\t")[2] == lines[2].split("\t")[2]


def test_a_percent_sign_in_a_topic_or_a_tag_is_printed_as_it_is(files):
    folder = files(qrels=["%s 0 a 1"], run=["%s Q0 a 1 1 %d"])
    assert printed("-q -m map -m runid qrels run", folder).splitlines() == [
        "map                   \t%s\t1.0000",
        "runid                 \tall\t%d",
        "map                   \tall\t1.0000",
    ]


def test_a_mean_between_two_decimals_is_rounded_as_the_tool_does(files):
    """The mean is 0.00475: summed topic by topic in double precision it is a little more, in another order not."""
    qrels, run = [], []
    for number in range(40):
        for place in range(number % 9 + 1):
            qrels.append(f"{number:02d} 0 d{place} 1")
            run.append(f"{number:02d} Q0 d{place} 1 {-place} t")
    assert printed("-m P.1000 qrels run", files(qrels=qrels, run=run)) == "P_1000                \tall\t0.0048\n"


# What differs from release 9.0 of the tool, and why.


def test_num_rel_over_all_topics_obeys_the_relevance_level(files):
    """With -c the tool's summary counts every grade above 0, whatever -l says: here it would print 3."""
    folder = files(qrels=["1 0 a 1", "1 0 b 2", "2 0 c 1"], run=["1 Q0 a 1 1 t"])
    assert values_of(printed("-c -l 2 -m num_rel qrels run", folder)) == {("num_rel", "all"): "1"}
    assert values_of(printed("-c -m num_rel qrels run", folder)) == {("num_rel", "all"): "3"}


def test_interpolated_precision_is_0_where_no_judged_document_is_left(files):
    """The tool divides 0 by 0 there and prints -nan, for the topic and for the mean."""
    folder = files(qrels=["1 0 a 1", "2 0 b 1"], run=["1 Q0 a 1 3 t", "2 Q0 x 1 3 t"])
    values = values_of(printed("-q -J -m 11pt_avg -m iprec_at_recall.0 qrels run", folder))
    assert values[("11pt_avg", "2")] == values[("iprec_at_recall_0.00", "2")] == "0.0000"
    assert values[("11pt_avg", "all")] == values[("iprec_at_recall_0.00", "all")] == "0.5000"


def test_a_topic_with_negative_grades_only_is_scored_as_one_without_relevant_documents(files):
    """The tool stops with an error or is killed at such a topic."""
    folder = files(qrels=["1 0 a -1", "2 0 b 1"], run=["1 Q0 a 1 3 t", "2 Q0 b 1 3 t"])
    values = values_of(printed("-q -m map -m num_rel -m num_q qrels run", folder))
    assert (values[("map", "1")], values[("map", "all")], values[("num_rel", "1")]) == ("0.0000", "0.5000", "0")
    assert values[("num_q", "all")] == "2"


def test_gains_closer_than_1_are_put_in_the_right_order(files):
    """The tool's ideal ranking takes gains that differ by less than 1 for equal: here it would print 1.1050."""
    folder = files(qrels=["1 0 a 1", "1 0 b 2", "1 0 c 1"], run=["1 Q0 b 1 3 t", "1 Q0 a 1 2 t", "1 Q0 c 1 1 t"])
    assert values_of(printed("-m ndcg.2=1.5 qrels run", folder)) == {("ndcg_2=1.5", "all"): "1.0000"}


def test_all_parameters_asked_for_a_name_are_printed():
    """The tool keeps the first -m with parameters of a name, and is silent about the others."""
    assert set(values_of(printed("-m P.5 -m P.3 qrels.txt run.txt"))) == {("P_3", "all"), ("P_5", "all")}


def test_parameters_of_a_name_that_takes_none_are_refused():
    """The tool passes over them."""
    with pytest.raises(MeasureNameError, match="map takes no parameters"):
        printed("-m map.5 qrels.txt run.txt")


# Release 10.0, by its source: there is no program of it to compare with.

THREE_TOPICS = ["1 0 a 1", "1 0 b 2", "2 0 c 1", "3 0 d 1", "3 0 e 0"]
ONE_ANSWERED = ["1 Q0 x 1 3 t", "1 Q0 a 2 2 t", "4 Q0 y 1 1 t"]


def test_release_10_refuses_a_run_that_misses_topics_and_names_them(files):
    folder = files(qrels=THREE_TOPICS, run=ONE_ANSWERED)
    with pytest.raises(InputError) as problem:
        printed("qrels run", folder, reference="10")
    (line,) = problem.value.lines
    assert line == (
        f"{folder}/run: topics of {folder}/qrels are missing: 2, 3. Release 10.0 does not score such a run: "
        "count them as 0 with -c, or leave them out with --trec-eval-version 9."
    )


def test_release_10_names_the_first_ten_missing_topics(files):
    folder = files(qrels=[f"{topic} 0 a 1" for topic in range(10, 23)], run=["10 Q0 a 1 1 t"])
    with pytest.raises(InputError, match="11, 12, 13, 14, 15, 16, 17, 18, 19, 20 and 2 more"):
        printed("qrels run", folder, reference="10")


def test_release_10_prints_the_missing_topics_over_all_topics(files):
    folder = files(qrels=THREE_TOPICS, run=ONE_ANSWERED)
    flags = "-c -q -m num_ret -m num_rel -m map -m relstring -m utility.1,-1,-9,0 -m unj.5 -m rbp_resid qrels run"
    values = values_of(printed(flags, folder, reference="10"))
    assert [topic for measure, topic in values if measure == "map"] == ["1", "2", "3", "all"]
    of_topic_2 = {measure: value for (measure, topic), value in values.items() if topic == "2"}
    zeros = dict.fromkeys(("map", "unj_5", "rbp_resid"), "0.0000")
    assert of_topic_2 == zeros | {"num_ret": "0", "num_rel": "1", "utility_1,-1,-9,0": "-9.0000", "relstring": "'-'"}
    assert values[("map", "all")] == "0.0833"


def test_release_9_leaves_the_missing_topics_out_of_the_lines_but_not_of_the_averages(files):
    folder = files(qrels=THREE_TOPICS, run=ONE_ANSWERED)
    values = values_of(printed("-c -q -m map -m num_q -m yaap qrels run", folder))
    assert [topic for measure, topic in values if measure == "map"] == ["1", "all"]
    assert (values[("map", "all")], values[("num_q", "all")]) == ("0.0833", "3")


def test_release_10_rounds_recall_levels_to_the_nearest_document(files):
    # Three relevant documents, found at ranks 1 and 4: level 0.4 needs the second for 9.0 and the first for 10.0.
    folder = files(
        qrels=["1 0 a 1", "1 0 b 1", "1 0 c 1"],
        run=["1 Q0 a 1 9 t", "1 Q0 x 2 8 t", "1 Q0 y 3 7 t", "1 Q0 b 4 6 t"],
    )
    flags = "-m iprec_at_recall.0.4 qrels run"
    assert values_of(printed(flags, folder)) == {("iprec_at_recall_0.40", "all"): "0.5000"}
    assert values_of(printed(flags, folder, reference="10")) == {("iprec_at_recall_0.40", "all"): "1.0000"}


def test_release_10_tells_scores_apart_that_release_9_takes_for_equal(files):
    folder = files(qrels=["1 0 a 1"], run=["1 Q0 b 1 0.1 t", "1 Q0 a 2 0.100000000001 t"])
    assert values_of(printed("-m recip_rank qrels run", folder)) == {("recip_rank", "all"): "0.5000"}
    assert values_of(printed("-m recip_rank qrels run", folder, reference="10")) == {("recip_rank", "all"): "1.0000"}


def test_a_run_without_any_topic_of_the_qrels_is_an_error_but_for_release_10_over_all_topics(files):
    folder = files(qrels=["1 0 a 1"], run=["2 Q0 a 1 1 t"])
    for flags, reference in (("", "9"), ("-c ", "9"), ("", "10")):
        with pytest.raises(InputError, match="/run: "):
            printed(flags + "qrels run", folder, reference=reference)
    values = values_of(printed("-c -m map -m num_q qrels run", folder, reference="10"))
    assert values == {("num_q", "all"): "1", ("map", "all"): "0.0000"}


def test_the_problems_of_all_runs_are_told_together(files):
    folder = files(qrels=["1 0 a 1"], other=["2 Q0 a 1 1 t"], broken=["1 Q0 a 1 high t"], good=["1 Q0 a 1 1 t"])
    with pytest.raises(InputError) as problem:
        printed("qrels other good broken missing", folder)
    assert [line.split(":")[0] for line in problem.value.lines] == [
        str(folder / name) for name in ("other", "broken", "missing")
    ]


def test_a_measure_that_the_judgments_do_not_allow_is_told_with_their_file(files):
    folder = files(qrels=["1 0 a 1"], run=["1 Q0 a 1 1 t"])
    with pytest.raises(InputError) as problem:
        printed("-m xinfAP qrels run", folder)
    assert problem.value.lines[0].startswith(f"{folder}/qrels: ")


# Results, as the tables in other formats take them.


def test_results_name_the_topics_that_are_averaged_and_those_answered(files):
    folder = files(qrels=THREE_TOPICS, run=ONE_ANSWERED)
    (alone,) = score_files(arguments_of("-m map -m num_q -m num_ret -m relstring qrels run", folder), STYLE)
    assert (alone.topics, alone.answered) == (("1",), (True,))
    (complete,) = score_files(arguments_of("-c -m map -m num_q -m num_ret -m relstring qrels run", folder), STYLE)
    assert (complete.topics, complete.answered) == (("1", "2", "3"), (True, False, False))
    assert [measure.name for measure in complete.measures] == ["num_q", "num_ret", "map", "relstring"]
    assert complete.of_topic(0) == [1, 2, 0.25, "-1"]
    assert complete.of_topic(1) == [1, 0, 0.0, ""]
    assert complete.summary[:3] == [3, 2, pytest.approx(0.25 / 3)]
    assert (complete.tag, complete.name) == ("t", f"{folder}/run")


def test_subtopic_measures_read_the_second_column_as_the_subtopic(files):
    folder = files(qrels=["1 1 a 1", "1 2 a 0", "1 1 b 0", "1 2 b 1"], run=["1 Q0 a 1 2 t", "1 Q0 b 2 1 t"])
    values = values_of(printed("-m StRecall@1 -m map qrels run", folder))
    assert values == {("map", "all"): "1.0000", ("StRecall@1", "all"): "0.5000"}
