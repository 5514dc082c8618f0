"""Small files that would become much memory: each is refused before anything is built of it."""

import gzip
import json
import tracemalloc
from collections.abc import Callable
from dataclasses import replace
from io import BytesIO

import pytest

from campaign.formats import blueprint_files, documents, json_stream, jsonlines, source
from campaign.formats.blueprint_files import BlueprintFileError, Language, read_blueprint
from campaign.formats.documents import DOCUMENT_LIMITS, DocumentReader
from campaign.formats.json_values import (
    MOST_VALUES,
    RepeatedKeyError,
    TooManyValuesError,
    json_value,
    json_with_single_keys,
)
from campaign.formats.qrels import rows
from campaign.formats.qrels.read import QrelsRules, read_qrels
from campaign.formats.runs.column_reader.text import RunText
from campaign.formats.runs.ir_metadata import read_ir_metadata
from campaign.formats.sent_tables import TableError, read_table
from campaign.formats.topics import drafts
from campaign.formats.topics import read as topics
from campaign.formats.topics.read import read_topics
from evaluation.boards.stored import NoBoardError, read_board
from pooling.core.files.read import PoolRules, read_pool
from runpool.archive.manifest import LARGEST_MANIFEST, Manifest
from runpool.archive.rows import RowError, row_of
from runpool.archive.zip_io import ArchiveError

MIB = 1 << 20
LISTS = b"[" + b"[]," * 1_200_000 + b"0]"
"""3.6 MB, of which Python would make 86."""


