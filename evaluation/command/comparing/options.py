"""The options of `python -m evaluation compare`, read and explained without numpy and polars."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from campaign.command.options import OptionGroup, number, read_options
from campaign.command.program import name_of
from campaign.text.plurals import listed
from evaluation.command.parsers import add_problems_option, parser_of_runs
from evaluation.engine.significance.declarations import CORRECTIONS, TESTS

if TYPE_CHECKING:
    from evaluation.command.arguments import RunOrder
    from evaluation.engine.ranked_run import Reference

Form: TypeAlias = Literal["text", "csv", "json", "latex"]

PROGRAM = name_of("evaluation") + " compare"
WITH_RANKS = [test.name for test in TESTS.values() if not test.no_ranks]
FORMS = ("text", "csv", "json", "latex")

DESCRIPTION = """Compare runs topic by topic: differences with intervals and effect sizes, p-values corrected for the number of
comparisons, groups of runs that are not significantly different, and where the rank of each run may lie.

  QRELS  judgments, a line each: topic, 0 or the subtopic, docno, grade
  RUN    runs, a line for each document: topic, Q0, docno, rank, score, tag
  `-` is the standard input; files packed with gzip are recognised.

A topic that a run misses counts with the measure's worst value, as on leaderboards.
"""

EXAMPLES = f"""examples:
  all pairs of runs by two measures:
    {PROGRAM} -m AP -m nDCG@10 qrels.txt runs/*.txt

  every run against one that was named before, for a paper:
    {PROGRAM} --baseline runs/bm25.txt --test wilcoxon --correction holm --format latex qrels.txt runs/*.txt

exit status: 0 fine, 1 bad input, 2 wrong usage
"""


@dataclass(frozen=True)
class CompareArguments:
    """The arguments as given; `correction` is None where none was named."""

    qrels: str
    runs: tuple[str, ...]
    measures: tuple[str, ...] = ("AP",)
    test: str = "max-t"
    correction: str = "none"
    baseline: str | None = None
    seed: int = 0
    resamples: int | None = None
    confidence: float = 0.95
    margin: float | None = None
    unjudged: bool = False
    highest_grade: int | None = None
    level: int = 1
    depth: int | None = None
    reference: Reference = "9"
    run_order: RunOrder = "score"
    form: Form = "text"
    problems_shown: int = 25


def parser() -> argparse.ArgumentParser:
    made = parser_of_runs(PROGRAM, DESCRIPTION, EXAMPLES, runs="RUN RUN [RUN ...]")
    tests = made.add_argument_group("tests")
    _add_tests(tests)
    _add_unjudged(tests)
    add_scoring(made.add_argument_group("scoring"))
    _add_output(made.add_argument_group("output"))
    return made


def _add_tests(group: OptionGroup) -> None:
    group.add_argument(
        "--test",
        metavar="TEST",
        choices=TESTS,
        help=f"{', '.join(TESTS)} (default: max-t); groups and ranks follow from {listed(WITH_RANKS)}",
    )
    group.add_argument(
        "--correction",
        metavar="NAME",
        choices=CORRECTIONS,
        help=f"{', '.join(CORRECTIONS)} (default: holm; max-t, tukey and randomised-tukey hold for all pairs and take none)",
    )
    group.add_argument(
        "--baseline",
        metavar="RUN",
        help="compare every run with this one only; choose it before you see the scores",
    )
    group.add_argument(
        "--margin",
        metavar="X",
        type=number(float, 0.000001, 1_000_000.0),
        help="margin of equivalence, in units of each measure that is a mean: show which compared pairs differ by less than "
        "this margin on average (two one-sided t-tests, corrected by Holm); choose it before you see the scores",
    )
    group.add_argument("--seed", metavar="N", type=number(int, 0), help="of the resamples (default: 0)")
    group.add_argument(
        "--resamples",
        metavar="N",
        type=number(int, 1, 10_000_000),
        help="number of resamples (default: 10000, randomised-tukey 100000; raised to what the correction needs)",
    )
    group.add_argument(
        "--confidence", metavar="X", type=number(float, 0.5, 0.999), help="of intervals, groups, ranks (default: 0.95)"
    )


def _add_unjudged(group: OptionGroup) -> None:
    group.add_argument(
        "--unjudged",
        action="store_const",
        const=True,
        help="repeat the tests by the first measure with the highest grade for unjudged documents: for those of all runs, and "
        "for those of one run of a pair alone",
    )
    group.add_argument(
        "--highest-grade",
        metavar="N",
        type=number(int, 1),
        help="with --unjudged: the highest grade of the scale (default: the highest in QRELS, at least 1)",
    )


def add_scoring(group: OptionGroup) -> None:
    """How runs are read and scored, for the fields of `CompareArguments`."""
    group.add_argument(
        "-m", "--measure", dest="measures", action="append", metavar="NAME", help="may be repeated (default: AP)"
    )
    group.add_argument(
        "-l", "--level", metavar="N", type=number(int, 0), help="lowest grade that counts as relevant (default: 1)"
    )
    group.add_argument(
        "-M", "--depth", metavar="N", type=number(int, 1), help="cut every ranking off after N documents"
    )
    group.add_argument(
        "--run-order",
        "--order",
        dest="run_order",
        metavar="BY",
        choices=("score", "rank", "line"),
        help="order documents by score (default), rank or line",
    )
    group.add_argument(
        "--trec-eval-version",
        "--reference",
        dest="reference",
        metavar="9|10",
        choices=("9", "10"),
        help="rules of trec_eval 9.0 (default) or 10.0",
    )


def _add_output(group: OptionGroup) -> None:
    group.add_argument(
        "--format",
        dest="form",
        metavar="FORMAT",
        choices=FORMS,
        help="text (default), csv (a row for each pair), json, latex (booktabs)",
    )
    add_problems_option(group)


def read_compare_arguments(argv: Sequence[str]) -> CompareArguments:
    """Read the words after `compare`; what cannot be understood ends the program with exit status 2."""
    made = parser()
    given = {dest: value for dest, value in vars(read_options(made, argv)).items() if value is not None}
    given["runs"] = _with_baseline(tuple(given["runs"]), given.get("baseline"))
    if len(given["runs"]) < 2:
        made.error("there is one run only: give at least two to compare.")
    if [given["qrels"], *given["runs"]].count("-") > 1:
        made.error("the standard input (-) can be read only once.")
    if "highest_grade" in given and "unjudged" not in given:
        made.error("--highest-grade is for --unjudged: give both, or none of them.")
    if "unjudged" in given and given.get("form") == "latex":
        made.error("the LaTeX table has no room for --unjudged: choose --format text, csv or json.")
    if "measures" in given:
        given["measures"] = tuple(dict.fromkeys(given["measures"]))
    given.setdefault("test", "max-t")
    holds_together = TESTS[given["test"]].holds_together
    if holds_together and given.get("correction", "none") != "none":
        made.error(f"--test {given['test']} holds for all compared pairs at once: leave --correction out.")
    given.setdefault("correction", "none" if holds_together else "holm")
    return CompareArguments(**given)


def _with_baseline(runs: tuple[str, ...], baseline: str | None) -> tuple[str, ...]:
    return runs if baseline is None or baseline in runs else (baseline, *runs)
