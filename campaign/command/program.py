"""A program of the command line: what it prints, what it says where something is wrong, and its exit statuses."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from campaign.command.streams_and_signals import OutputError, flush_output, printing, refuse_closed_output, write_error
from campaign.formats.problems import printable_lines
from campaign.text.terminal import escape_unencodable

if TYPE_CHECKING:  # options are read and explained without importing polars
    from campaign.command.files import InputError

FINE, BAD_INPUT, WRONG_USAGE = 0, 1, 2


def run_program(name: str, run: Callable[[Sequence[str]], int], argv: Sequence[str]) -> int:
    """Run a program and give its exit status; nothing is printed on the standard output unless all went well."""
    escape_unencodable()
    try:
        refuse_closed_output()
        try:
            return run(argv)
        finally:
            flush_output()
    except OutputError as problem:
        write_error(f"{name}: error: {problem}. Send the output to a file or a terminal that has room for it.\n")
        return BAD_INPUT


def say(text: str) -> None:
    with printing():
        sys.stdout.write(text)


def name_of(package: str) -> str:
    """How the program of a package was started: by the command of the wheel, or by Python."""
    return "runpool" if Path(sys.argv[0]).stem == "runpool" else f"python -m {package}"


def print_whole(write: Callable[[TextIO], None]) -> None:
    """Print what is written once it is complete."""
    whole = BytesIO()
    text = TextIOWrapper(whole, encoding="utf-8", errors="surrogateescape", newline="\n")
    write(text)
    text.flush()
    print_bytes(whole.getbuffer())


def print_bytes(content: bytes | memoryview) -> None:
    """Print the bytes as they are; on a terminal with escapes for what would steer it: files name runs as strangers like."""
    if sys.stdout.isatty():
        content = printable_lines(bytes(content).decode(errors="surrogateescape")).encode()
    with printing(), open(sys.stdout.fileno(), "wb", closefd=False) as out:
        out.write(content)


def wrong_usage(program: str, problem: object) -> int:
    write_error(f"{program}: error: {problem}\n")
    return WRONG_USAGE


def bad_input(problem: InputError, shown: int) -> int:
    """Print the problems, `shown` at most, and how many more there are."""
    lines = list(problem.lines[:shown])
    if problem.total > len(lines):
        lines.append(f"and {problem.total - len(lines):,} more; --max-errors N shows N of them")
    write_error("".join(line + "\n" for line in lines))
    return BAD_INPUT
