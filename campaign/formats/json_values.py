"""JSON that somebody sent, with a limit on what reading it builds: 3 bytes of text can become 72 bytes of memory."""

from __future__ import annotations

import json
import re
from collections import Counter, deque
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

from campaign.formats.problems import visible

MOST_VALUES = 1_000_000
MOST_OF_RECORD = 500_000
"""Of one document or topic: a key or an object in it takes up to 250 bytes of memory, and 8 of the file."""
MOST_SHOWN, SHOWN = 100, 100
"""So many places are named, of each so many characters."""
MARKS = (b"[", b"{", b",")
STRING_OR_MARK = re.compile(rb'"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)|[\[{,]', re.DOTALL)
"""A string without an end takes the rest: tried again from each quote in it, a kilobyte would take minutes."""

VALUE_TOKEN = re.compile(r'"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)|[\[{,\]}]', re.DOTALL)


class TooManyValuesError(ValueError):
    """The text holds more values than anybody needs."""


class RepeatedKeyError(ValueError):
    """Keys stand more than once in one object. `places`: the first of them, each behind the keys and places in lists that lead
    to it.
    """

    def __init__(self, places: list[str], count: int) -> None:
        shown = ", ".join(visible(place, SHOWN) for place in places)
        rest = f" and {count - len(places):,} more" if count > len(places) else ""
        super().__init__(f"{shown}{rest}: a key stands more than once in one object. Keep one of them")
        self.places = places


def json_value(text: str | bytes, most: int = MOST_VALUES, parse_constant: Callable[[str], Any] | None = None) -> Any:
    """Return the value. TooManyValuesError before it is built; ValueError for broken JSON, RecursionError for a deep one.

    Each value but the first stands behind one of the marks `[`, `{` and `,`. They are counted in the whole text, which is
    quick, and only where that is too many outside of strings.

    >>> json_value('{"a": [1, ",,,"]}', most=4)
    {'a': [1, ',,,']}
    >>> json_value("[1, 2, 3, 4]", most=3)
    Traceback (most recent call last):
    campaign.formats.json_values.TooManyValuesError: more than 3 values
    """
    require_few_values(text, most)
    return json.loads(text, parse_constant=parse_constant)


def json_with_single_keys(text: str | bytes, most: int = MOST_VALUES) -> Any:
    """As `json_value`, and RepeatedKeyError where a key stands more than once in one object: Python keeps the last value only.

    >>> json_with_single_keys('{"judgments": [{"grade": 1, "grade": 2}]}')
    Traceback (most recent call last):
    campaign.formats.json_values.RepeatedKeyError: judgments.0.grade: a key stands more than once in one object. Keep one of them
    """
    require_few_values(text, most)
    repeated: dict[int, tuple[dict[str, Any], list[str]]] = {}

    def look(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            twice = [key for key, count in Counter(key for key, _ in pairs).items() if count > 1]
            repeated[id(found)] = (found, twice)  # with the object, so that no later one has its number
        return found

    value = json.loads(text, object_pairs_hook=look)
    if repeated:
        steps = list(_steps(value, {number: keys for number, (_, keys) in repeated.items()}))
        raise RepeatedKeyError([_place(step) for step in steps[:MOST_SHOWN]], len(steps))
    return value


_Step: TypeAlias = "tuple[_Step | None, str | int]"
"""The step before it, and the key or the place in a list: values behind a long key share it."""


def _steps(value: Any, repeated: dict[int, list[str]]) -> Iterator[_Step]:
    """The last step to each repeated key, outer ones first. What stands in a value that a later one replaced is left out."""
    waiting: deque[tuple[Any, _Step | None]] = deque([(value, None)])
    while waiting:
        one, step = waiting.popleft()
        yield from ((step, key) for key in repeated.get(id(one), []))
        items = one.items() if isinstance(one, dict) else enumerate(one)
        waiting += [(item, (step, name)) for name, item in items if isinstance(item, dict | list)]


def _place(step: _Step | None) -> str:
    names: list[str] = []
    while step is not None:
        step, name = step
        names.append(str(name)[:SHOWN])
    return ".".join(reversed(names))


def require_few_values(text: str | bytes, most: int = MOST_VALUES) -> None:
    """TooManyValuesError where JSON holds more values than `most`.

    >>> require_few_values('{"a": 1} {"b": 2}')
    """
    content = _in_utf8(text)
    if sum(map(content.count, MARKS)) <= most:
        return
    if count_values(content, most) > most:
        raise TooManyValuesError(f"more than {most:,} values")


def _in_utf8(text: str | bytes) -> bytes:
    """The reader takes UTF-16 and UTF-32 as well, in which half a letter may look like a quotation mark."""
    if isinstance(text, bytes):
        encoding = json.detect_encoding(text)
        if encoding.startswith("utf-8"):
            return text
        text = text.decode(encoding, "surrogatepass")
    return text.encode("utf-8", "surrogatepass")


def require_few_values_of_first(text: str, place: int, most: int = MOST_VALUES) -> None:
    """TooManyValuesError where the value that begins at `place` holds more than `most`, whatever stands behind it.

    >>> require_few_values_of_first('[{"a": 1}, [2, 3, 4]]', 1, most=2)
    >>> require_few_values_of_first('[{"a": 1}, [2, 3, 4]]', 11, most=2)
    Traceback (most recent call last):
    campaign.formats.json_values.TooManyValuesError: more than 2 values
    """
    found = depth = 0
    for token in VALUE_TOKEN.finditer(text, place):
        mark = text[token.start()]
        found += mark in "[{,"
        depth += (mark in "[{") - (mark in "]}")
        if depth <= 0:
            return
        if found > most:
            raise TooManyValuesError(f"more than {most:,} values")


def may_hold_more(text: str, most: int = MOST_VALUES) -> bool:
    """Whether there are more marks than values are allowed, in strings or outside: quick, and seldom true.

    >>> may_hold_more("[1, 2]", most=1), may_hold_more("[1, 2]", most=2)
    (True, False)
    """
    return sum(text.count(mark.decode()) for mark in MARKS) > most


def count_values(text: str | bytes, most: int | None = None) -> int:
    """The number of the marks outside of strings behind which a value may stand; where it passes `most`, the first beyond it.

    >>> count_values('{"a": [1, ",,,"]}'), count_values("[1, 2, 3, 4]", most=2)
    (3, 3)
    """
    content = _in_utf8(text)
    found = 0
    for match in STRING_OR_MARK.finditer(content):
        found += match[0] in MARKS
        if most is not None and found > most:
            break
    return found
