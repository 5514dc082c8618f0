"""PURE: the same grade many times in a row, and how likely such a row is by chance."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import comb
from typing import Generic, TypeVar

Topic = TypeVar("Topic")


@dataclass(frozen=True, slots=True)
class Row(Generic[Topic]):
    """`share`: the part of all documents of the topic that got the grade."""

    topic: Topic
    grade: int
    length: int
    share: float


def longest_rows(grades: Sequence[int]) -> dict[int, int]:
    """By grade, how many times it stands in a row at most.

    >>> longest_rows([1, 0, 0, 2, 2, 2, 0]), longest_rows([])
    ({1: 1, 0: 2, 2: 3}, {})
    """
    longest: dict[int, int] = defaultdict(int)
    for grade, same in groupby(grades):
        longest[grade] = max(longest[grade], sum(1 for _ in same))
    return dict(longest)


def chance_of_row(documents: int, others: int, length: int) -> float:
    """At most how likely `length` equal grades stand in a row, if `others` of the `documents` have another grade.

    All orders are taken as equally likely. The others leave `others` + 1 gaps, each of which is that long with probability
    C(documents - length, others) / C(documents, others); the sum over the gaps is the bound, 1.0 at most. It needs no
    estimate of a share, so the row itself cannot distort one. If all grades are the same, no row tells anything: 1.0.

    >>> chance_of_row(10, 0, 10), chance_of_row(4, 1, 3), chance_of_row(100, 20, 60) < 1e-8
    (1.0, 0.5, True)
    >>> chance_of_row(6, 2, 4)
    0.2
    """
    return min(1.0, (others + 1) * comb(documents - length, others) / comb(documents, others))


def rare_rows(grades: Mapping[Topic, Sequence[int]], *, at_least: int, rarity: float) -> list[Row[Topic]]:
    """Rows of at least `at_least` equal grades that the order of the other grades of the topic hardly explains.

    `grades`: by topic, the grades of one assessor in the order in which they were given. Each row is tested by
    `chance_of_row`, for each topic and grade that could have such a row; the level `rarity` holds for all of them together.

    >>> rare_rows({"401": [0, 1] * 20 + [0] * 40, "402": [0] * 99}, at_least=30, rarity=0.01)
    [Row(topic='401', grade=0, length=40, share=0.75)]
    """
    counted = {topic: {grade: given.count(grade) for grade in sorted(set(given))} for topic, given in grades.items()}
    tested = [
        (topic, grade) for topic, counts in counted.items() for grade, count in counts.items() if count >= at_least
    ]
    longest = {topic: longest_rows(grades[topic]) for topic in {topic for topic, _ in tested}}
    rows = []
    for topic, grade in tested:
        documents, count, length = len(grades[topic]), counted[topic][grade], longest[topic][grade]
        if length >= at_least and len(tested) * chance_of_row(documents, documents - count, length) < rarity:
            rows.append(Row(topic, grade, length, count / documents))
    return rows
