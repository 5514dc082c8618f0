import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from campaign.formats.runs.header import HEADER_LIMIT, RunHead, split_head
from campaign.formats.runs.ir_metadata import read_ir_metadata

RUN = b"301 Q0 a 1 2.5 base\n"


def head_of(text: bytes, topics=None) -> tuple[str, int, int]:
    head, offset = split_head(text, topics)
    return head.header, head.lines, offset


def test_metadata_between_the_marks_come_as_data():
    text = (
        b"# ir_metadata.start\n# platform:\n#   software: {name: bm25s, versions: [1, 2.5]}\n# tag: base\n"
        b"# date: 2024-05-06\n# ir_metadata.end\n" + RUN
    )
    header, lines, offset = head_of(text)
    assert (lines, offset) == (6, len(text) - len(RUN))
    value, problem = read_ir_metadata(header)
    assert problem == ""
    assert value == {
        "platform": {"software": {"name": "bm25s", "versions": [1, 2.5]}},
        "tag": "base",
        "date": "2024-05-06",
    }


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_the_head_ends_at_the_first_line_of_the_run_whatever_ends_its_lines(end):
    text = end.join([b"# one", b"", b"#two", RUN.strip(), b"# three", b""])
    head, offset = split_head(text)
    assert head.lines == 3
    assert text[offset:].startswith(b"301")


def test_a_topic_that_begins_with_a_number_sign_is_no_comment():
    line = b"#7 Q0 a 1 2.5 base\n"
    assert head_of(line, {"#7"}) == ("", 0, 0)
    assert head_of(line, {"7"}) == ("", 1, len(line))
    assert head_of(line) == ("", 0, 0)


def test_six_words_between_the_marks_are_metadata_where_no_topics_are_known():
    text = b"# ir_metadata.start\n# a: one two three four\n# ir_metadata.end\n" + RUN
    assert head_of(text) == ("a: one two three four", 3, len(text) - len(RUN))


@pytest.mark.parametrize(
    "text",
    [
        b"# ir_metadata.start\n# a: 1\n" + RUN,
        b"# a: 1\n# ir_metadata.end\n" + RUN,
        b"# ir_metadata.start\n#" + b"a" * HEADER_LIMIT + b"\n# ir_metadata.end\n" + RUN,
        RUN + b"# ir_metadata.start\n# a: 1\n# ir_metadata.end\n",
    ],
)
def test_a_header_without_both_marks_or_of_too_much_text_is_passed_over(text):
    assert head_of(text)[0] == ""


def test_a_description_of_the_system_steers_no_terminal_and_turns_no_letters():
    head, _ = split_head("<SYSDESC>BM25\x1b[2J\x07 of\u00a0\n\u202etitles</SYSDESC>\n".encode() + RUN)
    assert head.description == "BM25\\x1b[2J\\x07 of \\u202etitles"


HEAD_LINES = [b"<SYSDESC>", b"</SYSDESC>", b"# ir_metadata.start", b"# ir_metadata.end", b"#", b"# x: y", b"", b" "]


@given(st.lists(st.sampled_from([*HEAD_LINES, RUN.strip()])))
def test_lines_and_bytes_split_at_the_same_place(lines):
    text = b"".join(line + b"\n" for line in lines)
    head, offset = split_head(text)
    other = RunHead()
    rest = list(other.skip(enumerate(lines, start=1)))
    assert (head.lines, head.header) == (other.lines, other.header)
    assert b"".join(line + b"\n" for _, line in rest) == text[offset:]


@pytest.mark.parametrize(
    ("header", "words"),
    [
        ("a: b: c", "line 1 of them: mapping values are not allowed here"),
        ("a: 1\nb: [", "line 2 of them"),
        ("- a\n- b", "are not a list of keys"),
        ("just words", "are not a list of keys"),
        ("a: &x [1]\nb: *x", "line 2 of them: aliases"),
        ("a: !!python/object/apply:os.system [ls]", "line 1 of them: could not determine a constructor"),
        ("a: !!binary aGVsbG8=", "kind bytes"),
        ("a: " + "[" * 30000, "levels of nesting"),
        ("a: 2024-99-99", "a date or a number that does not exist"),
        ("a: " + "1" * 5000, "a date or a number that does not exist"),
        ("a: \x07", "special characters"),
        ("a: 1\n--- \nb: 2", "line 2 of them"),
    ],
)
def test_a_header_that_cannot_be_read_is_reported_in_words(header, words):
    value, problem = read_ir_metadata(header)
    assert value == {}
    assert words in problem
    assert problem.startswith("The ir_metadata at the head of the file")
    assert problem.endswith(".")


def test_a_header_of_a_billion_laughs_is_refused_at_once():
    text = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
        f"{new}: &{new} [{', '.join(['*' + old] * 9)}]\n" for old, new in zip("abcdefgh", "bcdefghi", strict=True)
    )
    start = time.thread_time()
    assert "aliases" in read_ir_metadata(text)[1]
    assert time.thread_time() - start < 10  # written out it would not end


def test_values_that_json_or_the_database_cannot_hold_are_written_as_text():
    value, problem = read_ir_metadata(
        'a: .nan\nb: "\\0x"\nc: "\\ud800"\nd: 0x' + "f" * 20 + "\n1: ~\ne: 1:" + "59:" * 999 + "1"
    )
    assert problem == ""
    assert value["a"] == "nan"
    assert value["b"] == "\ufffdx"
    assert value["1"] is None
    json.dumps(value, allow_nan=False).encode()
    "".join(map(str, value.values())).encode()


@pytest.mark.parametrize("value", ["!!bool foo", "!!int ''", "!!float ''", "!!timestamp soon", "!!int _"])
def test_a_value_that_is_not_of_the_kind_it_claims_is_reported_and_ends_no_check(value):
    assert read_ir_metadata(f"x: {value}")[0] == {}
    assert "does not fit its declared type" in read_ir_metadata(f"x: {value}")[1]


def test_no_header_is_no_problem():
    assert read_ir_metadata("") == read_ir_metadata(" \n ") == read_ir_metadata("# only a comment") == ({}, "")


@given(st.text(alphabet="ab:-[]{}#&*!|>'\"\\0123.~?%@`, \n\t", max_size=60))
def test_no_header_whatsoever_raises(header):
    value, problem = read_ir_metadata(header)
    assert not (value and problem)
    json.dumps(value, allow_nan=False)
