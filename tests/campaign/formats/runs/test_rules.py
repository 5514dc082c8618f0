"""Each rule, with the smallest file that breaks it."""

import io
import re
import subprocess

import pytest
from hypothesis import given

from campaign.formats.problems import Problem
from campaign.formats.runs.header import HEADER_LIMIT
from campaign.formats.runs.line_reader.reader import LineCheck, read_run
from campaign.formats.runs.order_setting import Ordering
from campaign.formats.runs.rules import ERROR, OFF, RULES, WARNING, DocnoSet, RunRules, is_severity_setting
from campaign.formats.runs.rules_page import COMMAND, PAGE, rules_page
from campaign.formats.source import Limits
from tests.campaign.formats.runs.bad_runs import BAD_RUNS, GOOD, make_rules, run_files, settings_of_rules
from tests.places import REPOSITORY

EVERYTHING = {code: WARNING for code, rule in RULES.items() if not rule.is_fixed}


def check(text: str | bytes, **rules) -> LineCheck:
    return read_run(io.BytesIO(text.encode() if isinstance(text, str) else text), RunRules(**rules), Limits())


def problem(code: str, text: str | bytes, **rules) -> Problem:
    """The only problem of that code."""
    found = [problem for problem in check(text, **rules).problems.shown if problem.code == code]
    assert len(found) == 1, check(text, **rules).problems
    return found[0]


def codes(text: str | bytes, **rules) -> list[str]:
    return [problem.code for problem in check(text, **rules).problems.shown]


def problems_of_all(severities: dict[str, str]) -> list[Problem]:
    files = [data for name, data in BAD_RUNS.items() if name != "bomb"]
    rules = [make_rules(tag="x", severities=severities), make_rules(docno_pattern=None, severities=severities)]
    return [one for data in files for asked in rules for one in check(data, **vars(asked)).problems.shown]


def counting(text: str | bytes, **rules) -> list[tuple[str, str]]:
    reader = check(text, **rules).reader
    assert reader is not None
    return [(line.topic, line.docno) for line in reader.counting()]


def lines(*rows: str) -> str:
    return "".join(f"{row} base\n" for row in rows)


def test_a_good_run_has_no_problem_with_every_rule_switched_on_but_the_one_for_full_topics():
    assert codes(GOOD, topics=make_rules().topics, severities={**EVERYTHING, "topic_short": OFF}) == []


@pytest.mark.parametrize("severity", [ERROR, WARNING, OFF])
def test_every_rule_takes_the_severity_that_the_task_gives_it(severity):
    severities = dict.fromkeys(EVERYTHING, severity)
    assert all(is_severity_setting(code, severity) for code in severities)
    told = {(problem.code, problem.severity) for problem in problems_of_all(severities)}
    assert {entry for entry in told if entry[0] in severities} == {
        (code, severity) for code in severities if severity != OFF
    }


@pytest.mark.parametrize("code", [code for code, rule in RULES.items() if rule.is_fixed])
def test_what_no_run_can_do_without_stays_an_error(code):
    assert not is_severity_setting(code, OFF)
    assert RunRules(severities={code: OFF}).severity(code) == ERROR


def test_there_is_no_severity_for_rules_that_do_not_exist():
    assert not is_severity_setting("spelling", WARNING)
    assert not is_severity_setting("not_q0", "fatal")


def test_every_rule_is_broken_by_a_file_of_the_collection_and_reported_in_whole_sentences():
    told = problems_of_all({"topic_short": WARNING, "rank_duplicate": WARNING})
    assert {problem.code for problem in told} >= RULES.keys()
    for one in told:
        assert one.message.endswith((".", "…"))
        assert one.remedy.endswith((".", "?"))
        words = one.message + re.sub("(?:python3|awk) .* NEW_FILE", "", one.remedy)
        assert "{" not in words.replace("{topic}", "").replace("{0", "").replace("{0,29}", "")


def test_the_page_of_reference_holds_every_rule_as_it_is():
    page = (REPOSITORY / PAGE).read_text(encoding="utf-8")
    assert page == rules_page(), f"Run: {COMMAND}"


def test_the_first_of_a_kind_is_reported_with_line_and_excerpt_and_the_others_by_number():
    found = problem("score_not_finite", lines("1 Q0 a 1 x", "1 Q0 b 2 4", *(f"1 Q0 c{i} 3 y{i}" for i in range(12))))
    assert (found.line, found.excerpt, found.count) == (1, "1 Q0 a 1 x base", 13)
    assert found.message == (
        "Score x is not a finite number. The same on 12 more lines: 3, 4, 5, 6, 7, 8, 9, 10, 11, …."
    )


def test_column_count_names_the_cause_where_it_can_be_seen():
    assert problem("column_count", "1 Q0 a 1 1\n").message == "There are 5 columns instead of 6."
    assert problem("column_count", "x\n").message == "There is 1 column instead of 6."
    assert (
        "Commas do not separate columns. This writes them with blanks:"
        in problem("column_count", BAD_RUNS["commas"]).remedy
    )
    assert problem("column_count", b"1,Q0,a\n").remedy.endswith("Commas do not separate columns.")
    assert "Its grades come in as qrels" in problem("column_count", b"2 qid:10 1:0.03 2:0.6 #docid = GX001\n").remedy
    assert problem("column_count", BAD_RUNS["no-break spaces"]).remedy.endswith(
        "No-break spaces do not separate columns."
    )


