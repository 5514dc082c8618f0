"""The output of `python -m evaluation components`."""

import csv
import json
from collections.abc import Iterator
from typing import Any, TextIO

from campaign.command.files import displayed
from evaluation.command.comparing.values import read_values
from evaluation.command.components.options import ComponentsArguments
from evaluation.engine.reliability.component_report import (
    COLUMNS,
    component_row,
    csv_rows,
    has_intervals,
    in_words,
    next_in_words,
)

ABOUT = """Topics are taken as a random sample, and the runs as they are: runs that lie closer together need more topics.
"""
BRACKETS = """In brackets: where the true number may lie, in about 9 of 10 cases or more (8 of 10 where a few
values lie far from all others). Plan by the upper end of the topics.
"""


def write_components(arguments: ComponentsArguments, out: TextIO) -> None:
    """Write the components in the form asked for; InputError or MeasureNameError before anything is written."""
    read = read_values(arguments.read)
    rows = [
        component_row(one.measure.name, one.values, one.measure.definition.summary, arguments.topics)
        for one in read.measures
    ]
    if arguments.form == "json":
        head = {"qrels": displayed(arguments.read.qrels), "runs": [displayed(name) for name in read.names]}
        out.write(json.dumps({**head, "measures": rows}, indent=1, ensure_ascii=False, allow_nan=False) + "\n")
    elif arguments.form == "csv":
        lines = csv.writer(out, lineterminator="\n")
        lines.writerow(COLUMNS)
        lines.writerows(csv_rows(rows))
    else:
        out.writelines(_lines(rows))


def _lines(rows: list[dict[str, Any]]) -> Iterator[str]:
    for row in rows:
        yield f"{row['measure']}\n"
        yield from (f"  {sentence}\n" for sentence in in_words(row))
        yield from (f"  {next_in_words(one)}\n" for one in row.get("next", ()))
        yield "\n"
    yield ABOUT
    if any(map(has_intervals, rows)):
        yield BRACKETS
