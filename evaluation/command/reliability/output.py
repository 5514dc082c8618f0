"""The output of `python -m evaluation reliability`."""

import json
from typing import TextIO

from evaluation.command.reliability import text
from evaluation.command.reliability.options import ReliabilityArguments
from evaluation.command.reliability.reading import report_of_files


def write_report(arguments: ReliabilityArguments, out: TextIO) -> None:
    """Write the report in the form asked for; InputError or MeasureNameError before anything is written."""
    data = report_of_files(arguments).to_json()
    if arguments.form == "json":
        out.write(json.dumps(data, indent=1, ensure_ascii=False, allow_nan=False) + "\n")
    else:
        out.writelines(text.lines(data))
