"""The command itself: from the words on the command line to the lines on the standard output."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, TextIO, TypeAlias

from evaluation.command.arguments import ScoreArguments
from evaluation.command.options import OVERVIEW, PROGRAM, measures_parser, read_score_arguments
from evaluation.command.streams_and_signals import (
    OutputError,
    flush_output,
    load_polars,
    printing,
    refuse_closed_output,
    write_error,
)

if TYPE_CHECKING:
    from evaluation.command.files import InputError

Write: TypeAlias = Callable[[TextIO], None]

FINE, BAD_INPUT, WRONG_USAGE = 0, 1, 2


def main(argv: Sequence[str]) -> int:
    """Run the command and give its exit status; nothing is printed on the standard output unless all went well."""
    try:
        refuse_closed_output()
        try:
            return _run(argv)
        finally:
            flush_output()
    except OutputError as problem:
        write_error(f"{PROGRAM}: error: {problem}. Send the output to a file or a terminal that has room for it.\n")
        return BAD_INPUT


def _run(argv: Sequence[str]) -> int:
    command, words = (argv[0], argv[1:]) if argv else ("", [])
    if command == "score":
        return score(read_score_arguments(words))
    if command == "measures":
        return measures(words)
    if command in ("-h", "--help", "help"):
        _say(OVERVIEW)
        return FINE
    if command == "--version":
        _say(f"Runpool {_version()}\n")
        return FINE
    write_error(f"{OVERVIEW}\n{PROGRAM}: error: {_no_command(argv)}\n")
    return WRONG_USAGE


def _say(text: str) -> None:
    with printing():
        sys.stdout.write(text)


def _no_command(argv: Sequence[str]) -> str:
    if not argv:
        return "no command was given."
    meant = " ".join(argv)
    looks_like_score = len(argv) > 1 or argv[0].startswith("-") or os.path.exists(argv[0])
    return f"there is no command {argv[0]}." + (f" Did you mean {PROGRAM} score {meant}?" if looks_like_score else "")


def _version() -> str:
    import tomllib

    project = Path(__file__).parents[2] / "pyproject.toml"
    return str(tomllib.loads(project.read_text(encoding="utf-8"))["project"]["version"])


def score(arguments: ScoreArguments) -> int:
    load_polars()
    from evaluation.command.files import InputError
    from evaluation.command.output import write_scores
    from evaluation.engine.judgments import JudgmentError
    from evaluation.engine.measures.parameters import MeasureNameError

    try:
        _print(lambda out: write_scores(arguments, out))
    except InputError as problem:
        _write_problems(_with_problems_of_runs(problem, arguments), arguments.problems_shown)
        return BAD_INPUT
    except JudgmentError as problem:
        _write_problems(InputError([f"{arguments.qrels}: {problem}"]), arguments.problems_shown)
        return BAD_INPUT
    except MeasureNameError as problem:
        return _wrong_usage("score", problem)
    return FINE


def measures(words: Sequence[str]) -> int:
    options = measures_parser().parse_args(words)
    load_polars()
    from evaluation.command import listing
    from evaluation.engine.measures.parameters import MeasureNameError

    try:
        _print(lambda out: listing.write(out, options.names, options.form, brief=options.brief))
    except MeasureNameError as problem:
        return _wrong_usage("measures", problem)
    return FINE


def _print(write: Write) -> None:
    """Print what is written once it is complete."""
    whole = BytesIO()
    text = TextIOWrapper(whole, encoding="utf-8", errors="surrogateescape", newline="\n")
    write(text)
    text.flush()
    with printing(), open(sys.stdout.fileno(), "wb", closefd=False) as out:
        out.write(whole.getbuffer())


def _wrong_usage(command: str, problem: Exception) -> int:
    write_error(f"{PROGRAM} {command}: error: {problem}\n")
    return WRONG_USAGE


def _with_problems_of_runs(problem: InputError, arguments: ScoreArguments) -> InputError:
    """Add the problems of the runs where the judgments could not be read, so that all are reported at once."""
    from evaluation.command.files import InputError, displayed, read_run

    errors = [problem]
    if problem.file == displayed(arguments.qrels):
        for path in arguments.runs:
            try:
                read_run(path, comments=arguments.comments, problems_shown=arguments.problems_shown)
            except InputError as of_run:
                errors.append(of_run)
    return InputError.joined(errors)


def _write_problems(problem: InputError, shown: int) -> None:
    lines = list(problem.lines[:shown])
    if problem.total > len(lines):
        lines.append(f"and {problem.total - len(lines):,} more; --problems N shows N of them")
    write_error("".join(line + "\n" for line in lines))
