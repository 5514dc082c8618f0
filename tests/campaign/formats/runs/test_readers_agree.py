"""The fast reader of runs against the reader of lines, which defines what is right."""

import gzip
from io import BytesIO

import polars as pl
import pytest
from hypothesis import HealthCheck, example, given
from hypothesis import strategies as st

from campaign.formats.docno_hashes import DocnoHashes
from campaign.formats.runs import check as checking
from campaign.formats.runs.check import check_run, read_lines
from campaign.formats.runs.column_reader import text as run_text
from campaign.formats.runs.column_reader.reader import RunColumns, read_columns
from campaign.formats.runs.column_reader.text import RunText
from campaign.formats.runs.line_reader.reader import read_run
from campaign.formats.runs.order_setting import Ordering
from campaign.formats.runs.rules import DocnoSet, RunRules
from campaign.formats.source import Limits
from tests.draws import examples

LONG = "d" * 201
RULES = (
    RunRules(),
    RunRules(topics=frozenset({"1", "2", "3"}), max_documents_per_topic=3, tag="base"),
    RunRules(max_documents_per_topic=2, docnos=DocnoSet(frozenset({"a", "b", "c"})), docno_pattern="[ab]"),
    RunRules(topics=frozenset({"01", "2"}), max_documents_per_topic=1, docno_pattern=r"[^\W\d]+", tag_pattern="b.*"),
    RunRules(topics=frozenset({"x"}), max_documents_per_topic=5, ordering=Ordering(reference="10")),
    RunRules(max_documents_per_topic=2, ordering=Ordering("rank")),
    RunRules(max_documents_per_topic=2, ordering=Ordering("line"), severities={"rank_duplicate": "warning"}),
)

rank = st.one_of(
    st.integers(-3, 9).map(str),
    st.sampled_from(
        ["+1", "007", "1.0", "x", "9" * 18, "9" * 19, "0" * 18 + "1", "0999999999999999999", "-0", "1_0", "0x1", "٣"]
    ),
)
score = st.one_of(
    st.floats().map(repr),
    st.from_regex(r"[+-]?[0-9]{1,25}\.?[0-9]{0,25}([eE][+-]?[0-9]{1,3})?", fullmatch=True),
    st.sampled_from(["nan", "inf", "-Infinity", "1e400", "1.", ".5", ".", "0x10", "1_0", "-0.0", "5e-324", "1d2", "+.5e1"]),
)  # fmt: skip
usual_rank = st.integers(0, 5).map(str)
usual_score = st.integers(-2, 2).map(str) | st.sampled_from(["-0.0", "1.000000001", "0.999999999", "1e39", "2e39"])
docno = st.sampled_from(["a", "b", "c", "d", "e", "é", "z̈", "𝔷"]) | st.sampled_from(
    ['"a', "'", "#", "a,b", "\u00a0", "\x1c", "\x85", "\u2028", "NULL", LONG, "é" * 200, "é" * 201, "�"]
)
topic = st.sampled_from(["1", "1", "2", "3", "01", "#1", "x"])
separator = st.sampled_from([" "] * 12 + ["\t", "  ", "\x0b", "", " \x0c "])
ending = st.sampled_from(["\n"] * 12 + ["\r\n", "\r", "\n\n", " \n", "\n ", "\r\r\n", "\n\x0b\n", ""])
HEADS = [
    "<SYSDESC>a b</SYSDESC>\n",
    "<sysdesc>",
    "</SYSDESC>\n",
    "qid Q0 docno rank score tag\n",
    "1 Q0 d rank score tag\n",
    '{"1": {"d1": 2.5, "d2": 2, "d3": 1}}\n',
    "[\n",
    '{\n"1": {\n',
    "docno qid Q0 rank score tag\n",
    "<html>\n",
    "1, Q0, a, 1, 2, base\n",
    "1 Q0 a /p 1 0.5\n",
]
lead = st.sampled_from([""] * 12 + [" ", "#", "\ufeff", "# ir_metadata.start\n# ir_metadata.end\n", *HEADS])
strange_line = st.tuples(
    lead, topic, separator, st.sampled_from(["Q0"] * 12 + ["0"]), separator, docno, separator, rank | usual_rank, separator,
    score | usual_score, separator, st.sampled_from(["base"] * 12 + ["other", "b/d"]), ending,
).map("".join)  # fmt: skip
usual_line = st.tuples(
    topic, st.just(" Q0 "), st.sampled_from("abcdefgh"), st.just(" "), usual_rank, st.just(" "), usual_score, st.just(" base\n")
).map("".join)  # fmt: skip
one_topic = st.tuples(
    st.sampled_from("12"), st.lists(st.tuples(st.sampled_from("abcdefgh"), usual_score), max_size=8)
).map(lambda drawn: "".join(f"{drawn[0]} Q0 {d} {r} {s} base\n" for r, (d, s) in enumerate(drawn[1])))
rising = st.tuples(st.integers(2, 9), st.integers(1, 9), st.integers(-1, 1), st.booleans()).map(
    lambda drawn: "".join(
        f"{topic} Q0 d{rank} {rank * drawn[2]} {rank} base\n"
        for topic, size in ((1, drawn[0]), (2, drawn[1]))
        for rank in (range(size) if drawn[3] else reversed(range(size)))
    )
)
files = st.one_of(
    st.lists(usual_line, max_size=25),
    st.lists(strange_line, max_size=8),
    st.lists(st.one_of(usual_line, strange_line), max_size=12),
    st.lists(one_topic, max_size=4),
    st.lists(rising, max_size=2),
).map("".join)
garbage = st.lists(
    st.sampled_from([b"\xff", b"\xc3", b"\xe2\x82", b"\xed\xa0\x80", b" ", b"\n", b"1 Q0 a 1 2 base\n"]),
    max_size=9,
)


