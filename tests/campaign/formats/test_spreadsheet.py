"""Files that people open in a spreadsheet."""

import csv
import io

import pytest

from campaign.formats.spreadsheet import csv_lines


@pytest.mark.parametrize("end", ["\r", "\n", "\r\n", "\r\r\n"])
def test_what_follows_a_line_end_inside_of_a_value_begins_no_row(end: str) -> None:
    note = f"see{end}=1+1"
    text = "".join(csv_lines(["note", "grade"], [[note, 1], [end, 2]]))
    assert text.startswith(f'note,grade\n"{note}",1\n')
    assert list(csv.reader(io.StringIO(text, newline=""))) == [["note", "grade"], [note, "1"], [f"'{end}", "2"]]
    assert text.endswith('",2\n')
