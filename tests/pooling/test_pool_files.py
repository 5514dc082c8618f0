"""Pool files that others made: what is read of them, and every problem with its line."""

import subprocess
import sys
from io import BytesIO

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pooling.core.files.read import PoolRules, read_pool
from pooling.core.strategies.drawing import pool_file
from pooling.core.strategies.frames import sample_file
from tests.places import REPOSITORY

RULES = PoolRules(topics=frozenset({"1", "2"}), docnos=frozenset({"a", "b", "c"}))


def codes(content: bytes, rules: PoolRules = RULES) -> list[tuple[int | None, str]]:
    read = read_pool(BytesIO(content), rules)
    assert (read.drawn is None) == bool(read.problems.errors)
    return [(problem.line, problem.code) for problem in read.problems.shown]


@pytest.mark.parametrize(
    ("content", "found"),
    [
        (b"", [(None, "empty_file")]),
        (b"1 a\n3 b\n", [(2, "topic_unknown")]),
        (b"1 a\n1 x\n", [(2, "docno_unknown")]),
        (b"1 a\n2 a\n1 a\n", [(3, "pool_duplicate")]),
        (b"1 a\n1 b 1 0.5\n", [(2, "pool_columns")]),
        (b"1 a 1 1\n1 b\n", [(2, "pool_columns")]),
        (b"1\n", [(1, "pool_columns")]),
        (b"1 a 0 0.5\n", [(1, "pool_stratum")]),
        (b"1 a 1000 0.5\n", [(1, "pool_stratum")]),
        (b"1 a one 0.5\n", [(1, "pool_stratum")]),
        (b"1 a 1 0\n", [(1, "pool_probability")]),
        (b"1 a 1 1.01\n", [(1, "pool_probability")]),
        (b"1 a 1 nan\n", [(1, "pool_probability")]),
        (b"1 a 1 -0.5\n", [(1, "pool_probability")]),
        (b"1 a 1 NA\n", [(None, "pool_nothing_drawn")]),
        (b"1 0 a 1 -1 NA\n", [(None, "pool_nothing_drawn")]),
        (b"1 0 a 1 -1 1\n1 0 b 1 2 NA\n", [(2, "pool_judged")]),
        (b"1 0 a 1 -1 1\n1 a 1 1\n", [(2, "pool_columns")]),
        (b"3 0 x 0 -1 7\n", [(1, "topic_unknown"), (1, "docno_unknown"), (1, "pool_stratum"), (1, "pool_probability")]),
        (b"1 \xff\n", [(1, "not_utf8")]),
        (b"1 " + b"a" * 201 + b"\n", [(1, "pool_key_too_long"), (1, "docno_unknown")]),
        (b"PK\x03\x04", [(None, "archive")]),
    ],
)
def test_each_problem_is_found_at_its_line(content: bytes, found: list[tuple[int | None, str]]) -> None:
    assert codes(content) == found


@pytest.mark.parametrize("line", ["3 a{}", "1 x{}", "1 {:0>201}"])
def test_what_is_held_does_not_grow_with_lines_that_are_refused(line: str) -> None:
    command = [sys.executable, "-m", "tests.pooling.held_bytes", line]
    measured = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=True)
    few, many = map(int, measured.stdout.split())
    assert many < 1.5 * few + 1_500_000  # ten thousand problems are known by their hashes


def test_comments_of_a_pool_are_left_out_and_named() -> None:
    read = read_pool(BytesIO(b"# topic docno\n#pool\n1 a\n"), PoolRules(topics=frozenset({"1"})))
    assert (read.lines, read.topics) == (1, 1)
    [comment] = read.problems.shown
    assert (comment.code, comment.line, comment.severity, comment.count) == ("comment", 1, "warning", 2)


def test_rows_are_given_up_at_the_first_error_and_the_lines_after_it_are_checked() -> None:
    found = codes(b"1 a 1 1\n3 b 1 1\n1 a 1 1\n1 b 0 1\n1 c 1 2\n")
    assert found == [(2, "topic_unknown"), (3, "pool_duplicate"), (4, "pool_stratum"), (5, "pool_probability")]


