"""What the check script says of a run. Standard library only, Python 3.9 or newer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from campaign.formats.problems import Problem, ProblemLog
from campaign.formats.runs.findings import counted_in_words
from campaign.formats.runs.rules import ERROR
from campaign.formats.source import readable_size


@dataclass
class Checked:
    """One run file; `sent` is the site's receipt, `refused` why there is none."""

    path: str
    tag: str
    problems: ProblemLog
    lines: int
    topics: int
    sent: dict[str, Any] = field(default_factory=dict)
    refused: str = ""

    @property
    def is_fine(self) -> bool:
        return self.problems.ok and not self.refused and self.sent.get("state") != "rejected"

    def to_json(self) -> dict[str, Any]:
        facts = {"file": self.path, "tag": self.tag, "ok": self.problems.ok, "lines": self.lines, "topics": self.topics}
        sending = {"refused": self.refused} if self.refused else {"receipt": self.sent} if self.sent else {}
        return {**facts, "problems": self.problems.to_json(), **sending}


def report_in_words(result: Checked) -> str:
    errors_first = sorted(result.problems.shown, key=lambda problem: problem.severity != ERROR)
    lines = [f"{result.path}, as run {result.tag}\n", *map(_described, errors_first)]
    problems = f"{_found(result.problems, 'error')}, {_found(result.problems, 'warning')}"
    verdict = "can be submitted" if result.problems.ok else "would be rejected"
    lines.append(f"  {_counted(result.lines, 'line')}, {_counted(result.topics, 'topic')}: {problems}; it {verdict}.\n")
    return "".join(lines)


def _found(problems: ProblemLog, severity: str) -> str:
    codes = [problem.code for problem in problems.shown if problem.severity == severity]
    return counted_in_words(severity, codes, problems.errors if severity == ERROR else problems.warnings)


def _described(problem: Problem) -> str:
    place = "" if problem.line is None else f"line {problem.line}: "
    excerpt = f"      > {problem.excerpt}\n" if problem.excerpt else ""
    return f"  {problem.severity} {problem.code}: {place}{problem.message}\n{excerpt}      {problem.remedy}\n"


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"


def receipt_in_words(sent: Mapping[str, Any]) -> str:
    rows = [
        ("run", f"{sent.get('tag')}, attempt {sent.get('attempt', 1)}"),
        ("size", readable_size(int(sent.get("size", 0)))),
        ("SHA-256", f"{sent.get('sha256')} (the same here and there)"),
        ("received", str(sent.get("submitted_at", ""))),
        ("page", str(sent.get("url", ""))),
    ]
    return "  Sent.\n" + "".join(f"    {name:<9} {value}\n" for name, value in rows)


def outcome_in_words(sent: Mapping[str, Any]) -> str:
    state = sent.get("state")
    if state == "valid":
        return "The site has checked the run: it is valid."
    if state == "rejected":
        return "The site has rejected the run; its page shows why."
    if state == "received":
        queue = sent.get("queue") or {}
        place = f" at place {queue['place']} of the queue" if queue.get("place") else ""
        return f"The run waits for its check{place}; its page shows the progress."
    return f"The run is {state}."