@pytest.mark.parametrize(
    "answer",
    [
        '{"topic_id": "7", "references": ["d1"], "answer": [{"text": "a", "citations": [0]}]}',
        '{"metadata": {"topic_id": "7"}, "responses": [{"text": "a", "citations": {"d1": 0.5}}]}',
    ],
)
def test_generated_answers_are_called_so_with_what_to_send(answer):
    found = problem("column_count", answer + "\n")
    assert found.message == "This is JSON, and not six columns."
    assert found.remedy.endswith(
        "send the run of the search on which they rest, with the six columns for each document."
    )


@pytest.mark.parametrize(
    ("line", "hint"),
    [
        ("1 Q0 d1 1 2.5", "The tag seems to be missing."),
        ("1 Q0 d1 2.5 bm25", "The rank seems to be missing."),
        ("1 Q0 d1 2 bm25", "The rank or the score seems to be missing."),
        ("1 0 3 2.5 bm25", "The docno or the rank seems to be missing."),
        ("1 d1 1 2.5 bm25", "Q0 seems to be missing."),
        ("Q0 d1 1 2.5 bm25", "The topic seems to be missing."),
        ("1 d1 1 2.5", "Q0 and the tag seem to be missing."),
        ("1 Q0 d1 2.5", "The rank and the tag seem to be missing."),
        ("1 d1 2.5", "Q0, rank and tag seem to be missing."),
        ("1 0 d1 2", "This looks like qrels (topic, 0, docno, grade), and not like a run."),
        ("1\td1\t1", "writes six. Qrels of three columns are no run."),
        ("1 Q0 a report 1 2.5 bm25", "The docno seems to hold blanks: write it without."),
        ("1 Q0 12345 1 17 2 bm25", "seems to hold blanks: write it without."),
        ("1 0 12345 1 17 2 bm25", "seems to hold blanks: write it without."),
        ("1 Q0 d1 1 2.5 bm25 of titles", "The tag seems to hold blanks: write it without."),
        ("topic 1 Q0 d1 1 2.5 bm25", "The topic seems to hold blanks: write it without."),
        ("qid docid docno rank score", "The line names columns: write the six in this order, and no line of names."),
        ("1 Q0 d1 1 -4.8 galago 0 50", "Behind the tag stand numbers: take what follows the tag out."),
        ("1 Q0 d1 1 -4.8 galago 7", "Behind the tag stands a number: take what follows the tag out."),
        ("-4.8\td1\t0\t50", "run it with <trecFormat>true</trecFormat>."),
        ("tag: bm25", "between the two marks of ir_metadata."),
        ("actor:", "between the two marks of ir_metadata."),
        ("map                   \tall\t0.2345", "This looks like the output of trec_eval, and not like a run."),
        ("1 d1", "The line looks like one of a pool (topic, docno), and not of a run."),
        ("d1", "This looks like a list of document or topic numbers, and not like a run."),
        ("<!DOCTYPE html>", "A run is no markup: write a line for each document."),
        ("a b c", "Write topic Q0 docno rank score tag, separated by blanks or tabs."),
    ],
)
def test_a_line_of_other_than_six_columns_is_called_what_it_is(line, hint):
    result = check(line + "\n")
    assert [problem.code for problem in result.problems.shown] == ["column_count"]
    assert result.problems.shown[0].line == 1
    assert hint in result.problems.shown[0].remedy


@pytest.mark.parametrize(
    ("line", "hint"),
    [
        ("1 Q0 d1 1 2,5 base", "Write a decimal point in place of the comma."),
        ("1 Q0 d1 1 1,234.5 base", "Take out what separates the thousands, and write a decimal point."),
        ("1 Q0 d1 1 -1.234.567,5 base", "Take out what separates the thousands, and write a decimal point."),
        ("1 Q0 a 1 score base", "The line names columns: take it out."),
        ("1 Q0 d1 1 high base", "Write scores as decimal numbers such as 12.5 or -3e-4."),
    ],
)
def test_a_score_that_is_none_is_called_what_it_is(line, hint):
    assert problem("score_not_finite", line + "\n").remedy.endswith(hint)


def test_nothing_is_said_about_topics_when_no_line_could_be_read():
    assert codes("1 Q0 a\n", topics=frozenset("12")) == ["column_count"]


def test_unknown_topics_are_left_out_and_a_near_miss_is_named():
    text = lines("3 Q0 a 1 1", "3 Q0 b 2 .5", "1 Q0 a 1 1", "9 Q0 a 1 1")
    found = problem("topic_unknown", text, topics=frozenset({"1", "003"}))
    assert (found.line, found.count, found.severity) == (1, 2, WARNING)
    assert found.remedy.startswith("Its lines are left out.")
    assert found.remedy.endswith("The task has 003 with zeros.")
    assert found.message == "Topic 3 is not a topic of this task. The same for 1 more topic: 9."
    assert counting(text, topics=frozenset({"1", "003"})) == [("1", "a")]


