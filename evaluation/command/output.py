"""The output of `score`, `compare` and `reliability`. Each loads its own modules when it is asked for."""

import json
from importlib import import_module
from typing import TextIO, cast

from evaluation.command.arguments import ScoreArguments, StyleName
from evaluation.command.comparing.options import CompareArguments
from evaluation.command.reliability.options import ReliabilityArguments
from evaluation.command.scoring import score_files
from evaluation.command.styles.declaration import Style


def style_of(name: StyleName) -> Style:
    """Load the one style that is asked for.

    >>> style_of("gdeval").digits
    5
    """
    return cast(Style, import_module(f"evaluation.command.styles.{name}").STYLE)


def write_scores(arguments: ScoreArguments, out: TextIO) -> None:
    """Score the runs and write the results in the form asked for; InputError or MeasureNameError before anything is written."""
    style = style_of(arguments.style)
    results = score_files(arguments, style)
    if arguments.form == "trec":
        digits = style.digits if arguments.digits is None else arguments.digits
        out.writelines(style.lines(results, arguments, digits))
    else:
        from evaluation.command import tables

        tables.write(results, style, arguments, out)


def write_comparisons(arguments: CompareArguments, out: TextIO) -> None:
    """Compare the runs and write the results in the form asked for; InputError or MeasureNameError before anything is written."""
    from evaluation.command.comparing import latex, tables, text
    from evaluation.command.comparing.results import compare_files

    results = compare_files(arguments)
    if arguments.form == "csv":
        tables.write_csv(results, out)
    elif arguments.form == "json":
        tables.write_json(results, arguments, out)
    else:
        out.writelines((latex if arguments.form == "latex" else text).lines(results, arguments))


def write_report(arguments: ReliabilityArguments, out: TextIO) -> None:
    """Write the report in the form asked for; InputError or MeasureNameError before anything is written."""
    from evaluation.command.reliability import text
    from evaluation.command.reliability.reading import report_of_files

    data = report_of_files(arguments).to_json()
    if arguments.form == "json":
        out.write(json.dumps(data, indent=1, ensure_ascii=False, allow_nan=False) + "\n")
    else:
        out.writelines(text.lines(data))
