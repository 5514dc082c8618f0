"""The lines of a topic in the task's order, and by score and by rank. Standard library only, Python 3.9 or newer."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby

from campaign.formats.problems import KEY_LENGTH_LIMIT
from campaign.formats.runs.order_setting import BY_LINE, BY_RANK, BY_SCORE

FIRST_PLACES = 10


@dataclass
class Line:
    """One line that has six columns of UTF-8; `rank` and `score` are None where they cannot be read.

    `compared` is the score in the precision in which the task compares scores.
    """

    __slots__ = ("compared", "docno", "number", "rank", "score", "text", "topic")

    number: int
    text: bytes
    topic: str
    docno: str
    rank: int | None
    score: float | None
    compared: float


@dataclass
class Ties:
    """Lines with a score, those of them that share it with another document of their topic, and the topics of these.

    `first`, `first_tied`: the same of the first places of each topic by score. `single`: those of the lines that share their
    score in single precision only, not as it stands in the file.
    """

    lines: int = 0
    tied: int = 0
    first: int = 0
    first_tied: int = 0
    topics: int = 0
    single: int = 0


def is_readable(line: Line) -> bool:
    return line.score is not None and len(line.docno) <= KEY_LENGTH_LIMIT


def in_order(lines: Iterable[Line], run_order: str = BY_SCORE) -> list[Line]:
    """The lines of one topic, given in file order, in the order that `Ordering` describes."""
    if run_order == BY_LINE:
        return list(lines)
    # Code points stand in the order of their UTF-8 bytes.
    by_score = sorted(sorted(lines, key=lambda line: line.docno, reverse=True), key=score_of, reverse=True)
    return sorted(by_score, key=_rank_of) if run_order == BY_RANK else by_score


def score_of(line: Line) -> float:
    return line.compared


def tie_at(lines: list[Line], limit: int) -> tuple[Line, Line] | None:
    """The last line within the limit and the first one beyond, where their scores are equal."""
    ranked = in_order(line for line in lines if is_readable(line))
    if len(ranked) <= limit or score_of(ranked[limit - 1]) != score_of(ranked[limit]):
        return None
    return ranked[limit - 1], ranked[limit]


def count_ties(topics: Iterable[list[Line]]) -> Ties:
    """Count over lines that have a score."""
    ties = Ties()
    for lines in topics:
        scores = sorted(map(score_of, lines), reverse=True)
        blocks = [len(list(block)) for _, block in groupby(scores)]
        tied = [place for size in blocks for place in [size > 1] * size]
        ties.lines += len(tied)
        ties.tied += sum(tied)
        ties.first += len(tied[:FIRST_PLACES])
        ties.first_tied += sum(tied[:FIRST_PLACES])
        ties.topics += any(tied)
        ties.single += sum(tied) - sum(size for size in Counter(line.score for line in lines).values() if size > 1)
    return ties


def rising_lines(lines: list[Line]) -> list[Line]:
    """By rank, then score, then line number: the lines whose score is above that of any strictly better rank."""
    rising = []
    lowest_before = lowest = math.inf
    current: int | None = None
    for line in sorted(lines, key=_by_rank):
        if line.rank != current:
            current, lowest_before = line.rank, lowest
        if score_of(line) > lowest_before:
            rising.append(line)
        lowest = min(lowest, score_of(line))
    return rising


def repeated_rank(lines: list[Line]) -> tuple[Line, dict[str, object]] | None:
    """The first line of a topic that has the rank of an earlier one."""
    ranks: set[int] = set()
    for line in lines:
        if line.rank is None:
            continue
        if line.rank in ranks:
            return line, {"rank": str(line.rank)}
        ranks.add(line.rank)
    return None


def is_reversed(lines: list[Line]) -> bool:
    """Whether, by distinct ranks, the scores of a topic never fall and somewhere rise."""
    ranked = sorted(lines, key=_by_rank)
    pairs = list(zip(ranked, ranked[1:]))  # noqa: B905, RUF007 - Python 3.9 has neither strict nor pairwise
    distinct = all(before.rank != after.rank for before, after in pairs)
    never_falls = all(score_of(before) <= score_of(after) for before, after in pairs)
    return distinct and never_falls and score_of(ranked[0]) < score_of(ranked[-1])


def ends_by_rank(lines: list[Line]) -> tuple[Line, Line]:
    """The lines of the best and of the worst rank; ranks are distinct."""
    ranked = sorted(lines, key=_by_rank)
    return ranked[0], ranked[-1]


def _rank_of(line: Line) -> tuple[bool, int]:
    """Ascending, lines without a rank last."""
    return line.rank is None, line.rank or 0


def _by_rank(line: Line) -> tuple[int, float, int]:
    return line.rank or 0, score_of(line), line.number
