"""The check script of a task: one file made of the sources of the tolerant reader, with the task's topics and rules inside."""

import base64
import json
import textwrap
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from itertools import filterfalse
from pathlib import Path
from typing import Any

from campaign.formats.one_file import WIDTH, joined_code, joined_imports
from campaign.formats.patterns import is_quick_to_backtrack
from campaign.formats.runs.rules import RunRules
from campaign.formats.source import Limits

PACKED_DOCNOS = 200_000
PACKING = 6
"""The highest level takes five times as long for a list that counts upwards, and saves nothing."""
CAMPAIGN = Path(__file__).parents[2]
PARTS = (
    "formats/check_script/matching.py",
    "text/natural_order.py",
    "text/terminal.py",
    "formats/problems.py",
    "formats/near_keys.py",
    "formats/encodings.py",
    "formats/source.py",
    "formats/runs/order_setting.py",
    "formats/runs/rules.py",
    "formats/runs/findings.py",
    "formats/runs/header.py",
    "formats/runs/tags.py",
    "formats/runs/line_reader/order.py",
    "formats/runs/line_reader/about_order.py",
    "formats/runs/line_reader/wrong_columns.py",
    "formats/runs/line_reader/reader.py",
    "formats/check_script/send.py",
    "formats/check_script/words.py",
    "formats/check_script/command_line.py",
)
"""Below `campaign/`, in the order of their imports."""
SOURCES = tuple(CAMPAIGN / part for part in PARTS)


@dataclass(frozen=True, slots=True)
class ScriptTask:
    """The task's data in the script. `docnos`: those that it may hold; `docno_count`: how many the task's list has."""

    campaign: str
    task: str
    title: str
    site: str
    rules: RunRules
    limits: Limits
    docnos: Sequence[str] = ()
    docno_count: int = 0
    questions: Sequence[Mapping[str, Any]] = field(default_factory=list)

    @property
    def file_name(self) -> str:
        return f"check_{self.campaign}_{self.task}.py"


def make_check_script(task: ScriptTask, made_at: datetime) -> str:
    packed = _packed(_packed_docnos(task))
    return "\n".join(
        [
            _head(task, made_at),
            "from __future__ import annotations\n",
            joined_imports(SOURCES),
            f'\nTASK = r"""\n{_facts(task)}\n"""\n',
            f'DOCNOS = """{packed}"""\n',
            joined_code(SOURCES),
            'if __name__ == "__main__":',
            "    sys.exit(main(json.loads(TASK), DOCNOS, sys.argv[1:]))\n",
        ]
    )


def _head(task: ScriptTask, made_at: datetime) -> str:
    name = task.file_name
    site = f"{task.site}/c/{task.campaign}/{task.task}/"
    lines = [
        f"Checks runs for {_one_line(task.title)}",
        f"({_one_line(site)})",
        "before they are submitted: it finds the same problems as the site does, by the rules of the task as they were",
        f"at {made_at:%Y-%m-%d %H:%M %Z}. No run leaves your machine unless you ask for it by --submit.",
        "",
        "It needs Python 3.9 or newer and nothing else.",
        "",
        f"    python {name} RUN [RUN ...]              check; the tag is that of the first line, or give --tag",
        f"    python {name} RUN --json                 the same as JSON",
        f"    python {name} RUN --docnos FILE          check document numbers against a list, plain or gzip",
        f"    python {name} RUN --submit --team TEAM   check, send, and wait for the outcome",
        f"    python {name} --help                     everything else",
        "",
        "To send, make a token on the site and put it into the variable RUNPOOL_TOKEN, or into a file for --token-file.",
        *_words_on_docnos(task),
        "The exit code is 0 when all is well (warnings allowed), 1 when a run has errors, 2 when the call was wrong.",
    ]
    return "\n".join(["#!/usr/bin/env python3", *(f"# {line}".rstrip() for line in lines), ""])


def _words_on_docnos(task: ScriptTask) -> list[str]:
    if not task.docno_count or _packed_docnos(task):
        return []
    return [
        f"The task has a list of {task.docno_count:,} document numbers, which is not in here. With a token (one that may",
        "only read will do) the script fetches it from the site for each call; give it by --docnos to fetch it once.",
    ]


def _one_line(text: str) -> str:
    """Fit for a comment: nothing in it can end the line."""
    return "".join(character if character.isprintable() else " " for character in text)


def _facts(task: ScriptTask) -> str:
    """JSON that can stand in a raw string: in ASCII, where three quotes never follow each other."""
    rules = task.rules
    facts = {
        "campaign": task.campaign,
        "task": task.task,
        "title": task.title,
        "site": task.site,
        "docno_count": task.docno_count,
        "slow_patterns": sorted(filterfalse(is_quick_to_backtrack, {rules.docno_pattern or "", rules.tag_pattern})),
        "rules": {**asdict(replace(rules, topics=None, docnos=None)), "unscored": sorted(rules.unscored)},
        "limits": asdict(task.limits),
        "questions": list(task.questions),
    }
    parts = [f'"{key}": {json.dumps(value)}' for key, value in facts.items()]
    parts.append(f'"topics": {_wrapped(rules.topics)}')
    return "{\n" + ",\n".join(parts) + "\n}"


def _wrapped(topics: frozenset[str] | None) -> str:
    if topics is None:
        return "null"
    rows: list[str] = [""]
    for topic in sorted(topics):
        entry = f"{json.dumps(topic)}, "
        if len(rows[-1]) + len(entry) > WIDTH:
            rows.append("")
        rows[-1] += entry
    return "[\n  " + "\n  ".join(row.rstrip() for row in rows).rstrip(",") + "\n]"


def _packed_docnos(task: ScriptTask) -> Sequence[str]:
    return task.docnos if len(task.docnos) <= PACKED_DOCNOS else ()


def _packed(docnos: Sequence[str]) -> str:
    if not docnos:
        return ""
    data = base64.b64encode(zlib.compress("\n".join(docnos).encode(), PACKING)).decode()
    return "\n" + "\n".join(textwrap.wrap(data, WIDTH)) + "\n"
