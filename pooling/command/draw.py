"""`python -m pooling draw`: the pool's file, byte for byte that of a pool frozen from the same runs and settings."""

from __future__ import annotations

from collections.abc import Sequence

from campaign.command.files import InputError
from campaign.command.program import FINE, bad_input, print_bytes
from campaign.command.streams_and_signals import write_error
from pooling.command.judged_documents import judged_in
from pooling.command.options import (
    PROGRAM,
    STATUSES,
    PoolOptions,
    add_pool_options,
    add_run_options,
    new_parser,
    read_pool_options,
)
from pooling.command.runs import read_runs
from pooling.core.strategies.drawing import draw_pool, pool_file
from pooling.core.strategies.engine import ENGINE, drawn_otherwise
from pooling.core.strategies.frames import sample_file
from pooling.core.strategies.parameters import PoolSpecError

EXAMPLES = f"""examples:
  the first ten documents of every run, in a random order that the seed gives:
    {PROGRAM} draw --strategy depth-k --set depth=10 --seed 7 runs/*.txt.gz

  the runs and topics of a task, as its pages offer them:
    {PROGRAM} draw --set depth=20 --topics topics.xml --teams runs.csv bm25 rm3

{STATUSES}"""


def run(words: Sequence[str]) -> int:
    description = (
        "Draw a pool and print it in judging order: a line `topic docno` for each document. For a sampled pool, each\n"
        "line is `topic docno stratum probability`. With --all, it prints a line `topic 0 docno stratum -1 probability`\n"
        "for each document that a sample could draw, as in qrels of five columns without judgments; the probability is\n"
        "NA for documents that were not drawn."
    )
    parser = new_parser("draw", description, EXAMPLES)
    add_pool_options(parser)
    parser.add_argument(
        "--all",
        action="store_true",
        help="also print the documents of a sample that were not drawn, as described above",
    )
    parser.add_argument(
        "--engine", metavar="VERSION", default=ENGINE, help="warn if this is not the engine version that draws"
    )
    add_run_options(parser)
    options, given = read_pool_options(parser, words)
    if warning := drawn_otherwise(given.engine):
        write_error(f"warning: {warning}\n")
    try:
        print_bytes(pool_bytes(options, whole=given.all))
    except PoolSpecError as problem:
        return bad_input(InputError([f"{PROGRAM} draw: {problem}"]), options.runs.problems_shown)
    except InputError as problem:
        return bad_input(problem, options.runs.problems_shown)
    return FINE


def pool_bytes(options: PoolOptions, *, whole: bool = False) -> bytes:
    """The pool's file, or `sample_file`. Raises InputError, and PoolSpecError where the settings do not fit the runs."""
    spec, method = options.spec, options.spec.method
    judged = judged_in(options.judged) if options.judged is not None and method.reads_judgments else None
    read = read_runs(options.runs, method.reads(spec.parameters), scores=method.reads_scores)
    draw = draw_pool(read.runs, read.topics, spec, judged)
    if not draw.entries.height:
        raise PoolSpecError("The runs hold no document for any of these topics, or the settings take none of them.")
    if not whole:
        return pool_file(draw.entries)
    if draw.entries["inclusion_probability"].null_count():
        raise PoolSpecError(f"The strategy {spec.strategy} draws no sample: leave --all out.")
    return sample_file(draw.entries, draw.frame)