def test_a_run_for_another_task_is_rejected():
    found = problem("no_known_topic", lines("301 Q0 a 1 1"), topics=frozenset({"1", "2"}))
    assert (found.severity, found.line) == (ERROR, None)
    assert "written like 1." in found.remedy


def test_missing_topics_are_counted_and_named_by_their_numbers():
    topics = frozenset(str(i) for i in range(1, 20))
    found = problem("topic_missing", lines("1 Q0 a 1 1"), topics=topics)
    assert (found.count, found.severity) == (18, WARNING)
    assert found.message.startswith("18 of 19 topics without a document: 2, 3, ")
    assert found.message.endswith("11 and 8 more.")


def test_a_topic_that_is_taken_up_again_is_reported_once():
    found = problem("topic_ungrouped", lines("1 Q0 a 1 5", "2 Q0 a 1 5", "1 Q0 b 2 4", "2 Q0 b 2 4", "1 Q0 c 3 3"))
    assert (found.line, found.count) == (3, 2)


def test_of_a_topic_that_is_too_deep_the_best_count_by_score_and_then_by_docno():
    text = lines("1 Q0 a 1 1", "1 Q0 b 2 5", "1 Q0 c 3 3", "1 Q0 d 4 3", "1 Q0 e 5 3")
    found = problem("topic_too_deep", text, max_documents_per_topic=3)
    assert (found.line, found.severity) == (4, WARNING)
    assert "The best 3 count: by score, equal scores by docno." in found.remedy
    assert counting(text, max_documents_per_topic=3) == [("1", "b"), ("1", "d"), ("1", "e")]


def test_a_tie_at_the_cut_is_reported_and_one_above_or_below_it_is_not():
    text = lines("1 Q0 a 1 9", "1 Q0 b 2 5", "1 Q0 c 3 5", "1 Q0 d 4 1", "1 Q0 e 5 1")
    assert "places 2 and 3 have the same score 5.0" in problem("tie_at_cut", text, max_documents_per_topic=2).message
    assert "tie_at_cut" not in codes(text, max_documents_per_topic=3)
    assert "tie_at_cut" not in codes(text, max_documents_per_topic=5)


def test_a_topic_with_fewer_documents_is_reported_only_where_the_task_asks_for_that():
    assert "topic_short" not in codes(GOOD)
    found = problem("topic_short", GOOD, max_documents_per_topic=2, severities={"topic_short": ERROR})
    assert (found.line, found.count) == (3, 2)


def test_documents_outside_of_the_collection_are_an_error_and_each_line_counts_one():
    found = problem("docno_unknown", lines("1 Q0 x 1 2", "1 Q0 a 2 1", "2 Q0 x 1 1"), docnos=DocnoSet(frozenset("a")))
    assert (found.severity, found.line, found.count) == (ERROR, 1, 2)


def test_a_docno_without_end_is_reported_at_once_whatever_the_pattern():
    found = check(f"301 Q0 {'-' * 100_000} 1 2.5 base\n", docno_pattern=r".+-.+-.+-\d+", tag_pattern=".+")
    assert [problem.code for problem in found.problems.shown if problem.code.startswith("docno")] == ["docno_long"]


def test_of_a_repeated_document_the_first_line_counts():
    text = lines("1 Q0 a 1 5", "1 Q0 b 2 4", "1 Q0 a 3 3")
    found = problem("docno_duplicate", text)
    assert (found.severity, found.line) == (ERROR, 3)
    assert "already retrieved for topic 1 on line 1." in found.message
    assert counting(text) == [("1", "a"), ("1", "b")]


def test_repeated_documents_are_found_in_a_file_that_is_not_grouped_by_topic():
    assert problem("docno_duplicate", lines("1 Q0 a 1 5", "2 Q0 a 1 5", "1 Q0 a 2 4")).line == 3


def test_a_rank_below_0_and_one_that_is_no_integer_are_warnings():
    assert problem("rank_negative", lines("1 Q0 a -4 5", "1 Q0 b 2 4")).message == "Rank -4 is below 0."
    assert problem("rank_not_integer", lines("1 Q0 a 12.7 1", "1 Q0 b 2 .5")).severity == WARNING
    assert "rank_negative" not in codes(lines("1 Q0 a 0 5", "1 Q0 b +2 4"))


def test_ranks_that_are_all_the_same_are_reported_once():
    assert (
        problem("rank_constant", lines("1 Q0 a 0 5", "1 Q0 b 0 4")).message == "Every line of the file has the rank 0."
    )
    assert "rank_constant" not in codes(lines("1 Q0 a 1 5", "2 Q0 b 1 4"))


def test_scores_that_rise_somewhere_are_a_warning_for_each_topic():
    text = lines("1 Q0 a 1 1", "1 Q0 b 2 2", "2 Q0 a 1 2", "2 Q0 b 2 1", "3 Q0 a 1 1", "3 Q0 b 2 1", "3 Q0 c 3 8")
    found = problem("score_rises", text)
    assert (found.line, found.count, found.severity) == (2, 2, WARNING)


def test_scores_that_rise_in_every_topic_throughout_are_distances_and_an_error():
    rising = [f"{topic} Q0 d{i} {i} {i}" for topic in (1, 2) for i in range(1, 8)]
    assert problem("score_reversed", lines(*rising)).severity == ERROR
    assert "score_rises" not in codes(lines(*rising))
    assert "score_reversed" not in codes(lines(*rising, "3 Q0 a 1 2", "3 Q0 b 2 1"))
    assert "score_reversed" not in codes(lines(*rising[:7]))


