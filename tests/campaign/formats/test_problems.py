import json

from hypothesis import given
from hypothesis import strategies as st

from campaign.formats.problems import SHOWN_LIMIT, Problem, ProblemLog, visible


def test_a_problem_reads_as_its_line_its_message_and_its_remedy():
    problem = Problem("column_count", "There are 5 columns instead of 6.", "Write six.", line=12)
    assert str(problem) == "line 12: There are 5 columns instead of 6. Write six."
    assert str(Problem("empty_file", "The file is empty.", "Send another.")) == "The file is empty. Send another."


def test_a_warning_alone_leaves_the_log_ok():
    log = ProblemLog()
    log.add("not_q0", "The second column is 0.", "Write Q0.", severity="warning", times=50)
    assert log.ok
    assert (log.total, log.errors, log.warnings) == (50, 0, 50)


def test_a_warning_about_the_whole_file_stands_behind_the_errors_that_refuse_it():
    log = ProblemLog()
    log.add("fields", "Left out: url.", "", severity="warning")
    log.add("comment", "A comment.", "", line=2, severity="warning")
    assert [one["code"] for one in log.of_import()["shown"]] == ["fields", "comment"]
    log.add("docno_missing", "No docno.", "Write one.", line=7)
    log.add("empty_file", "Nothing.", "Send another.")
    assert [one["code"] for one in log.of_import()["shown"]] == ["empty_file", "comment", "docno_missing", "fields"]


@given(st.lists(st.tuples(st.sampled_from("abcdefgh"), st.booleans()), max_size=600))
def test_every_problem_is_counted_and_the_first_of_each_code_is_always_shown(entries):
    log = ProblemLog()
    for line, (code, error) in enumerate(entries, start=1):
        log.add(code, f"m{line}", "r", line=line, severity="error" if error else "warning")
    assert log.total == len(entries)
    assert log.errors == sum(error for _, error in entries)
    assert len(log.shown) == min(len(entries), SHOWN_LIMIT)
    assert log.by_code == {code: sum(c == code for c, _ in entries) for code, _ in entries}
    first_lines: dict[str, int] = {}
    for line, (code, _) in enumerate(entries, start=1):
        first_lines.setdefault(code, line)
    assert set(first_lines.items()) <= {(problem.code, problem.line) for problem in log.shown}
    assert [problem.line for problem in log.shown] == sorted(problem.line for problem in log.shown)


def test_making_room_for_a_new_code_never_drops_the_only_problem_of_another():
    log = ProblemLog()
    for line, code in enumerate(["a"] * (SHOWN_LIMIT - 1) + ["b", "c"], start=1):
        log.add(code, f"m{line}", "r", line=line)
    assert [(problem.code, problem.line) for problem in log.shown[-2:]] == [("b", SHOWN_LIMIT), ("c", SHOWN_LIMIT + 1)]
    assert len(log.shown) == SHOWN_LIMIT


def test_the_same_problem_of_many_lines_is_shown_once_with_their_number_and_the_first_of_them():
    log = ProblemLog(limit=2)
    for line in range(1, 31):
        log.add("topic_unknown", f"Topic {line % 3} is unknown.", "Use another.", line=line)
    log.add("empty", "A field is empty.", "Fill it.", line=31)
    assert (log.errors, log.by_code["topic_unknown"]) == (31, 30)
    first, last = log.shown
    assert first.message == ("Topic 1 is unknown. The same on 9 more lines: 4, 7, 10, 13, 16, 19, 22, 25, 28.")
    assert (first.line, first.count, last.line) == (1, 10, 31)
    assert ProblemLog.from_json(log.to_json()).shown == log.shown
    more = ProblemLog()
    for line in range(1, 12):
        more.add("grade_unknown", "Grade 9 is not on the scale.", "", line=line)
    assert str(more).endswith("The same on 10 more lines: 2, 3, 4, 5, 6, 7, 8, 9, 10, ….")


def test_a_log_survives_json():
    log = ProblemLog()
    for line in range(1, 300):
        log.add("docno_duplicate", "Twice.", "Once.", line=line, excerpt=b"\xff\x00 half a line")
    log.add("topic_missing", "3 topics missing.", "", severity="warning", times=3)
    value = json.loads(json.dumps(log.to_json()))
    assert value["total"] == 302
    restored = ProblemLog.from_json(value)
    assert restored.shown == log.shown
    assert restored.to_json() == value
    assert not restored.ok


def test_the_first_of_another_code_takes_the_place_of_the_problem_of_the_fewest_lines():
    log = ProblemLog(limit=3)
    for line, (code, message) in enumerate(["a1", "a2", "a3", "a3", "b1", "a2", "a2", "a3"], start=1):
        log.add(code, message, "", line=line)
    assert [(problem.line, problem.count) for problem in log.shown] == [(1, 1), (3, 3), (5, 1)]
    assert (log.errors, log.distinct["error"]) == (8, 4), "what is not shown is counted: one problem of three lines"


def test_a_problem_that_is_added_to_a_log_from_json_is_another():
    log = ProblemLog()
    log.add("empty", "A field is empty.", "Fill it.", line=1)
    restored = ProblemLog.from_json(log.to_json())
    restored.add("empty", "A field is empty.", "Fill it.", line=2)
    assert ([problem.line for problem in restored.shown], restored.distinct["error"]) == ([1, 2], 2)


@given(st.one_of(st.text(max_size=300), st.binary(max_size=300)))
def test_an_excerpt_is_short_and_printable_whatever_the_line_holds(line):
    excerpt = visible(line)
    assert len(excerpt) <= 120
    assert all(character.isprintable() or character == "\t" for character in excerpt)


def test_one_cause_on_very_many_lines_is_one_problem_even_where_others_came_between():
    log = ProblemLog(limit=3)
    for line in range(1, 20_001):
        log.add("column_count", f"There are {line % 5} columns.", "Write six.", line=line)
    assert log.distinct == {"error": 5, "warning": 0}
    assert [problem.count for problem in log.shown] == [4_000] * 3
    assert (log.errors, ProblemLog.from_json(log.to_json()).distinct) == (20_000, log.distinct)


def test_problems_of_one_line_are_counted_and_their_line_is_not_named_again():
    log = ProblemLog()
    for _ in range(3):
        log.add("topic_number_missing", "There is no topic number.", "Give it.", line=1)
    [problem] = log.shown
    assert (problem.message, problem.count) == ("There is no topic number.", 3)


def test_beyond_ten_thousand_problems_each_counts_as_another():
    log = ProblemLog()
    for line in [*range(10_001), 0, 10_000]:
        log.add("docno_unknown", f"Document {line} is unknown.", "", line=line + 1)
    assert (log.total, log.distinct["error"]) == (10_003, 10_002)
