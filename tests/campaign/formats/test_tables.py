"""Tables as spreadsheets of several countries and systems write them: read alike, or refused with line and remedy."""

import csv
import io
import time
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from campaign.formats.documents import DocumentReader
from campaign.formats.sent_tables import DECLARED, TableError, read_table, without_empty_end

ROWS = [{"run": "bm25", "team": "Zürich, A"}, {"run": "=1", "team": 'the "B"; C'}]


def written(separator: str, end: str, *, before: str = "", quoting: int = csv.QUOTE_MINIMAL) -> str:
    out = io.StringIO()
    writer = csv.writer(out, delimiter=separator, lineterminator=end, quoting=quoting)  # type: ignore[arg-type]
    writer.writerows([["Run", " Team "], *(row.values() for row in ROWS)])
    return before + out.getvalue()


@pytest.mark.parametrize(
    "encoding",
    ["utf-8", "utf-8-sig", "utf-16", "utf-16-le with a mark", "utf-16-be with a mark", "utf-16-le", "utf-16-be"],
)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_a_table_is_the_same_whatever_spreadsheet_wrote_it(separator: str, end: str, encoding: str) -> None:
    mark = "\ufeff" if encoding.endswith("mark") else ""
    for before in ("", f"sep={separator}{end}", f'"sep={separator}"{end}', f"{end}SEP={separator}{end}"):
        for quoting in (csv.QUOTE_MINIMAL, csv.QUOTE_ALL):
            text = written(separator, end, before=before, quoting=quoting)
            table = read_table((mark + text).encode(encoding.partition(" ")[0]))
            assert table.columns == ["run", "team"]
            assert [cells for _, cells in table.rows] == ROWS
            assert [number for number, _ in table.rows] == [2 + before.count(end), 3 + before.count(end)]


def test_another_separator_is_read_where_the_file_names_it() -> None:
    assert read_table(b"sep=|\nrun|team\na;b|c,d\n").rows == [(3, {"run": "a;b", "team": "c,d"})]


def test_a_separator_within_quotation_marks_of_the_first_line_counts_for_nothing() -> None:
    assert read_table(b'"run, or file, or tag";team\na;b\n').columns == ["run, or file, or tag", "team"]


def test_lines_and_columns_without_text_are_left_out() -> None:
    assert read_table(b"\r\nrun;team;;\r\n;;;\r\na;b;;;;\r\n\r\n").rows == [(4, {"run": "a", "team": "b", "": ""})]


@pytest.mark.parametrize(
    ("content", "line", "told"),
    [
        ("run;team\na;ü\n".encode("cp1252"), 2, "not valid UTF-8. Save it as UTF-8 (Excel"),
        ("run;team\ra;b\rc;ü\r".encode("latin-1"), 3, "not valid UTF-8"),
        (b"\xff\xfer", None, "not valid UTF-16"),
        (b"run;team\na;\0\n", 2, "NUL character"),
        (b"run;team\na,b\n", 2, "separated by commas here, and by semicolons in the first line"),
        (b"run,team\na,b\nc\td\n", 3, "separated by tabs here, and by commas"),
        (b"sep=;\nrun,team\na;b\n", 3, "There are 2 cells, and the first line names 1 column. Put quotation marks"),
        (b"run,team,Team\na,b,c\n", 1, "The column team is there twice"),
        (b'run;team\na;"b\n', 2, "Check the quotation marks"),
        (b'run;team\na;"b"c\n', 2, "Check the quotation marks"),
    ],
)
def test_what_cannot_be_known_is_refused_with_its_line_and_a_remedy(
    content: bytes, line: int | None, told: str
) -> None:
    with pytest.raises(TableError) as error:
        read_table(content)
    [(number, message)] = error.value.problems
    assert number == line
    assert told in message


def test_every_line_that_cannot_be_used_is_told_at_once() -> None:
    with pytest.raises(TableError) as error:
        read_table(b"run,team\na,b,c\nd,e\nf;g\n")
    assert [number for number, _ in error.value.problems] == [2, 4]