@pytest.fixture(autouse=True)
def small_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of what is slow to read while memory is measured; what is built is in proportion."""
    monkeypatch.setattr(blueprint_files, "MOST_VALUES", 5_000)
    for module, name in ((topics, "MOST_LINES"), (topics, "MOST_TAGS"), (drafts, "MOST_SUBTOPICS")):
        monkeypatch.setattr(module, name, 10_000)
    monkeypatch.setattr(drafts, "MOST_TOPICS", 5_000)
    for module in (jsonlines, json_stream):
        monkeypatch.setattr(module, "MOST_OF_RECORD", 120_000)
    monkeypatch.setattr(documents, "MOST_LINES_AND_TAGS", 20_000)
    monkeypatch.setattr(topics, "MOST_TABLE_LINES", 8_000)
    monkeypatch.setattr(topics, "MOST_TABS", 500_000)


def peak_of(act: Callable[[], object]) -> int:
    tracemalloc.start()
    try:
        act()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def manifest() -> None:
    assert len(LISTS) < LARGEST_MANIFEST
    with pytest.raises(ArchiveError, match="cannot be read"):
        Manifest.from_json(b'{"format": 1, "files": ' + LISTS + b"}")


def row() -> None:
    with pytest.raises(RowError, match="no JSON"):
        row_of(b'{"metadata": ' + LISTS + b"}")


def text_without_an_end() -> None:
    """Looked at once: again from each quote, it would take hours."""
    for end in (b"", b"\\", b"]"):
        with pytest.raises(RowError, match="no JSON"):
            row_of(b'{"a": "' + b'\\"' * 300_000 + b"," * 1_000_001 + end)


def board() -> None:
    with pytest.raises(NoBoardError):
        read_board(b'{"runs": ' + LISTS + b"}")


def document() -> None:
    reader = DocumentReader(BytesIO(b'{"docno": "d1", "text": ' + LISTS + b"}\n"))
    assert list(reader) == []
    assert "more than 120,000 values" in reader.problems.shown[0].message


def document_of_many_objects() -> None:
    """4 MB of them took 120."""
    content = b'{"docno": "d1", "text": "a", "x": [' + b'{"a":1},' * 61_000 + b"0]}"
    for start, end in ((b"", b"\n"), (b"[\n", b"\n]")):
        reader = DocumentReader(BytesIO(start + content + end))
        assert list(reader) == []
        assert "more than 120,000 values" in reader.problems.shown[0].message


def topic_of_many_objects() -> None:
    content = b'[{"number": "1",\n"x": [' + b'{"a":1},' * 61_000 + b"0]}]"
    told(content, "The JSON is broken (more than 120,000 values).")


def topic_of_many_attributes() -> None:
    """6 MB of them took 200."""
    attributes = b" ".join(b"a%d='>'" % number for number in range(100_000))
    told(b"<topics>\n<topic number='1' " + attributes + b"/></topics>", "A tag has more than 10,000 attributes.")


def qrels_that_begin_with_empty_lines() -> None:
    """5 million of them took 450 MB; a pool is read by the same lines."""
    read = read_qrels(BytesIO(b" \n" * 400_000 + b"1 0 d1 1\n"), QrelsRules())
    assert (read.lines, list(read.line_numbers)) == (1, [400_001])


def document_of_many_tags() -> None:
    """Of 30 MB of them several times as much memory was built."""
    told_of_lines_and_tags(b"<DOC><DOCNO>d1</DOCNO>" + b"<a>" * 19_999 + b"</DOC>\n")


def document_of_many_lines() -> None:
    told_of_lines_and_tags(b"<DOC><DOCNO>d1</DOCNO>\n" + b"\n" * 19_998 + b"</DOC>\n")


def told_of_lines_and_tags(content: bytes) -> None:
    reader = DocumentReader(BytesIO(b"<DOC><DOCNO>d0</DOCNO>a</DOC>\n" + content))
    assert [record.docno for record in reader] == ["d0"]
    [problem] = reader.problems.shown
    assert (problem.line, problem.message) == (2, "The document has more than 20,000 lines and tags.")
    assert problem.remedy.startswith("Close it with </DOC>, or take out those that nobody reads")


def document_of_many_attributes() -> None:
    """All of 28 MB became a dictionary of 700. None is cut: its docno comes last."""
    reader = DocumentReader(BytesIO(b"<DOC " + b"".join(b"a%d=1 " % n for n in range(200_000)) + b"id=1>a</DOC>\n"))
    assert [record.docno for record in reader] == ["1"]


def document_of_many_ampersands() -> None:
    reader = DocumentReader(BytesIO(b"<DOC id=1><![CDATA[" + b"&" * 1_000_000 + b"]]></DOC>\n"))
    assert [len(record.text) for record in reader] == [1_000_000]


def document_of_smart_with_many_lines() -> None:
    content = b".I 1\n.W\n" + b"ab\n" * 20_000
    reader = DocumentReader(BytesIO(content), replace(DOCUMENT_LIMITS, max_record=MIB))
    assert list(reader) == []
    assert [problem.code for problem in reader.problems.shown] == ["document_too_large"]


def document_of_many_fields() -> None:
    """10 MB of them took 320, and was half a minute of work."""
    fields = b",".join(b'"%x":0' % number for number in range(20_000))
    reader = DocumentReader(BytesIO(b'{"docno":"1","text":"a",' + fields + b"}\n"))
    assert list(reader) == []
    assert reader.problems.shown[0].message == "A document has 20,002 fields, and 10,000 is the most."


def document_table_of_many_columns() -> None:
    """15 MB of tabs took 420."""
    reader = DocumentReader(BytesIO(b"docno\ttext" + b"\t" * 1_000_000 + b"\n1\ta\n"))
    assert list(reader) == []
    [problem] = reader.problems.shown
    assert (problem.line, problem.message) == (1, "The line has more than 10,000 tabs between its columns.")


def document_table_of_many_columns_by_a_declared_separator() -> None:
    reader = DocumentReader(BytesIO(b"sep=;\ndocno;text" + b";" * 1_000_000 + b"\n1;a\n"))
    assert list(reader) == []
    assert [problem.line for problem in reader.problems.shown] == [2]


def topics_of_many_fields() -> None:
    """8 MB of them took 450."""
    fields = b",".join(b'"%x":0' % number for number in range(100_000))
    told(b'{"number":"1",' + fields + b"}\n", "The object has 100,001 fields, and 100,000 is the most.")


def deep_judgments() -> None:
    """Held once, and not once for each object around it."""
    deep = b'{"a":' * 100 + b"[" + b"12," * 10_000 + b"1]" + b"}" * 100
    read = read_qrels(BytesIO(deep), QrelsRules())
    assert [problem.code for problem in read.problems.shown] == ["columns_json"]


def topics_of_many_lines() -> None:
    told(gzip.compress(b"1\ta\n" * 1_000_000), "The file has more than 10,000 lines.")


def many_topics() -> None:
    told(b"".join(b"%d\ta\n" % number for number in range(6_000)), "The file has more than 5,000 topics.")
    line = b'{"number": "1", "title": "a"}\n'
    told(line * 6_000, "The file has more than 5,000 topics.")


def table_of_many_lines() -> None:
    told(b"1\ta\n" * 9_000, "The file has more than 8,000 lines of a table.")


def table_of_many_columns() -> None:
    told(b"1\ta" + b"\t" * 600_000, "The file has more than 500,000 tabs.")


def topics_of_a_list_of_many_values() -> None:
    message = "The JSON is broken (more than 1,000,000 values)."
    told(b'[{"number": 1, "turns": [' + (b"[]," * 1_000 + b"\n") * 1_200 + b"0]}]", message)


def turns_that_repeat_the_text_of_their_conversation() -> None:
    turns = b",".join(b'{"number": %d, "utterance": "a"}' % number for number in range(4_000))
    about = b'"title": "' + b"a " * 100_000 + b'", '
    read = read_topics(BytesIO(b'[{"number": "' + b"1" * 100_000 + b'", ' + about + b'"turns": [' + turns + b"]}]"))
    assert read.problems.by_code == {"topic_number_long": 4_000, "topic_dialect": 1, "topic_parts_left_out": 1}


def topics_of_many_tags() -> None:
    told(b"<topics>" + b"<topic/>" * 100_000 + b"</topics>", "The file has more than 10,000 tags.")


def topics_of_many_subtopics() -> None:
    line = b'{"number": "1", "title": "a", "subtopics": [' + b"1," * 8_000 + b"1]}\n"
    told(line * 50, "The file has more than 10,000 subtopics.")


def test_topics_of_a_longer_text_than_memory_holds_sixteen_times_are_refused_while_they_are_unpacked() -> None:
    line = b"".join(b"%d, " % number for number in range(20_000))
    read = read_topics(BytesIO(gzip.compress(b"".join(b"%d\t%b\n" % (number, line) for number in range(240)), 1)))
    assert [problem.code for problem in read.problems.shown] == ["text_too_large"]


def told(content: bytes, message: str) -> None:
    read = read_topics(BytesIO(content))
    assert read.records == ()
    assert [problem.message for problem in read.problems.shown] == [message]


def metadata() -> None:
    data, problem = read_ir_metadata("a: [" + "1," * 30_000 + "]")
    assert data == {}
    assert "more than 5,000 values" in problem


def table_of_short_lines() -> None:
    """Each would have a cell for each of the columns."""
    content = b",".join(b"c%d" % number for number in range(10_000)) + b"\n1" * 1_000
    with pytest.raises(TableError) as error:
        read_table(content)
    message = (
        "The table has more than 2,000,000 cells up to this line: the first line has 10,000 columns, this 1. Take out columns "
        "and lines that are not needed."
    )
    assert error.value.problems == ((201, message),)


@pytest.mark.parametrize(
    "act",
    [
        manifest,
        row,
        text_without_an_end,
        board,
        document,
        document_of_many_objects,
        topic_of_many_objects,
        topic_of_many_attributes,
        qrels_that_begin_with_empty_lines,
        document_of_many_tags,
        document_of_many_lines,
        document_of_many_attributes,
        document_of_many_ampersands,
        document_of_smart_with_many_lines,
        document_of_many_fields,
        document_table_of_many_columns,
        document_table_of_many_columns_by_a_declared_separator,
        topics_of_many_fields,
        deep_judgments,
        topics_of_many_lines,
        many_topics,
        table_of_many_lines,
        table_of_many_columns,
        table_of_short_lines,
        topics_of_a_list_of_many_values,
        turns_that_repeat_the_text_of_their_conversation,
        topics_of_many_tags,
        topics_of_many_subtopics,
        metadata,
    ],
)
def test_a_small_file_takes_little_memory_and_is_told_why_it_is_refused(act: Callable[[], None]) -> None:
    assert peak_of(act) < 30 * MIB


@pytest.mark.parametrize("end", [b"\n", b"\r", b"\r\n"])
def test_a_batch_of_a_run_has_so_many_lines_however_short_they_are(end: bytes) -> None:
    """A batch of 8 MB of empty lines took 810: 40 kB, gzipped."""
    data = end * 1_300_000 + b"1 Q0 d 1 1 t\n" * 100
    batches = list(RunText(data, [len(data)]).batches(0, 1))
    assert max(batch.lines for batch in batches) <= 500_000
    assert b"".join(batch.text for batch in batches) == data
    assert sum(batch.lines for batch in batches) == 1_300_100
    assert [batch.first_line for batch in batches][:2] == [1, batches[0].lines + 1]


def test_a_pool_is_held_in_columns_and_not_as_an_object_for_each_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, "ROWS_AT_ONCE", 1_000)
    content = b"".join(b"%d document-%d 1 0.5\n" % (number % 50, number) for number in range(20_000))

    def read() -> None:
        assert read_pool(BytesIO(content), PoolRules()).lines == 20_000

    assert peak_of(read) < 100 * 20_000


@pytest.mark.parametrize(
    ("language", "content", "message"),
    [
        ("yaml", b"a: [" + b"1," * 240_000 + b"]", "values"),
        ("yaml", b"- \n" * 160_000, "values"),
        ("toml", b"a=[" + b"1," * 240_000 + b"]", "values"),
        ("toml", b"x = 1\na" + b".a" * 4_000 + b" = 1", "Line 2: more than 30 names"),
        ("toml", b'x = {"a"' + b" . 'a'" * 4_000 + b" = 1}", "Line 1: more than 30 names"),
        ("toml", b"[a" + b".a" * 4_000 + b"]", "Line 1: more than 30 names"),
        ("toml", b'"\\"".' * 4_000 + b"a = 1", "Line 1: more than 30 names"),
        ("toml", b'# """ don\'t\na' + b".a" * 4_000 + b" = 1", "Line 2: more than 30 names"),
        ("toml", b'x = """\n\'\n"""\na' + b".a" * 4_000 + b" = 1", "Line 4: more than 30 names"),
        ("toml", b"a" * 490_000, "not sound TOML"),
        ("toml", b'"\\' * 240_000, "not sound TOML"),
        ("yaml", b"slug: 1" + b":1" * 240_000, "a number of more than 100 characters"),
    ],
)
def test_a_small_set_up_of_a_campaign_takes_little_memory(language: Language, content: bytes, message: str) -> None:
    def read() -> None:
        with pytest.raises(BlueprintFileError, match=message):
            read_blueprint(content, language)

    assert peak_of(read) < 60 * MIB