def test_reversed_scores_are_shown_in_two_lines_with_the_top_document_of_each_reading_and_both_ways_out():
    rising = [f"{topic} Q0 d{i} {i} {i}" for topic in (1, 2) for i in range(1, 8)]
    found = problem("score_reversed", lines(*rising))
    assert "Line 1: “1 Q0 d1 1 1 base”. Line 7: “1 Q0 d7 7 7 base”." in found.message
    assert "By score the top document of topic 1 is d7, by rank it is d1." in found.message
    assert "If lower scores mean better documents, negate the scores: d1 then comes first." in found.remedy
    assert "If the ranks are wrong, write them anew by descending score: d7 stays first." in found.remedy


def test_mass_ties_warn_even_where_no_topic_is_wholly_tied_and_say_how_much_docno_decides():
    rows = [f"{topic} Q0 d{i:03} {i} {7 if i else 8}" for topic in range(5) for i in range(200)]
    found = problem("score_ties", lines(*rows))
    assert found.severity == WARNING
    assert found.message == (
        "In the whole file docno decides among equal scores at 995 of 1,000 places (99 %), in 5 topics; "
        "of the first 10 places of each topic at 45 of 50."
    )
    few = [f"1 Q0 d{i:03} {i} {min(300 - i, 293)}" for i in range(200)]
    assert "score_ties" not in codes(lines(*few))  # 8 ties among the first places of one topic
    spread = [f"1 Q0 d{i:03} {i} {300 - i + (i in (30, 60))}" for i in range(200)]
    assert "score_ties" not in codes(lines(*spread))


def test_rising_and_constant_scores_say_how_much_of_the_file_is_concerned():
    text = lines("1 Q0 a 1 1", "1 Q0 b 2 2", "2 Q0 a 1 2", "2 Q0 b 2 1", "3 Q0 a 1 1", "3 Q0 b 2 1", "3 Q0 c 3 8")
    assert "In the whole file this holds for 2 of 7 lines." in problem("score_rises", text).message
    constant = lines("1 Q0 a 1 5", "1 Q0 b 2 5", "1 Q0 c 3 5", "2 Q0 a 1 2", "2 Q0 b 2 1")
    assert "at 3 of 5 places (60 %), in 1 topic" in problem("score_constant", constant).message


def test_by_rank_ranks_must_order_and_scores_only_warn():
    by_rank = {"ordering": Ordering("rank"), "severities": {"rank_not_integer": OFF, "rank_duplicate": OFF}}
    bad = lines("1 Q0 a 1 5", "1 Q0 b 1 4", "1 Q0 c x 3")
    found = [problem(code, bad, **by_rank) for code in ("rank_duplicate", "rank_not_integer")]
    assert [(one.line, one.severity) for one in found] == [(2, ERROR), (3, ERROR)]
    assert "the rank is ignored" not in " ".join(one.remedy for one in found)
    assert "score_constant" not in codes(lines("1 Q0 a 1 5", "1 Q0 b 2 5", "1 Q0 c 3 5"), **by_rank)
    rising = [f"{topic} Q0 d{i} {i} {i}" for topic in (1, 2) for i in range(1, 8)]
    assert problem("score_reversed", lines(*rising), **by_rank).severity == WARNING


def test_by_line_neither_scores_nor_ranks_are_complained_of():
    rising = [f"{topic} Q0 d{i} {i} {i}" for topic in (1, 2) for i in range(1, 8)]
    assert codes(lines(*rising), ordering=Ordering("line")) == []


def test_a_topic_that_is_too_deep_is_cut_in_the_order_of_the_task():
    text = lines("1 Q0 a 2 1.0", "1 Q0 b 3 1.000000001", "1 Q0 c 1 .5")
    cut = {
        (order, release): counting(text, max_documents_per_topic=1, ordering=Ordering(order, release))
        for order, release in [("score", "9"), ("score", "10"), ("rank", "9"), ("line", "9")]
    }
    assert [docno for [(_, docno)] in cut.values()] == ["b", "b", "c", "a"]
    twins = lines("1 Q0 b 1 1.0", "1 Q0 a 2 1.000000001")
    assert counting(twins, max_documents_per_topic=1) == [("1", "b")]
    assert counting(twins, max_documents_per_topic=1, ordering=Ordering(reference="10")) == [("1", "a")]


def test_one_score_for_all_documents_of_a_topic_is_a_warning_from_three_on():
    assert "score_constant" not in codes(lines("1 Q0 a 1 5", "1 Q0 b 2 5"))
    assert problem("score_constant", lines("1 Q0 a 1 5", "1 Q0 b 2 5.0", "1 Q0 c 3 5")).severity == WARNING


def test_the_tag_of_the_file_is_compared_with_that_of_the_submission_and_within_the_file():
    found = problem("tag_unexpected", GOOD, tag="mine")
    assert (found.severity, found.count) == (WARNING, 4)
    assert found.remedy == "The run is known as mine. Write mine in the last column of every line."
    assert problem("tag_varies", GOOD + b"1 Q0 c 3 2 two\n").line == 5
    assert problem("tag_pattern", b"1 Q0 c 3 2 ../two\n").severity == WARNING


