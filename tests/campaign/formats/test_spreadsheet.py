"""Files that people open in a spreadsheet."""

import csv
import io

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from campaign.formats.spreadsheet import cell, csv_lines, plain_text

FORMULA = "=+-@＝＋－＠"
UNSEEN = "\x00\x07\x0b\x1b\x85\xa0\xad\u2003\u200b\u200e\u202e\u2060\u3000\ufeff"
texts = st.text(st.sampled_from(f"a1 ,;\t\r\n\"'=-@＝|{UNSEEN}"), max_size=12)


@pytest.mark.parametrize("end", ["\r", "\n", "\r\n", "\r\r\n"])
def test_what_follows_a_line_end_inside_of_a_value_begins_no_row(end: str) -> None:
    note = f"see{end}1+1"
    text = "".join(csv_lines(["note", "grade"], [[note, 1], [end, 2]]))
    assert text.startswith(f'note,grade\n"{note}",1\n')
    assert list(csv.reader(io.StringIO(text, newline=""))) == [["note", "grade"], [note, "1"], [f"'{end}", "2"]]
    assert text.endswith('",2\n')


@given(st.lists(texts, min_size=1, max_size=3), st.sampled_from(",;\t"))
@example(["a", ";=1"], ";")
@example(["a", 'b;"=1'], ";")
@example(["a", "b\n=1"], ";")
@example(["a", "b\t =1"], "\t")
def test_no_text_is_a_formula_wherever_a_spreadsheet_splits(values: list[str], separator: str) -> None:
    written = "".join(csv_lines(values, [values]))
    for row in csv.reader(io.StringIO(written, newline=""), delimiter=separator):
        for found in row:
            assert not found.lstrip(f' "{UNSEEN}').startswith(tuple(FORMULA)), (written, found)


@pytest.mark.parametrize("mark", UNSEEN)
@pytest.mark.parametrize("start", FORMULA)
def test_no_character_without_a_look_hides_a_formula(mark: str, start: str) -> None:
    assert cell(f"{mark}{start}1+1") == f"'{mark}{start}1+1"
    assert cell(f"see;{mark}{start}1+1") == f"see;'{mark}{start}1+1"


@given(texts)
def test_the_text_of_a_cell_can_be_had_again(text: str) -> None:
    assert plain_text(str(cell(text))) == text
