"""Answers as people read them: tables of lists, a line for each field of an object; or JSON for programs."""

from __future__ import annotations

import json
import sys
from typing import Any

from campaign.text.terminal import escape_unencodable
from runpool.client.site import shown

WIDEST = 40


def print_answer(answer: Any, *, as_json: bool) -> None:
    if as_json:
        text = json.dumps(answer, indent=1)  # in ASCII: valid on every terminal and pipe, and steering none
    elif isinstance(answer, list):
        text = "\n".join(_table(answer)) if answer else "none"
    elif isinstance(answer, dict):
        text = "\n".join(_object(answer))
    else:
        text = "done" if answer is None else shown(answer)
    escape_unencodable()
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def _object(answer: dict[str, Any]) -> list[str]:
    lines = []
    for name, value in answer.items():
        if isinstance(value, list) and value and all(isinstance(row, dict) for row in value):
            lines += [f"{name}:", *(f"  {line}" for line in _table(value))]
        elif isinstance(value, list) and value and all(isinstance(row, str) for row in value):
            lines += [f"{name}:", *(f"  {shown(row)}" for row in value)]
        elif value not in (None, "", [], {}):
            lines.append(f"{name}: {shown(value)}")
    return lines


def _table(rows: list[Any]) -> list[str]:
    """Columns of the fields that are short in every row; long texts and objects are for --json, messages stand whole."""
    if not all(isinstance(row, dict) for row in rows):
        return [shown(row) for row in rows]
    names = [
        name for name in rows[0] if name != "url" and not any(isinstance(row.get(name), (dict, list)) for row in rows)
    ]
    names = [name for name in names if any(row.get(name) not in (None, "") for row in rows)]
    cells = [[_cell(name, row.get(name)) for name in names] for row in rows]
    widths = [max(len(name), *(len(line[place]) for line in cells)) for place, name in enumerate(names)]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip()  # noqa: B905 - Python 3.9
        for line in [names, *cells]
    ]


def _cell(name: str, value: Any) -> str:
    text = shown(value)
    return text if len(text) <= WIDEST or name in ("message", "remedy", "why") else f"{text[: WIDEST - 1]}…"
