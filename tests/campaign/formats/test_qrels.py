import gzip
import io
import json
import re
import subprocess
import sys
from time import process_time

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from campaign.formats import json_columns
from campaign.formats.json_values import MOST_VALUES
from campaign.formats.jsonlines import repeated_keys
from campaign.formats.qrels import read as reading
from campaign.formats.qrels import rows as keeping
from campaign.formats.qrels.grade_columns import word_grades
from campaign.formats.qrels.read import QrelsRead, QrelsRules, read_qrels
from campaign.formats.qrels.table import QRELS_SCHEMA, write_qrels
from campaign.formats.runs.check import check_run
from campaign.formats.runs.header import is_training_data
from campaign.formats.runs.rules import RunRules

GOOD = "301 0 FT-1 1\n301 0 FT-2 0\n302 0 FT-1 -1\n"


def read(text: str | bytes, **rules) -> QrelsRead:
    return read_qrels(io.BytesIO(text.encode() if isinstance(text, str) else text), QrelsRules(**rules))


def codes(result: QrelsRead) -> list[tuple[str, int | None]]:
    """In file order, those of the file as a whole first."""
    return [(one.code, one.line) for one in sorted(result.problems.shown, key=lambda one: one.line or 0)]


def test_lines_that_begin_with_a_number_sign_and_name_no_topic_are_comments():
    text = b"# 1 NIST, 2020 0 3\n1 0 a 2\n#2 0 b 1\n  # end\n"
    read = read_qrels(io.BytesIO(text), QrelsRules(topics=frozenset({"1", "#2"}), sampling="any"))
    assert (read.lines, read.topics, read.sampling) == (2, 2, "none")
    [comment] = read.problems.shown
    assert (comment.code, comment.line, comment.severity, comment.count) == ("comment", 1, "warning", 2)
    assert comment.message.endswith("The same on 1 more line: 4.")


def test_qrels_are_read_from_four_columns_plain_or_packed():
    for text in (GOOD, GOOD.replace(" ", "\t"), GOOD.replace("\n", "\r\n"), GOOD.replace("\n", "\n\n")):
        result = read(gzip.compress(text.encode(), mtime=0), topics=frozenset({"301", "302"}), grades=frozenset({0, 1}))
        assert codes(result) == []
        assert (result.lines, result.topics) == (3, 2)
        assert result.table is not None
        assert result.table.schema == QRELS_SCHEMA
        assert result.table.rows() == [("301", "0", "FT-1", 1), ("301", "0", "FT-2", 0), ("302", "0", "FT-1", -1)]


def test_the_second_column_is_a_subtopic_only_where_the_rules_say_so():
    text = "1 1 a 1\n1 2 a 0\n"
    result = read(text, subtopic=True)
    assert codes(result) == []
    assert result.table is not None
    assert result.table["subtopic"].to_list() == ["1", "2"]
    assert codes(read(text)) == [("second_column", None), ("judgment_duplicate", 2)]
    assert codes(read(text + "1 2 a 1\n", subtopic=True)) == [("judgment_duplicate", 3)]


@pytest.mark.parametrize(
    ("second", "named"),
    [(["0", "Q0", "0"], ""), (["0", "4.5", "4.5"], "4.5"), (["1", "ann", "ann"], "ann (2), 1 (1)")],
)
def test_a_second_column_that_is_not_read_is_named_with_what_it_holds(second: list[str], named: str):
    result = read("".join(f"1 {text} d{place} 1\n" for place, text in enumerate(second)))
    assert [problem.message for problem in result.problems.shown] == (
        [f"The second column is left out: {named}."] if named else []
    )
    assert result.problems.ok
    assert codes(read("1 7 d 1\n", for_scoring=True)) == []


def test_all_problems_of_qrels_are_reported_with_their_lines():
    result = read(
        b"301 0 a 1\n"
        b"301 0 a 1\n"
        b"9 0 a 1\n"
        b"301 0 zzz 0\n"
        b"301 0 b 3\n"
        b"301 0 c 1.5\n"
        b"301 0 d -3\n"
        b"301 0 e -2\n"
        b"301 0 f 1 0.5\n"
        b"301 0 f\n"
        b"301 0 caf\xe9 1\n"
        b"301 0 g 99999999999\n",
        topics=frozenset({"301"}),
        docnos=frozenset("abcdefg"),
        grades=frozenset({0, 1, 2}),
    )
    assert codes(result) == [
        ("grade_cannot_judge", None),
        ("judgment_repeated", 2),
        ("topic_unknown", 3),
        ("docno_unknown", 4),
        ("grade_unknown", 5),
        ("grade_not_integer", 6),
        ("grade_unknown", 7),
        ("qrels_stratum", 9),
        ("column_count", 10),
        ("not_utf8", 11),
        ("grade_out_of_range", 12),
    ]
    assert "Grade 99999999999 is too large. Write grades of at most nine digits." in str(result.problems)
    assert "Grade -99999999999 is too small." in str(read("301 0 a -99999999999\n").problems)
    assert result.problems.warnings == 3
    assert result.table is None


def test_a_docno_outside_of_the_collection_is_only_a_warning():
    result = read(GOOD, docnos=frozenset({"FT-1"}))
    assert codes(result) == [("docno_unknown", 2)]
    assert result.table is not None


@pytest.mark.parametrize(
    ("docno", "code"), [("..", "docno_dots"), ("a\xad/../b", "docno_dots"), ("a\u00a0b", "docno_space")]
)
def test_without_a_collection_docnos_that_no_run_may_have_are_refused(docno: str, code: str):
    assert codes(read(f"301 0 FT-1 1\n301 0 {docno} 1\n", docnos=None)) == [(code, 2)]


@pytest.mark.parametrize("docno", ["d\xad1", "a\u200b", "a\u202eb", "\x01a", "a\ufeffb"])
def test_without_a_collection_docnos_as_runs_write_them_come_in_and_what_is_unseen_is_told(docno: str):
    assert check_run(io.BytesIO(f"301 Q0 {docno} 1 1 base\n".encode()), RunRules()).problems.by_code == {}
    result = read(f"301 0 FT-1 1\n301 0 {docno} 1\n", docnos=None)
    assert codes(result) == [("docno_unseen", 2)]
    (told,) = result.problems.shown
    assert (told.severity, "alike in runs, qrels and pools" in told.remedy) == ("warning", True)
    assert result.table is not None
    again = read(write_qrels(result.table), docnos=None)
    assert again.table is not None
    assert {row[2] for row in again.table.rows()} == {"FT-1", docno}


def test_qrels_are_written_by_topic_order_then_subtopic_then_docno():
    table = pl.DataFrame(
        [("2", "0", "b", 1), ("10", "1", "a", 0), ("2", "0", "a", -1), ("10", "0", "z", 2), ("7", "0", "q", 1)],
        schema=QRELS_SCHEMA,
        orient="row",
    )
    assert write_qrels(table) == b"10 0 z 2\n10 1 a 0\n2 0 a -1\n2 0 b 1\n7 0 q 1\n"
    assert write_qrels(table, ["2", "10"]) == b"2 0 a -1\n2 0 b 1\n10 0 z 2\n10 1 a 0\n7 0 q 1\n"
    assert write_qrels(table.clear()) == b""


fields = st.text(alphabet="abAB019\u00e9\"',;", min_size=1, max_size=4)
judgments = st.lists(
    st.tuples(fields, fields, fields, st.integers(-2, 4)), min_size=1, max_size=20, unique_by=lambda row: row[:3]
)


