"""The output of `python -m evaluation score`: the lines of a style, or a table for other programs."""

from typing import TextIO

from evaluation.command.arguments import ScoreArguments
from evaluation.command.scoring import score_files
from evaluation.command.styles.registry import style_of


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
