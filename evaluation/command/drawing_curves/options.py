"""The options of `python -m evaluation curves`, read and explained without numpy and polars."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from campaign.command.options import OptionGroup, number, read_options
from campaign.command.program import name_of
from evaluation.command.parsers import add_problems_option, parser_of_runs

Kind: TypeAlias = Literal["recall-precision", "roc", "gain", "f"]

PROGRAM = name_of("evaluation") + " curves"
KINDS = ("recall-precision", "roc", "gain", "f")
PICTURES = ("svg", "pdf", "png")
MOST_DRAWN = 8
"""Runs that a picture can tell apart."""
ONLY_WITH = {
    "micro": ("recall-precision", "f"),
    "collection_size": ("roc",),
    "depth": ("gain", "f"),
    "gain": ("gain",),
    "base": ("gain",),
    "beta": ("f",),
}
"""Options that have a meaning for some kinds only."""

DESCRIPTION = """Print or draw the curves behind the measures: interpolated precision at 11 recall levels, the ROC curve with its
area, cumulated gain beside that of the ideal ranking, or F down the ranks with its maximum.

  QRELS  judgments, a line each: topic, 0 or the subtopic, docno, grade
  RUN    runs, a line for each document: topic, Q0, docno, rank, score, tag
  `-` is the standard input; files packed with gzip are recognised.

Curves are averaged over all topics of the qrels; a topic that a run misses counts as an empty ranking. The table has a row for
each point: curve, run, topic (`all` for an average), x, y. Rows without x hold one number of a curve: its area.
"""

EXAMPLES = f"""examples:
  precision at 11 recall levels, averaged over topics, and pooled as if they were one topic:
    {PROGRAM} qrels.txt runs/*.txt
    {PROGRAM} --micro qrels.txt runs/*.txt

  pictures:
    {PROGRAM} -o recall-precision.svg qrels.txt bm25.txt dense.txt
    {PROGRAM} --kind roc --collection-size 528155 -o roc.pdf qrels.txt bm25.txt dense.txt
    {PROGRAM} --kind gain --depth 20 --topic 412 -o gain.png qrels.txt bm25.txt

exit status: 0 fine, 1 bad input, 2 wrong usage
"""


@dataclass(frozen=True)
class CurvesArguments:
    """The arguments as given. `topic`: None for the average over all. `picture`: the path of a picture in place of the table."""

    qrels: str
    runs: tuple[str, ...]
    kind: Kind = "recall-precision"
    micro: bool = False
    topic: str | None = None
    level: int = 1
    depth: int = 100
    collection_size: int | None = None
    gain: str = "linear"
    base: str | None = None
    beta: float = 1.0
    picture: str | None = None
    problems_shown: int = 25


def parser() -> argparse.ArgumentParser:
    made = parser_of_runs(PROGRAM, DESCRIPTION, EXAMPLES)
    _add_curves(made.add_argument_group("curves"))
    _add_output(made.add_argument_group("output"))
    return made


def _add_curves(group: OptionGroup) -> None:
    group.add_argument("--kind", metavar="KIND", choices=KINDS, help=f"{', '.join(KINDS)} (default: {KINDS[0]})")
    pooled = "pool all topics as if they were one (recall-precision, f)"
    group.add_argument("--micro", action="store_true", default=None, help=pooled)
    group.add_argument("--topic", metavar="T", help="the curves of one topic (default: the average over topics)")
    group.add_argument(
        "-l", "--level", metavar="N", type=number(int, 0), help="lowest grade that counts as relevant (default: 1)"
    )
    group.add_argument(
        "--depth", metavar="K", type=number(int, 1, 100_000), help="ranks of gain and F curves (default: 100)"
    )
    group.add_argument(
        "-N", "--collection-size", metavar="N", type=number(int, 1), help="documents in the collection (roc needs it)"
    )
    group.add_argument(
        "--gain", metavar="GAIN", help="linear (default), exponential, or gains of grades, as `1:2;2:7.5` (gain)"
    )
    group.add_argument(
        "--base", metavar="B", help="discount by log_B(rank) from rank B (default: log2(rank + 1); gain)"
    )
    group.add_argument(
        "--beta", metavar="X", type=number(float, 0, 1e6), help="weight of recall in F and E = 1 - F (default: 1)"
    )


def _add_output(group: OptionGroup) -> None:
    group.add_argument("--format", dest="form", metavar="FORMAT", choices=("csv",), help="csv (default)")
    group.add_argument(
        "-o",
        "--output",
        dest="picture",
        metavar="FILE",
        help=f"a picture in place of the table, by the ending of its name: {', '.join(PICTURES)}",
    )
    add_problems_option(group)


def read_curves_arguments(argv: Sequence[str]) -> CurvesArguments:
    """Read the words after `curves`; what cannot be understood ends the program with exit status 2."""
    made = parser()
    given = {dest: value for dest, value in vars(read_options(made, argv)).items() if value is not None}
    given["runs"] = tuple(given["runs"])
    if problem := _problem(given):
        made.error(problem)
    given.pop("form", None)
    return CurvesArguments(**given)


def _problem(given: dict[str, Any]) -> str:
    """What does not go together; empty when nothing is wrong."""
    kind = given.get("kind", KINDS[0])
    if [given["qrels"], *given["runs"]].count("-") > 1:
        return "the standard input (-) can be read only once."
    for name, kinds in ONLY_WITH.items():
        if name in given and kind not in kinds:
            return f"--{name.replace('_', '-')} has no meaning with --kind {kind}, only with {' and '.join(kinds)}."
    if kind == "roc" and "collection_size" not in given:
        return "--kind roc needs the number of documents in the collection: give --collection-size N."
    if "micro" in given and "topic" in given:
        return "--micro pools all topics and --topic names one: leave one of them out."
    if "picture" in given:
        return _problem_of_picture(given)
    return ""


def _problem_of_picture(given: dict[str, Any]) -> str:
    if "form" in given:
        return "--format prints a table and -o draws a picture: leave one of them out."
    ending = os.path.splitext(given["picture"])[1].removeprefix(".").lower()
    if ending not in PICTURES:
        return f"-o {given['picture']}: name a file that ends in .{', .'.join(PICTURES)}."
    if len(given["runs"]) > MOST_DRAWN:
        return f"a picture tells {MOST_DRAWN} runs apart, and there are {len(given['runs'])}: name fewer."
    return ""
