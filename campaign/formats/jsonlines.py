"""One JSON object a line, with the checks that its strings can be stored."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Any

from campaign.formats.json_values import (
    MOST_OF_RECORD,
    TooManyValuesError,
    json_value,
    may_hold_more,
    require_few_values,
    require_few_values_of_first,
)
from campaign.formats.problems import ProblemLog, visible

KEY_END = re.compile(r'"\s*:')
BETWEEN = re.compile(r"[ \t\r\n]*+,?+[ \t\r\n]*+")
REPAIR = (
    "Check that the file is whole: python3 -m json.tool FILE says where it is broken. Nothing after this line was read."
)
INSTEAD_OF_ARRAY = "Write one JSON object on each line instead of an array: jq -c '.[]' FILE > NEW_FILE."
ON_ONE_LINE = "Write one whole JSON object on each line: jq -c . FILE > NEW_FILE. Nothing after this line was read."


def json_objects(
    lines: Iterable[tuple[int, str]], problems: ProblemLog, *, whole: bool = False
) -> Iterator[tuple[int, str, dict[str, Any]]]:
    """The line number, the line and the object of every line that holds one.

    `whole`: an object may as well take several lines, and be an item of a list; its first line is then given.

    >>> problems = ProblemLog()
    >>> list(json_objects([(1, '{"grade": 2}'), (2, "[]")], problems)), problems.shown[0].message
    ([(1, '{"grade": 2}', {'grade': 2})], 'The line is JSON, but not an object.')
    """
    if whole:
        lines = [(number, line) for number, line in lines if line.strip()]
        if lines and goes_on(lines[0][1]):
            yield from _objects_of_several_lines(lines, problems)
            return
    for number, line in lines:
        if not line.strip():
            continue
        if line.strip() in ("{", "["):
            message = "The JSON is spread over several lines."
            remedy = ON_ONE_LINE if "{" in line else INSTEAD_OF_ARRAY
            problems.add("json_broken", message, remedy, line=number, excerpt=line)
            return
        try:
            value = json_value(line, MOST_OF_RECORD)
            repeated = repeated_keys(line, value) if isinstance(value, dict) else []
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
        add_repeated_keys(repeated, problems, number, line)
        yield number, line, value


def add_repeated_keys(repeated: Sequence[str], problems: ProblemLog, number: int, line: str) -> None:
    if repeated:
        message = f"The key “{visible(repeated[0], 40)}” stands more than once in one object: the last one was read."
        remedy = "Check whether the value before it is needed."
        problems.add("json_key_repeated", message, remedy, line=number, excerpt=line, severity="warning")


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
    if sum(1 for _ in KEY_END.finditer(text)) == keys:  # most lines need no second reading
        return []
    found: dict[str, None] = {}

    def look(pairs: list[tuple[str, Any]]) -> None:
        found.update((key, None) for key, count in Counter(key for key, _ in pairs).items() if count > 1)

    json.loads(text, object_pairs_hook=look)
    return list(found)


def goes_on(line: str) -> bool:
    """Whether the first line is no whole object, but the beginning of a list or of an object."""
    if line.lstrip().startswith("["):
        return True
    try:
        json_value(line, MOST_OF_RECORD)
    except json.JSONDecodeError as error:
        return error.pos >= len(line.rstrip())
    except (ValueError, RecursionError):
        return False  # the reader of lines says what is wrong
    return False


def _objects_of_several_lines(
    lines: list[tuple[int, str]], problems: ProblemLog
) -> Iterator[tuple[int, str, dict[str, Any]]]:
    text = "\n".join(line for _, line in lines)
    starts = list(accumulate((len(line) + 1 for _, line in lines), initial=0))
    decoder, place, line = json.JSONDecoder(), 0, lines[0]
    try:
        require_few_values(text)
        counts_values = may_hold_more(text, MOST_OF_RECORD)
        is_list = text.lstrip().startswith("[")
        place = text.index("[") + 1 if is_list else 0
        while (place := BETWEEN.match(text, place).end()) < len(text):  # type: ignore[union-attr]
            line = lines[bisect_right(starts, place) - 1]
            if is_list and text[place] == "]":
                is_list, place = False, place + 1
                continue
            began = place
            if counts_values:
                require_few_values_of_first(text, began, MOST_OF_RECORD)
            value, place = decoder.raw_decode(text, began)
            if not isinstance(value, dict):
                message, remedy = "The JSON value is not an object.", "Write each entry as an object of fields: {...}."
                problems.add("json_not_object", message, remedy, line=line[0], excerpt=line[1])
                continue
            add_repeated_keys(repeated_keys(text[began:place], value), problems, *line)
            yield *line, value
    except (ValueError, RecursionError) as error:
        reason = str(error) if isinstance(error, TooManyValuesError) else "too deep or too large"
        if isinstance(error, json.JSONDecodeError):
            reason, line = error.msg, lines[min(error.lineno, len(lines)) - 1]
        message = f"The JSON is broken ({reason})."
        problems.add("json_broken", message, REPAIR, line=line[0], excerpt=line[1])
        return
    if is_list:
        problems.add("json_broken", "The list has no end.", REPAIR, line=lines[-1][0], excerpt=lines[-1][1])


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