def test_a_byte_order_mark_follows_the_task_too():
    for severity in (ERROR, WARNING):
        assert (
            problem("byte_order_mark", BAD_RUNS["byte order mark"], severities={"byte_order_mark": severity}).severity
            == severity
        )
    assert codes(BAD_RUNS["byte order mark"], severities={"byte_order_mark": OFF}) == []


def test_comments_at_the_head_are_no_lines_and_the_others_keep_their_numbers():
    result = check(BAD_RUNS["header"])
    assert result.reader is not None
    assert (result.reader.header, result.reader.lines) == ("tag: base", 5)
    assert [(problem.code, problem.line) for problem in result.problems.shown] == [("column_count", 9)]
    assert problem("column_count", BAD_RUNS["comment in the middle"]).line == 5


def test_comments_among_the_lines_are_left_out_with_a_warning_where_the_number_sign_begins_no_topic():
    text = lines("1 Q0 a 1 9", "# And has another comment here.", "  #2", "1 Q0 b 2 8")
    found = problem("comment_line", text, topics=frozenset({"1"}))
    assert (found.line, found.count, found.severity) == (2, 2, WARNING)
    assert codes(text, topics=frozenset({"1"})) == ["comment_line"]
    assert len(counting(text, topics=frozenset({"1"}))) == 2
    assert "comment_line" not in codes(lines("#1 Q0 a 1 9", "#1 Q0 b 2 8"), topics=frozenset({"#1"}))
    assert "comment_line" not in codes(text, topics=None)


@given(run_files, settings_of_rules)
def test_whatever_a_file_holds_its_problems_are_reported_once_for_each_rule_and_in_file_order(data, severities):
    log = read_run(io.BytesIO(data), make_rules(severities=severities), Limits()).problems
    told = [problem.code for problem in log.shown]
    assert len(told) == len(set(told))
    assert [problem.line or 0 for problem in log.shown] == sorted(problem.line or 0 for problem in log.shown)
    assert log.total == sum(problem.count for problem in log.shown)


def test_documents_that_are_written_otherwise_are_named_with_the_difference_one_of_each_kind():
    known = DocnoSet(frozenset({"Z\u00fcrich-1", "FT911-1", "FT911-2", "0007", "d3"}))
    rows = ["1 Q0 Zu\u0308rich-1 1 9", "1 Q0 ft911-1 2 8", "1 Q0 ft911-2 3 7", "1 Q0 7 4 6", "1 Q0 d3.txt 5 5"]
    assert problem("docno_unknown", lines(*rows), docnos=known).remedy == (
        "Use the collection's docnos. The collection has Z\u00fcrich-1 in another Unicode form (NFC). "
        "For ft911-1 the collection has FT911-1 in capitals. For 7 the collection has 0007 with zeros. "
        "For d3.txt the collection has d3 without the ending .txt."
    )


def test_scores_that_single_precision_alone_makes_equal_are_told_as_that_and_get_another_remedy():
    rows = [f"1 Q0 d{i:02} {i} {116777300.5 - i}" for i in range(20)]
    found = problem("score_ties", lines(*rows), ordering=Ordering(reference="9"))
    assert "These scores differ in the file; this task compares them in single precision" in found.message
    assert "all their digits" not in found.remedy
    assert "scores by rank such as 1000" in found.remedy
    assert "score_ties" not in codes(lines(*rows), ordering=Ordering(reference="10"))
    below = [f"1 Q0 d{i:02} {i} 5.{2000000000 - i}" for i in range(20)]
    assert "The scores differ in the file; this task compares them" in problem("score_constant", lines(*below)).message
    mixed = [*rows, *(f"2 Q0 d{i:02} {i} 7" for i in range(20))]
    assert (
        "of these scores differ in the file"
        in problem("score_ties", lines(*mixed), severities={"score_constant": OFF}).message
    )
    cut = lines("1 Q0 a 1 16777217", "1 Q0 b 2 16777216")
    assert "differ in the file" in problem("tie_at_cut", cut, max_documents_per_topic=1).message


def test_scores_beyond_single_precision_are_named_and_those_beyond_double_precision_refused_as_that():
    found = problem("score_out_of_range", lines("1 Q0 a 1 1e39", "1 Q0 b 2 1", "1 Q0 c 3 1e-50", "1 Q0 d 4 0"))
    assert (found.count, found.severity) == (2, WARNING)
    assert found.message.startswith("Score 1e39 is infinite in single precision")
    assert problem("score_out_of_range", lines("1 Q0 c 3 1e-50")).message.startswith("Score 1e-50 is 0 in")
    assert "score_out_of_range" not in codes(lines("1 Q0 a 1 1e39"), ordering=Ordering(reference="10"))
    assert "beyond 1.8e308" in problem("score_not_finite", lines("1 Q0 a 1 1e400")).remedy
    assert "beyond" not in problem("score_not_finite", lines("1 Q0 a 1 nan")).remedy


