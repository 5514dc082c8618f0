"""From files to the report."""

import csv
import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from io import StringIO

import polars as pl

from campaign.command.files import InputError, displayed, text_of
from evaluation.command.comparing.values import RunReading, read_all_judgments, run_names
from evaluation.command.reliability.options import ReliabilityArguments
from evaluation.engine.judgments import Judgments
from evaluation.engine.measures.declaration import Measure
from evaluation.engine.measures.names.registry import parse_measure
from evaluation.engine.reliability.collection import Judging, OtherJudgments, ReliabilitySettings
from evaluation.engine.reliability.report import ReliabilityReport, reliability_report
from evaluation.engine.reliability.sets_of_judgments import CommonJudgments, common_judgments

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def report_of_files(arguments: ReliabilityArguments) -> ReliabilityReport:
    """Read and rank all runs; InputError names all problems of files, MeasureNameError a measure that does not exist."""
    read = arguments.read
    measures = [parse_measure(measure, defaults={"rel": read.level}) for measure in read.measures]
    judgments = read_all_judgments(read, measures)
    common = _common(arguments, judgments, measures)
    tables = common.tables.values() if common is not None and common.documents else ()
    reading = RunReading(read, judgments, [Judgments.from_table(table) for table in tables])
    runs = list(reading.ranked())
    if reading.problems:
        raise InputError.joined(reading.problems)
    names = run_names(reading.tags, read.runs)
    teams, kinds = names, None
    if arguments.teams is not None:
        teams = _column(arguments.teams, "team", names, read.runs)
        kinds = _column(arguments.teams, "kind", names, read.runs) if arguments.kinds else None
    settings = ReliabilitySettings(arguments.found_depth, read.level, arguments.difference, arguments.seed)
    others = None if common is None else OtherJudgments(common, reading.ranked_further, _sets(arguments))
    judging = Judging(frozenset(_judged_by(arguments.assessors))) if arguments.assessors else Judging()
    return reliability_report(runs, names, teams, measures, settings, kinds=kinds or (), others=others, judging=judging)


def _common(arguments: ReliabilityArguments, judgments: Judgments, measures: list[Measure]) -> CommonJudgments | None:
    """The documents that the first file and all others judge; the sets are called A, B, ..."""
    if not arguments.other_qrels:
        return None
    if len(arguments.other_qrels) >= len(LETTERS):
        raise InputError([f"--other-qrels: give {len(LETTERS) - 1} files at most."])
    read = [read_all_judgments(replace(arguments.read, qrels=path), measures) for path in arguments.other_qrels]
    tables = [one.documents.with_columns(grade=pl.Series(one.grade)) for one in (judgments, *read)]
    return common_judgments(dict(zip(LETTERS, tables, strict=False)), arguments.read.level)


def _sets(arguments: ReliabilityArguments) -> list[dict[str, str]]:
    files = (arguments.read.qrels, *arguments.other_qrels)
    return [{"set": letter, "file": displayed(path)} for letter, path in zip(LETTERS, files, strict=False)]


def _judged_by(path: str) -> Iterator[tuple[str, str]]:
    """Pairs of topic and assessor; empty cells tell nobody."""
    table = csv.DictReader(StringIO(text_of(path).decode(errors="replace")))
    if not {"topic", "assessor"} <= set(table.fieldnames or ()):
        raise InputError([f"{displayed(path)}: line 1: name the columns topic and assessor."])
    yield from ((row["topic"], row["assessor"]) for row in table if row["topic"] and row["assessor"])


def _column(path: str, what: str, names: Sequence[str], files: Sequence[str]) -> tuple[str, ...]:
    """The team or kind of each run, by its tag or the name of its file."""
    table = csv.DictReader(StringIO(text_of(path).decode(errors="replace")))
    if not {"run", what} <= set(table.fieldnames or ()):
        raise InputError([f"{displayed(path)}: line 1: name the columns run and {what}."])
    label_of = {row["run"]: row[what] for row in table if row["run"] and row[what]}
    labels, missing = [], []
    for name, file in zip(names, files, strict=True):
        label = next((label_of[key] for key in (name, file, os.path.basename(file)) if key in label_of), None)
        labels.append(label or "")
        if label is None:
            missing.append(f"{displayed(path)}: no line names the {what} of run {displayed(name)}.")
    if missing:
        raise InputError(missing)
    return tuple(labels)
