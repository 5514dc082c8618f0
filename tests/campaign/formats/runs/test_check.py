import gzip
import io
import math

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from campaign.formats.runs.check import RunCheck, check_run
from campaign.formats.runs.order_setting import Ordering
from campaign.formats.runs.rules import DocnoSet, RunRules
from campaign.formats.runs.table import RUN_SCHEMA, ranked, run_table_from_parquet, run_table_to_parquet, write_run

GOOD = "301 Q0 FT-1 1 9.5 base\n301 Q0 FT-2 2 -3e-1 base\n302 Q0 FT-1 1 .5 base\n"
TOPICS = frozenset({"301", "302"})


def check(text: str | bytes, **rules) -> RunCheck:
    return check_run(io.BytesIO(text.encode() if isinstance(text, str) else text), RunRules(**rules))


def codes(result: RunCheck) -> list[tuple[str, int | None]]:
    return [(problem.code, problem.line) for problem in result.problems.shown]


def make_table(*rows: tuple[str, str, float]) -> pl.DataFrame:
    columns = {"topic": [r[0] for r in rows], "docno": [r[1] for r in rows], "score": [r[2] for r in rows]}
    return pl.DataFrame(columns).with_columns(rank=pl.lit(0, dtype=pl.Int64)).select(list(RUN_SCHEMA))


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        GOOD.rstrip("\n"),
        GOOD.replace(" ", "\t"),
        GOOD.replace("\n", "\r\n"),
        GOOD.replace("\n", "\r"),
        GOOD.replace(" ", "  \t"),
        GOOD.replace("\n", " \n\n"),
        "\n" + GOOD,
        " " + GOOD,
        GOOD.replace(" Q0", "\x0bQ0"),
    ],
)
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_a_good_run_is_accepted_however_its_columns_and_lines_are_separated(text, pack):
    result = check(
        pack(text.encode()), topics=TOPICS, docnos=DocnoSet(frozenset({"FT-1", "FT-2"})), docno_pattern=r"FT-\d"
    )
    assert codes(result) == []
    assert result.table is not None
    assert result.table.schema == RUN_SCHEMA
    assert result.table.rows() == [("301", "FT-1", 1, 9.5), ("301", "FT-2", 2, -0.3), ("302", "FT-1", 1, 0.5)]
    assert (result.tag, result.lines, result.topics) == ("base", 3, 2)


def test_a_run_with_five_columns_is_rejected_with_its_line_number():
    result = check(GOOD + "302 Q0 FT-2 2 0.1\n")
    assert codes(result) == [("column_count", 4)]
    assert not result.ok
    assert result.table is not None
    assert result.table.height == 3
    assert str(result.problems.shown[0]).startswith("line 4: There are 5 columns instead of 6.")


def test_no_break_spaces_are_named_as_the_cause_of_a_wrong_column_count():
    result = check("301\u00a0Q0\u00a0FT-1 1 9.5 base\n")
    assert codes(result) == [("column_count", 1)]
    assert "No-break" in result.problems.shown[0].remedy


@pytest.mark.parametrize(
    "score", ["nan", "NaN", "inf", "-Infinity", "1e999", "high", "0x1p3", "1,5", "1_0", "\u0661", "--1"]
)
def test_a_score_that_is_not_a_finite_number_is_an_error(score):
    result = check(f"301 Q0 a 1 {score} base\n")
    assert codes(result) == [("score_not_finite", 1)]


@pytest.mark.parametrize("rank", ["first", "1.0", "1e3", "9" * 30, "-"])
def test_a_rank_that_is_not_an_integer_is_only_a_warning_and_left_empty(rank):
    result = check(f"301 Q0 a {rank} 1 base\n301 Q0 b 2 .5 base\n")
    assert codes(result) == [("rank_not_integer", 1)]
    assert result.table is not None
    assert result.table["rank"].to_list() == [None, 2]


def test_all_problems_are_found_in_one_pass_in_file_order():
    result = check(
        b"301 Q0 a 1 5 base\n"
        b"301 Q0 a 2 4 base\n"  # duplicate
        b"999 Q0 a 1 5 base\n"  # unknown topic
        b"301 Q0 x 3 3 base\n"  # unknown docno
        b"301 Q0 b 4 two base\n"  # score
        b"301 0 c 5 2 base\n"  # Q0
        b"301 Q0 d 6 1 other\n"  # tag
        b"301 Q0 caf\xe9 7 1 base\n"
        b"301 Q0 d\n",
        topics=frozenset({"301", "302", "303"}),
        docnos=DocnoSet(frozenset("abcd")),
        max_documents_per_topic=5,
    )
    assert codes(result) == [
        ("topic_missing", None),
        ("docno_duplicate", 2),
        ("topic_unknown", 3),
        ("docno_unknown", 4),
        ("topic_ungrouped", 4),
        ("score_not_finite", 5),
        ("not_q0", 6),
        ("tag_varies", 7),
        ("not_utf8", 8),
        ("column_count", 9),
    ]
    assert result.problems.errors == 6
    assert result.problems.warnings == 5
    assert not result.ok
    assert result.table is not None
    assert result.table.rows() == [
        ("301", "a", 1, 5.0),
        ("301", "x", 3, 3.0),
        ("301", "c", 5, 2.0),
        ("301", "d", 6, 1.0),
    ]