@given(judgments, st.randoms(use_true_random=False))
def test_the_same_judgments_give_the_same_bytes_and_read_back(rows, random):
    table = pl.DataFrame(rows, schema=QRELS_SCHEMA, orient="row")
    shuffled = rows[:]
    random.shuffle(shuffled)
    data = write_qrels(table)
    assert data == write_qrels(pl.DataFrame(shuffled, schema=QRELS_SCHEMA, orient="row"))
    result = read(data, subtopic=True)
    assert set(codes(result)) <= {("grade_cannot_judge", None)}
    assert result.table is not None
    assert sorted(result.table.rows()) == sorted(rows)


STRATA = "1 0 a 1 2\n1 0 b 2 -1\n2 0 a 10 0\n"
PROBABILITIES = "1 0 a 2 1\n1 0 b -1 NA\n2 0 a 0 0.25\n"
PRELS = "1 a 2 0 .7\n1 b 0 1 5e-2\n1 c 1 2 0\n1 d 1 0 NA\n2 a 1 4 1.0\n"


def read_rows(text: str, **rules) -> list[tuple]:
    result = read(text, **rules)
    assert {code for code, _ in codes(result)} <= {
        "second_column",
        "method_column",
        "sample_columns",
        "listed",
        "judgment_repeated",
    }
    assert result.table is not None
    return result.table.rows()


def test_the_method_of_prels_is_named_with_what_becomes_of_it():
    [problem] = read(PRELS, sampling="prels").problems.shown
    assert (
        problem.message == "The fourth column is the method by which documents were chosen: 0 (2), 1 (1), 2 (1), 4 (1)."
    )
    assert problem.remedy == (
        "It is not stored. Documents of the methods 0 and 2, which another rule than the draw chose, or both, have the "
        "probability 1, unless the fifth column is NA; for all others the fifth column counts."
    )
    table = read("1 a 1 0 NA\n1 b 1 2 NA\n1 c 1 0 .5\n1 d 1 1 .5\n", sampling="prels").table
    assert table is not None
    assert table["probability"].to_list() == [None, None, 1.0, 0.5]
    assert read(PRELS, sampling="prels", for_scoring=True).problems.shown == ()


def test_the_grade_minus_2_is_named_with_what_it_means_here():
    [problem] = read("1 0 a -2\n1 0 b -2\n1 0 c -1\n").problems.shown
    assert (problem.code, problem.count, problem.severity) == ("grade_cannot_judge", 2, "warning")
    assert problem.message == "The grade -2 says here that a document could not be judged: 2 lines."
    assert read("1 0 a -2\n", for_scoring=True).problems.shown == ()
    assert codes(read("1 0 a -3\n")) == [("grade_unknown", 1)]


def test_a_fifth_column_before_the_grade_is_the_stratum():
    assert read_rows(STRATA, sampling="stratum") == [
        ("1", "0", "a", 2, 1),
        ("1", "0", "b", -1, 2),
        ("2", "0", "a", 0, 10),
    ]
    table = read(STRATA.replace("1 0 b", "1 7 b"), sampling="stratum", subtopic=True).table
    assert table is not None
    assert table.schema == pl.Schema({**QRELS_SCHEMA, "stratum": pl.Int32})
    assert table["subtopic"].to_list() == ["0", "7", "0"]


def test_a_fifth_column_after_the_grade_is_the_probability_of_the_draw_or_says_that_there_was_none():
    assert read_rows(PROBABILITIES, sampling="probability") == [
        ("1", "0", "a", 2, 1.0),
        ("1", "0", "b", -1, None),
        ("2", "0", "a", 0, 0.25),
    ]
    table = read("1 0 a 1 NA\n", sampling="probability").table
    assert table is not None
    assert table.schema == pl.Schema({**QRELS_SCHEMA, "probability": pl.Float64})


def test_prels_have_the_docno_second_and_are_certain_of_documents_that_were_not_left_to_chance():
    assert read_rows(PRELS, sampling="prels", subtopic=True) == [
        ("1", "0", "a", 2, 1.0),
        ("1", "0", "b", 0, 0.05),
        ("1", "0", "c", 1, 1.0),
        ("1", "0", "d", 1, None),
        ("2", "0", "a", 1, 1.0),
    ]


@pytest.mark.parametrize(
    ("text", "sampling"),
    [
        (GOOD, "none"),
        (STRATA, "stratum"),
        (PROBABILITIES, "probability"),
        (PRELS, "prels"),
        ("1 0 11 1 2\n1 0 12 2 -1\n2 0 11 10 0\n", "stratum"),
        ("1 0 11 1 2\n1 0 x 2 0\n1 5 12 1 1\n", "stratum"),
        ("1 Q0 11 1 2\n1 Q0 12 2 0\n", "stratum"),
        ("1 0 11 2 1\n1 0 12 0 NA\n", "probability"),
        ("1 0 a 1 1\n1 0 b 0 1e-3\n", "probability"),
        ("1 11 2 0 1\n1 12 0 1 1\n", "prels"),
        ("\n\n1 clueweb09-en0003-55-31884 0 0 1\n", "prels"),
        ("1 a 2\n2 b -1\n", "triples"),
    ],
)
def test_the_layout_is_recognised_from_the_lines(text, sampling):
    assert read_rows(text, sampling="any") == read_rows(text, sampling=sampling)
    assert ("sample_columns" in read(text, sampling="any").problems.by_code) == (sampling in ("stratum", "probability"))


def test_preferences_between_two_documents_are_refused_and_not_read_as_grades_of_the_second():
    pairs = "1 0 d9 1\n1 d1 d2 1\n1 d2 d3 -1\n"
    assert codes(read(pairs, sampling="any")) == [("qrels_of_pairs", 3)]
    assert codes(read("1 0 5 1\n1 5 7 1\n1 r1 8 0\n", sampling="any")) == [("second_column", None)]
    for chance in ("1 R2 R2 1\n1 R2 d2 1\n", "1 d1 d2 1\n2 0 d1 1\n", "1 r1 r2 1\n1 r2 a 1\n1 r3 b 1\n1 r4 c 1\n"):
        assert codes(read(chance, sampling="any")) == [("second_column", None)]


PASSAGES = "160 12456 3001 200 GENE\n160 12456 5001 100\n161 7 1 9 A|B\n"


@pytest.mark.parametrize("text", [PASSAGES, "TopicID PMID Offset Length\n" + PASSAGES, "160\t12456\n161\t7\n"])
def test_passages_and_two_columns_are_refused_until_the_sender_says_that_they_are_relevant_documents(text):
    problem = read(text, sampling="any", listed_grade=2).problems.shown[0]
    assert problem.code in ("passages", "listed_pairs")
    assert "“The file lists relevant documents”" in problem.remedy
    assert "gets the grade 2" in problem.remedy
    assert read_rows(text, sampling="any", listed_grade=2, are_listed=True) == [
        ("160", "0", "12456", 2),
        ("161", "0", "7", 2),
    ]


def test_of_a_list_of_relevant_documents_a_line_of_other_columns_is_a_problem_and_files_with_grades_are_read_as_usual():
    assert ("column_count", 2) in codes(read("160 12456\n161\n161 7 1 9\n", sampling="any", are_listed=True))
    assert read_rows("1 0 d1 3\n", sampling="any", are_listed=True) == [("1", "0", "d1", 3)]


