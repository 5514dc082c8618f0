"""The options of `python -m pooling`: how they are read, and the settings of a pool that they make."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

from campaign.command.files import NO_LIMIT, PROBLEMS_SHOWN, STANDARD_INPUT
from campaign.command.options import Help, OptionGroup, number, read_options
from campaign.command.program import name_of
from campaign.formats.runs.order_setting import BY_LINE, BY_RANK, BY_SCORE, Ordering
from pooling.core.strategies.judging_order import DEFAULT_ORDER
from pooling.core.strategies.parameters import PoolSpecError, Whole
from pooling.core.strategies.registry import STRATEGIES, default_strategy
from pooling.core.strategies.spec import MAX_PRIORITY, RUNS_PER_TEAM, SEED, PoolSpec

PROGRAM = name_of("pooling")
PRIORITY = Whole(name="priority", label="Priority", low=1, high=MAX_PRIORITY.high, default=1)
STATUSES = "exit status: 0 fine, 1 bad input, 2 wrong usage\n"
RUN_FILES = """  RUN  runs, a line for each document: topic, Q0, docno, rank, score, tag; with --teams of a table that has
       the columns file and tag, the tag of a run may stand for its file
  `-` is the standard input; files packed with gzip are recognised.
"""
TOPICS, TEAMS = "topics.tsv", "runs.csv"
"""The files that go with the command, as the pages of a task offer them."""


@dataclass(frozen=True)
class RunOptions:
    """Which runs are read, and how. `priorities`: of runs, by tag, in place of those of the table of teams."""

    runs: tuple[str, ...]
    topics: str | None
    teams: str | None
    ordering: Ordering
    max_documents: int
    problems_shown: int
    priorities: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class PoolOptions:
    """Which pool is drawn, and from what. `judged`: the qrels that a strategy reads, if one is given."""

    runs: RunOptions
    spec: PoolSpec
    judged: str | None


def new_parser(command: str, description: str, epilog: str = STATUSES) -> argparse.ArgumentParser:
    return argparse.ArgumentParser(
        prog=f"{PROGRAM} {command}",
        usage=f"{PROGRAM} {command} [options] RUN [RUN ...]",
        description=f"{description}\n\n{RUN_FILES}",
        epilog=epilog,
        formatter_class=Help,
        allow_abbrev=False,
    )


def add_pool_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("pool")
    group.add_argument(
        "--strategy",
        metavar="NAME",
        default=default_strategy().name,
        help=f"how the pool is drawn (default: %(default)s); `{PROGRAM} strategies` lists them",
    )
    group.add_argument(
        "--set",
        dest="parameters",
        metavar="PARAMETER=VALUE",
        action="append",
        default=[],
        help="a parameter of the strategy; may be repeated",
    )
    group.add_argument("--order", metavar="NAME", default=DEFAULT_ORDER, help="judging order (default: %(default)s)")
    group.add_argument(
        "--seed", metavar="N", default=str(SEED.default), help="seed of all random numbers (default: %(default)s)"
    )
    group.add_argument("--max-priority", metavar="N", help="only runs of priority 1 to N")
    group.add_argument(
        "--runs-per-team", metavar="N", help="only the first N runs of each team, by priority, then by tag"
    )
    group.add_argument("--judged", metavar="QRELS", help="existing judgments, for strategies that read them")


def add_run_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", metavar="RUN", nargs="+", help=argparse.SUPPRESS)
    group = parser.add_argument_group("runs and topics")
    group.add_argument(
        "--topics",
        metavar="FILE",
        help="topics in their order: a number on each line, or any topic file (default: those of the runs, in byte order)",
    )
    group.add_argument(
        "--teams",
        metavar="FILE.csv",
        help="columns run (tag or file), team and priority, or the runs.csv of a task's downloaded runs "
        "(default: each run a team of its own, of priority 1)",
    )
    group.add_argument(
        "--priority",
        dest="priorities",
        metavar="TAG=N",
        action="append",
        default=[],
        help="the priority of the run with this tag, whatever the table says; may be repeated",
    )
    _add_order_options(group)
    group.add_argument(
        "-M",
        "--max-documents",
        metavar="N",
        type=number(int, 1),
        default=NO_LIMIT,
        help="only the first N documents of each run and topic count, as in a task with this maximum (default: all)",
    )
    group.add_argument(
        "--max-errors",
        "--problems",
        dest="problems",
        metavar="N",
        type=number(int, 1),
        default=PROBLEMS_SHOWN,
        help="show up to N problems of bad input (default: %(default)s)",
    )


def _add_order_options(group: OptionGroup) -> None:
    group.add_argument(
        "--run-order",
        action="append",
        default=[],
        metavar="BY",
        choices=(BY_SCORE, BY_RANK, BY_LINE),
        help="order documents by score (default), by rank or by line; equal scores by docno",
    )
    # As version 1.0.0 spelt them: the commands of pools that it froze.
    for name, order in {"--by-score": BY_SCORE, "--by-rank": BY_RANK, "--by-order": BY_LINE}.items():
        group.add_argument(name, dest="run_order", action="append_const", const=order, help=argparse.SUPPRESS)
    group.add_argument(
        "--trec-eval-version",
        "--reference",
        dest="reference",
        metavar="9|10",
        choices=("9", "10"),
        default="9",
        help="compare scores in single precision, as trec_eval 9 (default), or in double precision, as trec_eval 10",
    )


def run_options(parser: argparse.ArgumentParser, given: argparse.Namespace) -> RunOptions:
    """The options about runs; what excludes each other ends the program with exit status 2."""
    orders = list(dict.fromkeys(given.run_order))
    if len(orders) > 1:
        parser.error("--run-order takes one order: --by-score, --by-rank and --by-order are other spellings of it.")
    inputs = [*given.files, given.topics, given.teams, getattr(given, "judged", None)]
    if inputs.count(STANDARD_INPUT) > 1:
        parser.error("the standard input (-) can be read only once.")
    return RunOptions(
        runs=tuple(given.files),
        topics=given.topics,
        teams=given.teams,
        ordering=Ordering(orders[0] if orders else BY_SCORE, given.reference),
        max_documents=given.max_documents,
        problems_shown=given.problems,
        priorities=_priorities(parser, given.priorities),
    )


def _priorities(parser: argparse.ArgumentParser, settings: Sequence[str]) -> dict[str, int]:
    priorities: dict[str, int] = {}
    for setting in settings:
        tag, _, text = setting.rpartition("=")
        if not tag or tag in priorities:
            wrong = f"gives the priority of {tag} twice" if tag else "is no TAG=N, such as bm25=1"
            parser.error(f"--priority {setting} {wrong}.")
        try:
            priorities[tag] = PRIORITY.from_text(text)
        except PoolSpecError as problem:
            parser.error(f"--priority {setting}: {problem}")
    return priorities


def read_pool_options(parser: argparse.ArgumentParser, words: Sequence[str]) -> tuple[PoolOptions, argparse.Namespace]:
    """Read the words after the subcommand; what cannot be understood ends the program with exit status 2."""
    given = read_options(parser, words)
    runs = run_options(parser, given)
    try:
        spec = _spec(given).ordered_by(runs.ordering)
    except PoolSpecError as problem:
        parser.error(str(problem))
    return PoolOptions(runs, spec, given.judged), given


def _spec(given: argparse.Namespace) -> PoolSpec:
    common: dict[str, Any] = {"order": given.order, "seed": SEED.from_text(given.seed)}
    if given.max_priority is not None:
        common["max_priority"] = MAX_PRIORITY.from_text(given.max_priority)
    if given.runs_per_team is not None:
        common["runs_per_team"] = RUNS_PER_TEAM.from_text(given.runs_per_team)
    return spec_of(given.strategy, given.parameters, **common)


def spec_of(name: str, settings: Sequence[str], **common: Any) -> PoolSpec:
    """The spec of a strategy and of settings PARAMETER=VALUE; PoolSpecError says what is meant, if anything is near."""
    if name not in STRATEGIES:
        raise PoolSpecError(f"there is no strategy {name}. {_meant(name, STRATEGIES)}")
    strategy, texts = STRATEGIES[name], _texts(settings)
    for parameter in texts:
        if parameter not in strategy.defaults:
            meant = _meant(parameter, strategy.defaults)
            raise PoolSpecError(f"the strategy {name} has no parameter {parameter}. {meant}")
    return PoolSpec.with_defaults(name, strategy.from_text(texts), **common)


def _texts(settings: Sequence[str]) -> dict[str, str]:
    texts: dict[str, str] = {}
    for setting in settings:
        parameter, equals, text = setting.partition("=")
        if not equals or not parameter:
            raise PoolSpecError(f"--set {setting} is no PARAMETER=VALUE. Write, for example, --set depth=10.")
        if parameter in texts:
            raise PoolSpecError(f"--set gives {parameter} twice. Give it once.")
        texts[parameter] = text
    return texts


def _meant(name: str, known: Mapping[str, object]) -> str:
    near = get_close_matches(name.lower().replace("_", "-"), known, n=1, cutoff=0.5)
    meant = near or get_close_matches(name.lower(), known, n=1, cutoff=0.5)
    if not known:
        return "It has none."
    return (f"Did you mean {meant[0]}? " if meant else "") + f"Use one of: {', '.join(known)}."


def command_line(
    spec: PoolSpec, runs: Sequence[str], max_documents: int, priorities: Mapping[str, int], engine: str
) -> str:
    """`python -m pooling draw` with the settings of a pool, for the runs with these tags (or checksums) in the table of runs.

    All settings are written out, also those that are defaults now, but for empty lists. Which runs are pooled is said by
    naming them. `priorities` by tag are those of then, which the table may no longer have; they are written where the strategy
    reads them. `engine`: the version that drew the pool.

    >>> spec = PoolSpec.with_defaults("depth-k", {"depth": 20}, seed=7)
    >>> print(command_line(spec, ["bm25", "$(rm -r .)"], 1000, {"bm25": 1}, "1").replace(chr(92), "/"))
    python -m pooling draw --strategy depth-k --set depth=20 --order random --seed 7 --engine 1 /
      --run-order score --trec-eval-version 10 --max-documents 1000 --topics topics.tsv --teams runs.csv /
      -- bm25 '$(rm -r .)'
    """
    pool = ["python", "-m", "pooling", "draw", "--strategy", spec.strategy]
    for parameter in spec.method.parameters:
        value = spec.parameters[parameter.name]
        if value != parameter.default or parameter.to_text(value):
            pool += ["--set", f"{parameter.name}={parameter.to_text(value)}"]
    pool += ["--order", spec.order, "--seed", str(spec.seed), "--engine", engine]
    read = ["--run-order", spec.run_order, "--trec-eval-version", spec.reference, "--max-documents", str(max_documents)]
    read += ["--topics", TOPICS, "--teams", TEAMS]
    if spec.method.reads_priorities(spec.parameters):
        # One word each: the tag of a run may begin with a dash.
        read += [f"--priority={tag}={priority}" for tag, priority in priorities.items()]
    return " \\\n  ".join(shlex.join(words) for words in (pool, read, ["--", *runs]))
