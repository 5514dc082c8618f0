"""The command line of the check script. Standard library only, Python 3.9 or newer."""

from __future__ import annotations

import argparse
import base64
import json
import os
import re
import sys
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, BinaryIO, TextIO

from campaign.formats.check_script.matching import time_limits
from campaign.formats.check_script.send import Sender, SendingError, answer_problems, is_safe_address
from campaign.formats.problems import Problem, ProblemLog, printable
from campaign.formats.runs.by_line.check import read_run
from campaign.formats.runs.rules import DocnoSet, RunRules
from campaign.formats.runs.tags import HEAD_BYTES, suggested_tag
from campaign.formats.source import Limits, numbered_lines, readable_size, text_chunks
from campaign.ordering import Ordering

FINE, HAS_ERRORS, WRONG_USE = 0, 1, 2
TOKEN_VARIABLE = "RUNPOOL_TOKEN"  # noqa: S105 - the name of a variable


class WrongUseError(Exception):
    """The command line is wrong; the message says how."""


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


def main(task: Mapping[str, Any], docnos: str, arguments: Sequence[str]) -> int:
    """`docnos`: the packed list of the task's docnos, empty without one."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # a terminal may lack some characters of a run
    options = _parser(task).parse_args(arguments)
    try:
        return _run(task, docnos, options)
    except WrongUseError as problem:
        _say(f"{problem}\n", sys.stderr)
        return WRONG_USE


def _say(text: str, stream: TextIO | None = None) -> None:
    """Nothing that a task, a site or a file says can steer the terminal."""
    (stream or sys.stdout).write("\n".join(map(printable, text.split("\n"))))


def _parser(task: Mapping[str, Any]) -> argparse.ArgumentParser:
    title = printable(task["title"]).replace("%", "%%")
    parser = argparse.ArgumentParser(description=f"%(prog)s checks runs for {title}, and sends them.")
    add = parser.add_argument
    add("runs", nargs="+", metavar="RUN", help="a run file, plain or gzip")
    add(
        "--tag",
        help="the tag that the run is submitted under (default: that of the file's first line, else of its name)",
    )
    add("--docnos", metavar="FILE", help="the collection's document numbers, one on each line, plain or gzip")
    add("--json", action="store_true", help="print the result as JSON")
    group = parser.add_argument_group("to send", f"The token comes from the variable {TOKEN_VARIABLE} or a file.")
    add = group.add_argument
    add("--submit", action="store_true", help="send every run that has no errors")
    add("--team", help="the team's short name, as in the address of its page")
    add("--kind", choices=["automatic", "manual"], default="automatic")
    add("--priority", type=int, default=1, help="judging priority, 1 first")
    add("--description", default="", help="how the run was made")
    add("--answer", action="append", default=[], metavar="KEY=VALUE", help="to a question of the task, repeatable")
    add("--replace", action="store_true", help="replace the run that has this tag")
    add("--token-file", metavar="FILE", help="a file that holds the token")
    return parser


def _run(task: Mapping[str, Any], docnos: str, options: argparse.Namespace) -> int:
    if options.tag and len(options.runs) > 1:
        raise WrongUseError("--tag names one run: check one file at a time, or leave it out: each file has its own.")
    sender = _sender(task, options) if options.submit else None
    notes: list[str] = []
    rules = _rules(task, docnos, options, notes)
    with time_limits(task["slow_patterns"]) as given_up:
        results = [_check_and_send(path, rules, task, options, sender) for path in options.runs]
    notes += [
        f"The pattern {pattern} took too long here and was not checked; the site checks it." for pattern in given_up
    ]
    if options.json:
        json.dump({"task": task["task"], "notes": notes, "runs": [result.to_json() for result in results]}, sys.stdout)
        sys.stdout.write("\n")
    else:
        _say("".join(f"Note: {note}\n" for note in notes))
    return FINE if all(result.is_fine for result in results) else HAS_ERRORS


def _check_and_send(
    path: str, rules: RunRules, task: Mapping[str, Any], options: argparse.Namespace, sender: Sender | None
) -> Checked:
    result = _check(path, options.tag or _tag_of(path), rules, task)
    if not options.json:
        _say(_report(result))
    if sender is not None:
        _send(sender, result, rules, quiet=options.json)
    return result


def _tag_of(path: str) -> str:
    """The tag that the site would propose; the check reports a file that cannot be opened."""
    try:
        with open(path, "rb") as file:
            head = file.read(HEAD_BYTES)
    except OSError:
        head = b""
    return suggested_tag(head, os.path.basename(path))


def _rules(task: Mapping[str, Any], packed: str, options: argparse.Namespace, notes: list[str]) -> RunRules:
    known = None
    if options.docnos:
        known = _docnos_of(options.docnos)
    elif packed:
        known = frozenset(zlib.decompress(base64.b64decode(packed)).decode().split("\n"))
    elif task["docno_count"]:
        notes.append(
            f"Document numbers were not checked: the list of {task['docno_count']:,} is not in this script. "
            "If you have it, give it by --docnos FILE."
        )
    topics = task["topics"]
    return RunRules(
        topics=None if topics is None else frozenset(topics),
        max_documents_per_topic=task["max_documents_per_topic"],
        docnos=None if known is None else DocnoSet(known),
        docno_pattern=_pattern(task["docno_pattern"], "document numbers", notes),
        tag_pattern=_pattern(task["tag_pattern"], "run tags", notes) or ".+",
        severities=task["severities"],
        ordering=Ordering(**task["ordering"]),
    )


def _pattern(pattern: str | None, what: str, notes: list[str]) -> str | None:
    try:
        re.compile(pattern or "", re.ASCII)
    except re.error:
        notes.append(f"This Python does not understand the pattern of {what}, which was not checked: use a newer one.")
        return None
    return pattern


def _docnos_of(path: str) -> frozenset[str]:
    problems = ProblemLog()
    with _opened(path) as source:
        limits = Limits(max_text_bytes=1 << 40)
        lines = numbered_lines(text_chunks(source, limits, problems), limits, problems, "off")
        docnos = frozenset(line.strip().decode(errors="replace") for _, line in lines if line.strip())
    if not problems.ok or not docnos:
        reason = str(problems.shown[0]) if problems.shown else "it is empty."
        raise WrongUseError(f"{path} cannot be read as a list of document numbers: {reason}")
    return docnos


def _opened(path: str) -> BinaryIO:
    try:
        return open(path, "rb")
    except OSError as problem:
        raise WrongUseError(f"{path} cannot be read: {problem.strerror}.") from None


def _check(path: str, tag: str, rules: RunRules, task: Mapping[str, Any]) -> Checked:
    own = RunRules(**{**vars(rules), "tag": tag})
    with _opened(path) as source:
        check = read_run(source, own, Limits(**task["limits"]))
    reader = check.reader
    counts = (0, 0) if reader is None else (reader.lines, reader.topics_found)
    return Checked(path, tag, check.problems, *counts)


def _report(result: Checked) -> str:
    lines = [f"{result.path}, as run {result.tag}\n", *map(_described, result.problems.shown)]
    problems = f"{_counted(result.problems.errors, 'error')}, {_counted(result.problems.warnings, 'warning')}"
    verdict = "can be submitted" if result.problems.ok else "would be rejected"
    lines.append(f"  {_counted(result.lines, 'line')}, {_counted(result.topics, 'topic')}: {problems}; it {verdict}.\n")
    return "".join(lines)


def _described(problem: Problem) -> str:
    place = "" if problem.line is None else f"line {problem.line}: "
    excerpt = f"      > {problem.excerpt}\n" if problem.excerpt else ""
    return f"  {problem.severity} {problem.code}: {place}{problem.message}\n{excerpt}      {problem.remedy}\n"


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"


def _sender(task: Mapping[str, Any], options: argparse.Namespace) -> Sender:
    if not options.team:
        raise WrongUseError("--submit needs --team: the team's short name, as in the address of its page.")
    if not is_safe_address(task["site"]):
        raise WrongUseError(f"A token is not sent to {task['site']}: the address is not encrypted (https).")
    answers = {}
    for answer in options.answer:
        key, given, value = answer.partition("=")
        if not given:
            raise WrongUseError(f"--answer takes KEY=VALUE, not {answer}.")
        answers[key] = value
    wrong = answer_problems(task["questions"], answers)
    if wrong:
        raise WrongUseError("\n".join(wrong))
    fields = {
        "team": options.team,
        "kind": options.kind,
        "priority": str(options.priority),
        "description": options.description,
        "replace": "true" if options.replace else "false",
        "answers": json.dumps(answers),
    }
    return Sender(
        f"{task['site']}/api/v1/campaigns/{task['campaign']}/tasks/{task['task']}/runs", _token(options), fields
    )


def _token(options: argparse.Namespace) -> str:
    token = os.environ.get(TOKEN_VARIABLE, "")
    if options.token_file:
        with _opened(options.token_file) as file:
            token = file.read(4096).decode(errors="replace")
    token = token.strip()
    if not re.fullmatch(r"[!-~]+", token):
        raise WrongUseError(
            f"There is no token: set {TOKEN_VARIABLE}, or give --token-file. You make tokens on the site."
        )
    return token


def _send(sender: Sender, result: Checked, rules: RunRules, *, quiet: bool) -> None:
    if not result.problems.ok:
        result.refused = "Not sent: repair the errors first."
    elif not rules.tag_is_well_formed(result.tag):
        result.refused = f"Not sent: {result.tag} is no tag for this task ({rules.tag_pattern}). Give another by --tag."
    else:
        try:
            result.sent = sender.submit(result.path, result.tag)
        except SendingError as problem:
            result.refused = str(problem)
    if not quiet:
        _say(f"  {result.refused}\n" if result.refused else _receipt(result.sent))
    if result.sent:
        result.sent = sender.outcome(result.tag, result.sent)
        if not quiet:
            _say(f"  {_outcome(result.sent)}\n")


def _receipt(sent: Mapping[str, Any]) -> str:
    rows = [
        ("run", f"{sent.get('tag')}, attempt {sent.get('attempt', 1)}"),
        ("size", readable_size(int(sent.get("size", 0)))),
        ("SHA-256", f"{sent.get('sha256')} (the same here and there)"),
        ("received", str(sent.get("submitted_at", ""))),
        ("page", str(sent.get("url", ""))),
    ]
    return "  Sent.\n" + "".join(f"    {name:<9} {value}\n" for name, value in rows)


def _outcome(sent: Mapping[str, Any]) -> str:
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