def test_ties_are_counted_in_topics_that_enter_scores_only():
    rows = [f"{topic} Q0 d{i:02} {i} {7 if topic != 1 else 90 - i}" for topic in (1, 2, 3) for i in range(30)]
    tied = lines(*rows)
    assert "at 60 of 90 places" in problem("score_constant", tied).message
    assert "at 30 of 60 places" in problem("score_constant", tied, unscored=frozenset({"2"})).message
    for known in ({"topics": frozenset({"1"})}, {"unscored": frozenset({"2", "3"})}):
        assert not {"score_ties", "score_constant"} & set(codes(tied, **known))


def test_a_description_of_the_system_and_names_of_columns_before_a_run_are_left_out_with_a_warning():
    result = check(BAD_RUNS["description of NTCIR"])
    assert result.reader is not None
    assert (result.reader.description, result.reader.lines) == ("BM25 of the titles", 4)
    found = problem("head_line", BAD_RUNS["description of NTCIR"])
    assert (found.line, found.count, found.severity) == (1, 2, WARNING)
    assert found.message.startswith("The line describes the system (SYSDESC).")
    found = problem("head_line", BAD_RUNS["names of columns"])
    assert (found.line, found.message) == (1, "The line names the columns.")
    assert check(BAD_RUNS["names of columns"]).problems.ok
    assert problem("column_count", BAD_RUNS["description of NTCIR in the middle"]).line == 5


@pytest.mark.parametrize(
    "head", [b"<SYSDESC>BM25 baseline\n", b"# one\n<sysdesc>a</SYSDESC> 1 Q0 d 1 2 t\n", b"<SYSDESC>\n"]
)
def test_a_description_without_an_end_is_an_error_of_its_line_and_hides_no_line_of_the_run(head):
    topics = [str(topic) for topic in range(1, 11)]
    run = [b"%s Q0 d%d %d.0 %d t\n" % (topic.encode(), n, n, 2000 - n) for topic in topics for n in range(1000)]
    text = head + b"".join(run)
    found = problem("description_open", text, topics=frozenset(topics))
    assert (found.line, found.count, found.severity) == (head.count(b"\n"), 1, ERROR)
    assert "must come within 65,536 bytes, with nothing behind it" in found.message
    assert "Write </SYSDESC> at the end of its last line" in found.remedy
    assert len(counting(text, topics=frozenset(topics))) == 10_000
    assert "head_line" not in codes(text)


def test_a_description_without_an_end_hides_no_error_after_it():
    assert problem("score_not_finite", b"<SYSDESC>BM25\n1 Q0 d1 1 inf t\n" + GOOD).line == 2
    late = problem("column_count", BAD_RUNS["description of NTCIR that ends too late"])
    assert (late.line, late.count) == (2, 32_769)


def test_a_description_may_be_as_long_as_the_limit():
    def described(letters: int) -> bytes:
        return b"<SYSDESC>" + b"x" * (letters - 20) + b"</SYSDESC>\n" + GOOD

    assert HEADER_LIMIT == 65_536
    assert check(described(HEADER_LIMIT)).problems.ok
    assert "description_open" in codes(described(HEADER_LIMIT + 1))


def test_a_run_in_json_is_refused_with_what_to_write():
    assert problem("column_count", BAD_RUNS["JSON"]).remedy.endswith(
        "A run is no JSON: write a line for each document."
    )


@pytest.mark.parametrize(
    "text",
    [
        '{"1": {"a": 2.5, "b": 3, "c": 1}}',
        '{"1": {"a": 2.5}, "2": {"a": 1, "b": 4}}',
        '{\n  "1": {\n    "a": 2.5\n  }\n}',
        '{"took": 3, "hits": {"hits": [{"_id": "a", "_score": 2.5}]}}',
        '[{"docno": "a", "score": 2.5},\n {"docno": "b", "score": 2}]',
    ],
)
def test_json_is_one_problem_however_many_words_and_lines_it_has(text):
    result = check(text + "\n", topics=frozenset("12"))
    assert [(problem.code, problem.line) for problem in result.problems.shown] == [("column_count", 1)]
    assert result.problems.shown[0].message == "This is JSON, and not six columns."
    assert result.reader is not None
    assert result.reader.lines == 1


@pytest.mark.parametrize(
    ("json", "lines"),
    [('{"1": {"a": 2.5}}\n{"2": {"a": 2.5}}\n', 2), ('{\n  "1": {\n\n    "a": 2.5\n  }\n}\n', 5)],
    ids=["a line each", "over several lines"],
)
def test_json_among_the_lines_of_a_run_is_one_problem(json, lines):
    result = check(GOOD + json.encode() + b"1 Q0 d9 9 0.5 base\n1 Q0 d8 8\n")
    [told] = [problem for problem in result.problems.shown if problem.severity == "error"]
    assert (told.code, told.line, told.count) == ("column_count", 5, 2)
    assert told.message == f"This is JSON, and not six columns. The same on 1 more line: {5 + json.count(chr(10)) + 1}."
    assert result.reader is not None
    assert result.reader.lines == 4 + lines + 2


