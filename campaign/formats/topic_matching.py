"""Topic numbers of a file that stand for topics of a task under another spelling: 051, MB051 or 2019-51 for 51."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable, Mapping
from typing import BinaryIO

from campaign.formats.columns import column_lines, lines_with_columns
from campaign.formats.problems import KEY_LENGTH_LIMIT, ProblemLog, visible
from campaign.formats.source import Limits
from campaign.text.natural_order import natural_order

SHOWN = 20
MOST_NUMBERS = 100_000
LONG = 4
"""Digits of a numeral that may stand in front of others."""
NUMERAL = re.compile(r"[0-9]+")
Numerals = tuple[str, ...]


def matching_topics(numbers: Iterable[str], of_task: Iterable[str]) -> dict[str, str]:
    """The topic of the task that each other number stands for, in natural order; numbers of the task stand for themselves.

    Two numbers match if they hold the same numerals, whatever stands around them: letters, zeros in front, separators. One of
    them may begin with further numerals of at least four digits, such as a year, if all of its kind begin with the same
    ones: 31_1 is no other spelling of 1. A number that matches no topic, or more than one, is absent; and so are numbers that
    would share a topic, which may itself stand in the file.

    >>> matching_topics(["051", "52", "MB053"], ["51", "52", "53", "54"])
    {'051': '51', 'MB053': '53'}
    >>> matching_topics(["451", "452"], ["10.2452/451-AH", "10.2452/452-AH"])
    {'451': '10.2452/451-AH', '452': '10.2452/452-AH'}
    >>> matching_topics(["01", "1"], ["T1"]), matching_topics(["1"], ["A1", "B1"]), matching_topics(["2020-1"], ["2019-1"])
    ({}, {}, {})
    """
    in_file, topics = dict.fromkeys(numbers), dict.fromkeys(of_task)
    others = sorted((number for number in in_file if number not in topics), key=natural_order)
    free = [topic for topic in topics if topic not in in_file]
    for ways in _ways(in_file, topics):
        found = _matches(others, free, *ways)
        if found:
            return found
    return {}


def _ways(in_file: Iterable[str], topics: Iterable[str]) -> Iterable[tuple[int, int]]:
    """How many numerals in front say nothing, of the file and of the task: none, then those that all share on one side."""
    yield 0, 0
    yield 0, _shared(topics)
    yield _shared(in_file), 0


def _shared(keys: Iterable[str]) -> int:
    """How many numerals all keys begin with alike, each keeping at least one, up to the last long one.

    0 for a single key, of which nobody can tell. Keys without a numeral are passed over.
    """
    found = [numerals for key in keys if (numerals := _numerals(key))]
    if len(found) < 2:
        return 0
    same = 0
    for place in range(min(map(len, found)) - 1):
        if len({one[place] for one in found}) > 1:
            break
        if len(found[0][place]) >= LONG:
            same = place + 1
    return same


def _matches(others: Iterable[str], free: Iterable[str], left_of_file: int, left_of_task: int) -> dict[str, str]:
    by_numerals: dict[Numerals, list[str]] = {}
    for topic in free:
        if numerals := _numerals(topic)[left_of_task:]:
            by_numerals.setdefault(numerals, []).append(topic)
    found = {}
    for number in others:
        topics = by_numerals.get(_numerals(number)[left_of_file:], [])
        if len(topics) == 1:
            found[number] = topics[0]
    times = Counter(found.values())
    return {number: topic for number, topic in found.items() if times[topic] == 1}


def _numerals(key: str) -> Numerals:
    return tuple(numeral.lstrip("0") or "0" for numeral in NUMERAL.findall(key))


def matches_in_words(matches: Mapping[str, str]) -> str:
    """The first SHOWN matches.

    >>> matches_in_words({"051": "51", "052": "52"})
    '051 as 51, 052 as 52'
    """
    shown = [f"{visible(number)} as {visible(topic)}" for number, topic in list(matches.items())[:SHOWN]]
    more = len(matches) - len(shown)
    return ", ".join(shown) + (f" and {more:,} more" if more else "")


def first_columns(source: BinaryIO, limits: Limits, topics: Container[str], encoding: str = "") -> list[str]:
    """The different first columns of a file of qrels or a pool, as they come, without comments and overlong ones.

    None of a file that has more than MOST_NUMBERS: by a part of them, two could be taken for one. `topics`: of the task, by
    which comments are known; `encoding`: as of `text_chunks`.

    >>> from io import BytesIO
    >>> first_columns(BytesIO(b"051 0 a 1\\n\\n051 0 b 0\\n52 0 a 1\\n# end\\n"), Limits(), {"52"})
    ['051', '52']
    """
    problems, found = ProblemLog(), dict[bytes, None]()
    lines = lines_with_columns(source, limits, problems, encoding)
    for _, line in column_lines(lines, topics, problems):
        fields = line.split(None, 1)
        if fields and len(fields[0]) <= KEY_LENGTH_LIMIT:
            found.setdefault(fields[0])
        if len(found) > MOST_NUMBERS:
            return []
    return [number.decode(errors="replace") for number in found]