def test_two_zeros_behind_every_docno_are_those_of_smart_and_never_grades_of_a_document_0():
    assert read_rows("01 1410  0 0\n01 1572  0 0\n", sampling="any") == [("01", "0", "1410", 1), ("01", "0", "1572", 1)]
    assert read_rows("1 7 d1 0\n1 8 0 0\n", sampling="any") == [("1", "0", "d1", 0), ("1", "0", "0", 0)]


def test_patterns_of_answers_and_probabilities_of_intents_are_named_with_the_file_to_send():
    for text in ("1894 [Jj]ohn\\s+Mill\n", "201 kite|oars\n"):
        assert "patterns of answers" in read(text, sampling="any").problems.shown[0].remedy
    for text in ("401 http://a.b/c?x=[1]\n", "401|0|FT911-3|1\n", "401|0|FT 911|1\n"):
        assert "patterns of answers" not in read(text, sampling="any").problems.shown[0].remedy
    assert codes(read("401 http://a.b/c?x=[1]\n", sampling="any")) == [("listed_pairs", 1)]
    assert "probabilities of intents" in read("0051 1 0.6\n", sampling="any").problems.shown[0].remedy


@pytest.mark.parametrize("second", ["0", "Q0"])
def test_judgments_with_the_name_of_an_assessor_are_no_passages(second):
    assert codes(read(f"1 {second} 12345 1 alice\n", sampling="any")) == [("probability_unknown", 1)]


def test_two_columns_are_told_that_they_may_be_a_pool():
    [problem] = read("7 d1\n", sampling="any").problems.shown
    assert "If it is a pool, in which nothing is judged, import it on the page Pools." in problem.remedy


def test_a_run_sent_as_qrels_gets_no_command_that_makes_grades_of_its_ranks():
    for line in ("1 Q0 d12 1 12.3 tag", "1 0 d12 1 -1e-3 bm25.v2"):
        [problem] = read(f"{line}\n", sampling="any").problems.shown
        assert problem.remedy.endswith(
            "If it is a run (topic, Q0, docno, rank, score and tag), send it as a run, and not as qrels."
        )
        assert "awk" not in problem.remedy


def test_lines_of_another_number_of_columns_do_not_change_the_layout_and_are_problems_of_their_own():
    for text, sampling in ((STRATA, "stratum"), (PRELS, "prels"), (GOOD, "none")):
        bad = text + "2 0 c\n2 0 c 1 1 1\n"
        assert codes(read(bad, sampling="any")) == codes(read(bad, sampling=sampling))
    result = read(GOOD + "301 0 b 1 1\n", sampling="any")
    assert codes(result) == [("column_count", 4)]
    assert "Write topic, 0 (or the subtopic), docno and grade" in str(result.problems)
    assert codes(read("", sampling="any")) == [("empty_file", None)]
    assert codes(read("301 a 1\n301 0 b 1\n301 0 c 0\n", sampling="any")) == [("column_count", 1)]


@pytest.mark.parametrize("sampling", ["any", "none"])
def test_a_list_of_docnos_sent_as_qrels_is_named(sampling):
    result = read("FT-1\nFT-2\nFT-3\n", sampling=sampling)
    assert codes(result) == [("column_count", 1)]
    assert "If these are docnos alone, import them on the page Documents" in result.problems.shown[0].remedy
    assert "docnos alone" not in read("1;0;d1;2\n1 0 d1 2\n").problems.shown[0].remedy


def test_three_columns_may_have_grades_of_ntcir_and_problems_of_their_own():
    result = read("1 a L2\n1 b L\n1 c x\n1 d\n1 a L0\n", sampling="any")
    assert codes(result) == [
        ("grade_not_integer", 2),
        ("grade_not_integer", 3),
        ("column_count", 4),
        ("judgment_duplicate", 5),
    ]
    assert result.grade_words == {"L", "x"}
    assert "Write topic, docno and grade" in str(result.problems)
    assert read_rows("1 2 a L2\n", sampling="any") == [("1", "0", "a", 2)]
    assert codes(read("1 0 a L2 0.5\n", sampling="any")) == [("grade_not_integer", 1)]


def test_only_the_first_line_can_hold_headings():
    headings = "\ntopic iter docno rel\n"
    result = read(headings + "1 0 a 2\n" + headings, sampling="any")
    assert codes(result) == [("second_column", None), ("headings", 2), ("grade_not_integer", 5)]
    assert codes(read("query 0 docno 1\n", sampling="any")) == []


@pytest.mark.parametrize("headings", ["query-id\tcorpus-id\tscore", "query_id doc_id relevance"])
def test_qrels_of_beir_are_told_how_they_get_four_columns(headings):
    problem = read(f"{headings}\n1\ta\t2\n", for_scoring=True).problems.shown[0]
    assert problem.line == 1
    assert "These are qrels of BEIR: awk 'NR > 1 {print $1, 0, $2, $3}' FILE > NEW_FILE" in problem.remedy


def test_all_problems_of_sampled_qrels_are_reported_with_their_lines_and_remedies():
    strata = read("1 0 a 1 1\n1 0 b -1 1\n1 0 c x 1\n1 0 d 1 y\n1 0 e 1.0 z\n1 0 f 1\n1 0 a 1 1\n", sampling="stratum")
    assert codes(strata) == [
        ("stratum_unknown", 2),
        ("stratum_unknown", 3),
        ("grade_not_integer", 4),
        ("grade_not_integer", 5),
        ("stratum_unknown", 5),
        ("column_count", 6),
        ("judgment_repeated", 7),
    ]
    assert strata.table is None
    assert "the columns are topic, 0 (or the subtopic), docno, stratum and grade" in str(strata.problems)
    assert "There are 4 columns instead of 5. Write topic, 0 (or the subtopic), docno, stratum" in str(strata.problems)
    wrong = ["0", "1.5", "-0.5", "nan", "inf", "0x1", "1e-999", "1_0", "half", "1,5"]
    drawn = read("".join(f"1 0 d{place} 1 {value}\n" for place, value in enumerate(wrong)), sampling="probability")
    assert codes(drawn) == [("probability_unknown", line) for line in range(1, len(wrong) + 1)]
    assert "line 1: Probability 0 is not a number above 0 and up to 1. Write the probability" in str(drawn.problems)
    assert codes(read("1 a 1 1 0\n1 a x 1 .5\n", sampling="prels")) == [
        ("method_column", None),
        ("probability_unknown", 1),
        ("grade_not_integer", 2),
        ("judgment_duplicate", 2),
    ]


@pytest.mark.parametrize("text", [STRATA, PROBABILITIES, PRELS])
def test_a_fifth_column_is_refused_with_a_remedy_where_no_sample_is_asked_for(text):
    result = read(text)
    assert codes(result) == [("qrels_stratum", 1)]
    assert result.problems.by_code["qrels_stratum"] == result.lines
    assert "send the four columns" in str(result.problems)


def test_each_unknown_topic_and_each_unknown_grade_is_told_once_with_a_hint_and_its_lines():
    text = "".join(f"0{topic} 0 d{docno} 9\n" for topic in range(1, 5) for docno in range(20))
    result = read(text, topics=frozenset("1234"), grades=frozenset({0, 1}))
    assert codes(result) == [("topic_unknown", 1), ("grade_unknown", 1)] + [
        ("topic_unknown", line) for line in (21, 41, 61)
    ]
    shown = [one for one in result.problems.shown if one.code == "topic_unknown"]
    assert [one.count for one in shown] == [20] * 4
    assert all(f"The task has {topic} without zeros." in one.remedy for topic, one in enumerate(shown, start=1))
    assert shown[0].message.startswith("Topic 01 is not a topic of this task. The same on 19 more lines: 2, 3, ")


