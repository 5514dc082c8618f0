"""The output of `python -m evaluation compare`."""

from typing import TextIO

from evaluation.command.comparing import latex, tables, text
from evaluation.command.comparing.options import CompareArguments
from evaluation.command.comparing.results import compare_files


def write_comparisons(arguments: CompareArguments, out: TextIO) -> None:
    """Compare the runs and write the results in the form asked for; InputError or MeasureNameError before anything is written."""
    results = compare_files(arguments)
    if arguments.form == "csv":
        tables.write_csv(results, out)
    elif arguments.form == "json":
        tables.write_json(results, arguments, out)
    else:
        out.writelines((latex if arguments.form == "latex" else text).lines(results, arguments))
