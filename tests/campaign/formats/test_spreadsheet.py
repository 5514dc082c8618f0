"""Files that people open in a spreadsheet."""

import csv
import io
import subprocess
import sys
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from campaign.formats.keys import UNSEEN as WITHOUT_A_SHAPE
from campaign.formats.spreadsheet import cell, csv_lines, guarded_in_tabs, plain_text, plain_text_of_tabs
from campaign.models.fields import HIDING

FORMULA = "=+-@＝＋－＠"
UNSEEN = "\x00\x07\x0b\x1b\x85\xa0\xad\u2003\u200b\u200e\u202e\u2060\u3000\ufeff"
WITHOUT_A_LOOK = (
    "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2065\u2800\u3164\ufe00\ufe0f\uffa0\ufff0\ufff8"
    "\U000e0000\U000e01ef\U000e0fff"
)
"""Of other categories than those of marks and spaces: fillers of scripts, selectors of variants, and what programs ignore."""
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


def hidden_by(mark: str) -> bool:
    return any(
        cell(f"{before}{mark}{start}1+1") != f"{before}'{mark}{start}1+1"
        for before in ("", "see;")
        for start in FORMULA
    )


def test_no_character_without_a_look_hides_a_formula() -> None:
    everything = [chr(code) for code in range(sys.maxunicode + 1)]
    marks = {mark for mark in everything if unicodedata.category(mark) in ("Cc", "Cf", "Zs", "Zl", "Zp")} - set(
        "\t\r\n"
    )
    marks |= {mark for mark in everything if HIDING.match(mark) or WITHOUT_A_SHAPE.match(mark)} | set(WITHOUT_A_LOOK)
    assert [f"U+{ord(mark):04X}" for mark in sorted(marks) if hidden_by(mark)] == []


def test_many_characters_without_a_look_and_no_formula_behind_them_take_no_time() -> None:
    program = f"""
from campaign.formats.spreadsheet import cell, plain_text
for mark in {UNSEEN + WITHOUT_A_LOOK!r} + '"':
    text = 10_000 * mark + "a"
    assert cell(text) == plain_text("'" + text)[1:] == text
    assert cell(500 * ("; " + 20 * mark)) is not None
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=20)


@given(texts)
def test_the_text_of_a_cell_can_be_had_again(text: str) -> None:
    assert plain_text(str(cell(text))) == text
    assert plain_text_of_tabs(guarded_in_tabs(text)) == text


@pytest.mark.parametrize(
    "text", ["temperature, -5 degrees", "at home, - or so, + more", 'he said, "-5"', "a , -b (see c)"]
)
def test_prose_behind_commas_is_written_with_tabs_as_it_is(text: str) -> None:
    assert guarded_in_tabs(text) == text


@pytest.mark.parametrize(
    "formula", ["=1", " @a", "-5", "'-5", '"+5"', " -2+SUM(A1)", " +1+cmd|' /C calc'!A0", "\xa0-B!A1"]
)
def test_what_may_be_a_formula_behind_a_comma_has_a_quote(formula: str) -> None:
    assert guarded_in_tabs(f"see,{formula}") == f"see,'{formula}"