def test_strata_stand_before_the_grade_and_probabilities_after_it_where_qrels_are_written():
    strata, drawn = (read(text, sampling="any").table for text in (STRATA, PROBABILITIES))
    assert strata is not None
    assert drawn is not None
    assert write_qrels(strata) == STRATA.encode()
    assert write_qrels(drawn) == b"1 0 a 2 1.0\n1 0 b -1 NA\n2 0 a 0 0.25\n"
    with pytest.raises(ValueError, match="a stratum or a probability, not both"):
        write_qrels(strata.with_columns(probability=1.0))


@given(judgments, st.data())
def test_sampled_judgments_read_back_from_the_bytes_that_they_were_written_to(rows, data):
    table = pl.DataFrame(rows, schema=QRELS_SCHEMA, orient="row")
    strata = data.draw(st.lists(st.integers(0, 999_999_999), min_size=len(rows), max_size=len(rows)))
    probability = st.none() | st.floats(0, 1, exclude_min=True)
    probabilities = data.draw(st.lists(probability, min_size=len(rows), max_size=len(rows)))
    for name, values, dtype in (("stratum", strata, pl.Int32), ("probability", probabilities, pl.Float64)):
        sampled = table.with_columns(pl.Series(name, values, dtype=dtype))
        result = read(write_qrels(sampled), subtopic=True, sampling=name)
        assert set(codes(result)) <= {("grade_cannot_judge", None)}
        assert result.table is not None
        keys = ["topic", "subtopic", "docno"]
        assert result.table.sort(keys).equals(sampled.sort(keys), null_equal=True)


def test_keys_that_are_written_otherwise_are_named_with_the_known_ones_for_the_first_lines():
    rules = QrelsRules(topics=frozenset({"003"}), docnos=frozenset({"Z\u00fcrich-1", "FT911-1"}))
    rows = ["003 0 Zu\u0308rich-1 1", "3 0 ft911-1 1", *(f"003 0 f{i}t911-1 0" for i in range(20)), "003 0 Ft911-1 1"]
    shown = read_qrels(io.BytesIO("\n".join(rows).encode()), rules).problems.shown
    remedies = [problem.remedy for problem in shown]
    assert remedies[0].endswith("The collection has Z\u00fcrich-1 in another Unicode form (NFC).")
    assert remedies[1].endswith("The task has 003 with zeros.")
    assert remedies[2].endswith("The collection has FT911-1 in capitals.")
    assert "FT911-1" not in remedies[-1]


def test_judgments_of_a_spreadsheet_are_refused_for_scoring_with_what_does_not_separate_columns():
    for line, name in (("1,0,d1,2", "Commas"), ("1;0;d1;2", "Semicolons")):
        [problem] = read(line, for_scoring=True).problems.shown
        assert (problem.code, problem.line) == ("column_count", 1)
        assert problem.remedy.endswith(f"separated by blanks or tabs. {name} do not separate columns.")


def rows_of(result: QrelsRead) -> list[tuple]:
    assert result.table is not None, str(result.problems)
    return result.table.rows()


@pytest.mark.parametrize(
    ("text", "warned"),
    [
        ("1,0,d1,2\n1,0,d2,0\n", ["commas"]),
        ("1;0;d1;2;;\r\n1;0;d2;0;;\r\n;;;;;\r\n", ["semicolons"]),
        ("sep=;\n1;0;d1;2\n1;0;d2;0\n", ["semicolons"]),
        ("sep=|\n1|0|d1|2\n1|0|d2|0\n", ["vertical bars"]),
        ("1|0|d1|2\n1|0|d2|0\n", ["vertical bars"]),
        ("1 | 0 | d1 | 2\n1 | 0 | d2 | 0\n", ["vertical bars"]),
        ("topic|docno|grade\n1|d1|2\n1|d2|0\n", ["vertical bars", "headings"]),
        ("sep=^\n1^0^d1^2\n1^0^d2^0\n", ["“^”"]),
        ('1,0,"d1",2\n"1","0","d2","0"\n', ["commas"]),
        ("QueryID,DocumentID,Relevance\n1,d1,2\n1,d2,0\n", ["commas", "headings"]),
        ('"Query ID","Doc ID",Label\n1,d1,2\n1,d2,0\n', ["commas", "headings"]),
        ("qid;iter;pid;judgment\n1;0;d1;2\n1;0;d2;0\n", ["semicolons", "headings"]),
        ("Topic_No\titeration\tCorpus-ID\tGRADE\n1\t0\td1\t2\n1\t0\td2\t0\n", ["headings"]),
    ],
)
def test_columns_of_a_spreadsheet_and_headings_are_read_with_a_warning(text: str, warned: list[str]):
    result = read(text, sampling="any")
    assert rows_of(result) == [("1", "0", "d1", 2), ("1", "0", "d2", 0)]
    messages = [problem.message for problem in result.problems.shown]
    assert len(messages) == len(warned)
    assert all(word in message for word, message in zip(warned, messages, strict=True))


def test_blanks_beside_separators_are_left_out_where_a_topic_of_the_task_shows_what_separates():
    result = read("1, 0, d1, 2\n1,0 , d2,0\n", topics=frozenset({"1"}), sampling="any")
    assert rows_of(result) == [("1", "0", "d1", 2), ("1", "0", "d2", 0)]
    assert codes(read('1,0,"d 1",2\n', topics=frozenset({"1"}), sampling="any"))[1] == ("field_white_space", 1)
    plain = read("1, 0, d1, 2\n", topics=frozenset({"1,"}), sampling="any")
    assert rows_of(plain) == [("1,", "0", "d1,", 2)]


def test_columns_in_another_order_are_read_by_their_headings_and_others_are_left_out_by_name():
    result = read("judge,rel,doc_id,query_id\n17,2,d1,1\n4,0,d2,1\n", sampling="any")
    assert rows_of(result) == [("1", "0", "d1", 2), ("1", "0", "d2", 0)]
    assert "The columns were read by their headings: query_id, doc_id, rel; left out: judge." in str(result.problems)
    short = read("judge rel doc_id query_id\n17 2 d1\n", sampling="any")
    assert codes(short) == [("headings", 1), ("headings_order", 1), ("headings_columns", 2)]


@pytest.mark.parametrize(
    ("headings", "number"),
    [("topic_id,query_id,doc_id,rel", "1.1"), ("query_id,topic_id,doc_id,rel", "1"), ("qid,topic,doc_id,rel", "1")],
)
def test_of_two_columns_that_could_number_a_topic_the_query_counts_and_the_other_is_named(headings: str, number: str):
    result = read(f"{headings}\n1,1.1,d1,2\n1,1.1,d2,0\n", sampling="any")
    assert rows_of(result) == [(number, "0", "d1", 2), (number, "0", "d2", 0)]
    assert "left out: topic" in str(result.problems)


@pytest.mark.parametrize(
    ("headings", "values"),
    [
        ("topic,query,docno,rel", "1,bikes,d1,2"),
        ("query,topic,docno,rel", "bikes,1,d1,2"),
        ("qid,document,docid,label", "1,text,d1,2"),
        ("qid,passage,pid,label", "1,text,d1,2"),
        ("qid,doc,docno,label", "1,text,d1,2"),
        ("query,query_id,docno,label", "bikes,1,d1,2"),
        ("query,topic_id,docno,label", "bikes,1,d1,2"),
    ],
)
def test_a_column_named_as_a_number_counts_before_one_that_may_hold_a_text(headings: str, values: str):
    assert rows_of(read(f"{headings}\n{values}\n", sampling="any")) == [("1", "0", "d1", 2)]