def with_garbage(text: str, pieces: list[bytes], place: int) -> bytes:
    data = text.encode()
    place = min(place, len(data))
    return data[:place] + b"".join(pieces) + data[place:]


contents = st.one_of(files.map(str.encode), st.builds(with_garbage, files, garbage, st.integers(0, 200)))


def as_columns(data: bytes, rules: RunRules) -> RunColumns:
    found = read_columns(RunText(data, [len(data)]), rules)
    assert found is not None
    return found


def facts(found: RunColumns) -> tuple[int, str | None, int, str, str]:
    return found.lines, found.tag, found.topics_found, found.header, found.description


def assert_same(found: RunColumns, expected: RunColumns) -> None:
    assert found.findings == expected.findings
    assert facts(found) == facts(expected)
    assert (found.table is None) == (expected.table is None)
    if found.table is not None:
        assert found.table.equals(expected.table, null_equal=True)
        assert found.table.schema == expected.table.schema
        assert found.table["score"].to_numpy().tobytes() == expected.table["score"].to_numpy().tobytes()


@pytest.fixture(params=[1 << 20, 60, 1], ids=["one batch", "few lines a batch", "a batch for each line"])
def batch(request):
    before, run_text.BATCH = run_text.BATCH, request.param
    yield request.param
    run_text.BATCH = before