@pytest.mark.parametrize(
    "line",
    [
        "docno qid Q0 rank score tag",
        "qid docno rank score Q0 tag",
        "qid docno iter rank score run_id",
        "qid docid docno rank score query",
        "run_id query_id document_id rank similarity iteration",
    ],
)
def test_names_of_columns_in_another_order_are_one_problem(line):
    result = check(f"# of 2026\n{line}\n" + "1 2 3 4 5 6\n" * 9, topics=frozenset("12"))
    [told] = result.problems.shown
    assert (told.code, told.line, told.count) == ("column_count", 2, 1)
    assert told.message == "The line names the columns in another order than that of a run."
    assert "FILE > NEW_FILE" in told.remedy


@pytest.mark.parametrize("line", ["<?xml version='1.0'?>", "<inex-submission a='1' b='2' c='3' d='4' e='5'>", "<top>"])
def test_markup_is_one_problem(line):
    result = check(f"{line}\n<p>\n401\n</p>\n", topics=frozenset("12"))
    assert [(problem.code, problem.line) for problem in result.problems.shown] == [("column_count", 1)]
    assert result.problems.shown[0].message == "This is markup (XML, HTML or SGML), and not six columns."


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("KITE, KITE01, 16001, u1_2016, 0, 1.0", "A comma and a blank separate the columns."),
        ("GROUP-ID, RUN-ID, TOPIC-ID, IMAGE-ID, SCORE", "A comma and a blank separate the columns."),
        ("1; Q0; d1; 1; 2.5; bm25", "A semicolon and a blank separate the columns."),
        (
            "PSG1 Q0 WO-1 /claims/claim[1] 1 0.9",
            "Rank and score stand in the fifth and sixth column instead of the fourth and fifth.",
        ),
        (
            "run_id manual topic_id doc_id passage rank",
            "The line names the columns in another order than that of a run.",
        ),
    ],
)
def test_columns_that_stand_otherwise_are_one_problem(line, message):
    result = check(f"{line}\n" * 3, topics=frozenset("12"))
    assert [(problem.code, problem.line, problem.message) for problem in result.problems.shown] == [
        ("column_count", 1, message)
    ]


def test_a_tag_may_be_a_number_where_the_rank_is_none():
    assert codes("1 Q0 a x 4 9\n") == ["rank_not_integer"]


def test_a_topic_may_stand_in_angle_brackets():
    assert check("<a> Q0 d1 1 2.5 base\n", topics=frozenset({"<a>"})).problems.ok