@pytest.mark.parametrize(
    ("content", "warned"),
    [
        (b"1;a\n1;b\n", ["columns_separated"]),
        (b"sep=,\n1,a\n1,b\n", ["columns_separated"]),
        (b'query_id,doc_id\n1,"a"\n1,b\n', ["columns_separated", "headings"]),
        (b"1 | a\n1 | b\n", ["columns_separated"]),
        (b"| 1 | a |\n| 1 | b |\n", ["columns_separated"]),
        (b"topic docno\n1 a\n1 b\n", ["headings"]),
        (b"DocNo\tTopic\na\t1\nb\t1\n", ["headings", "headings_order"]),
    ],
)
def test_a_pool_of_a_spreadsheet_and_one_with_headings_are_read_with_a_warning(
    content: bytes, warned: list[str]
) -> None:
    read = read_pool(BytesIO(content), RULES)
    assert read.drawn is not None, str(read.problems)
    assert read.drawn.select("topic", "docno").rows() == [("1", "a"), ("1", "b")]
    assert list(read.problems.by_code) == warned
    assert not read.problems.errors


@pytest.mark.parametrize(
    "content", [b'{"1": ["a", "b"]}', b'[{"qid": "1", "docno": "a"},\n{"qid": "1", "docno": "b"}]']
)
def test_a_pool_in_json_is_read_with_a_warning(content: bytes) -> None:
    read = read_pool(BytesIO(content), PoolRules())
    assert read.drawn is not None
    assert read.drawn.select("topic", "docno").rows() == [("1", "a"), ("1", "b")]
    assert read.problems.by_code == {"json_read": 1}


def test_judgments_in_json_are_no_pool() -> None:
    read = read_pool(BytesIO(b'{"1": {"a": 2}}'), PoolRules())
    assert read.drawn is None
    assert "pool_wrong_kind" in read.problems.by_code


def test_a_sample_of_a_spreadsheet_is_read_and_a_docno_with_white_space_is_refused_at_its_line() -> None:
    read = read_pool(BytesIO(b"topic,docno,stratum,probability\n1,a,1,0.5\n1,b,1,NA\n"), RULES)
    assert read.drawn is not None
    assert read.frame is not None
    assert (read.drawn.rows(), read.frame.rows()) == ([("1", "a", 1, 0.5)], [("1", "b", 1)])
    found = codes(b"1,a\n1,b c\n2,c\n")
    assert found == [(1, "columns_separated"), (2, "field_white_space")]


@pytest.mark.parametrize(
    ("content", "message", "place"),
    [
        (b"1 0 a 2\n1 0 b 0\n2 0 c -1\n", "This looks like qrels", "Import qrels"),
        (b"1 0 184 2\n2 0 13 0\n", "This looks like qrels", "Import qrels"),
        (b"1 2 a 1\n1 3 b 0\n", "This looks like qrels", "Import qrels"),
        (b"1 0 a 1 2\n1 0 b 2 -1\n", "This looks like qrels of a sample", "Import qrels"),
        (b"1 0 a 1 0.5\n1 0 b 0 NA\n", "This looks like qrels of a sample", "Import qrels"),
        (b"1 Q0 a 1 9.5 bm25\n1 Q0 b 2 -1 bm25\n", "This looks like a run", "page Runs of the task"),
        (b"1 0 a 1 9.5 bm25\n1 0 b 2 9.1 bm25\n", "This looks like a run", "page Runs of the task"),
        (b"qid;iter;doc;rel\n1;0;a;2\n1;0;b;0\n", "This looks like qrels", "Import qrels"),
    ],
)
def test_a_file_of_another_kind_is_named_before_the_errors_of_its_lines(
    content: bytes, message: str, place: str
) -> None:
    first, *others = read_pool(BytesIO(content), RULES).problems.shown
    assert first.line is None
    assert first.message.startswith(message)
    assert place in first.remedy
    assert others


@pytest.mark.parametrize(
    "content",
    [b"1 a\n3 b\n", b"1 a 1 1\n1 b 2 7\n", b"1 0 a 1 2 0.5\n1 0 b 1 0 NA\n", b"1 13 1 1\n1 184 1 NA\n", b"docno 7\n"],
)
def test_a_pool_with_errors_is_not_taken_for_another_kind(content: bytes) -> None:
    shown = read_pool(BytesIO(content), RULES).problems.shown
    assert shown
    assert "pool_wrong_kind" not in {problem.code for problem in shown}


def test_the_columns_of_a_line_are_counted_in_words() -> None:
    [problem] = read_pool(BytesIO(b"1 a\n1\n"), RULES).problems.shown
    assert problem.message == "The line has 1 column, not 2: topic and docno."


def test_every_message_says_what_to_do() -> None:
    read = read_pool(BytesIO(b"3 x 0 7\n1 a\n1 a 1 1\n1 a 1 1\n"), RULES)
    assert len(read.problems.shown) == 6
    assert all(problem.message and problem.remedy for problem in read.problems.shown)


pairs = st.lists(
    st.tuples(st.sampled_from("12"), st.text("abcäß…", min_size=1, max_size=3)), min_size=1, max_size=8, unique=True
)