@given(st.binary(max_size=60) | st.text(st.sampled_from('a,;\t\r\n"= sep'), max_size=40).map(str.encode))
def test_whatever_is_sent_is_a_table_or_refused(content: bytes) -> None:
    with suppress(TableError):
        table = read_table(content)
        assert all(cells.keys() == set(table.columns) for _, cells in table.rows)


def test_a_row_as_wide_as_a_sheet_and_a_declaration_without_an_end_take_no_square_of_their_length() -> None:
    """The first took half an hour for a megabyte, the second an hour."""
    assert without_empty_end(["a", *[""] * 1_000_000], 1) == ["a"]
    assert DECLARED.fullmatch("sep=;" + "\t" * 1_000_000 + "x") is None
    assert DECLARED.fullmatch("sep=;,,\r\n")


def test_a_blank_before_quotation_marks_is_named_where_they_do_not_hold_a_cell_together():
    with pytest.raises(TableError, match="Take out the blank before the quotation marks"):
        read_table(b'Run, Team\na, "b, c"\n')
    assert read_table(b'Run, Team\na,"b, c"\n').rows == [(2, {"run": "a", "team": "b, c"})]


def test_a_line_of_dashes_is_left_out_below_headings_with_vertical_bars_alone():
    content = b'docno|text\n---|---\nd1|"para one\n---\npara two"\n---|---\n'
    assert [list(cells.values()) for _, cells in read_table(content).rows] == [
        ["d1", "para one\n---\npara two"],
        ["---", "---"],
    ]
    assert len(read_table(b"docno,text\n---,---\n").rows) == 1


@pytest.mark.parametrize("rule", ["| :- | -: |", "|-|-|", "|:--:|--|", "| - | - |"])
def test_the_line_below_headings_of_markdown_may_have_one_hyphen_in_a_cell(rule):
    assert [number for number, _ in read_table(f"| docno | text |\n{rule}\n| d1 | a |\n".encode()).rows] == [3]
    documents = DocumentReader(io.BytesIO(f"| docno | text |\n{rule}\n| d1 | a |\n".encode()))
    assert [one.docno for one in documents] == ["d1"]


@pytest.mark.parametrize("row", ["-|", "- | ", "|-", ":|-", "-|a"])
def test_a_row_with_a_hyphen_in_one_cell_alone_is_a_row(row):
    assert [number for number, _ in read_table(f"run|team\n{row}\na|b\n".encode()).rows] == [2, 3]


@pytest.mark.parametrize("content", ["  \nrun|team\n---|---\na|b", "run|team\n \t\n---|---\na|b"])
def test_a_line_of_blanks_is_no_row_above_the_line_below_headings(content):
    assert [cells for _, cells in read_table(content.encode()).rows] == [{"run": "a", "team": "b"}]


def test_a_long_line_of_dashes_takes_no_square_of_its_length():
    began = time.process_time()
    read_table(b"docno|title\n" + b"-" * 100_000 + b"x|b\n")
    read_table(b"docno|title\n" + b"-" * 50_000 + b" " * 50_000 + b"x|b\n")
    assert time.process_time() - began < 1


def test_vertical_bars_in_a_line_of_another_table_are_text():
    assert read_table(b"docno,title\nsp|P12345|ALBU\n").rows == [(2, {"docno": "sp|P12345|ALBU", "title": ""})]


def test_a_bar_within_a_cell_of_markdown_is_refused_with_a_remedy_that_works():
    with pytest.raises(TableError, match=r"Put quotation marks around a cell .* and no blank beside them"):
        read_table(b"| a | b |\n|---|---|\n| 1 | x \\| y |\n")
    assert read_table(b'| a | b |\n|---|---|\n| 1 |"x | y"|\n').rows == [(3, {"": "", "a": "1", "b": "x | y"})]