def test_a_topic_may_be_written_as_json_begins():
    assert check('["1 Q0 a 1 2.5 base\n', topics=frozenset({'["1'})).problems.ok


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ('{"1": {"a": 2.5, "b": 3}}', ["1 Q0 b 1 3 TAG", "1 Q0 a 2 2.5 TAG"]),
        (
            '{"hits": {"hits": [{"_id": "a", "_score": 2.5}, {"_id": "b", "_score": 2}]}}',
            ["TOPIC Q0 a 1 2.5 TAG", "TOPIC Q0 b 2 2 TAG"],
        ),
        (
            '{\n "took": 1,\n "hits": {\n  "total": 1,\n  "hits": [\n   {"_id": "a", "_score": 2.5}\n  ]\n }\n}',
            ["TOPIC Q0 a 1 2.5 TAG"],
        ),
        (
            '{"root": {"relevance": 1.0, "children": [{"id": "id:ns:doc::a", "relevance": 2.5}]}}',
            ["TOPIC Q0 a 1 2.5 TAG"],
        ),
        (
            (
                '{"took": 1, "responses": [{"hits": {"hits": [{"_id": "a", "_score": 2.5}]}}, {"hits": {"hits": []}}, '
                '{"hits": {"hits": [{"_id": "b", "_score": 1.5}, {"_id": "a", "_score": 0.5}]}}]}'
            ),
            ["1 Q0 a 1 2.5 TAG", "3 Q0 b 1 1.5 TAG", "3 Q0 a 2 0.5 TAG"],
        ),
        (
            '{"responseHeader": {"status": 0}, "response": {"docs": [{"id": "a", "score": 2.5}]}}',
            ["TOPIC Q0 a 1 2.5 TAG"],
        ),
        (
            (
                '[{"run_id": "x", "topic_id": "G1", "query_id": "1", "doc_id": "b", "rel_score": 0.5, "passage": "Sails."},'
                ' {"run_id": "x", "topic_id": "G1", "query_id": "1", "doc_id": "a", "rel_score": 0.25, "passage": "Oars."}]'
            ),
            ["1 Q0 b 0 0.5 TAG", "1 Q0 a 0 0.25 TAG"],
        ),
        (
            '{"qid": "1", "docid": "b", "rank": 1}\n{"qid": "1", "docid": "a", "rank": 2}',
            ["1 Q0 b 1 -1 TAG", "1 Q0 a 2 -2 TAG"],
        ),
        (
            (
                '{\n "query": "red bikes",\n "query_id": "1",\n "docid": "b",\n "rank": "1"\n}\n{\n "query_id": "1",\n'
                ' "docid": "a",\n "text": "} {",\n "rank": "2"\n}\n'
            ),
            ["1 Q0 b 1 -1 TAG", "1 Q0 a 2 -2 TAG"],
        ),
        (
            '[{"query": "red bikes", "query_id": "1", "document": "x", "docid": "b", "rank": 1, "score": 2.5}]',
            ["1 Q0 b 1 2.5 TAG"],
        ),
        ("1 Q0 b /p[1] 1 0.5\n1 Q0 b /p[2] 2 0.4\n1 Q0 a /p[1] 3 0.25", ["1 Q0 b 1 0.5 TAG", "1 Q0 a 3 0.25 TAG"]),
        (
            "1 99 1 0.5 3001 200 k1\n1 99 2 0.4 5001 200 k1\n1 88 3 0.25 1 9 k1",
            ["1 Q0 99 1 0.5 k1", "1 Q0 88 3 0.25 k1"],
        ),
        ("1 Q0 b 1 0.5 3001 200 k1\n1 Q0 a 2 0.25 1 9 k1", ["1 Q0 b 1 0.5 k1", "1 Q0 a 2 0.25 k1"]),
        ("1\tb\t1\n1\ta\t2", ["1 Q0 b 1 -1 TAG", "1 Q0 a 2 -2 TAG"]),
        (
            "# 2026\ndocno qid Q0 rank score tag\nb 1 0 1 2.5 bm25\na 1 0 2 1e-5 bm25",
            ["1 Q0 b 1 2.5 bm25", "1 Q0 a 2 1e-5 bm25"],
        ),
        (
            "qid\tdocid\tdocno\trank\tscore\tquery\n1\t7\tb\t0\t2.5\tkites\n1\t9\ta\t1\t2\tkites",
            ["1 Q0 b 0 2.5 TAG", "1 Q0 a 1 2 TAG"],
        ),
        ("1 b 1 2.5 kite\n1 a 2 2 kite", ["1 Q0 b 1 2.5 kite", "1 Q0 a 2 2 kite"]),
        ("1 Q0 b 2.5 kite\n2 Q0 a 2.5 kite", ["1 Q0 b 1 2.5 kite", "2 Q0 a 1 2.5 kite"]),
        ("1 b 2.5 kite\n1 a 2.25 kite", ["1 Q0 b 1 2.5 kite", "1 Q0 a 2 2.25 kite"]),
        ("1 Q0 b 1 2.5\n1 Q0 a 2 2.5", ["1 Q0 b 1 2.5 TAG", "1 Q0 a 2 2.5 TAG"]),
        ("1 b7\n1 a7\n2 b7", ["1 Q0 b7 1 -1 TAG", "1 Q0 a7 2 -2 TAG", "2 Q0 b7 1 -1 TAG"]),
        (
            '{"turns": [{"turn_id": "1_1", "responses": [{"passage_provenance": [{"id": "b", "score": 0.5}]}]}]}',
            ["1_1 Q0 b 1 0.5 TAG"],
        ),
        (
            '{"q_num": "0.0", "qid": 1, "ranking": ["c"]}\n{"q_num": "0.1", "qid": 1, "ranking": ["b", "a"]}',
            ["1 Q0 b 1 -1 TAG", "1 Q0 a 2 -2 TAG"],
        ),
        ('1,Q0,"a,b",1,2.5,base\n1, Q0, c, 2, 2.25, base', ["1 Q0 a,b 1 2.5 base", "1 Q0 c 2 2.25 base"]),
        ("1 ; Q0 ; a ; 1 ; 2.5 ; base", ["1 Q0 a 1 2.5 base"]),
        ("1|Q0|a|1|2.5|base", ["1 Q0 a 1 2.5 base"]),
        ("\ufeffqid;docno;score;note\n1;b;2.5;x y", ["1 Q0 b 0 2.5 TAG"]),
        ('docno,qid,rank,score\nb,1,1,"2.5"\na,1,2,2', ["1 Q0 b 1 2.5 TAG", "1 Q0 a 2 2 TAG"]),
        ("qid\tdocno\trank\tscore\tname\n1\tb\t1\t2.5\tkite", ["1 Q0 b 1 2.5 TAG"]),
        ('{"id": 700, "body": {"suggestions": ["b", "a"]}}', ["700 Q0 b 1 -1 TAG", "700 Q0 a 2 -2 TAG"]),
    ],
)
def test_the_commands_of_the_remedies_write_runs(text, lines, tmp_path):
    remedy = problem("column_count", text + "\n").remedy
    (tmp_path / "FILE").write_text(text, encoding="utf-8")
    command = remedy[re.search("python3|awk", remedy).start() : remedy.index("NEW_FILE")]
    subprocess.run(["/bin/sh", "-c", f"{command}NEW_FILE"], cwd=tmp_path, check=True)
    assert (tmp_path / "NEW_FILE").read_text(encoding="utf-8").splitlines() == lines
    assert check("\n".join(lines)).problems.ok


def test_a_line_of_a_topic_of_the_task_names_no_columns():
    assert problem("score_not_finite", b"topic Q0 a rank score base\n", topics=frozenset({"topic"})).line == 1


@pytest.mark.parametrize("docno", ["..", ".", "a/../b", "./a", "a/."])
def test_a_docno_that_leads_elsewhere_in_an_address_is_an_error_also_without_a_collection(docno):
    assert problem("docno_dots", f"1 Q0 {docno} 1 1 base\n".encode()).line == 1


@pytest.mark.parametrize("docno", ["a.b", "...", "a..b/c", "a/.b", "http://a/b."])
def test_other_docnos_with_dots_are_taken(docno):
    assert check(f"1 Q0 {docno} 1 1 base\n").problems.ok