def test_of_two_columns_that_could_number_a_topic_the_one_with_topics_of_the_task_counts():
    text = "query_id,topic_id,doc_id,rel\n7,1,d1,2\n8,1,d2,0\n"
    for topics, numbers in (({"1"}, ["1", "1"]), ({"7", "8"}, ["7", "8"]), ({"7", "1", "8"}, ["7", "8"])):
        result = read(text, topics=frozenset(topics), sampling="any")
        assert result.table is not None
        assert result.table["topic"].to_list() == numbers


@pytest.mark.parametrize(
    "text",
    [
        '{"1": {"d1": 2, "d2": 0}}',
        '{\n "1": {\n  "d1": 2,\n  "d2": 0\n }\n}',
        '[{"qid": 1, "docid": "d1", "qrel": 2},\n {"qid": 1, "docid": "d2", "qrel": 0}]',
        '{\n "qid": 1,\n "docid": "d1",\n "qrel": 2\n}\n{\n "qid": 1,\n "docid": "d2",\n "text": "} {",\n "qrel": 0\n}\n',
        '{"qid": 1, "docid": "d1", "qrel": 2}\n\n{"qid": 1, "docid": "d2", "qrel": 0}\n\n',
        '{"query_id": "1", "topic_id": "G", "doc_id": "d1", "rel": 2}\n{"query_id": "1", "doc_id": "d2", "rel": 0}',
        '[{"query": "red", "query_id": 1, "document": "a", "docid": "d1", "qrel": 2},\n{"query_id":1, "docid":"d2", "qrel": 0}]',
    ],
)
def test_judgments_in_json_are_read_as_the_lines_that_they_stand_for(text: str):
    result = read(text, sampling="any")
    assert rows_of(result) == [("1", "0", "d1", 2), ("1", "0", "d2", 0)]
    assert result.problems.by_code["json_read"] == 1


@pytest.mark.parametrize(
    ("text", "left_out"),
    [
        ('{"1": ["d1", "d2"]}', ""),
        ('{"questions": [{"id": 1, "body": "Is it?", "documents": ["d1", "d2"]}], "version": 7}', "“body”, “version”"),
        ('{"id": 1, "title": "kites", "rel_docs": ["d1", "d2"]}', "“title”"),
        ('{"version": 7, "qrels": {"1": ["d1", "d2"]}}', "“version”"),
    ],
)
def test_documents_that_json_lists_without_grades_have_the_grade_1_and_the_check_says_so(text: str, left_out: str):
    result = read(text, sampling="any")
    assert rows_of(result) == [("1", "0", "d1", 1), ("1", "0", "d2", 1)]
    told = {problem.code: problem for problem in result.problems.shown}
    assert (told["json_listed"].count, told["json_listed"].severity) == (2, "warning")
    named = told["json_left_out"].message if "json_left_out" in told else ""
    assert sorted(re.findall("“[^”]+”", named)) == re.findall("“[^”]+”", left_out)


def test_a_pair_in_json_has_the_line_on_which_it_stands():
    text = '# of 2026\n{"1": {\n "d1": 2,\n "d2": "x"},\n "2": ["d1",\n "d1"]}'
    problems = read(text, topics=frozenset({"1", "2"}), sampling="any").problems.shown
    assert [(problem.code, problem.line) for problem in problems if problem.line] == [
        ("comment", 1),
        ("grade_not_integer", 4),
        ("judgment_repeated", 6),
    ]


def test_numbers_in_json_are_topics_and_docnos_as_they_are_written():
    result = read('[{"qid": 1.10, "docno": 1E5, "rel": 2}, {"qid": 12.50, "docno": 700, "rel": 1}]', sampling="any")
    assert rows_of(result) == [("1.10", "0", "1E5", 2), ("12.50", "0", "700", 1)]


def test_documents_that_json_lists_have_the_lowest_grade_that_is_relevant_in_the_task():
    result = read('{"1": ["d1"]}', sampling="any", listed_grade=2)
    assert rows_of(result) == [("1", "0", "d1", 2)]
    assert "each has the grade 2" in str(result.problems)


def test_json_on_one_long_line_is_read():
    text = json.dumps({"1": {f"document-{number:08}": 1 for number in range(60_000)}})
    assert len(text) > 1 << 20
    result = read(text, sampling="any")
    assert result.table is not None
    assert result.table.height == 60_000


