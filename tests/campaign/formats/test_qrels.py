import gzip
import io

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from campaign.formats.qrels import QRELS_SCHEMA, QrelsRead, QrelsRules, read_qrels, write_qrels

GOOD = "301 0 FT-1 1\n301 0 FT-2 0\n302 0 FT-1 -1\n"


def read(text: str | bytes, **rules) -> QrelsRead:
    return read_qrels(io.BytesIO(text.encode() if isinstance(text, str) else text), QrelsRules(**rules))


def codes(result: QrelsRead) -> list[tuple[str, int | None]]:
    return [(problem.code, problem.line) for problem in result.problems.shown]


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
    assert codes(read(text)) == [("judgment_duplicate", 2)]
    assert codes(read(text + "1 2 a 1\n", subtopic=True)) == [("judgment_duplicate", 3)]


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
        ("judgment_duplicate", 2),
        ("topic_unknown", 3),
        ("docno_unknown", 4),
        ("grade_unknown", 5),
        ("grade_not_integer", 6),
        ("grade_unknown", 7),
        ("qrels_stratum", 9),
        ("column_count", 10),
        ("not_utf8", 11),
        ("grade_not_integer", 12),
    ]
    assert result.problems.warnings == 1
    assert result.table is None


def test_a_docno_outside_of_the_collection_is_only_a_warning():
    result = read(GOOD, docnos=frozenset({"FT-1"}))
    assert codes(result) == [("docno_unknown", 2)]
    assert result.table is not None


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
    assert codes(result) == []
    assert result.table is not None
    assert sorted(result.table.rows()) == sorted(rows)
