"""The command line of the check script. Standard library only, Python 3.9 or newer."""

from __future__ import annotations

import argparse
import base64
import json
import os
import re
import sys
import zlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, BinaryIO, TextIO

from campaign.formats.check_script.matching import time_limits
from campaign.formats.check_script.send import Sender, SendingError, answer_problems, fetched_file, is_safe_address
from campaign.formats.check_script.words import Checked, outcome_in_words, receipt_in_words, report_in_words
from campaign.formats.problems import ProblemLog, printable, printable_lines
from campaign.formats.runs.line_reader.reader import read_run
from campaign.formats.runs.order_setting import Ordering
from campaign.formats.runs.rules import DocnoSet, KnownDocnos, RunRules
from campaign.formats.runs.tags import HEAD_BYTES, suggested_tag
from campaign.formats.source import Limits, numbered_lines, text_chunks
from campaign.text.terminal import escape_unencodable

FINE, HAS_ERRORS, WRONG_USE = 0, 1, 2
TOKEN_VARIABLE = "RUNPOOL_TOKEN"  # noqa: S105 - the name of a variable
LIST_LIMITS = Limits(max_bytes=1 << 40, max_text_bytes=1 << 40, max_ratio=2000)


class WrongUseError(Exception):
    """The command line is wrong; the message says how."""


class DocnoListError(Exception):
    """A file is no list of document numbers; the message says why."""


class DocnoFile:
    """A list of docnos of any length, one on each line, plain or gzip: it is read once for each run and never held in memory."""

    def __init__(self, file: BinaryIO, name: str) -> None:
        self._file = file
        self._name = name

    def missing(self, docnos: Iterable[str]) -> set[str]:
        left, problems, is_empty = set(docnos), ProblemLog(), True
        self._file.seek(0)
        for _, line in numbered_lines(text_chunks(self._file, LIST_LIMITS, problems), LIST_LIMITS, problems, "off"):
            docno = line.strip()
            is_empty = is_empty and not docno
            left.discard(docno.decode(errors="replace"))
        if not problems.ok or is_empty:
            reason = str(problems.shown[0]) if problems.shown else "it is empty."
            raise DocnoListError(f"{self._name} cannot be read as a list of document numbers: {reason}")
        return left


def main(task: Mapping[str, Any], docnos: str, arguments: Sequence[str]) -> int:
    """`docnos`: the packed list of the task's docnos, empty without one."""
    escape_unencodable()
    options = _parser(task).parse_args(arguments)
    try:
        return _run(task, docnos, options)
    except (WrongUseError, DocnoListError) as problem:
        _say(f"{problem}\n", sys.stderr)
        return WRONG_USE


def _say(text: str, stream: TextIO | None = None) -> None:
    """Nothing that a task, a site or a file says can steer the terminal."""
    (stream or sys.stdout).write(printable_lines(text))


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
    add("--priority", type=int, help="judging priority, 1 first (default: the next after your team's other runs)")
    add("--description", default="", help="how the run was made")
    add(
        "--answer",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="answer to a question of the task; repeatable",
    )
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
        _say(report_in_words(result))
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
    known: KnownDocnos | None = None
    if options.docnos:
        known = DocnoFile(_opened(options.docnos), options.docnos)
    elif packed:
        known = DocnoSet(frozenset(zlib.decompress(base64.b64decode(packed)).decode().split("\n")))
    elif task["docno_count"]:
        known = _fetched_docnos(task, options, notes)
    topics, rules = task["topics"], task["rules"]
    own = {
        "topics": None if topics is None else frozenset(topics),
        "docnos": known,
        "docno_pattern": _pattern(rules["docno_pattern"], "document numbers", notes),
        "tag_pattern": _pattern(rules["tag_pattern"], "run tags", notes) or ".+",
        "unscored": frozenset(rules["unscored"]),
        "ordering": Ordering(**rules["ordering"]),
    }
    return RunRules(**{**rules, **own})


def _pattern(pattern: str | None, what: str, notes: list[str]) -> str | None:
    try:
        re.compile(pattern or "", re.ASCII)
    except re.error:
        notes.append(f"This Python does not understand the pattern of {what}, which was not checked: use a newer one.")
        return None
    return pattern


def _fetched_docnos(task: Mapping[str, Any], options: argparse.Namespace, notes: list[str]) -> DocnoFile | None:
    """The list that is too long for this script, or that its reader might not see when the script was made."""
    name = f"the list of {task['docno_count']:,} document numbers"
    why = f"{name} is not in this script. Set {TOKEN_VARIABLE} to a token of yours (one that may only read will do)"
    why += ", and the script fetches it; or give it by --docnos FILE."
    if options.token_file or os.environ.get(TOKEN_VARIABLE):
        try:
            return DocnoFile(fetched_file(f"{_address(task)}/docnos", _token(options)), name)
        except (SendingError, WrongUseError) as problem:
            why = f"{name} could not be fetched: {problem}"
    notes.append(f"Document numbers were not checked: {why}")
    return None


def _address(task: Mapping[str, Any]) -> str:
    """The task's address in the API; a token goes there and nowhere else."""
    if not is_safe_address(task["site"]):
        raise WrongUseError(f"A token is not sent to {task['site']}: the address is not encrypted (https).")
    return f"{task['site']}/api/v1/campaigns/{task['campaign']}/tasks/{task['task']}"


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


def _sender(task: Mapping[str, Any], options: argparse.Namespace) -> Sender:
    if not options.team:
        raise WrongUseError("--submit needs --team: the team's short name, as in the address of its page.")
    address = _address(task)
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
        "description": options.description,
        "replace": "true" if options.replace else "false",
        "answers": json.dumps(answers),
    }
    if options.priority is not None:
        fields["priority"] = str(options.priority)
    return Sender(f"{address}/runs", _token(options), fields)


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
        _say(f"  {result.refused}\n" if result.refused else receipt_in_words(result.sent))
    if result.sent:
        result.sent = sender.outcome(result.tag, result.sent)
        if not quiet:
            _say(f"  {outcome_in_words(result.sent)}\n")