@given(pairs, st.data())
def test_a_sampled_pool_is_read_as_it_was_written(pairs: list[tuple[str, str]], data: st.DataObject) -> None:
    values = [(data.draw(st.integers(1, 999)), data.draw(st.floats(1e-9, 1))) for _ in pairs]
    rows = [(*pair, *value) for pair, value in zip(pairs, values, strict=True)]
    schema = {"topic": pl.String, "docno": pl.String, "stratum": pl.Int32, "inclusion_probability": pl.Float64}
    drawn = pl.DataFrame(rows, schema=schema, orient="row")
    read = read_pool(BytesIO(pool_file(drawn) + b"2 not-drawn 7 NA\n"), PoolRules())
    assert read.drawn is not None
    assert read.drawn.rows() == rows
    assert read.frame is not None
    assert read.frame.rows() == [("2", "not-drawn", 7)]


@given(st.lists(st.sampled_from([b"1", b"a", b"0.5", b"NA", b" ", b"\t", b"\n", b"\r", b"\x00", b"\xff", b"1e999"])))
def test_any_bytes_are_read_or_refused(pieces: list[bytes]) -> None:
    read = read_pool(BytesIO(b"".join(pieces)), RULES)
    assert (read.drawn is None) == (read.problems.errors > 0)
    if read.drawn is not None and read.drawn["inclusion_probability"].null_count() == 0:
        assert read.drawn["inclusion_probability"].is_between(0, 1, closed="right").all()


@given(pairs, st.data())
def test_what_a_sample_could_draw_is_read_as_it_was_written(
    drawable: list[tuple[str, str]], data: st.DataObject
) -> None:
    drawn = drawable[: data.draw(st.integers(1, len(drawable)))]
    probabilities = data.draw(st.lists(st.floats(0, 1, exclude_min=True), min_size=len(drawn), max_size=len(drawn)))
    strata = [1 + place % 3 for place in range(len(drawable))]
    schema = {"topic": pl.String, "docno": pl.String, "stratum": pl.Int32}
    rows = [(*pair, stratum) for pair, stratum in zip(drawable, strata, strict=True)]
    entries = pl.DataFrame(rows[: len(drawn)], schema=schema, orient="row").sort("topic", maintain_order=True)
    entries = entries.with_columns(inclusion_probability=pl.Series(probabilities, dtype=pl.Float64))
    frame = pl.DataFrame(rows[len(drawn) :], schema=schema, orient="row")
    read = read_pool(BytesIO(sample_file(entries, frame)), PoolRules())
    assert read.drawn is not None
    assert read.drawn.equals(entries.select(read.drawn.columns))
    held = frame.clear() if read.frame is None else read.frame
    assert held.sort("topic", "docno").equals(frame.sort("topic", "docno"))


def test_a_pair_that_is_written_otherwise_is_named_with_the_known_one() -> None:
    topic, docno = read_pool(BytesIO(b"01 a\n1 B\n"), RULES).problems.shown
    assert topic.remedy.endswith("The task has 1 without zeros.")
    assert docno.remedy.endswith("The collection has b in small letters.")


@pytest.mark.parametrize(
    ("docno", "code"),
    [
        ("..", "docno_dots"),
        ("a/../b", "docno_dots"),
        ("a\u00a0b", "docno_space"),
    ],
)
def test_without_a_collection_docnos_that_no_run_may_have_are_refused(docno: str, code: str) -> None:
    assert codes(f"1 ok\n1 {docno}\n".encode(), PoolRules(topics=frozenset({"1"}))) == [(2, code)]


@pytest.mark.parametrize("docno", ["d\xad1", "a\u202eb", "a\x07b"])
def test_a_docno_with_what_nobody_sees_comes_in_with_a_warning_without_a_collection_and_with_its_own(
    docno: str,
) -> None:
    read = read_pool(BytesIO(f"1 {docno}\n".encode()), PoolRules(topics=frozenset({"1"})))
    assert read.drawn is not None
    assert read.drawn["docno"].to_list() == [docno]
    assert [(problem.code, problem.severity) for problem in read.problems.shown] == [("docno_unseen", "warning")]
    assert codes(f"1 {docno}\n".encode(), PoolRules(topics=frozenset({"1"}), docnos=frozenset({docno}))) == []


@pytest.mark.parametrize("docno", ["a/b", "%2F", "a#b?c", "http://a/b.html", "Z\u00fcrich", "a\u200cb"])
def test_other_odd_docnos_come_in_without_a_collection(docno: str) -> None:
    assert codes(f"1 {docno}\n".encode(), PoolRules(topics=frozenset({"1"}))) == []
