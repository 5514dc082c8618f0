"""The `ir_metadata` of a run: YAML in the comments at its head, read as data that fits into JSON."""

import math
from collections.abc import Mapping
from datetime import date
from typing import Any

import yaml

DEEPEST = 20
MOST_VALUES = 5_000
LARGEST_NUMBER = 2**63


class _Refused(yaml.YAMLError):
    """The header holds valid YAML that is not allowed in a run."""

    def __init__(self, problem: str, mark: object = None) -> None:
        super().__init__(problem)
        self.problem = problem
        self.problem_mark = mark


class _Loader(yaml.SafeLoader):
    """YAML loader that refuses aliases, which can expand to far more text, and deep nesting."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._depth = self._values = 0

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        event: yaml.Event = self.peek_event()  # type: ignore[no-untyped-call]
        if isinstance(event, yaml.AliasEvent):
            raise _Refused("aliases (*) are not read", event.start_mark)
        self._values += 1
        if self._values > MOST_VALUES:
            raise _Refused(f"more than {MOST_VALUES:,} values", event.start_mark)
        if self._depth == DEEPEST:
            raise _Refused(f"more than {DEEPEST} levels of nesting", event.start_mark)
        self._depth += 1
        node = super().compose_node(parent, index)
        self._depth -= 1
        return node


def read_ir_metadata(header: str) -> tuple[dict[str, Any], str]:
    """Return the data and "", or {} and why they cannot be read.

    >>> read_ir_metadata("tag: bm25\\nresearch goal: {description: a baseline}")
    ({'tag': 'bm25', 'research goal': {'description': 'a baseline'}}, '')
    """
    if not header.strip():
        return {}, ""
    try:
        value = _plain(yaml.load(header, Loader=_Loader))  # noqa: S506 - a SafeLoader
    except yaml.YAMLError as problem:
        return {}, f"The ir_metadata at the head of the file cannot be read as YAML{_described(problem)}."
    except (ValueError, OverflowError, RecursionError):  # dates such as 2024-99-99, numbers without end
        return {}, "The ir_metadata at the head of the file hold a date or a number that does not exist."
    except (LookupError, AttributeError, TypeError):  # raised by the library for a value such as `!!bool foo`
        return {}, "The ir_metadata at the head of the file hold a value that does not fit its declared type."
    if value is None:
        return {}, ""
    if not isinstance(value, dict):
        return {}, "The ir_metadata at the head of the file are not a list of keys with values."
    return value, ""


def _described(problem: yaml.YAMLError) -> str:
    mark = getattr(problem, "problem_mark", None)
    what = getattr(problem, "problem", None) or getattr(problem, "reason", None) or ""
    place = f", line {mark.line + 1} of them" if mark is not None else ""
    return f"{place}: {what[:200]}" if what else place


def _plain(value: object) -> Any:
    if isinstance(value, Mapping):
        return {_text(str(key)): _plain(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple, set)):
        return [_plain(entry) for entry in value]
    if isinstance(value, date):
        return value.isoformat()
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, (int, float)):
        return _number(value)
    if isinstance(value, str):
        return _text(value)
    raise _Refused(f"a value of the kind {type(value).__name__} is not read")


def _number(value: float) -> float | str:
    # JSON has no infinity, and Python does not write integers of thousands of digits in decimal.
    if isinstance(value, int):
        return value if abs(value) < LARGEST_NUMBER else hex(value)
    return value if math.isfinite(value) else str(value)


def _text(value: str) -> str:
    # Escapes can produce NULs and lone surrogates, which PostgreSQL and UTF-8 cannot hold.
    return value.replace("\0", "\ufffd").encode(errors="replace").decode()