@examples(80, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(contents, st.sampled_from(RULES))
@example(b"1 Q0 a\tb 1 1 base\n", RULES[0])
@example(b"1\tQ0\ta b\t1\t1\tbase\n", RULES[0])
@example(b"1 Q0 a\rb 1 1 base\n", RULES[0])
@example(b"1 Q0 a 1 1 base 7\n", RULES[0])
@example(b"1 Q0 a 1 1\n1 Q0 b 2 0 base\n", RULES[0])
@example(b"1 Q0 a 1 5 base\n\n1 Q0 b 2 4 base", RULES[0])
@example(b'1 Q0 "a 1 5 base\n1 Q0 b" 2 4 base\n', RULES[0])
@example(b"1 Q0 a 1 0 base\n2 Q0 a 1 5 base\n1 Q0 b 2 4 base\n", RULES[0])
@example(b"\xef\xbb\xbf1 Q0 a 1 0 base\n", RULES[1])
@example(b'# a\n{"1": {"d1": 2, "d2": 2}}\n1 Q0 a 1 0 base\n', RULES[1])
@example(b'1 Q0 a 1 0 base\n{"1": {"d1": 2, "d2": 2}}\n', RULES[1])
@example(b'1 Q0 a 1 0 base\n {"1": {"d1": 2}}\n1 Q0 a\n', RULES[1])
def test_columns_and_lines_find_the_same_in_every_file(batch, data, rules):
    assert_same(as_columns(data, rules), read_lines(RunText(data, [len(data)]), rules))


def checked(data: bytes, rules: RunRules, limits: Limits) -> tuple[object, ...]:
    found = check_run(BytesIO(data), rules, limits)
    return found.problems.to_json(), found.tag, found.lines, found.topics, found.header


def checked_by_lines(data: bytes, rules: RunRules, limits: Limits) -> tuple[object, ...]:
    found = read_run(BytesIO(data), rules, limits)
    reader = found.reader
    if reader is None:
        return found.problems.to_json(), None, 0, 0, ""
    return found.problems.to_json(), reader.tag, reader.lines, reader.topics_found, reader.header


nul = st.sampled_from([b"", b"\0", b"x" * 90])


@pytest.mark.parametrize("lines_at_most", [0, 1 << 20], ids=["a large file", "a small file"])
@examples(40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(contents, nul, st.integers(0, 200), st.sampled_from(RULES), st.booleans())
def test_a_check_tells_what_the_check_script_tells(monkeypatch, lines_at_most, data, bad, place, rules, is_gzip):
    monkeypatch.setattr(checking, "LINES_AT_MOST", lines_at_most)
    limits = Limits(max_line=80)
    data = data[:place] + bad + data[place:]
    data = gzip.compress(data) if is_gzip else data
    assert checked(data, rules, limits) == checked_by_lines(data, rules, limits)


def test_a_nul_far_down_a_large_file_ends_the_reading_where_it_does_line_by_line(monkeypatch):
    monkeypatch.setattr(checking, "LINES_AT_MOST", 0)
    lines = [f"{i // 1000} Q0 d{i} {i % 1000} {-i} base{' ' * (i % 7)}\n" for i in range(60_000)]
    data = "".join(lines).encode()
    for place in (len(data) - 5, 1 << 20, (1 << 20) - 1):
        spoilt = data[:place] + b"\0" + data[place:]
        assert checked(spoilt, RULES[0], Limits()) == checked_by_lines(spoilt, RULES[0], Limits())
        packed = gzip.compress(spoilt, 1)
        assert checked(packed, RULES[0], Limits()) == checked_by_lines(packed, RULES[0], Limits())


@pytest.mark.parametrize(
    "pattern",
    [
        "[ab]",
        "(?:a|b)+",
        r"[A-Z]{2,4}-\d+",
        "a.c",
        "[AZ]-[0-9]{2}",
        "[^a]",
        "a|ab",
        "x*?",
        r"\w+",
        "a{0,2}",
        "[a-]",
        ".",
    ],
)
@examples(20)
@given(st.lists(st.text("abAZ-059.x^é٣", min_size=1, max_size=6), min_size=1, max_size=9))
def test_patterns_of_docnos_mean_the_same_to_both_readers(pattern, docnos):
    data = "".join(f"1 Q0 {docno} 1 1 base\n" for docno in docnos).encode()
    rules = RunRules(docno_pattern=pattern)
    assert_same(as_columns(data, rules), read_lines(RunText(data, [len(data)]), rules))


def test_the_hashes_of_a_collection_say_the_same_to_both_readers():
    docnos = [f"d{number}" for number in range(0, 2000, 2)]
    hashes = DocnoHashes.of([pl.Series(docnos)])
    data = "".join(f"1 Q0 d{number} {number} {-number} base\n" for number in range(2000)).encode()
    by_hash, by_name = (RunRules(docnos=known) for known in (hashes, DocnoSet(frozenset(docnos))))
    expected = read_lines(RunText(data, [len(data)]), by_name)
    assert_same(as_columns(data, by_hash), expected)
    assert_same(read_lines(RunText(data, [len(data)]), by_hash), expected)


def test_the_fast_reader_takes_every_run_of_the_usual_layout():
    for separator in (" ", "\t"):
        data = "1 Q0 a 1 2.5 base\n2 0 b -3 1e-3 other\n1 Q0 a 1 2 base".replace(" ", separator).encode()
        assert read_columns(RunText(data, [len(data)]), RunRules(), only_usual=True) is not None


def test_every_line_of_a_text_is_found_by_its_number(monkeypatch):
    monkeypatch.setattr(run_text, "STRIDE", 16)
    for end in (b"\n", b"\r\n", b"\r"):
        lines = [b"x" * (number * 7 % 40) for number in range(301)]
        data = end.join(lines)
        for size in (1, 50, 1000, 1 << 20):
            monkeypatch.setattr(run_text, "BATCH", size)
            text = RunText(data, [len(data)])
            assert sum(batch.lines for batch in text.batches(0, 1)) == len(lines)
            assert [text.line(number) for number in range(1, len(lines) + 1)] == lines
