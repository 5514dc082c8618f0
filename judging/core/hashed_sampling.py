"""PURE: random parts and shares of a topic's documents that depend on a seed and on names, never on places or on pools.

The place of a document is a whole number in [0, 2^32): the first 8 hexadecimal digits of the MD5 digest of the UTF-8 text
`seed topic docno`, with one space each. MD5 is what every database computes as well; nothing here is a secret.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from hashlib import md5
from typing import Final

PLACES: Final = 2**32
DIGITS: Final = 8


@dataclass(frozen=True, slots=True)
class Draw:
    """Documents whose place under the seed is in [low, high), both whole numbers from 0 to 2^32."""

    seed: int
    low: int
    high: int


def part_draw(seed: int, part: int, parts: int) -> Draw:
    """Part `part` of `parts`, from 1: the parts of one seed have no document in common, and together all of them.

    >>> part_draw(7, 1, 2), part_draw(7, 2, 2)
    (Draw(seed=7, low=0, high=2147483648), Draw(seed=7, low=2147483648, high=4294967296))
    """
    return Draw(seed, PLACES * (part - 1) // parts, PLACES * part // parts)


def share_draw(seed: int, share: float) -> Draw:
    """Each document with the probability `share` in (0, 1]; a greater share of the same seed holds the smaller one.

    >>> share_draw(7, 0.5)
    Draw(seed=7, low=0, high=2147483648)
    """
    return Draw(seed, 0, int(PLACES * Fraction(share)))


def place(seed: int, topic: str, docno: str) -> int:
    """The place of a document in [0, 2^32).

    >>> place(7, "401", "FT934-4848") == int(md5(b"7 401 FT934-4848").hexdigest()[:8], 16)
    True
    """
    digest = md5(f"{seed} {topic} {docno}".encode(), usedforsecurity=False).hexdigest()
    return int(digest[:DIGITS], 16)


def drawn(draws: Sequence[Draw], topic: str, docnos: Iterable[str]) -> Collection[str]:
    """The documents that all the draws hold. Hashed one by one on purpose: anybody can draw again, in any language.

    >>> parts = [part_draw(7, number, 3) for number in (1, 2, 3)]
    >>> sorted(docno for part in parts for docno in drawn([part], "401", ["D1", "D2", "D3", "D4"]))
    ['D1', 'D2', 'D3', 'D4']
    """
    kept = set(docnos)
    for draw in draws:
        kept = {docno for docno in kept if draw.low <= place(draw.seed, topic, docno) < draw.high}
    return kept
