"""What came of each fault: rows of a CSV file, and the tables over them."""

import csv
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from scipy import stats

from benchmarks.mutations import Mutation
from benchmarks.rooms import APPS

KILLED, SURVIVED, TIMEOUT, NO_TESTS = "killed", "survived", "timeout", "no tests"
TEXT_KEPT = 160


@dataclass(frozen=True)
class Row:
    file: str
    line: int
    operator: str
    before: str
    after: str
    outcome: str
    seconds: float
    test_files: int
    column: int
    unit: str
    offset: int
    text: str
    failed: str

    @property
    def key(self) -> tuple[str, ...]:
        """The same in another checkout that has the same unit."""
        return (
            self.file,
            self.unit,
            str(self.offset),
            self.text,
            str(self.column),
            self.operator,
            self.before,
            self.after,
        )

    @property
    def app(self) -> str:
        return self.file.partition("/")[0]


def row_of(mutation: Mutation, outcome: str, seconds: float, test_files: int, failed: str = "") -> Row:
    return Row(
        mutation.file, mutation.line, mutation.operator, short(mutation.before), short(mutation.after), outcome,
        round(seconds, 1), test_files, mutation.column, mutation.unit.name, mutation.offset, short(mutation.text), failed,
    )  # fmt: skip


def short(text: str) -> str:
    return " ".join(text.split())[:TEXT_KEPT]


def read_rows(path: Path) -> dict[tuple[str, ...], Row]:
    if not path.exists():
        return {}
    with path.open(newline="", encoding="utf-8") as file:
        rows = [
            Row(**{field.name: field.type(read[field.name]) for field in fields(Row)})  # type: ignore[operator]
            for read in csv.DictReader(file)
        ]
    return {row.key: row for row in rows}


def write_rows(path: Path, rows: Iterable[Row]) -> None:
    """Written anew each time, and put in its place whole: an end in the middle loses no row."""
    part = path.with_suffix(".part")
    with part.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, [field.name for field in fields(Row)])
        writer.writeheader()
        writer.writerows(asdict(row) for row in rows)
    part.replace(path)


def table(rows: list[Row]) -> Iterator[str]:
    """Shares of what ended in time, and of all, as if every timeout had survived."""
    yield f"| app | mutants | {KILLED} | {SURVIVED} | {NO_TESTS} | {TIMEOUT} | share killed | 95 % | of all |"
    yield "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
    for app in (*APPS, "all"):
        mine = [row.outcome for row in rows if app in {row.app, "all"}]
        counts = [mine.count(outcome) for outcome in (KILLED, SURVIVED, NO_TESTS, TIMEOUT)]
        if mine:
            shares = f"{_share(counts[0], len(mine) - counts[-1])} | {counts[0] / len(mine):.1%}"
            yield f"| {app} | {len(mine)} | {' | '.join(map(str, counts))} | {shares} |"
    yield ""
    yield f"{sum(row.seconds for row in rows) / max(1, len(rows)):.1f} seconds for each mutant."


def _share(killed: int, ended: int) -> str:
    if not ended:
        return "- | -"
    low, high = stats.binomtest(killed, ended).proportion_ci(method="wilson")
    return f"{killed / ended:.1%} | {low:.1%} to {high:.1%}"


def lost(before: dict[tuple[str, ...], Row], now: Iterable[Row]) -> Iterator[str]:
    """Faults that the tests noticed before and do not now."""
    for row in now:
        if row.key in before and before[row.key].outcome == KILLED and row.outcome != KILLED:
            yield (
                f"{row.file}:{row.line} {row.operator}: {row.before!r} to {row.after!r}: now {row.outcome}; "
                f"before killed by {before[row.key].failed}"
            )
