"""`python -m pooling simulate`: which strategy would have been worth its judgments where all is judged."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from campaign.command.files import InputError, displayed
from campaign.command.options import number, read_options
from campaign.command.program import FINE, bad_input, print_whole, wrong_usage
from campaign.command.streams_and_signals import write_error
from evaluation.pool_simulation.simulation import Collection, Plan, Simulation, simulate
from evaluation.pool_simulation.tables import FORMS
from pooling.command.judged_documents import judged_in
from pooling.command.options import PROGRAM, RunOptions, add_run_options, new_parser, run_options, spec_of
from pooling.command.runs import read_runs
from pooling.core.strategies.parameters import PoolSpecError
from pooling.core.strategies.registry import STRATEGIES

DESCRIPTION = """Draw the pools of each strategy at several costs from a collection that is judged. Show how many relevant
documents each pool would have found, and how well it would have ordered the runs. A document that the qrels do not
name counts as not relevant."""


def run(words: Sequence[str]) -> int:
    parser = _parser()
    given = read_options(parser, words)
    options = run_options(parser, given)
    try:
        names = tuple(spec_of(name, ()).strategy for name in given.strategies or STRATEGIES)
    except PoolSpecError as problem:
        return wrong_usage(f"{PROGRAM} simulate", problem)
    plan = Plan(names, given.depth, given.costs, given.seeds, given.level, given.processes)
    try:
        simulation = simulate(_collection(options, given.qrels, plan), plan, _tell)
        if given.picture is not None:
            _write_picture(simulation, given.picture)
    except InputError as problem:
        return bad_input(problem, options.problems_shown)
    print_whole(lambda out: FORMS[given.form](simulation, out))
    return FINE


def _parser() -> argparse.ArgumentParser:
    parser = new_parser("simulate", DESCRIPTION)
    parser.usage = f"{PROGRAM} simulate --qrels QRELS [options] RUN [RUN ...]"
    group = parser.add_argument_group("simulation")
    group.add_argument("--qrels", metavar="QRELS", required=True, help="judgments: topic, 0, docno, grade")
    group.add_argument(
        "-l", "--level", metavar="N", type=number(int, 1), default=1, help="lowest relevant grade (default: 1)"
    )
    group.add_argument(
        "--strategy", dest="strategies", metavar="NAME", action="append", help="may be repeated (default: all)"
    )
    group.add_argument(
        "--depth", metavar="K", type=number(int, 1, 1000), default=20, help="the pool that costs 100 (default: 20)"
    )
    group.add_argument(
        "--costs", metavar="N,N", type=_costs, default="25,50,100", help="percent of that cost (default: %(default)s)"
    )
    group.add_argument("--seeds", metavar="N", type=number(int, 1), default=20, help="1 to N (default: %(default)s)")
    group.add_argument(
        "--processes",
        metavar="N",
        type=number(int, 1, 256),
        default=2,
        help="number of processes (default: %(default)s)",
    )
    group.add_argument(
        "--format", dest="form", metavar="FORMAT", choices=tuple(FORMS), default="text", help=", ".join(FORMS)
    )
    group.add_argument("--picture", metavar="FILE.svg", help="write a picture too")
    add_run_options(parser)
    return parser


def _costs(text: str) -> tuple[float, ...]:
    read = number(float, 0.1, 1000)
    return tuple(sorted({read(part) / 100 for part in text.split(",")}))


def _collection(options: RunOptions, qrels: str, plan: Plan) -> Collection:
    table = judged_in(qrels)
    read = read_runs(options, None, scores=plan.reads_scores)
    judged = set(table["topic"])
    topics = [topic for topic in read.topics if topic in judged]
    if not table.filter(table["topic"].is_in(topics), table["grade"] >= plan.level).height:
        remedy = "Check that qrels and runs belong to one task, and --level."
        raise InputError(
            [f"{displayed(qrels)}: no document of grade {plan.level} or above for a topic of the runs. {remedy}"]
        )
    if len(read.runs) < 2:
        raise InputError([f"{PROGRAM} simulate: an order of runs needs two runs at least. Give more."])
    return Collection(read.runs, topics, table)


def _write_picture(simulation: Simulation, path: str) -> None:
    from evaluation.pool_simulation.picture import simulation_svg

    try:
        with open(path, "wb") as file:
            file.write(simulation_svg(simulation))
    except OSError as problem:
        raise InputError([f"{path}: {problem.strerror}. Name a file that can be written."]) from None


def _tell(done: int, total: int) -> None:
    if sys.stderr is not None and sys.stderr.isatty():
        write_error(f"\r{done} of {total}" + ("\n" if done == total else ""))
