"""The command itself: from the words on the command line to one of its subcommands."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from importlib import import_module

from campaign.command.program import FINE, WRONG_USAGE, run_program, say
from campaign.command.streams_and_signals import load_polars, write_error
from campaign.version import VERSION
from pooling.command.options import PROGRAM
from pooling.core.strategies.engine import ENGINE

SUBCOMMANDS = {
    "draw": "pooling.command.draw",
    "preview": "pooling.command.preview",
    "strategies": "pooling.command.strategies",
    "simulate": "evaluation.pool_simulation.command",
}
"""Subcommands by the modules that run them. `simulate` scores, and no module of pooling may import the app that does: a
module here is loaded by its name, and only when it is asked for (decision 35)."""

OVERVIEW = f"""usage: {PROGRAM} draw [options] RUN [RUN ...]
       {PROGRAM} preview [options] RUN [RUN ...]
       {PROGRAM} strategies [--format text|json|markdown] [NAME ...]
       {PROGRAM} simulate --qrels QRELS [options] RUN [RUN ...]
       {PROGRAM} --version

  draw        draw the pool that the site would freeze, and print it in judging order
  preview     show what that pool costs and covers, before anything is judged
  strategies  list the strategies with their parameters
  simulate    show how good each strategy would have been on a collection that is judged, such as last year's

`{PROGRAM} draw --help` explains the options.
"""


def main(argv: Sequence[str]) -> int:
    """Run the command and give its exit status; nothing is printed on the standard output unless all went well."""
    return run_program(PROGRAM, _run, argv)


def _run(argv: Sequence[str]) -> int:
    command, words = (argv[0], argv[1:]) if argv else ("", [])
    if command in SUBCOMMANDS:
        load_polars()
        status: int = import_module(SUBCOMMANDS[command]).run(words)
        return status
    if command in ("-h", "--help", "help"):
        say(OVERVIEW)
        return FINE
    if command == "--version":
        say(f"Runpool {VERSION}, engine of pools {ENGINE}\n")
        return FINE
    write_error(f"{OVERVIEW}\n{PROGRAM}: error: {_no_command(command)}\n")
    return WRONG_USAGE


def _no_command(command: str) -> str:
    if not command:
        return "no command was given."
    meant = get_close_matches(command, SUBCOMMANDS, n=1)
    return f"there is no command {command}." + (f" Did you mean {meant[0]}?" if meant else "")
