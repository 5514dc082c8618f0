"""The lines of a topic in the order of their scores and in that of their ranks. Standard library only, Python 3.9 or newer."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from campaign.formats.problems import KEY_LENGTH_LIMIT


@dataclass
class Line:
    """One line that has six columns of UTF-8; `rank` and `score` are None where they cannot be read."""

    __slots__ = ("docno", "number", "rank", "score", "text", "topic")

    number: int
    text: bytes
    topic: str
    docno: str
    rank: int | None
    score: float | None


def is_readable(line: Line) -> bool:
    return line.score is not None and len(line.docno) <= KEY_LENGTH_LIMIT


def in_order(lines: Iterable[Line]) -> list[Line]:
    """Canonical order: score descending, then docno descending (code points order as their UTF-8 bytes do)."""
    return sorted(sorted(lines, key=lambda line: line.docno, reverse=True), key=score_of, reverse=True)


def score_of(line: Line) -> float:
    return -math.inf if line.score is None else line.score


def tie_at(lines: list[Line], limit: int) -> list[tuple[Line, dict[str, object]]]:
    ranked = in_order(line for line in lines if is_readable(line))
    if len(ranked) <= limit or ranked[limit - 1].score != ranked[limit].score:
        return []
    return [(ranked[limit], {"limit": limit, "next": limit + 1, "score": repr(ranked[limit].score)})]


def first_rise(lines: list[Line]) -> Line | None:
    """By rank, then score, then line number: the first line whose score is above that of any strictly better rank."""
    lowest_before = lowest = math.inf
    current: int | None = None
    for line in sorted(lines, key=_by_rank):
        if line.rank != current:
            current, lowest_before = line.rank, lowest
        if score_of(line) > lowest_before:
            return line
        lowest = min(lowest, score_of(line))
    return None


def is_reversed(lines: list[Line]) -> bool:
    """Whether, by distinct ranks, the scores of a topic never fall and somewhere rise."""
    ranked = sorted(lines, key=_by_rank)
    pairs = list(zip(ranked, ranked[1:]))  # noqa: B905, RUF007 - Python 3.9 has neither strict nor pairwise
    distinct = all(before.rank != after.rank for before, after in pairs)
    never_falls = all(score_of(before) <= score_of(after) for before, after in pairs)
    return distinct and never_falls and score_of(ranked[0]) < score_of(ranked[-1])


def _by_rank(line: Line) -> tuple[int, float, int]:
    return line.rank or 0, score_of(line), line.number
