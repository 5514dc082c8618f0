"""The parser of a subcommand that takes a qrels file and runs; made without numpy and polars."""

import argparse

from campaign.command.options import Help, OptionGroup, number


def parser_of_runs(
    program: str, description: str, examples: str, *, runs: str = "RUN [RUN ...]"
) -> argparse.ArgumentParser:
    """The options are the caller's to add; `description` explains the files.

    >>> parser_of_runs("score", "", "").parse_args(["qrels.txt", "bm25.run"])
    Namespace(qrels='qrels.txt', runs=['bm25.run'])
    """
    made = argparse.ArgumentParser(
        prog=program,
        usage=f"{program} [options] QRELS {runs}",
        description=description,
        epilog=examples,
        formatter_class=Help,
        allow_abbrev=False,
    )
    made.add_argument("qrels", metavar="QRELS", help=argparse.SUPPRESS)
    made.add_argument("runs", metavar="RUN", nargs="+", help=argparse.SUPPRESS)
    return made


def add_problems_option(group: OptionGroup) -> None:
    """How many problems of files are shown.

    >>> parser = argparse.ArgumentParser()
    >>> add_problems_option(parser.add_argument_group("output"))
    >>> parser.parse_args(["--max-errors", "3"]).problems_shown
    3
    """
    group.add_argument(
        "--max-errors",
        "--problems",
        dest="problems_shown",
        metavar="N",
        type=number(int, 1),
        help="show up to N problems of bad input (default: 25)",
    )
