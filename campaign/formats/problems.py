"""What is wrong with a file, as data: one `Problem` each, collected in a `ProblemLog`. Python 3.9 or newer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

SHOWN_LIMIT = 200
DISTINCT_LIMIT = 10_000
EXCERPT_LENGTH = 120
KEY_LENGTH_LIMIT = 200
MORE_PLACES = 9
"""How many places a message names after the first."""

Severity = Literal["error", "warning"]


@dataclass(frozen=True)
class Problem:
    code: str
    message: str
    remedy: str
    line: int | None = None
    excerpt: str = ""
    severity: Severity = "error"
    count: int = 1

    def __str__(self) -> str:
        place = "" if self.line is None else f"line {self.line}: "
        return f"{place}{self.message} {self.remedy}".rstrip()


_Key = tuple[str, str, str, str]


def _key(problem: Problem) -> _Key:
    return problem.code, problem.message, problem.remedy, problem.severity


@dataclass
class _Repeats:
    """Further places of a problem, and the lines on which they stand: all are counted, the first MORE_PLACES kept.

    `last`: the line of the place before.
    """

    last: int | None
    count: int = 0
    lines: int = 0
    first: list[int] = field(default_factory=list)

    def add(self, line: int | None, times: int) -> None:
        self.count += times
        if line is None or line == self.last:
            return
        self.last = line
        self.lines += 1
        if len(self.first) < MORE_PLACES:
            self.first.append(line)

    def in_words(self) -> str:
        if not self.first:
            return ""
        unit = "line" if self.lines == 1 else "lines"
        places = ", ".join(map(str, self.first)) + (", …" if self.lines > len(self.first) else "")
        return f"The same on {self.lines:,} more {unit}: {places}."


class ProblemLog:
    """All problems of one file: every one is counted, the first `limit` are kept, the first of each code always.

    What differs in nothing but its line is one problem, shown at its first line. Of DISTINCT_LIMIT problems this is known;
    each one after them counts as another. What is not kept, or gives way to the first of another code, is in `distinct` once
    and in `errors` or `warnings` with all its places, and is never shown again.
    """

    def __init__(self, limit: int = SHOWN_LIMIT) -> None:
        self._limit = limit
        self._kept: list[Problem] = []
        self._repeats: dict[_Key, _Repeats] = {}
        self._seen: set[int] = set()
        self._kept_by_code: Counter[str] = Counter()
        self.by_code: Counter[str] = Counter()
        self.distinct: Counter[str] = Counter(error=0, warning=0)
        self.errors = 0
        self.warnings = 0

    @property
    def total(self) -> int:
        return self.errors + self.warnings

    @property
    def ok(self) -> bool:
        return self.errors == 0

    @property
    def shown(self) -> tuple[Problem, ...]:
        """The kept problems in file order; those of the file as a whole come first."""
        return tuple(sorted(map(self._with_repeats, self._kept), key=lambda problem: problem.line or 0))

    def of_import(self) -> dict[str, Any]:
        """As `to_json`; of a file that is refused, warnings about the whole file stand behind the errors."""
        value = self.to_json()
        if not self.ok:
            value["shown"].sort(key=lambda one: one["line"] is None and one["severity"] == "warning")
        return value

    def add(
        self,
        code: str,
        message: str,
        remedy: str,
        *,
        line: int | None = None,
        excerpt: str | bytes = "",
        severity: Severity = "error",
        times: int = 1,
    ) -> None:
        """Record one problem; `times` is the number of lines (or topics) that it stands for."""
        self.by_code[code] += times
        if severity == "error":
            self.errors += times
        else:
            self.warnings += times
        key = (code, message, remedy, severity)
        if key in self._repeats:
            self._repeats[key].add(line, times)
            return
        if hash(key) in self._seen:
            return
        self.distinct[severity] += 1
        if len(self._seen) < DISTINCT_LIMIT:
            self._seen.add(hash(key))
        if len(self._kept) < self._limit or (code not in self._kept_by_code and self._make_room()):
            self._kept.append(Problem(code, message, remedy, line, visible(excerpt), severity, times))
            self._kept_by_code[code] += 1
            self._repeats[key] = _Repeats(line)

    def _with_repeats(self, problem: Problem) -> Problem:
        repeats = self._repeats.get(_key(problem))
        if repeats is None or not repeats.count:
            return problem
        message = f"{problem.message} {repeats.in_words()}".rstrip()
        return replace(problem, message=message, count=self._places(problem))

    def _make_room(self) -> bool:
        """Drop the problem of the fewest places, of these the last, whose code another one has."""
        places = [
            (self._places(one), -index) for index, one in enumerate(self._kept) if self._kept_by_code[one.code] > 1
        ]
        if not places:
            return False
        gone = self._kept.pop(-min(places)[1])
        self._repeats.pop(_key(gone), None)
        self._kept_by_code[gone.code] -= 1
        return True

    def _places(self, problem: Problem) -> int:
        repeats = self._repeats.get(_key(problem))
        return problem.count + (repeats.count if repeats else 0)

    def __str__(self) -> str:
        return "\n".join(f"{problem.severity}: {problem}" for problem in self.shown)

    def to_json(self) -> dict[str, Any]:
        return {
            "shown": [asdict(problem) for problem in self.shown],
            "total": self.total,
            "errors": self.errors,
            "warnings": self.warnings,
            "by_code": dict(self.by_code),
            "distinct": dict(self.distinct),
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> ProblemLog:
        """The log to read: it knows no more which problems it has, so one that is added again is another."""
        log = cls()
        log._kept = [Problem(**problem) for problem in value["shown"]]
        log._kept_by_code = Counter(problem.code for problem in log._kept)
        log.by_code = Counter(value["by_code"])
        log.distinct = Counter(value.get("distinct", {"error": value["errors"], "warning": value["warnings"]}))
        log.errors = value["errors"]
        log.warnings = value["warnings"]
        return log


def visible(text: str | bytes, limit: int = EXCERPT_LENGTH) -> str:
    """A short printable piece of a line: broken bytes and control characters are escaped, so that it is safe to store.

    >>> visible(b"caf\\xe9\\x00"), visible("a long line", limit=6)
    ('caf\\\\xe9\\\\x00', 'a lon…')
    """
    head = text[: limit + 1]
    if isinstance(head, bytes):
        head = head.decode("utf-8", errors="backslashreplace")
    head = printable(head)
    return head if len(head) <= limit else head[: limit - 1] + "…"


def printable(text: str) -> str:
    """The text with escapes in place of what no reader sees: of what steers a terminal, or turns the direction of letters.

    >>> printable("\\x1b[2Jgone")
    '\\\\x1b[2Jgone'
    """
    return "".join(
        character if character.isprintable() or character == "\t" else _escaped(character) for character in text
    )


def printable_lines(text: str) -> str:
    """The text as a terminal may show it: no line of it steers the terminal.

    >>> printable_lines("1 map\\n\\x1b[2Jgone\\n")
    '1 map\\n\\\\x1b[2Jgone\\n'
    """
    return "\n".join(map(printable, text.split("\n")))


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")