@pytest.mark.parametrize(
    ("text", "values"),
    [('{"a": [1, 2, {"b": []}]}', 6), ('[",[{", "\\",[", "\\\\", 1]', 5), ('"a, b"', 1), ("[]", 1), ("7", 1)],
)
def test_values_are_counted_outside_of_texts_and_never_too_few(text: str, values: int) -> None:
    assert json_value(text, most=values) == json.loads(text)
    marks = values - 1 if text[0] in "[{" else 0
    if marks > 1:
        with pytest.raises(TooManyValuesError):
            json_value(text, most=1)


def test_a_long_text_of_commas_is_no_list() -> None:
    text = "," * (MOST_VALUES + 10)
    assert json_value(json.dumps({"text": text})) == {"text": text}


def test_of_millions_of_wrong_lines_no_more_are_read_than_tell_what_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "MOST_ERRORS", 100)
    read = read_qrels(BytesIO(b"1 0 a x\n" * 300_000), QrelsRules())
    assert read.lines == source.CHUNK // 8
    assert read.problems.by_code["grade_not_integer"] == read.lines
    [told] = [problem for problem in read.problems.shown if problem.code == "too_many_errors"]
    assert told.message == "More than 100 errors are found: the file is read to line 131,072."


def test_the_way_to_a_key_that_stands_twice_is_not_written_for_each_value_behind_a_long_key() -> None:
    body = b'{"%s": [%s], "a": 1, "a": 2}' % (b"k" * 100_000, b",".join([b"{}"] * 10_000))

    def read() -> None:
        with pytest.raises(RepeatedKeyError, match="a: a key stands more than once"):
            json_with_single_keys(body)

    assert peak_of(read) < 20 * MIB