def test_json_that_is_too_large_is_refused_before_it_is_held(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(json_columns, "MOST_LINES", 3)
    [problem] = read('{"1": {\n"a": 1,\n"b": 2,\n"c": 1}}', sampling="any").problems.shown
    assert problem.code == "json_too_large"


KEYS = st.sampled_from(["qid", "docno", "rel", "id", "documents", "labels", "qrels", "1"])
SCALARS = st.sampled_from(['"a"', "1", "2.5", "null", "true", '""', '"\\u0000"', "NaN"])


def object_of(value: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    members = st.lists(st.tuples(KEYS, value), max_size=3)
    return members.map(lambda pairs: "{" + ", ".join(f'"{key}": {item}' for key, item in pairs) + "}")


def list_of(value: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.lists(value, max_size=3).map(lambda items: "[" + ", ".join(items) + "]")


@given(st.recursive(SCALARS, lambda value: object_of(value) | list_of(value), max_leaves=8), st.booleans())
def test_json_of_any_shape_is_read_or_refused_and_a_key_that_stands_twice_is_refused(text: str, is_wrapped: bool):
    result = read('{"qrels": ' + text + "}" if is_wrapped else text, sampling="any")
    assert result.problems.ok == (result.table is not None)
    if result.table is not None:
        assert repeated_keys(text, json.loads(text)) == []


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        ('{"questions": [\n', "json_broken", 1),
        ("[\n" * 5, "json_broken", 5),
        ("[" * 100_000, "json_broken", 1),
        ('{"1": {"d1": 1}}\n{"2": {"d1": 1}', "json_broken", 2),
        ('{"1": {"d1": 1}}\n{"title": "kites"}', "columns_json", 2),
        ('{"query": "kites", "rank": 1, "docid": "d1"}', "columns_json", 1),
        ('{"1": {"d1": {"grade": [2]}}}', "columns_json", 1),
        ('{"1": [["d1"]]}', "columns_json", 1),
        ('{"a": [' * 300 + "]}" * 300, "columns_json", 1),
        ('{"1": {"a b": 2}}', "json_field", 1),
        ('{"1": {"": 2}}', "json_field", 1),
        ('{"1": {"a\\u0000b": 2}}', "json_field", 1),
        ('{"1": {"d1": null}}', "json_field", 1),
        ('{"1":\n{"d1": true}}', "json_field", 2),
        ('{"1":\n{"d1": NaN}}', "grade_not_integer", 2),
        ('{"1": 5,\n"1": {"d1": 2}}', "json_key_repeated", 2),
        ('{"qrels": [5],\n"qrels": [{"qid": 1, "docno": "a", "rel": 1}]}', "json_key_repeated", 2),
        ('{"id": "5",\n"id": "6", "documents": ["d1"]}', "json_key_repeated", 2),
        ('[{"qid": 1, "docno": "a", "is_relevant": 0}]', "json_without_grade", 1),
        ('{"qid": 1, "docno": "a", "rel": 0}\n{"qid": 1, "docno": "b"}', "json_without_grade", 2),
        ('{"qid": 1, "docids": ["a", "b"], "labels": [0, 1]}', "columns_json", 1),
        ('{"qid": 1, "docids": ["a", "b"], "others": ["x", "y"]}', "columns_json", 1),
        ('{"qid": 1, "docids": ["a"], "grade": 0}', "columns_json", 1),
        ("{}", "empty_file", None),
        ("[]", "empty_file", None),
        ('{"1":\n{"d1": 1.5}}', "grade_not_integer", 2),
        ('{"1": {"d1": 1' + "0" * 5000 + "}}", "grade_out_of_range", 1),
        ('{"1": {"\\ud800": 2}}', "not_utf8", 1),
        ('{"qid": 1, "docid": "d1", "docid": "d2", "rel": 1}', "json_key_repeated", 1),
    ],
)
def test_json_that_cannot_be_read_is_refused_with_its_line(text: str, code: str, line: int | None):
    result = read(text, sampling="any")
    assert result.table is None
    assert [(problem.code, problem.line) for problem in result.problems.shown if problem.severity == "error"] == [
        (code, line)
    ]


def test_json_with_more_values_than_are_read_is_refused_before_it_is_built():
    result = read('{"1": [' + "1," * (MOST_VALUES + 1) + "1]}", sampling="any")
    assert [problem.code for problem in result.problems.shown] == ["json_broken"]
    assert "more than 1,000,000 values" in result.problems.shown[0].message


def test_of_two_columns_of_documents_the_docno_counts():
    result = read("qid docid docno label\n1 7 d1 2\n1 8 d2 0\n", sampling="any")
    assert rows_of(result) == [("1", "0", "d1", 2), ("1", "0", "d2", 0)]
    assert "left out: docid." in str(result.problems)


def test_a_column_of_line_numbers_without_a_name_is_left_out_by_name():
    result = read(",qid,docno,label\n0,1,d1,2\n1,1,d2,0\n", sampling="any")
    assert rows_of(result) == [("1", "0", "d1", 2), ("1", "0", "d2", 0)]
    assert "left out: index." in str(result.problems)


def test_of_the_seven_columns_of_the_legal_track_the_first_five_are_read_with_a_warning():
    text = "7 0 d1 2 0.25 3 kite1\n7 0 d2 0 1 12 kite2\n7 0 d3 -1 0.5 9 kite2\n"
    result = read(text, sampling="any")
    assert result.table is not None
    assert result.table["probability"].to_list() == [0.25, 1.0, 0.5]
    assert codes(result) == [("sample_columns", None), ("columns_of_legal", 1)]
    assert codes(read(text + "7 0 d4 1 0.5\n7 0 d5 1 0.5 9\n", sampling="any")) == [
        ("columns_of_legal", 1),
        ("column_count", 5),
    ]
    assert "column_count" in read(text).problems.by_code


def test_a_long_first_line_in_the_shape_of_the_legal_track_is_looked_at_once():
    began = process_time()
    result = read(b"1 0 d 1 0.5 1 " + b"a" * 60_000 + b" b\n", sampling="any")
    assert process_time() - began < 2
    assert "columns_of_legal" not in result.problems.by_code


def test_headings_of_a_run_are_not_those_of_judgments():
    run = "qid Q0 docno rank score tag\n1 Q0 d1 1 7 bm25\n"
    assert codes(read(run, sampling="any")) == [("headings", 1), ("column_count", 2)]


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("1,0,d 2,0", "field_white_space"),
        ('1,0,"d 2",0', "field_white_space"),
        ("1 0 d2 0", "field_white_space"),
        ("1,,d2,0", "field_empty"),
        ('1,0,"d2,0', "csv_broken"),
        ("1,0,d2", "column_count"),
        ("1,0,d2,0,1", "column_count"),
        (b"1,0,caf\xe9,0", "not_utf8"),
    ],
)
def test_a_line_of_a_spreadsheet_that_is_none_of_judgments_is_an_error_at_its_place(line: str | bytes, code: str):
    raw = line.encode() if isinstance(line, str) else line
    result = read(b"1,0,d1,2\n" + raw + b"\n1,0,d3,1\n", sampling="any")
    assert codes(result) == [("columns_separated", 1), (code, 2)]


def test_a_line_break_in_quotation_marks_is_told_as_the_cause():
    text = 'topic,docno,grade,note\n1,d1,1,"why\nnot"\n'
    broken = next(problem for problem in read(text, sampling="any").problems.shown if problem.code == "csv_broken")
    assert (broken.line, broken.remedy) == (
        2,
        "Each pair stands on one line here: take line breaks out of fields in quotation marks.",
    )


def test_comments_stand_before_and_between_the_lines_of_a_spreadsheet():
    text = "# made by us, in 2026\n1,0,d1,2\n#off,0,d2,1\n# the end, at last\n#2,0,d1,1\n"
    result = read(text, topics=frozenset({"1", "#2"}), sampling="any")
    assert rows_of(result) == [("1", "0", "d1", 2), ("#2", "0", "d1", 1)]
    assert result.problems.by_code == {"columns_separated": 1, "comment": 3}


def test_commas_inside_of_columns_that_white_space_separates_are_text():
    assert rows_of(read("1 0 a,b 2\n", sampling="any")) == [("1", "0", "a,b", 2)]
    assert codes(read("1 0 a,b 2\n", sampling="any")) == []


def test_a_pair_that_comes_twice_alike_counts_once_and_one_with_two_grades_is_refused_with_both():
    alike = read("1 0 a 2\n1 0 b 0\n1 0 a 2\n1 0 b 0\n", sampling="any")
    assert rows_of(alike) == [("1", "0", "a", 2), ("1", "0", "b", 0)]
    [told] = alike.problems.shown
    assert (told.code, told.line, told.count, told.severity) == ("judgment_repeated", 3, 2, "warning")
    [problem] = read("7 0 b 0\n7 0 b 1\n", sampling="any").problems.shown
    assert problem.message == "Docno b was already judged for topic 7 on line 1: grade 0 there, grade 1 here."
    assert "--repeated first, last or highest by command" in problem.remedy
    [problem] = read("7 0 b 1 0.5\n7 0 b 1 NA\n", sampling="any").problems.shown
    assert problem.message.endswith("on line 1: probability 0.5 there, probability NA here.")
    [problem] = read("7 1 b 0\n7 2 b 0\n7 2 b 1\n", subtopic=True).problems.shown
    assert "for subtopic 2 of topic 7 on line 2: grade 0 there" in problem.message


