"""From files to the report."""

import os
from collections.abc import Sequence
from dataclasses import replace

import polars as pl

from campaign.command.files import InputError, displayed, table_of
from campaign.text.plurals import number_of
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
    judging = _judging(arguments.assessors, judgments.topics)
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


def _judging(path: str | None, topics: Sequence[str]) -> Judging:
    """Who judged which topic. Empty cells tell nobody."""
    if path is None:
        return Judging(why_not="Who judged which topic is not told: give --assessors FILE.")
    rows = _rows(path, "topic", "assessor")
    told = {row["topic"] for row in rows if row["assessor"]}
    missing = [topic for topic in topics if topic not in told]
    if len(missing) == len(topics):
        raise InputError([f"{displayed(path)}: no line names a topic of QRELS and its assessor."])
    why_not = f"Who judged is not told for {len(missing)} of {number_of(len(topics), 'topic')}."
    return Judging(frozenset((row["topic"], row["assessor"]) for row in rows if row["topic"] in told), why_not)


def _column(path: str, what: str, names: Sequence[str], files: Sequence[str]) -> tuple[str, ...]:
    """The team or kind of each run, by its tag or the name of its file."""
    label_of = {row["run"]: row[what] for row in _rows(path, "run", what) if row["run"] and row[what]}
    labels, missing = [], []
    for name, file in zip(names, files, strict=True):
        label = next((label_of[key] for key in (name, file, os.path.basename(file)) if key in label_of), None)
        labels.append(label or "")
        if label is None:
            missing.append(f"{displayed(path)}: no line names the {what} of run {displayed(name)}.")
    if missing:
        raise InputError(missing)
    return tuple(labels)


def _rows(path: str, first: str, second: str) -> list[dict[str, str]]:
    table = table_of(path)
    if not {first, second} <= set(table.columns):
        raise InputError(
            [f"{displayed(path)}:1: The first line must name the columns {first} and {second}: {first},{second}."]
        )
    return [cells for _, cells in table.rows]
