"""`python -m pooling preview`: what a pool costs and covers, before anything is judged."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Sequence
from typing import TextIO

import polars as pl

from campaign.command.files import LIMITS, InputError, raise_problems, text_of
from campaign.command.options import number
from campaign.command.program import FINE, bad_input, print_whole
from campaign.command.text_tables import aligned
from campaign.formats.problems import ProblemLog
from campaign.formats.source import numbered_lines, separator_hint
from campaign.formats.spreadsheet import guarded
from campaign.text.plurals import number_of
from pooling.command.judged_documents import judged_in
from pooling.command.options import (
    PROGRAM,
    PoolOptions,
    add_pool_options,
    add_run_options,
    new_parser,
    read_pool_options,
)
from pooling.command.runs import read_runs
from pooling.core.labels import hours, percent
from pooling.core.preview.pool_figures import depth_looked_at, pool_figures
from pooling.core.preview.values import PoolFigures
from pooling.core.strategies.parameters import PoolSpecError

SECONDS = 30.0
EARLIER = "an earlier pool file; its documents count as judged, or, with --judged, those that the qrels judge"
HEADER = ("part", "name", "figure", "value")
OF_ALL = (
    *("total", "new", "judged", "least", "most", "seconds", "hours", "hours_least", "hours_most", "covered"),
    *("unjudged", "unjudged_before"),
)


def run(words: Sequence[str]) -> int:
    parser = new_parser("preview", "Show the cost and the coverage of the pool that `draw` would print.")
    add_pool_options(parser)
    group = parser.add_argument_group("figures")
    group.add_argument(
        "--format",
        dest="form",
        metavar="FORMAT",
        choices=("text", "csv", "json"),
        default="text",
        help="text, csv, json",
    )
    group.add_argument(
        "--seconds",
        metavar="X",
        type=number(float, 0),
        default=SECONDS,
        help="seconds that a judgment takes (default: 30)",
    )
    group.add_argument("--known", metavar="POOL", help=EARLIER)
    add_run_options(parser)
    options, given = read_pool_options(parser, words)
    write = {"text": write_text, "csv": write_csv, "json": write_json}[given.form]
    try:
        figures = figures_of(options, given.seconds, given.known)
        print_whole(lambda out: write(figures, out))
    except PoolSpecError as problem:
        return bad_input(InputError([f"{PROGRAM} preview: {problem}"]), options.runs.problems_shown)
    except InputError as problem:
        return bad_input(problem, options.runs.problems_shown)
    return FINE


def figures_of(options: PoolOptions, seconds: float, known: str | None) -> PoolFigures:
    """Read what the figures need, and compute them. Raises InputError and PoolSpecError."""
    judged = None if options.judged is None else judged_in(options.judged)
    pooled = None if known is None else _pool_in(known)
    read = read_runs(options.runs, depth_looked_at(options.spec), scores=options.spec.method.reads_scores)
    return pool_figures(read.runs, read.topics, options.spec, seconds=seconds, known=pooled, judged=judged)


def _pool_in(path: str) -> pl.DataFrame:
    problems = ProblemLog()
    pairs = []
    for line, text in numbered_lines([text_of(path)], LIMITS, problems):
        fields = text.decode(errors="replace").split()
        if len(fields) in (2, 4):
            pairs.append((fields[0], fields[1]))
        elif fields:
            remedy = f"Write topic and docno.{separator_hint(text, len(fields), 2)}"
            problems.add("column_count", "This is no line of a pool.", remedy, line=line, excerpt=text)
    raise_problems(path, problems)
    return pl.DataFrame(pairs, schema={"topic": pl.String, "docno": pl.String}, orient="row")


def write_json(figures: PoolFigures, out: TextIO) -> None:
    json.dump(figures.to_json(), out, indent=1, allow_nan=False)
    out.write("\n")


def write_csv(figures: PoolFigures, out: TextIO) -> None:
    """Write a line for each figure: which part of the pool, its name, the figure, its value."""
    rows = csv.writer(out, lineterminator="\n")
    rows.writerow(HEADER)
    rows.writerows([guarded(value) for value in row] for row in _rows(figures))


def _rows(figures: PoolFigures) -> Iterator[tuple[str, str, str, object]]:
    values = figures.to_json()
    for name in OF_ALL:
        yield "pool", "", name, values[name]
    for part, key in (
        ("topic", "topic"),
        ("run", "tag"),
        ("left out", "tag"),
        ("team", "team"),
        ("stratum", "stratum"),
    ):
        held = values[{"left out": "left_out", "stratum": "strata"}.get(part, f"{part}s")]
        for item in held:
            for name, value in item.items():
                if name not in (key, "overlap"):
                    yield part, item[key], name, value
    teams = [team["team"] for team in values["teams"]]
    for team in values["teams"]:
        for other, share in zip(teams, team["overlap"], strict=True):
            yield "overlap", team["team"], other, share


def write_text(figures: PoolFigures, out: TextIO) -> None:
    out.write("".join(f"{line}\n" for line in _lines(figures)))


def _lines(figures: PoolFigures) -> Iterator[str]:
    sizes = figures.sizes
    yield figures.drawn_by
    yield from (f"  {sentence}" for sentence in figures.covers)
    yield ""
    yield f"documents to judge      {_least_to_most(figures)}"
    yield f"  drawn                 {figures.total:,}, of which {figures.known:,} in an earlier pool, {figures.judged:,} judged"
    if figures.unjudged_before:
        yield f"  not judged yet        {figures.unjudged_before:,} of the {figures.known:,} in an earlier pool"
    work = _hours_needed(figures)
    yield f"hours                   {work} at {figures.seconds:g} s a document"
    yield f"documents per topic     {sizes.smallest:,} to {sizes.largest:,}, median {sizes.median:g}"
    yield f"first 100 of the runs   {percent(figures.covered)} are pooled"
    if figures.topics_without:
        yield f"topics without any      {', '.join(figures.topics_without)}"
    for stratum in figures.strata:
        yield f"stratum {stratum.stratum:<15} {stratum.drawn:,} of {number_of(stratum.available, 'document')} drawn"
    if figures.compared:
        sizes_in_words = ", ".join(f"{size.pairs:,} at {size.value}" for size in figures.compared)
        yield f"compared                {sizes_in_words}"
    yield from _tables(figures)


def _least_to_most(figures: PoolFigures) -> str:
    return f"{figures.least:,} to {figures.most:,}" if figures.varies else f"{figures.most:,}"


def _hours_needed(figures: PoolFigures) -> str:
    most = hours(figures.hours_for(figures.most))
    return f"{hours(figures.hours_for(figures.least))} to {most}" if figures.varies else most


def _tables(figures: PoolFigures) -> Iterator[str]:
    yield ""
    yield from aligned(
        ["run", "team", "priority", "pooled", "only its team", "only this run", "of its first 10"],
        [
            [run.tag, run.team, run.priority, run.contributed, run.unique, run.alone, percent(run.covered)]
            for run in (*figures.runs, *figures.left_out)
        ],
    )
    yield ""
    teams = [[team.team, team.runs, team.contributed, team.unique] for team in figures.teams]
    yield from aligned(["team", "runs", "pooled", "unique"], teams)