@pytest.mark.parametrize(
    ("repeated", "grades", "line"), [("first", [1, 0, 5], 1), ("last", [0, 1, 5], 5), ("highest", [2, 1, 5], 3)]
)
def test_the_line_that_counts_of_a_pair_with_different_grades_is_the_one_asked_for(
    repeated: str, grades: list[int], line: int, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(keeping, "ROWS_AT_ONCE", 2)
    text = "1 0 a 1\n1 0 b 0\n1 0 a 2\n1 0 c 5\n1 0 a 0\n1 0 b 1\n1 0 c 5\n"
    result = read(text, sampling="any", repeated=repeated)
    assert [grade for *_, grade in rows_of(result)] == grades
    assert result.lines_of(pl.DataFrame({"topic": ["1"], "docno": ["a"]})) == [line]
    decided, alike = result.problems.shown
    assert decided.message.startswith(f"2 pairs stand on several lines with different grades: the {repeated} line") or (
        decided.message.startswith("2 pairs stand on several lines with different grades: the line with the highest")
    )
    assert "grade: 3, 5, 6." in decided.remedy
    assert (alike.code, alike.line) == ("judgment_repeated", 7)


def test_a_probability_of_the_line_that_counts_comes_with_its_grade():
    result = read("1 0 a 1 0.5\n1 0 b 0 0.5\n1 0 a 2 NA\n", sampling="any", repeated="highest")
    assert rows_of(result) == [("1", "0", "a", 2, None), ("1", "0", "b", 0, 0.5)]


def test_an_unknown_document_is_told_once_with_its_further_lines():
    text = "".join(f"{topic} 0 -1 1\n{topic} 0 a 1\n" for topic in range(1, 5))
    [problem] = read(text, docnos=frozenset({"a"}), sampling="any").problems.shown
    assert (problem.line, problem.count) == (1, 4)
    assert problem.message == "Docno -1 is not in the collection. The same on 3 more lines: 3, 5, 7."


def test_qrels_of_several_parts_have_the_rows_the_lines_and_the_repeats_of_their_file(monkeypatch):
    monkeypatch.setattr(keeping, "ROWS_AT_ONCE", 3)
    monkeypatch.setattr(keeping, "FIRST_SLOTS", 2)
    monkeypatch.setattr(reading, "LINES_AT_ONCE", 2)
    lines = [f"{1 + number % 2} 0 d{number} {number % 3} 0.5" for number in range(20)]
    whole = read("\n\n".join(lines), sampling="any")
    assert whole.table is not None
    assert whole.sampling == "probability"
    assert whole.table.rows() == [(str(1 + n % 2), "0", f"d{n}", n % 3, 0.5) for n in range(20)]
    assert list(whole.line_numbers) == list(range(1, 40, 2))
    twice = read("\n".join([*lines, lines[1], lines[18], lines[1]]), sampling="probability", for_scoring=True)
    assert [(one.line, one.message.partition("line ")[2]) for one in twice.problems.shown] == [
        (21, "2. The same on 1 more line: 23."),
        (22, "19."),
    ]


MEASURED = """
import io, resource
import polars as pl
from campaign.formats.qrels.read import QrelsRules, read_qrels

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

pl.DataFrame([["a"], ["b"]])
text = "".join(f"{n % 500} 0 clueweb12-{n:07d}-{n % 97:02d} {n % 3} 0.5\\n" for n in range(200_000)).encode()
before = peak()
read = read_qrels(io.BytesIO(text), QrelsRules(sampling="any"))
print(read.table.height, 1024 * (peak() - before))
"""


def test_qrels_take_few_bytes_of_memory_for_a_line():
    """Rows of Python objects took 600 bytes a line: 5,000,000 lines, the most that are read, were 3 GB."""
    done = subprocess.run([sys.executable, "-c", MEASURED], capture_output=True, check=True, text=True)
    rows, taken = map(int, done.stdout.split())
    assert rows == 200_000
    assert taken < 300 * rows


def test_of_very_many_problems_those_of_the_text_are_kept_first_where_the_columns_are_recognised():
    lines = ["1 0 a"] * 250 + ["# said below"] * 3
    shown = read("\n".join(["1 0 a 1", *lines]), topics=frozenset({"1"}), sampling="any").problems.shown
    [comment] = [problem for problem in shown if problem.code == "comment"]
    assert (comment.line, comment.message.rpartition(": ")[2]) == (252, "253, 254.")


def test_grades_with_decimals_are_whole_grades_and_fractions_are_none():
    text = "1 0 a 1.0\n1 0 b 0.00\n1 0 c -1.0\n1 0 d 2\n1 0 e 1.\n1 0 f 3.000000000000000000e+00\n1 0 g +1\n"
    result = read(text)
    assert result.table["grade"].to_list() == [1, 0, -1, 2, 1, 3, 1]
    [told] = result.problems.shown
    assert (told.code, told.severity, told.count) == ("grade_decimal", "warning", 5)
    assert "1.0 is read as 1" in told.remedy
    refused = read("1 0 a 1.5\n1 0 b 0,5\n1 0 c .0\n1 0 d 1,0\n1 0 e 1.0e1\n1 0 f 1.5e0\n1 0 g ?\n1 0 h --\n")
    assert codes(refused) == [("grade_not_integer", line) for line in range(1, 9)]
    halves, comma, _, decimal_comma, *_, unknown, dashes = [problem.remedy for problem in refused.problems.shown]
    assert halves == comma
    assert "multiply all grades by the same number" in halves
    assert decimal_comma.endswith("without a decimal comma.")
    assert unknown == dashes
    assert "Take the line out if nobody judged the document, or write -1." in unknown
    assert refused.table is None
    assert codes(read("1 0 a 3.0\n", grades=frozenset({0, 1}))) == [("grade_decimal", None), ("grade_unknown", 1)]
    assert read("1 0 a 1.0\n", for_scoring=True).table["grade"].to_list() == [1]


def test_words_in_place_of_grades_are_kept_and_read_once_the_sender_names_what_they_stand_for():
    text = "1 0 a E\n1 0 b S\n1 0 c I\n2 0 a E\n"
    refused = read(text, sampling="any")
    assert refused.grade_words == {"E", "S", "I"}
    assert codes(refused) == [("grade_not_integer", 1), ("grade_not_integer", 2), ("grade_not_integer", 3)]
    assert '--grade-words "E=3 S=2 C=1 I=0" by command' in refused.problems.shown[0].remedy
    named = word_grades("E=3 S=2 C=1 I=0")
    assert [row[3] for row in read_rows(text, sampling="any", word_grades=named)] == [3, 2, 0, 3]
    assert read_rows("1 a S\n", sampling="any", word_grades={"S": -1}) == [("1", "0", "a", -1)]
    assert codes(read(text, sampling="any", word_grades=named, grades=frozenset({0, 1, 2}))) == [
        ("grade_unknown", 1),
    ]
    half = read(text, sampling="any", word_grades={"E": 3})
    assert (half.table, half.grade_words) == (None, {"S", "I"})


def test_a_column_of_more_words_than_a_scale_has_holds_no_grades():
    assert read("".join(f"1 0 d{n} kite{n}\n" for n in range(30)), sampling="any").grade_words == set()
    assert read("1 0 d 7kites\n", sampling="any").grade_words == set()
    assert "--grade-words" not in read("1 0 d kite\n", for_scoring=True).problems.shown[0].remedy


@pytest.mark.parametrize("text", ["E", "E=3 E=2", "E=1.5", "3=E", "E=3;S=x", "not relevant=0"])
def test_what_names_no_grade_of_a_word_is_refused_in_a_sentence(text):
    with pytest.raises(ValueError, match=r"\.$"):
        word_grades(text)


def test_of_several_grades_for_each_document_the_column_counts_that_the_sender_names():
    text = "51 0 a 2 1 0\n51 0 b 0 -1 -1\n"
    refused = read(text, sampling="any")
    assert codes(refused) == [("grades_several", 1)]
    assert "--grade-column 4 by command" in refused.problems.shown[0].remedy
    for column, grades in ((4, [2, 0]), (5, [1, -1]), (6, [0, -1])):
        chosen = read(text, sampling="any", grade_column=column)
        assert (codes(chosen), chosen.table["grade"].to_list()) == ([("grade_column", None)], grades)
    of_five = read("51 0 a 2 1\n", sampling="any")
    assert "--grade-column 4" in of_five.problems.shown[0].remedy
    assert read("51 0 a 2 1\n", sampling="any", grade_column=4).table.rows() == [("51", "0", "a", 2)]
    assert ("grade_column_missing", 2) in codes(read("51 0 a 2 1\n51 0 b\n", sampling="any", grade_column=5))


def test_texts_in_columns_that_are_left_out_may_hold_white_space():
    rows = "query_id{0}query{0}product_id{0}locale{0}esci_label\n1{0}kite tails{0}B0{0}us{0}E\n1{0}a kite{0}B1{0}{0}I\n"
    for separator in (",", ";", "\t"):
        found = read(rows.format(separator), sampling="any", word_grades={"E": 3, "I": 0})
        assert found.table is not None, found.problems
        assert found.table.rows() == [("1", "0", "B0", 3), ("1", "0", "B1", 0)]
    bad = rows.format(",").replace("B1", "B 1")
    assert ("field_white_space", 3) in codes(read(bad, sampling="any", word_grades={"E": 3, "I": 0}))


def test_a_line_without_the_column_that_was_chosen_as_the_grade_is_named_and_so_is_a_table_with_headings():
    result = read("1 0 d1 1 2 0\n1 0 d2 1\n", grade_column=5)
    assert (codes(result)[-1], result.problems.ok) == (("grade_column_missing", 2), False)
    headed = "topic\titer\tdocno\trelevance\tcredibility\n7\t0\td1\t1\t2\n"
    assert not read(headed, grade_column=5).problems.ok
    assert read(headed).problems.ok


def test_behind_headings_a_docno_of_two_words_is_named_whatever_other_columns_hold():
    result = read("docno\ttopic\tgrade\tquery\nDOC 12\t7\t1\tkite tails\n")
    assert codes(result)[-1] == ("field_white_space", 2)


@pytest.mark.parametrize(
    "text",
    [
        "| topic | docno | grade |\n|---|---|---|\n| 1 | d1 | 2 |\n| 1 | d2 | 0 |\n",
        "| note | docno | topic | grade |\n|:--|---|---|--:|\n| a b | d1 | 1 | 2 |\n|  | d2 | 1 | 0 |\n",
        "| 1 | 0 | d1 | 2 |\n| 1 | 0 | d2 | 0 |\n",
        "|1|0|d1|2|\n|1|0|d2|0|\n",
        " topic | docno | grade\n-------+-------+-------\n 1     | d1    | 2\n 1     | d2    | 0\n",
        "| topic | docno | grade |\n\n| :- | - | -: |\n| 1 | d1 | 2 |\n| 1 | d2 | 0 |\n",
        "topic|docno|grade\n  \n---|---|---\n1|d1|2\n1|d2|0\n",
    ],
)
def test_qrels_in_a_table_of_markdown_or_of_a_database_are_read(text: str):
    result = read(text, sampling="any", topics=frozenset({"1"}))
    assert rows_of(result) == [("1", "0", "d1", 2), ("1", "0", "d2", 0)]
    assert "index" not in str(result.problems)


def test_a_line_of_dashes_further_down_is_no_line_below_headings():
    result = read("topic|docno|grade\n1|d1|2\n---|---|---\n", sampling="any", topics=frozenset({"1"}))
    assert 3 in [problem.line for problem in result.problems.shown if problem.severity == "error"]


@pytest.mark.parametrize(
    "remark",
    [
        "docid = D7 inc = 1 prob = 0.02",
        "docno:D7",
        " D7",
        " DOCID=D7 rank=3",
        'docid = "D7"',
        "docid = 'D7', inc = 1",
        ' "D7"',
        "docid=D7, inc=1",
        "docid: D7; inc: 1",
        "docid = D7;",
        " D7, ",
    ],
)
def test_grades_of_training_data_are_read_with_the_document_behind_the_number_sign(remark):
    found = read(
        f"# features by LETOR\n2 qid:10 1:0.03 2:0.6 #{remark}\n\n0 qid:10 1:0.07 #docid = D8\n", sampling="any"
    )
    assert found.table.select("topic", "docno", "grade").rows() == [("10", "D7", 2), ("10", "D8", 0)]
    assert ("columns_of_training", 2) in codes(found)
    assert found.line_numbers[0] == 2


def test_training_data_that_name_no_topic_or_no_document_are_refused_with_their_lines():
    found = read("2 qid:10 1:0.03 2:0.6 #docid = D7\n0 qid:10 1:0.07 2:0.6\n1 1:0.03 2:0.6 # D9\n", sampling="any")
    assert found.table is None
    assert codes(found)[1:] == [("training_docno", 2), ("training_topic", 3)]


@pytest.mark.parametrize("docno", ["D,7", "D;7", "D,;7:a=1", "a:b,c:d", "it's", '"D7'])
@pytest.mark.parametrize("remark", ["docid = {}", "docid={}; inc=1", "docid = {} inc = 1", " {}"])
def test_a_docno_of_training_data_may_hold_commas_semicolons_and_a_quote(docno: str, remark: str):
    found = read(f"2 qid:10 1:0.03 2:0.6 #{remark.format(docno)}\n", sampling="any")
    assert found.table["docno"].to_list() == [docno]


@pytest.mark.parametrize(
    "remark", ['docid = "D 7"', "docid=D7,inc=1", "docid = http://a/b;id=12 inc = 1", "http://a/b;id=12"]
)
def test_a_docno_of_training_data_with_a_blank_or_without_a_clear_end_is_none(remark: str):
    found = read(f"2 qid:10 1:0.03 2:0.6 #{remark}\n", sampling="any")
    assert codes(found)[1:] == [("training_docno", 1)]


@pytest.mark.parametrize("value", ["NaN", "inf", "-Infinity", "1.", ".5", "1e-05"])
def test_features_of_training_data_may_be_any_number(value: str):
    found = read(f"2 qid:10 1:0.03 2:{value} #docid = D7\n", sampling="any")
    assert codes(found) == [("columns_of_training", 1)]


@pytest.mark.parametrize("begin", ["1 1:", "1 1:1 2:", "1 1:1 2:0.", "1 1:1 2:1e", "", "1."])
def test_a_line_of_a_million_digits_is_told_from_training_data_at_once(begin: str):
    assert not is_training_data(f"{begin}{'1' * 1_000_000}x 2:1".encode())


def test_a_line_of_a_million_features_is_one_of_training_data():
    assert is_training_data(b"1" + b" 1:1" * 1_000_000)


@pytest.mark.parametrize("hostile", ["docid ", "docid= ", "docid", ",", ", ", ";a", ", a ", ", a", '"', "docid='"])
def test_the_docno_behind_a_remark_of_a_million_characters_is_looked_for_once(hostile: str):
    remark = hostile * (1_000_000 // len(hostile))
    found = read(f"2 qid:10 1:0.03 2:0.6 #{remark}\n1 qid:10 1:0.03 2:0.6 #x {remark}!\n", sampling="any")
    assert ("columns_of_training", 1) in codes(found)


def test_a_docno_that_looks_like_a_feature_makes_no_training_data():
    found = read("1 9:30 1\n1 9:31 0\n", sampling="any")
    assert found.table["docno"].to_list() == ["9:30", "9:31"]
