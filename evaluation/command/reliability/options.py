"""The options of `python -m evaluation reliability`, read and explained without numpy and polars."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from campaign.command.options import number, read_options
from campaign.command.program import name_of
from evaluation.command.comparing.options import CompareArguments
from evaluation.command.parsers import parser_of_runs

Form: TypeAlias = Literal["text", "json"]

PROGRAM = name_of("evaluation") + " reliability"
DESCRIPTION = """Say how far the order of runs can be trusted: how much of them is judged, what would change without the documents
that only one team found or without one topic, what the measures tell apart, how many topics would be needed next year, what
fewer runs would have found, how far other topics or assessors would order the runs alike, what assessors and drawn judgments
add to the uncertainty, and which topics tell little.

  QRELS  judgments, a line each: topic, 0 or the subtopic, docno, grade
  RUN    runs, a line for each document: topic, Q0, docno, rank, score, tag
"""
EXAMPLES = f"""examples:
  {PROGRAM} -m AP -m nDCG@10 qrels.txt runs/*.txt
  {PROGRAM} --teams teams.csv --kinds --format json qrels.txt runs/*.txt > reliability.json
  {PROGRAM} --assessors assessors.csv qrels.txt runs/*.txt
  {PROGRAM} --other-qrels second_assessor.txt first_assessor.txt runs/*.txt

exit status: 0 fine, 1 bad input, 2 wrong usage
"""


@dataclass(frozen=True)
class ReliabilityArguments:
    """`read`: how files are read and runs scored. `teams`: a CSV file with the columns run and team, with `kinds` also kind.

    `assessors`: a CSV file with the columns topic and assessor. `other_qrels`: judgments of the same topics by other assessors.
    """

    read: CompareArguments
    teams: str | None = None
    kinds: bool = False
    assessors: str | None = None
    other_qrels: tuple[str, ...] = ()
    found_depth: int | None = None
    difference: float = 0.05
    seed: int = 1
    form: Form = "text"


def parser() -> argparse.ArgumentParser:
    made = parser_of_runs(PROGRAM, DESCRIPTION, EXAMPLES)
    made.add_argument(
        "-m", "--measure", dest="measures", action="append", metavar="NAME", help="the first one orders the runs"
    )
    made.add_argument("-l", "--level", metavar="N", type=number(int, 1), help="lowest relevant grade (default: 1)")
    _add_groups(made)
    made.add_argument(
        "--cutoff",
        "--found",
        dest="found_depth",
        metavar="K",
        type=number(int, 1),
        help="depth of the pool: documents count as found to rank K (default: as far as all first documents are judged)",
    )
    made.add_argument(
        "--difference",
        metavar="D",
        type=number(float, 0.0001, 1),
        help="difference of two means that next year's topics must show (default: 0.05)",
    )
    made.add_argument("--seed", metavar="N", type=number(int, 0), help="of the permutations (default: 1)")
    made.add_argument(
        "--format", dest="form", metavar="FORMAT", choices=("text", "json"), help="text (default) or json"
    )
    return made


def _add_groups(made: argparse.ArgumentParser) -> None:
    """Who made the runs, and who judged."""
    made.add_argument(
        "--teams", metavar="FILE", help="CSV with the columns run (tag or file) and team (default: each run is a team)"
    )
    made.add_argument(
        "--kinds",
        action="store_true",
        default=None,
        help="leave out the runs of each kind too: the CSV of --teams has a column kind (automatic, manual, …)",
    )
    made.add_argument(
        "--assessors",
        metavar="FILE",
        help="CSV with the columns topic and assessor: who judged documents of which topic",
    )
    made.add_argument(
        "--other-qrels",
        dest="other_qrels",
        action="append",
        metavar="FILE",
        help="judgments of the same topics by another assessor; may be given several times",
    )


def read_reliability_arguments(argv: Sequence[str]) -> ReliabilityArguments:
    """Read the words after `reliability`; what cannot be understood ends the program with exit status 2."""
    made = parser()
    given = {dest: value for dest, value in vars(read_options(made, argv)).items() if value is not None}
    if "kinds" in given and "teams" not in given:
        made.error("--kinds needs --teams FILE, whose column kind it reads")
    given["other_qrels"] = tuple(given.pop("other_qrels", ()))
    read = {name: given.pop(name) for name in ("qrels", "runs", "measures", "level") if name in given}
    read["runs"] = tuple(read["runs"])
    if "measures" in read:
        read["measures"] = tuple(dict.fromkeys(read["measures"]))
    return ReliabilityArguments(CompareArguments(**read), **given)
