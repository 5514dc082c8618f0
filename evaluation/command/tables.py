"""Results for other programs: one table of comma-separated values, or JSON, with all digits."""

import csv
import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from io import StringIO
from itertools import chain
from typing import Any, TextIO

from evaluation.command.arguments import ScoreArguments
from evaluation.command.files import displayed
from evaluation.command.results import Cell, RunResult, evaluate
from evaluation.command.styles import gdeval, ndeval
from evaluation.engine.measures.declaration import JUDGED_ONLY, Measure

HEADER = ("file", "run", "topic", "measure", "value")
OVER_TOPICS = "all"
NATIVE_MEAN = "amean"
NATIVE_STYLES = {"ndeval": ndeval.write, "gdeval": gdeval.write}
ALL_DIGITS = 17
OPTIONS = {
    "trec_eval": ("reference", "level", "judged_only", "depth", "collection_size", "judgment_groups"),
    "ndeval": ("alpha", "beta", "by_rank", "depth", "baseline", "risk_alpha"),
    "gdeval": ("k", "baseline", "risk_alpha"),
}


@dataclass(frozen=True)
class RunTable:
    """The values of one run: of its summary, and of every topic that was asked for; from measure to value."""

    file: str
    tag: str
    summary: Mapping[str, Cell]
    topics: Mapping[str, Mapping[str, Cell]]


@dataclass(frozen=True)
class Table:
    """The values of all runs; `measures` describes the measures, by the names under which they are printed."""

    measures: Sequence[Mapping[str, Any]]
    runs: Sequence[RunTable]


def write(arguments: ScoreArguments, out: TextIO) -> None:
    """Score the runs and write the results as CSV or JSON."""
    table = _of_tool(arguments) if arguments.style == "trec_eval" else _of_native(arguments)
    if arguments.form == "json":
        _write_json(table, arguments, out)
    else:
        _write_csv(table, arguments, out)


def _of_tool(arguments: ScoreArguments) -> Table:
    results = evaluate(arguments)
    measures = [
        {"name": name.name, **(_described(name.measure, arguments) if name.measure else {})}
        for name in (results[0].names if results else ())
        if name.name != "runid"
    ]
    return Table(measures, [_of_result(result, arguments) for result in results])


def _of_result(result: RunResult, arguments: ScoreArguments) -> RunTable:
    def named(cells: Iterable[Cell], part: str) -> dict[str, Cell]:
        return {
            measure.name: cell
            for measure, cell in zip(result.names, cells, strict=True)
            if measure.shown in ("both", part) and measure.name != "runid"
        }

    topics = enumerate(result.topics) if arguments.per_topic else ()
    return RunTable(
        result.name,
        result.tag,
        named(result.summary, "summary") if arguments.summary else {},
        {topic: named(result.of_topic(place), "topic") for place, topic in topics},
    )


def _described(measure: Measure, arguments: ScoreArguments) -> dict[str, Any]:
    definition = measure.definition
    if arguments.judged_only and definition.parameter(JUDGED_ONLY.name):
        measure = definition.with_values({**measure.given, JUDGED_ONLY.name: True})
    low, high = (bound if math.isfinite(bound) else None for bound in definition.range)
    return {
        "canonical": measure.name,
        "parameters": measure.given,
        "kind": definition.kind,
        "range": [low, high],
        "over_topics": definition.summary,
    }


def _of_native(arguments: ScoreArguments) -> Table:
    """Take the values from the style's own lines, where the mean ends the lines of every run."""
    text = StringIO()
    NATIVE_STYLES[arguments.style](replace(arguments, digits=arguments.digits or ALL_DIGITS), text)
    text.seek(0)
    names = next(csv.reader([text.readline()]))[2:]
    runs: list[RunTable] = []
    topics: dict[str, dict[str, Cell]] = {}
    paths = iter(arguments.runs)
    for line in text:
        label, topic, *values = line.rsplit(",", len(names) + 1)
        topics[topic] = {name: float(value) for name, value in zip(names, values, strict=True)}
        if topic == NATIVE_MEAN:
            summary = topics.pop(NATIVE_MEAN)
            runs.append(RunTable(displayed(next(paths)), label, summary, topics))
            topics = {}
    return Table([{"name": name} for name in names], runs)


def _write_csv(table: Table, arguments: ScoreArguments, out: TextIO) -> None:
    """Write a line for each value; texts, such as relstring, are left out, so that the last column is a number."""
    rows = csv.writer(out, lineterminator="\n")
    rows.writerow(HEADER)
    for run in table.runs:
        for topic, values in _parts(run):
            rows.writerows(
                (run.file, run.tag, topic, name, _digits(cell, arguments.digits))
                for name, cell in values.items()
                if not isinstance(cell, str)
            )


def _parts(run: RunTable) -> Iterator[tuple[str, Mapping[str, Cell]]]:
    return chain(run.topics.items(), [(OVER_TOPICS, run.summary)])


def _digits(cell: Cell, digits: int | None) -> Cell:
    return f"{cell:.{digits}f}" if isinstance(cell, float) and digits is not None else cell


def _write_json(table: Table, arguments: ScoreArguments, out: TextIO) -> None:
    """Write one object, with a line for each measure and each run."""
    head = {
        "style": arguments.style,
        "qrels": displayed(arguments.qrels),
        "averaged_over": _averaged_over(arguments),
        "options": {
            name: value for name in OPTIONS[arguments.style] if (value := getattr(arguments, name)) is not None
        },
    }
    runs = (
        {"file": run.file, "run": run.tag, "summary": run.summary, **({"topics": run.topics} if run.topics else {})}
        for run in table.runs
    )
    out.write(json.dumps(head)[:-1] + ",\n")
    for key, items, end in (("measures", table.measures, ",\n"), ("runs", runs, "}\n")):
        out.write(f'"{key}": [\n' + ",\n".join(json.dumps(item, allow_nan=False) for item in items) + f"\n]{end}")


def _averaged_over(arguments: ScoreArguments) -> str:
    topics = "all topics of the qrels" if arguments.all_topics else "topics of the qrels that the run answers"
    return f"{topics}, if they have a relevant document" if arguments.style == "gdeval" else topics
