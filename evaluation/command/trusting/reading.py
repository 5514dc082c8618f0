"""From files to the report."""

import csv
import os
from io import StringIO

from campaign.command.files import InputError, displayed, text_of
from evaluation.command.comparing.values import RunReading, read_all_judgments, run_names
from evaluation.command.trusting.options import TrustArguments
from evaluation.engine.measures.names.registry import parse_measure
from evaluation.engine.trust.report import TrustReport, TrustSettings, trust_report


def report_of_files(arguments: TrustArguments) -> TrustReport:
    """Read and rank all runs; InputError names all problems of files, MeasureNameError a measure that does not exist."""
    read = arguments.read
    measures = [parse_measure(measure, defaults={"rel": read.level}) for measure in read.measures]
    reading = RunReading(read, read_all_judgments(read, measures))
    runs = list(reading.ranked())
    if reading.problems:
        raise InputError.joined(reading.problems)
    names = run_names(reading.tags, read.runs)
    teams = names if arguments.teams is None else _teams(arguments.teams, names, read.runs)
    settings = TrustSettings(arguments.found_depth, read.level, arguments.difference, arguments.seed)
    return trust_report(runs, names, teams, measures, settings)


def _teams(path: str, names: tuple[str, ...], files: tuple[str, ...]) -> tuple[str, ...]:
    """The team of each run, by its tag or the name of its file."""
    table = csv.DictReader(StringIO(text_of(path).decode(errors="replace")))
    if not {"run", "team"} <= set(table.fieldnames or ()):
        raise InputError([f"{displayed(path)}: line 1: name the columns run and team."])
    team_of = {row["run"]: row["team"] for row in table if row["run"] and row["team"]}
    teams, missing = [], []
    for name, file in zip(names, files, strict=True):
        team = next((team_of[key] for key in (name, file, os.path.basename(file)) if key in team_of), None)
        teams.append(team or "")
        if team is None:
            missing.append(f"{displayed(path)}: no line names the team of run {displayed(name)}.")
    if missing:
        raise InputError(missing)
    return tuple(teams)
