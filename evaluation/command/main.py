"""The command itself: from the words on the command line to the lines on the standard output."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TextIO

from campaign.command.program import (
    FINE,
    WRONG_USAGE,
    bad_input,
    print_whole,
    run_program,
    say,
    wrong_usage,
)
from campaign.command.streams_and_signals import load_polars, write_error
from campaign.version import VERSION
from evaluation.command.arguments import ScoreArguments
from evaluation.command.comparing.options import CompareArguments, read_compare_arguments
from evaluation.command.components.options import ComponentsArguments, read_components_arguments
from evaluation.command.drawing_curves.options import CurvesArguments, read_curves_arguments
from evaluation.command.options import OVERVIEW, PROGRAM, measures_parser, read_score_arguments
from evaluation.command.reliability.options import ReliabilityArguments, read_reliability_arguments

if TYPE_CHECKING:
    from campaign.command.files import InputError


OLD_NAMES = {"trust": "reliability"}


def main(argv: Sequence[str]) -> int:
    """Run the command and give its exit status; nothing is printed on the standard output unless all went well."""
    return run_program(PROGRAM, _run, argv)


def _run(argv: Sequence[str]) -> int:
    command, words = (argv[0], argv[1:]) if argv else ("", [])
    if command == "score":
        return score(read_score_arguments(words))
    if command == "compare":
        return compare(read_compare_arguments(words))
    if command == "reliability":
        return reliability(read_reliability_arguments(words))
    if command == "components":
        return components(read_components_arguments(words))
    if command == "curves":
        return curves(read_curves_arguments(words))
    if command == "measures":
        return measures(words)
    if command in ("-h", "--help", "help"):
        say(OVERVIEW)
        return FINE
    if command == "--version":
        say(f"Runpool {VERSION}\n")
        return FINE
    write_error(f"{OVERVIEW}\n{PROGRAM}: error: {_no_command(argv)}\n")
    return WRONG_USAGE


def _no_command(argv: Sequence[str]) -> str:
    if not argv:
        return "no command was given."
    if argv[0] in OLD_NAMES:
        return f"the command {argv[0]} is now called {OLD_NAMES[argv[0]]}."
    meant = " ".join(argv)
    looks_like_score = len(argv) > 1 or argv[0].startswith("-") or os.path.exists(argv[0])
    return f"there is no command {argv[0]}." + (f" Did you mean {PROGRAM} score {meant}?" if looks_like_score else "")


def score(arguments: ScoreArguments) -> int:
    if not arguments.are_files_small:
        load_polars()
    from campaign.command.files import InputError
    from evaluation.command.output import write_scores
    from evaluation.engine.judgments import JudgmentError
    from evaluation.engine.measures.parameters import MeasureNameError

    try:
        print_whole(lambda out: write_scores(arguments, out))
    except InputError as problem:
        return bad_input(_with_problems_of_runs(problem, arguments), arguments.problems_shown)
    except JudgmentError as problem:
        return bad_input(InputError([f"{arguments.qrels}: {problem}"]), arguments.problems_shown)
    except MeasureNameError as problem:
        return wrong_usage(f"{PROGRAM} score", problem)
    return FINE


def compare(arguments: CompareArguments) -> int:
    load_polars()
    from evaluation.command.output import write_comparisons

    return _printed("compare", arguments.problems_shown, lambda out: write_comparisons(arguments, out))


def reliability(arguments: ReliabilityArguments) -> int:
    load_polars()
    from evaluation.command.output import write_report

    return _printed("reliability", arguments.read.problems_shown, lambda out: write_report(arguments, out))


def components(arguments: ComponentsArguments) -> int:
    load_polars()
    from evaluation.command.components.output import write_components

    return _printed("components", arguments.read.problems_shown, lambda out: write_components(arguments, out))


def curves(arguments: CurvesArguments) -> int:
    load_polars()
    from evaluation.command.drawing_curves.output import write_curves

    return _printed("curves", arguments.problems_shown, lambda out: write_curves(arguments, out))


def _printed(command: str, problems_shown: int, write: Callable[[TextIO], None]) -> int:
    from campaign.command.files import InputError
    from evaluation.engine.measures.parameters import MeasureNameError

    try:
        print_whole(write)
    except InputError as problem:
        return bad_input(problem, problems_shown)
    except MeasureNameError as problem:
        return wrong_usage(f"{PROGRAM} {command}", problem)
    return FINE


def measures(words: Sequence[str]) -> int:
    options = measures_parser().parse_args(words)
    load_polars()
    from evaluation.command import listing
    from evaluation.engine.measures.parameters import MeasureNameError

    try:
        print_whole(lambda out: listing.write(out, options.names, options.form, brief=options.brief))
    except MeasureNameError as problem:
        return wrong_usage(f"{PROGRAM} measures", problem)
    return FINE


def _with_problems_of_runs(problem: InputError, arguments: ScoreArguments) -> InputError:
    """Add the problems of the runs where the judgments could not be read, so that all are reported at once."""
    from campaign.command.files import InputError, displayed
    from evaluation.command.files import read_run

    errors = [problem]
    if problem.file == displayed(arguments.qrels):
        for path in arguments.runs:
            try:
                read_run(path, comments=arguments.comments, problems_shown=arguments.problems_shown)
            except InputError as of_run:
                errors.append(of_run)
    return InputError.joined(errors)
