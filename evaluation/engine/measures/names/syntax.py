"""The syntax of measure names: `nDCG(gain=exponential)@10`, also with the quotes and braces of Python."""

import re
from dataclasses import dataclass
from typing import TypeAlias

from evaluation.engine.measures.parameters import MeasureNameError

Assignments: TypeAlias = dict[str, str]
"""Values of parameters as they are written, by name."""

_NAME = re.compile(r"(?P<head>\s*[^@()\s]+(?:\s+[^@()\s]+)*|\s)(?:\s*\((?P<parameters>[^()]*)\))?\s*(@(?P<after>.*))?")
"""Blanks belong to one part whatever follows: divided in every way, 2,000 of them took 40 seconds."""
_MARK = re.compile(r"[{},]")
_QUOTED = re.compile(r"(['\"])(?P<inside>.*)\1")
_IN_BRACES = re.compile(r"{(?P<inside>.*)}")


@dataclass(frozen=True)
class WrittenName:
    """What stands before the parenthesis, inside it, and after @ (None without @)."""

    head: str
    parameters: Assignments
    after: str | None


def take_apart(text: str) -> WrittenName | None:
    """Take a name apart; None for what has not the form of a name, MeasureNameError for what has nearly that form."""
    parts = _NAME.fullmatch(text)
    if parts is None:
        _refuse_unpaired_parentheses(text)
        return None
    parameters: Assignments = {}
    for item in split_outside_braces(parts["parameters"] or ""):
        if item.strip():
            name, value = _assignment(text, item)
            give_once(text, parameters, name, value)
    return WrittenName(parts["head"], parameters, parts["after"])


def split_outside_braces(text: str) -> list[str]:
    """The parts of a text between its commas, but for commas whose next brace closes. Read once, from its end.

    >>> split_outside_braces("gain={0: 0, 1: 3},k=10")
    ['gain={0: 0, 1: 3}', 'k=10']
    """
    parts, end, is_inside = [], len(text), False
    for mark in reversed(list(_MARK.finditer(text))):
        if mark[0] != ",":
            is_inside = mark[0] == "}"
        elif not is_inside:
            parts.append(text[mark.end() : end])
            end = mark.start()
    return [text[:end], *reversed(parts)]


def give_once(text: str, given: Assignments, name: str, value: str) -> None:
    """Add a parameter to those that the name `text` gives already; MeasureNameError when it is one of them."""
    if name in given:
        raise MeasureNameError(f"{text}: {name} is given twice.")
    given[name] = value


def _assignment(text: str, item: str) -> tuple[str, str]:
    name, equals, value = (part.strip() for part in item.partition("="))
    if not equals:
        raise MeasureNameError(f"{text}: write each parameter as name=value, not {item.strip()}.")
    return name, _plain(value)


def _plain(value: str) -> str:
    """Take the quotes off a value; `{0: 0, 1: 3}` becomes `0:0;1:3`."""
    if quoted := _QUOTED.fullmatch(value):
        return quoted["inside"]
    if in_braces := _IN_BRACES.fullmatch(value):
        return "".join(in_braces["inside"].split()).replace(",", ";")
    return value


def _refuse_unpaired_parentheses(text: str) -> None:
    opening, closing = text.count("("), text.count(")")
    if opening != closing:
        missing = "closing" if opening > closing else "opening"
        raise MeasureNameError(f"{text}: the {missing} parenthesis is missing.")
