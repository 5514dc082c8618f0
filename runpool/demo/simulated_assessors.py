"""Simulated assessors for the demo: they have the true grades and make the mistakes that people make. Standard library only."""

from __future__ import annotations

import math
import random
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TypedDict

SLIP_RATE = 0.25
MISSED_SUBTOPIC = 0.4
LEFT_UNJUDGED_WITHOUT_TEXT = 0.8
MEDIAN_SECONDS, SPREAD, SHORTEST, LONGEST = 12.0, 0.5, 2.0, 120.0

SLIPS: Mapping[int, Mapping[int, float]] = {
    0: {1: 0.06},
    1: {0: 0.5, 2: 0.4},
    2: {1: 0.6, 3: 0.25, 0: 0.1},
    3: {2: 0.5, 1: 0.1},
}
"""What becomes of a true grade, with which probability, in an assessor of slip rate 1."""


class TrueJudgment(TypedDict):
    """A line of `truth.jsonl`: a relevant document, graded 1 to 3; pairs without a line have grade 0."""

    topic: str
    docno: str
    grade: int
    subtopics: list[str]


class SimulatedJudgment(TypedDict):
    """`grade` is None for "cannot judge"; `subtopics` gives the grade of each subtopic that was seen to be covered."""

    topic: str
    docno: str
    grade: int | None
    subtopics: dict[str, int]
    seconds: float


def simulated_judgments(
    truth: Iterable[TrueJudgment],
    pairs: Iterable[Sequence[str]],
    assessor_seed: int,
    slip_rate: float = SLIP_RATE,
    empty_docnos: Collection[str] = frozenset(),
) -> list[SimulatedJudgment]:
    """Judge (topic, docno) pairs in the order given; the judgment of a pair depends on the pair and the seed alone.

    `slip_rate` from 0 (the truth itself) to 1 scales every slip: another grade, a covered subtopic missed. Documents in
    `empty_docnos` have no text, so most of them cannot be judged. Seconds are lognormal with median 12, cut to 2..120.
    """
    if not 0 <= slip_rate <= 1:
        raise ValueError("slip_rate lies between 0 and 1.")
    known = {(line["topic"], line["docno"]): line for line in truth}
    return [
        _judgment(known.get((topic, docno)), topic, docno, slip_rate, docno in empty_docnos, assessor_seed)
        for topic, docno in pairs
    ]


def _judgment(
    line: TrueJudgment | None, topic: str, docno: str, slip_rate: float, is_empty: bool, seed: int
) -> SimulatedJudgment:
    # Texts seed the generator by their SHA-512, the same in every process and version of Python.
    draw = random.Random(f"{seed} {topic} {docno}")
    seconds = min(max(draw.lognormvariate(math.log(MEDIAN_SECONDS), SPREAD), SHORTEST), LONGEST)
    grade: int | None = _slipped(line["grade"] if line else 0, slip_rate, draw.random())
    if is_empty:
        grade = None if draw.random() < LEFT_UNJUDGED_WITHOUT_TEXT else 0
    covered = _seen_subtopics(line["subtopics"] if line else [], grade or 0, slip_rate, draw)
    return {"topic": topic, "docno": docno, "grade": grade, "subtopics": covered, "seconds": round(seconds, 1)}


def _slipped(grade: int, slip_rate: float, drawn: float) -> int:
    for other, probability in SLIPS[grade].items():
        drawn -= probability * slip_rate
        if drawn < 0:
            return other
    return grade


def _seen_subtopics(subtopics: Sequence[str], grade: int, slip_rate: float, draw: random.Random) -> dict[str, int]:
    """A document found relevant keeps at least one of its subtopics; the graver slip, to miss all, is a grade of 0."""
    if not grade or not subtopics:
        return {}
    seen = [subtopic for subtopic in subtopics if draw.random() >= MISSED_SUBTOPIC * slip_rate]
    return dict.fromkeys(seen or subtopics[:1], grade)
