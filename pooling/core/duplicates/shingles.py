"""Texts as sets of shingles: all runs of some words, or characters of scripts without blanks, that follow each other."""

from __future__ import annotations

from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from campaign.text.tokens import characters, tokens

WORDS_IN_A_SHINGLE = 5
MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
"""Odd, so that no two places of a word in a shingle are the same; the golden ratio in 64 bits."""


def shingles(text: str, words: int = WORDS_IN_A_SHINGLE) -> NDArray[np.uint64]:
    """The distinct shingles of a text, as 64-bit digests: ascending uint64 (n,).

    Words are those of `campaign.text.tokens`, without case, accents and apostrophes; in scripts without blanks, each character
    counts as one. A text of fewer words than a shingle has one shingle, the whole of it; one without any word
    has none. Two different shingles have the same digest with a probability of about 2^-64.

    >>> len(shingles("One two three four five six")), len(shingles("one two")), len(shingles(" - "))
    (2, 1, 0)
    """
    digests = _digests(tokens(text.replace("'", " "), characters))
    if not digests.size:
        return digests
    length = min(words, digests.size)
    count = digests.size - length + 1
    combined = np.full(count, np.uint64(length))
    for place in range(length):
        combined = (combined * MULTIPLIER) ^ (digests[place : place + count] + MULTIPLIER)
    return np.unique(combined)


def similarity(one: NDArray[np.uint64], other: NDArray[np.uint64]) -> float:
    """Jaccard's coefficient |A and B| / |A or B| of two sets of shingles, in [0, 1]; 0 where one is empty.

    Source: Broder (1997), On the resemblance and containment of documents.

    >>> similarity(shingles("a b c d e f"), shingles("a b c d e g"))
    0.3333333333333333
    """
    if not one.size or not other.size:
        return 0.0
    common = np.intersect1d(one, other, assume_unique=True).size
    return common / (one.size + other.size - common)


def _digests(words: list[str]) -> NDArray[np.uint64]:
    known: dict[str, int] = {}
    for word in words:
        if word not in known:
            known[word] = int.from_bytes(blake2b(word.encode("utf-8", "replace"), digest_size=8).digest(), "big")
    return np.fromiter((known[word] for word in words), dtype=np.uint64, count=len(words))
