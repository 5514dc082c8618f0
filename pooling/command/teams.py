"""The table of teams: which run belongs to which team, with which priority, and perhaps from which file."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from campaign.command.files import InputError, displayed, table_of
from campaign.formats.problems import visible
from pooling.command.options import PRIORITY
from pooling.core.strategies.parameters import PoolSpecError

NAMES = ("run", "tag", "file")
TEAM_COLUMNS = ("team", "group")
SHORTEST_CHECKSUM = 12
LEFT_OUT = ("received", "rejected", "withdrawn", "replaced")
"""States of a task's runs that need not be among the runs given."""
ACCEPTED_BY_SITE = ("valid", "withdrawn", "replaced")


@dataclass(frozen=True)
class TeamRow:
    """A run as the table has it. `file`: its path, or ""; `accepted`: the site takes the run with all that is odd in it."""

    line: int
    names: frozenset[str]
    tag: str
    file: str
    sha256: str
    team: str
    priority: int
    state: str
    decision: str

    @property
    def accepted(self) -> bool:
        return self.state in ACCEPTED_BY_SITE or self.decision == "accepted"

    @property
    def may_be_missing(self) -> bool:
        return self.state in LEFT_OUT

    def is_file(self, path: str) -> bool:
        """Whether the row names this file, by its path or by its name."""
        if self.file:
            return _same(self.file, path)
        return any(_same(name, path) or name == os.path.basename(path) for name in self.names)


class Teams:
    """The rows of a table, or none. Each row may be taken by one run."""

    def __init__(self, path: str = "", rows: Sequence[TeamRow] = ()) -> None:
        self._path, self._rows = path, rows
        self._taken: set[int] = set()

    def file_of(self, word: str) -> str:
        """The file that a word of the command line means: that of the run with this tag or checksum, or the word itself."""
        row = self._row_with_file(word)
        return row.file if row else word

    def take(self, path: str, tag: str) -> TeamRow | None:
        """The row of the run with this file, else of the run with this tag; None where there is none."""
        row = next((row for row in self._rows if row.is_file(path)), None)
        row = row or next((row for row in self._rows if not row.file and tag in row.names), None)
        if row:
            self._taken.add(row.line)
        return row

    def refuse_unknown(self) -> None:
        """Raise InputError where the table names runs that are not among those given."""
        left = [row for row in self._rows if row.line not in self._taken and not row.may_be_missing]
        lines = [
            f"{displayed(self._path)}:{row.line}: there is no run {visible(row.tag or min(row.names))} among those given. "
            "Give its file too, or take the line out."
            for row in left
            if not row.file  # a table of files lists all runs there are
        ]
        if lines:
            raise InputError(lines)

    def _row_with_file(self, word: str) -> TeamRow | None:
        named = [row for row in self._rows if row.file and row.tag == word]
        named = [row for row in named if not row.may_be_missing] or named
        if not named and len(word) >= SHORTEST_CHECKSUM:
            named = [row for row in self._rows if row.file and row.sha256.startswith(word)]
        return named[0] if named else None


def read_teams(path: str | None) -> Teams:
    """Read the table; InputError names each line that cannot be used."""
    if path is None:
        return Teams()
    table = table_of(path)
    if not set(NAMES) & set(table.columns) or not {*TEAM_COLUMNS, "priority"} & set(table.columns):
        raise InputError([f"{displayed(path)}:1: The first line must name the columns: run,team,priority. Add it."])
    rows, problems = [], []
    for number, cells in table.rows:
        try:
            rows.append(_row(cells, number, os.path.dirname(path)))
        except PoolSpecError as problem:
            problems.append(f"{displayed(path)}:{number}: {problem}")
    problems += [f"{displayed(path)}:{line}" for line in _twice(rows)]
    if problems:
        raise InputError(problems)
    return Teams(path, rows)


def _row(values: Mapping[str, str], line: int, folder: str) -> TeamRow:
    names = frozenset(values[name] for name in NAMES if values.get(name))
    if not names:
        raise PoolSpecError("The line names no run. Write its tag or its file, or take the line out.")
    priority = PRIORITY.from_text(values["priority"]) if values.get("priority") else PRIORITY.default
    tag, file = values.get("tag", ""), values.get("file", "")
    return TeamRow(
        line=line,
        names=names,
        tag=tag or (values.get("run", "") if file else ""),
        file=os.path.join(folder, file) if file else "",
        sha256=values.get("sha256", ""),
        team=next((values[name] for name in TEAM_COLUMNS if values.get(name)), "") or tag or min(names),
        priority=priority,
        state=values.get("state", ""),
        decision=values.get("decision", ""),
    )


def _twice(rows: Iterable[TeamRow]) -> list[str]:
    lines: dict[object, int] = {}
    told = []
    for row in rows:
        key = row.file or row.names
        first = lines.setdefault(key, row.line)
        if first != row.line:
            told.append(
                f"{row.line}: the run {visible(min(row.names))} stands on line {first} too. Keep one of the two."
            )
    return told


def _same(one: str, other: str) -> bool:
    return os.path.abspath(one) == os.path.abspath(other)
