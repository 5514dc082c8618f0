"""Results for other programs: one table of comma-separated values, or JSON, with all digits."""

import csv
import json
import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TextIO, TypeAlias

from campaign.command.files import displayed
from campaign.formats.runs.order_setting import Ordering
from campaign.formats.spreadsheet import guarded
from evaluation.command.arguments import ScoreArguments
from evaluation.command.results import Cell, RunResult
from evaluation.command.styles.declaration import Style
from evaluation.engine.measures.declaration import Measure
from evaluation.engine.measures.parameters import JUDGED_ONLY

HEADER = ("file", "run", "topic", "measure", "value")
OVER_TOPICS = "all"
Values: TypeAlias = dict[str, Cell]
"""From the name of a measure, as it is printed, to its value."""


def write(results: Sequence[RunResult], style: Style, arguments: ScoreArguments, out: TextIO) -> None:
    """Write the results as CSV or JSON."""
    if arguments.form == "json":
        _write_json(results, style, arguments, out)
    else:
        _write_csv(results, style, arguments, out)


def _summary(result: RunResult, arguments: ScoreArguments) -> Values:
    return _named(result, result.summary, "summary") if arguments.summary else {}


def _topics(result: RunResult, style: Style, arguments: ScoreArguments) -> dict[str, Values]:
    if not (style.all_topics_in_tables or arguments.per_topic):
        return {}
    return {topic: _named(result, result.of_topic(place), "topic") for place, topic in enumerate(result.topics)}


def _named(result: RunResult, cells: Iterable[Cell], part: str) -> Values:
    return {
        measure.name: cell
        for measure, cell in zip(result.measures, cells, strict=True)
        if measure.shown in ("both", part) and measure.name != "runid"
    }


def _write_csv(results: Sequence[RunResult], style: Style, arguments: ScoreArguments, out: TextIO) -> None:
    """Write a line for each value; texts, such as relstring, are left out, so that the last column is a number."""
    rows = csv.writer(out, lineterminator="\n")
    rows.writerow(HEADER)
    for result in results:
        of_topics = _topics(result, style, arguments).items()
        for topic, values in (*of_topics, (OVER_TOPICS, _summary(result, arguments))):
            named = [guarded(text) for text in (result.name, result.tag, topic)]
            rows.writerows(
                (*named, name, _digits(cell, arguments.digits))
                for name, cell in values.items()
                if not isinstance(cell, str)
            )


def _digits(cell: Cell, digits: int | None) -> Cell:
    return f"{cell:.{digits}f}" if isinstance(cell, float) and digits is not None else cell


def _write_json(results: Sequence[RunResult], style: Style, arguments: ScoreArguments, out: TextIO) -> None:
    """Write one object, with a line for each measure and each run."""
    head = {
        "style": arguments.style,
        "qrels": displayed(arguments.qrels),
        "averaged_over": _averaged_over(style, arguments),
        "runs_ordered_by": Ordering(style.order_of(arguments), style.reference(arguments)).in_words,
        "options": {name: value for name in style.options if (value := getattr(arguments, name)) is not None},
    }
    out.write(json.dumps(head)[:-1] + ",\n")
    measures, runs = _measures_in_json(results, style, arguments), _runs_in_json(results, style, arguments)
    for key, items, end in (("measures", measures, ",\n"), ("runs", runs, "}\n")):
        out.write(f'"{key}": [\n' + ",\n".join(json.dumps(item, allow_nan=False) for item in items) + f"\n]{end}")


def _averaged_over(style: Style, arguments: ScoreArguments) -> str:
    topics = "all topics of the qrels" if arguments.all_topics else "topics of the qrels that the run answers"
    return topics + style.averaged_over


def _measures_in_json(
    results: Sequence[RunResult], style: Style, arguments: ScoreArguments
) -> Iterator[dict[str, Any]]:
    for printed in results[0].measures if results else ():
        if printed.name != "runid":
            described = printed.measure if style.describes_measures else None
            yield {"name": printed.name, **(_described(described, arguments) if described else {})}


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


def _runs_in_json(results: Sequence[RunResult], style: Style, arguments: ScoreArguments) -> Iterator[dict[str, Any]]:
    for result in results:
        topics = _topics(result, style, arguments)
        summary = _summary(result, arguments)
        yield {"file": result.name, "run": result.tag, "summary": summary, **({"topics": topics} if topics else {})}
