"""Documents that come twice in a topic: found by hashes in pieces that fit the processor's cache, then by the docnos."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

Hashes: TypeAlias = NDArray[np.uint64]
Places: TypeAlias = NDArray[np.int64]

COMPARED_AT_ONCE = 1 << 14
HASHED_AT_ONCE = 1 << 19
# Odd and large, so that the same docno in two topics gives two values.
HASH_STEP, TOPIC_STEP = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F)


def repeated(docno: pl.Series, ends: Places) -> Places:
    """Return the places of lines whose docno stands on an earlier line of the topic. `ends`: the end of each topic's lines."""
    places = [
        start + _repeated(docno[start:end], ends, start) for start, end in pieces(ends, HASHED_AT_ONCE) if start < end
    ]
    return np.concatenate([np.empty(0, np.int64), *places])


def first_of(docno: pl.Series, ends: Places, place: int) -> int:
    """Return the first place in the topic that holds the docno of `place`."""
    topic = int(np.searchsorted(ends, place, side="right"))
    start = int(ends[topic - 1]) if topic else 0
    return start + int((docno[start : int(ends[topic])] == docno[place]).arg_true()[0])


def _repeated(docno: pl.Series, ends: Places, start: int) -> Places:
    within = ends[np.searchsorted(ends, start, side="right") : np.searchsorted(ends, start + len(docno)) + 1] - start
    topic = np.repeat(np.arange(1, len(within) + 1, dtype=np.uint64), np.diff(within, prepend=0))
    hashes: Hashes = docno.hash().to_numpy() * HASH_STEP
    hashes ^= topic * TOPIC_STEP
    places = [np.empty(0, np.int64)]
    for begin, end in pieces(within, COMPARED_AT_ONCE):
        # Unequal pairs may have equal hashes, so then the pairs themselves are compared.
        if equal_within(hashes[begin:end]):
            pairs = pl.DataFrame({"topic": topic[begin:end], "docno": docno[begin:end]})
            is_first = pairs.select(pl.struct("topic", "docno").is_first_distinct()).to_series().to_numpy()
            places.append(begin + np.flatnonzero(~is_first))
    return np.concatenate(places)


def pieces(ends: Places, at_once: int) -> Iterator[tuple[int, int]]:
    """Join blocks, which end at `ends`, to pieces of about `at_once` lines; yield the start and end of each piece.

    >>> list(pieces(np.array([3, 4, 9, 10]), at_once=5))
    [(0, 4), (4, 10)]
    """
    last_of_piece = np.flatnonzero(np.diff((ends - 1) // at_once, append=-1))
    return pairwise([0, *ends[last_of_piece].tolist()])


def equal_within(hashes: Hashes) -> bool:
    """Whether two of the hashes are equal.

    Each hash writes its place into the row of a table that its leading bits select. In a row the last writer stays, and
    the others are compared with it; if none is equal, these others go into the next round.

    >>> equal_within(np.array([3, 9, 3], dtype=np.uint64)), equal_within(np.array([3, 9], dtype=np.uint64))
    (True, False)
    """
    while len(hashes):
        bits = max(2 * len(hashes) - 1, 2).bit_length()
        row = (hashes >> np.uint64(64 - bits)).astype(np.intp)
        place = np.arange(len(hashes), dtype=np.int32)
        table = np.empty(1 << bits, dtype=np.int32)
        table[row] = place
        stayed = table[row]
        others = np.flatnonzero(stayed != place)
        if (hashes[others] == hashes[stayed[others]]).any():
            return True
        hashes = hashes[others]
    return False
