"""The output of `python -m evaluation curves`: a table, or a picture in a file."""

import csv
from collections.abc import Sequence
from typing import TextIO

from campaign.command.files import InputError, displayed
from campaign.formats.spreadsheet import guarded
from evaluation.command.comparing.options import CompareArguments
from evaluation.command.comparing.values import RunReading, read_all_judgments, run_names
from evaluation.command.drawing_curves.options import CurvesArguments
from evaluation.command.drawing_curves.series import Asked, Series, curves_of
from evaluation.engine.judgments import JudgmentError, Judgments
from evaluation.engine.measures.names.registry import parse_measure

HEADER = ("curve", "run", "topic", "x", "y")


def write_curves(arguments: CurvesArguments, out: TextIO) -> None:
    """Write the table, or the picture; InputError or MeasureNameError before anything is written."""
    found = curves_of_files(arguments)
    if arguments.picture is not None:
        _write_picture(found, arguments, arguments.picture)
        return
    rows = csv.writer(out, lineterminator="\n")
    rows.writerow(HEADER)
    for series in found:
        points = zip(series.x.tolist(), series.y.tolist(), strict=True)
        named = (series.curve, guarded(series.run), guarded(series.topic))
        rows.writerows((*named, "" if x != x else x, y) for x, y in points)


def curves_of_files(arguments: CurvesArguments) -> list[Series]:
    """Read and rank all runs; InputError names all problems of files, MeasureNameError a gain or base that does not exist."""
    base = "" if arguments.base is None else f",base={arguments.base}"
    parse_measure(f"DCG(gain={arguments.gain}{base})")
    shown = arguments.problems_shown
    read = CompareArguments(arguments.qrels, arguments.runs, level=arguments.level, problems_shown=shown)
    judgments = read_all_judgments(read, [])
    asked = Asked(arguments, _group(judgments, arguments))
    reading = RunReading(read, judgments)
    ranked = list(reading.ranked())
    if reading.problems:
        raise InputError.joined(reading.problems)
    names = run_names(reading.tags, arguments.runs)
    try:
        found = [series for run, of_run in zip(names, ranked, strict=True) for series in curves_of(asked, run, of_run)]
    except JudgmentError as problem:
        raise InputError([f"{displayed(arguments.qrels)}: {problem}"]) from None
    return _each_ideal_once(found)


def _each_ideal_once(found: Sequence[Series]) -> list[Series]:
    """The ideal is that of the qrels, whatever the run: it stands at the end."""
    of_runs = [series for series in found if series.run]
    return [*of_runs, *{series.curve: series for series in found if not series.run}.values()]


def _group(judgments: Judgments, arguments: CurvesArguments) -> int | None:
    if arguments.topic is None:
        return None
    if arguments.topic not in judgments.topics:
        raise InputError(
            [f"{displayed(arguments.qrels)}: topic {arguments.topic} has no judgments. Name one of the qrels."]
        )
    return judgments.topics.index(arguments.topic)


def _write_picture(found: list[Series], arguments: CurvesArguments, path: str) -> None:
    from evaluation.command.drawing_curves.picture import picture_of  # matplotlib is slow to load

    content = picture_of(found, arguments)
    try:
        with open(path, "wb") as file:
            file.write(content)
    except OSError as problem:
        raise InputError([f"{path}: {problem.strerror}. Name a file that can be written."]) from None