def test_one_document_too_many_names_the_line_where_the_limit_is_passed():
    lines = "".join(f"301 Q0 d{i} {i} {-i} base\n" for i in range(1, 6))
    assert codes(check(lines, max_documents_per_topic=5)) == []
    assert codes(check(lines, max_documents_per_topic=3)) == [("topic_too_deep", 4)]
    assert check(lines, max_documents_per_topic=3).table["docno"].to_list() == ["d1", "d2", "d3"]


@pytest.mark.parametrize("tag", ["../x", "-lead", "a" * 31, "sp\u00e4t", "a/b"])
def test_a_tag_outside_of_the_pattern_is_reported(tag):
    result = check(f"301 Q0 a 1 1 {tag}\n")
    assert codes(result) == [("tag_pattern", 1)]


def test_a_tag_other_than_the_submitted_one_is_reported_for_every_line():
    result = check(GOOD, tag="another")
    assert result.problems.by_code == {"tag_unexpected": 3}
    assert codes(check(GOOD, tag="base")) == []


def test_docnos_must_match_the_whole_pattern():
    assert codes(check(GOOD, docno_pattern=r"FT-\d")) == []
    assert codes(check(GOOD, docno_pattern=r"FT-1")) == [("docno_pattern", 2)]
    assert codes(check(f"301 Q0 {'x' * 201} 1 1 base\n")) == [("docno_long", 1)]


def test_scores_that_rise_with_the_rank_are_a_warning_once_a_topic():
    rising = "1 Q0 a 1 .1 t\n1 Q0 b 2 .2 t\n1 Q0 c 3 .3 t\n2 Q0 a 1 1 t\n"
    result = check(rising)
    assert codes(result) == [("score_rises", 2)]
    assert result.table is not None


@pytest.mark.parametrize("separator", [" ", "  "])
def test_equal_scores_at_different_ranks_are_fine(separator):
    assert codes(check("1 Q0 a 1 .7 t\n1 Q0 b 2 .5 t\n1 Q0 c 3 .5 t\n".replace(" ", separator))) == []


def test_lines_out_of_rank_order_are_fine_if_scores_and_ranks_agree():
    assert codes(check("1 Q0 b 2 .2 t\n1 Q0 a 1 .3 t\n1 Q0 c 3 .1 t\n")) == []


def test_the_canonical_order_is_score_then_docno_both_descending_by_bytes():
    table = make_table(
        ("10", "a", 1.0),
        ("9", "a", 0.0),
        ("10", "A", 1.0),
        ("10", "\U0001f600", 1.0),
        ("10", "\uffee", 1.0),
        ("10", "9", 1.0),
        ("10", "10", 1.0),
        ("10", "low", 0.9999999999999999),
        ("9", "b", -0.0),
        ("9", "c", -5.0),
    )
    result = ranked(table, DOUBLE)
    assert result["position"].dtype == pl.UInt32
    assert result.select("topic", "docno", "position").rows() == [
        ("10", "\U0001f600", 1),
        ("10", "\uffee", 2),
        ("10", "a", 3),
        ("10", "A", 4),
        ("10", "9", 5),
        ("10", "10", 6),
        ("10", "low", 7),
        ("9", "b", 1),
        ("9", "a", 2),
        ("9", "c", 3),
    ]


DOUBLE = Ordering(reference="10")
docnos = st.text(alphabet="aAb1\u00e9\uffee\U0001f600", min_size=1, max_size=3)
scores = st.one_of(
    st.sampled_from([0.0, -0.0, 1.0, 16777216.0, 16777217.0]), st.floats(allow_nan=False, allow_infinity=False)
)
rows = st.lists(
    st.tuples(st.sampled_from(["1", "10", "2"]), docnos, scores), min_size=1, max_size=30, unique_by=lambda row: row[:2]
)


@given(rows)
def test_the_canonical_order_agrees_with_plain_python(entries):
    expected = sorted(sorted(entries, key=lambda r: (r[2], r[1].encode()), reverse=True), key=lambda r: r[0].encode())
    assert ranked(make_table(*entries), DOUBLE).select("topic", "docno").rows() == [row[:2] for row in expected]


SCORES = ("score_constant", "score_ties", "score_out_of_range")


@given(rows)
def test_a_written_run_reads_back_without_a_problem_and_with_the_same_doubles(entries):
    table = make_table(*entries)
    result = check(
        write_run(table, "base", DOUBLE),
        tag="base",
        severities=dict.fromkeys(SCORES, "off"),
    )
    assert codes(result) == []
    assert result.table is not None
    expected = ranked(table, DOUBLE)
    assert result.table.select("topic", "docno", "score").rows() == expected.select("topic", "docno", "score").rows()
    assert all(
        math.copysign(1, a) == math.copysign(1, b)
        for a, b in zip(result.table["score"], expected["score"], strict=True)
    )


@given(rows)
def test_a_run_table_survives_parquet(entries):
    table = make_table(*entries).with_columns(rank=pl.Series([None] + [1] * (len(entries) - 1), dtype=pl.Int64))
    data = run_table_to_parquet(table)
    assert run_table_from_parquet(data).equals(table)
    assert run_table_from_parquet(io.BytesIO(data)).schema == RUN_SCHEMA


def test_a_file_of_nothing_but_line_ends_is_refused_before_they_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("campaign.formats.runs.check.MOST_LINE_ENDS", 1_000)
    for ends in (b"\n" * 1_001, b"\r" * 1_001):
        [problem] = check_run(io.BytesIO(ends), RunRules()).problems.shown
        assert problem.code == "too_many_lines"
    assert "too_many_lines" not in {one.code for one in check_run(io.BytesIO(b"\n" * 1_000), RunRules()).problems.shown}
