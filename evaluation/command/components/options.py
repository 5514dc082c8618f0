"""The options of `python -m evaluation components`, read and explained without numpy and polars."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from campaign.command.options import number, read_options
from campaign.command.program import name_of
from evaluation.command.comparing.options import CompareArguments, add_scoring
from evaluation.command.parsers import add_problems_option, parser_of_runs

Form: TypeAlias = Literal["text", "csv", "json"]

PROGRAM = name_of("evaluation") + " components"
DESCRIPTION = """Split the variance of values into that between runs, that between topics, and what is left, the interaction with
all error; and say how reliable the order of the runs is with these and with other numbers of topics (E rho^2, Phi).

  QRELS  judgments, a line each: topic, 0 or the subtopic, docno, grade
  RUN    runs, a line for each document: topic, Q0, docno, rank, score, tag
  `-` is the standard input; files packed with gzip are recognised.

A topic that a run misses counts with the measure's worst value, as on leaderboards. Topics are taken as a random sample, the runs
as they are.
"""
EXAMPLES = f"""examples:
  {PROGRAM} -m AP -m nDCG@10 qrels.txt runs/*.txt
  {PROGRAM} --topics 40 --topics 80 --format csv qrels.txt runs/*.txt > components.csv

exit status: 0 fine, 1 bad input, 2 wrong usage
"""


@dataclass(frozen=True)
class ComponentsArguments:
    """`read`: how files are read and runs scored. `topics`: of next year."""

    read: CompareArguments
    topics: tuple[int, ...] = (25, 50, 100, 200)
    form: Form = "text"


def parser() -> argparse.ArgumentParser:
    made = parser_of_runs(PROGRAM, DESCRIPTION, EXAMPLES, runs="RUN RUN [RUN ...]")
    made.add_argument(
        "--topics",
        metavar="N",
        action="append",
        type=number(int, 1, 100_000),
        help="show error and coefficients for this number of topics; may be repeated (default: 25, 50, 100, 200)",
    )
    add_scoring(made.add_argument_group("scoring"))
    output = made.add_argument_group("output")
    forms = ("text", "csv", "json")
    help_of_forms = "text (default), csv (a row for each number), json"
    output.add_argument("--format", dest="form", metavar="FORMAT", choices=forms, help=help_of_forms)
    add_problems_option(output)
    return made


def read_components_arguments(argv: Sequence[str]) -> ComponentsArguments:
    """Read the words after `components`; what cannot be understood ends the program with exit status 2."""
    made = parser()
    given = {dest: value for dest, value in vars(read_options(made, argv)).items() if value is not None}
    if [given["qrels"], *given["runs"]].count("-") > 1:
        made.error("the standard input (-) can be read only once.")
    own = {name: given.pop(name) for name in ("topics", "form") if name in given}
    for name, value in [*given.items()]:
        if name in ("runs", "measures"):
            given[name] = tuple(dict.fromkeys(value)) if name == "measures" else tuple(value)
    if "topics" in own:
        own["topics"] = tuple(dict.fromkeys(own["topics"]))
    return ComponentsArguments(CompareArguments(**given), **own)
