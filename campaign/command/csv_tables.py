"""Tables that people write beside their files: CSV whose first line names the columns."""

import csv
from io import StringIO

from campaign.command.files import InputError, displayed, text_of
from campaign.formats.spreadsheet import plain_text
from campaign.text.plurals import number_of

Line = tuple[int, dict[str, str]]


def read_table(path: str) -> tuple[list[str], list[Line]]:
    """Read the names of the columns, in small letters, and of each line its number and its cells by column.

    Blanks around a cell are left out, and so is a quote that keeps spreadsheets from taking it for a formula. Cells that a line
    lacks are empty. Empty lines are left out. InputError where the file is no text in UTF-8 or no CSV, and
    where a line has more cells than there are columns: which of them is meant is not known.
    """
    shown = displayed(path)
    try:
        text = text_of(path).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError([f"{shown}: The file is not valid UTF-8. Save it as UTF-8."]) from None
    reader = csv.reader(StringIO(text, newline=""), strict=True)
    try:
        columns = [name.strip().lower() for name in next(reader, [])]
        lines = [(reader.line_num, [plain_text(cell.strip()) for cell in cells]) for cells in reader if cells]
    except csv.Error as problem:
        why = f"This cannot be read as CSV ({problem}). Check the quotation marks."
        raise InputError([f"{shown}:{reader.line_num}: {why}"]) from None
    if too_long := [(number, cells) for number, cells in lines if len(cells) > len(columns)]:
        of_columns = number_of(len(columns), "column")
        raise InputError([
            f"{shown}:{number}: There are {number_of(len(cells), 'cell')}, and the first line names {of_columns}."
            for number, cells in too_long
        ])  # fmt: skip
    lacks = [""] * len(columns)
    return columns, [(number, dict(zip(columns, cells + lacks, strict=False))) for number, cells in lines]
