"""One JSON object a line, with the checks that its strings can be stored."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from campaign.formats.json_values import TooManyValuesError, json_value
from campaign.formats.problems import ProblemLog, visible

KEY_END = re.compile(r'"\s*:')
INSTEAD_OF_ARRAY = "Write one JSON object on each line instead of an array: jq -c '.[]' FILE > NEW_FILE."
ON_ONE_LINE = "Write one whole JSON object on each line: jq -c . FILE > NEW_FILE. Nothing after this line was read."


def json_objects(lines: Iterable[tuple[int, str]], problems: ProblemLog) -> Iterator[tuple[int, str, dict[str, Any]]]:
    """The line number, the line and the object of every line that holds one.

    >>> problems = ProblemLog()
    >>> list(json_objects([(1, '{"grade": 2}'), (2, "[]")], problems)), problems.shown[0].message
    ([(1, '{"grade": 2}', {'grade': 2})], 'The line is JSON, but not an object.')
    """
    for number, line in lines:
        if not line.strip():
            continue
        if line.strip() in ("{", "["):
            message = "The JSON is spread over several lines."
            remedy = ON_ONE_LINE if "{" in line else INSTEAD_OF_ARRAY
            problems.add("json_broken", message, remedy, line=number, excerpt=line)
            return
        try:
            value = json_value(line)
        except (ValueError, RecursionError) as error:
            reason = error.msg if isinstance(error, json.JSONDecodeError) else "too deep or too large"
            reason = str(error) if isinstance(error, TooManyValuesError) else reason
            message = f"The line is not valid JSON ({reason})."
            problems.add("json_broken", message, "Write one whole JSON object on each line.", line=number, excerpt=line)
            continue
        if not isinstance(value, dict):
            message = "The line is JSON, but not an object."
            remedy = INSTEAD_OF_ARRAY if isinstance(value, list) else "Write one JSON object on each line."
            problems.add("json_not_object", message, remedy, line=number, excerpt=line)
            continue
        if repeated := repeated_keys(line, value):
            message = (
                f"The key “{visible(repeated[0], 40)}” stands more than once in one object: the last one was read."
            )
            remedy = "Check whether the value before it is needed."
            problems.add("json_key_repeated", message, remedy, line=number, excerpt=line, severity="warning")
        yield number, line, value


def repeated_keys(text: str, value: Any) -> list[str]:
    """The keys that stand more than once in one object of a JSON text; `value`: what it gives, where the last of them counts.

    >>> repeated_keys('{"a": 1, "b": {"c": 1, "c": 2}}', {"a": 1, "b": {"c": 2}})
    ['c']
    """
    waiting, keys = [value], 0
    while waiting:
        one = waiting.pop()
        keys += len(one) if isinstance(one, dict) else 0
        inner = one.values() if isinstance(one, dict) else one
        waiting += [item for item in inner if isinstance(item, dict | list)]
    if len(KEY_END.findall(text)) == keys:  # most lines need no second reading
        return []
    found: dict[str, None] = {}

    def look(pairs: list[tuple[str, Any]]) -> None:
        found.update((key, None) for key, count in Counter(key for key, _ in pairs).items() if count > 1)

    json.loads(text, object_pairs_hook=look)
    return list(found)


class FieldError(ValueError):
    """A field of a JSON object that is not text."""


def text_field(value: Mapping[str, Any], *names: str) -> str:
    """The first of the named fields that is there, as text; integers and lists of texts are taken too. Raises FieldError.

    >>> text_field({"number": 401}, "id", "number"), text_field({}, "id")
    ('401', '')
    """
    for name in names:
        if value.get(name) is not None:
            try:
                return _as_text(name, value[name])
            except RecursionError as error:
                raise FieldError(f"Field {name} is too deep.") from error
    return ""


def _as_text(name: str, value: Any) -> str:
    if isinstance(value, list):
        return "\n\n".join(_as_text(name, item) for item in value)
    if isinstance(value, int) and not isinstance(value, bool):
        try:
            return str(value)
        except ValueError as error:
            raise FieldError(f"Field {name} is a number of too many digits.") from error
    if not isinstance(value, str):
        raise FieldError(f"Field {name} is not text.")
    if "\0" in value or not _is_unicode(value):
        raise FieldError(f"Field {name} holds a NUL or half of a surrogate pair.")
    return value


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
