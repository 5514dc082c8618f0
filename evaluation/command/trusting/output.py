"""The output of `python -m evaluation trust`."""

import json
from typing import TextIO

from evaluation.command.trusting import text
from evaluation.command.trusting.options import TrustArguments
from evaluation.command.trusting.reading import report_of_files


def write_report(arguments: TrustArguments, out: TextIO) -> None:
    """Write the report in the form asked for; InputError or MeasureNameError before anything is written."""
    data = report_of_files(arguments).to_json()
    if arguments.form == "json":
        out.write(json.dumps(data, indent=1, ensure_ascii=False, allow_nan=False) + "\n")
    else:
        out.writelines(text.lines(data))
