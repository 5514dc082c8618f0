"""Reading runs for pools, as the site reads them: the same lines count, in the same order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from io import BytesIO

import polars as pl

from campaign.command.files import LIMITS, InputError, bytes_of, displayed, line_of, raise_problems
from campaign.command.reading_ahead import map_ahead
from campaign.command.streams_and_signals import write_error
from campaign.formats.problems import visible
from campaign.formats.runs.check import RunCheck, check_run
from campaign.formats.runs.line_reader.reader import told_topics
from campaign.formats.runs.rules import ERROR, OFF, RULES, WARNING, RunRules
from campaign.formats.runs.table import ranked
from campaign.text.natural_order import natural_order
from campaign.text.plurals import number_of
from pooling.command.options import RunOptions
from pooling.command.teams import Teams, read_teams
from pooling.command.topics import refuse_no_topics, topics_in
from pooling.core.strategies.declaration import PooledRun, with_shares

MATTERS = {"docno_duplicate": ERROR, "tag_varies": ERROR, "score_reversed": WARNING, "rank_duplicate": OFF}
"""Rules that no task fixes and that say something of a pool; the others are switched off."""
SEVERITIES = {code: MATTERS.get(code, OFF) for code in RULES}


@dataclass(frozen=True)
class RunsRead:
    """`runs`: one for each file. `topics`: in the order of the pool."""

    runs: list[PooledRun]
    topics: list[str]


@dataclass(frozen=True)
class _File:
    run: PooledRun
    path: str
    topics: frozenset[str]


def read_runs(options: RunOptions, depth: int | None, *, scores: bool = False) -> RunsRead:
    """Read the runs, each cut to its first `depth` documents as soon as it is ordered; None keeps all.

    With `scores` rankings have the column `share`. InputError names all that cannot be used, in all files; what is odd is
    a warning on the standard error.
    """
    teams = read_teams(options.teams)
    topics = topics_in(options.topics) if options.topics is not None else None
    read = partial(_read, teams=teams, options=options, topics=topics, depth=depth, scores=scores)
    files, problems = [], []
    for outcome in map_ahead(read, [teams.file_of(word) for word in options.runs]):
        if isinstance(outcome, InputError):
            problems.append(outcome)
        else:
            files.append(outcome)
    if problems:
        raise InputError.joined(problems)
    _refuse_equal_tags(files)
    _refuse_unknown_tags(options.priorities, files)
    teams.refuse_unknown()
    if topics is None:
        topics = sorted(set().union(*(file.topics for file in files)))  # code points stand in the order of UTF-8 bytes
    refuse_no_topics(topics, options.topics)
    for warning in _missed_topics(files, topics):
        write_error(warning)
    return RunsRead([file.run for file in files], topics)


def _read(
    path: str, *, teams: Teams, options: RunOptions, topics: Sequence[str] | None, depth: int | None, scores: bool
) -> _File | InputError:
    known = None if topics is None else frozenset(topics)
    rules = RunRules(
        topics=known,
        max_documents_per_topic=options.max_documents,
        severities=SEVERITIES,
        ordering=options.ordering,
    )
    try:
        check = check_run(BytesIO(bytes_of(path)), rules, LIMITS)
        row = teams.take(path, check.tag or "")
        table = _table(path, check, accepted=row is not None and row.accepted)
    except InputError as problem:
        return problem
    tag = (row.tag if row else "") or check.tag or ""
    team, priority = (row.team, row.priority) if row else (tag, 1)
    ranking = ranked(table, options.ordering)
    if scores:
        ranking = with_shares(ranking)
    if depth is not None:
        ranking = ranking.filter(pl.col("position") <= depth)
    ranking = ranking.select("topic", "docno", "position", *(["share"] if scores else []))
    priority = options.priorities.get(tag, priority)
    return _File(PooledRun(tag, team, priority, ranking), path, frozenset(table["topic"].unique()))


def _table(path: str, check: RunCheck, *, accepted: bool) -> pl.DataFrame:
    """The lines that count; of a run that the site takes, what is wrong with it is only told."""
    if not accepted or check.table is None:
        raise_problems(path, check.problems)
    if check.table is None:
        raise InputError(
            [f"{displayed(path)}: no line of the run counts for these topics. Check that it belongs to them."]
        )
    for problem in check.problems.shown:
        write_error(f"warning: {line_of(path, problem, problem.remedy)}\n")
    return check.table


def _refuse_equal_tags(files: Sequence[_File]) -> None:
    paths: dict[str, str] = {}
    lines = []
    for file in files:
        first = paths.setdefault(file.run.tag, file.path)
        if first is not file.path:
            remedy = "Give each run its own tag, in its last column or in the table of --teams (columns file, tag)."
            lines.append(f"{displayed(file.path)}: has the tag {visible(file.run.tag)} of {displayed(first)}. {remedy}")
    if lines:
        raise InputError(lines)


def _refuse_unknown_tags(named: Iterable[str], files: Sequence[_File]) -> None:
    unknown = sorted(set(named) - {file.run.tag for file in files}, key=natural_order)
    if unknown:
        raise InputError(
            [
                f"--priority {visible(tag)}: there is no run with this tag among those given. Correct the tag, or take it out."
                for tag in unknown
            ]
        )


def _missed_topics(files: Sequence[_File], topics: Sequence[str]) -> Iterator[str]:
    for file in files:
        missing = sorted(set(topics) - file.topics, key=natural_order)
        if missing:
            of = f"no document for {len(missing)} of {number_of(len(topics), 'topic')}: {told_topics(missing)}"
            yield f"warning: {displayed(file.path)}: {of}. It brings nothing into their pools.\n"
