"""Which of many texts may be alike, found without comparing each with each."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

BANDS, ROWS = 32, 4
"""Texts of similarity s become candidates with the probability 1 - (1 - s^ROWS)^BANDS: more than 1 - 10^-14 at s = 0.9."""
HASHES = BANDS * ROWS
NO_SHINGLE = np.uint32(0xFFFFFFFF)
AT_ONCE = 1 << 21
NEIGHBOURS = 30


def _constants(name: str) -> NDArray[np.uint64]:
    digests = (blake2b(f"{name} {place}".encode(), digest_size=8).digest() for place in range(HASHES))
    return np.fromiter((int.from_bytes(digest, "big") for digest in digests), dtype=np.uint64, count=HASHES)


FACTORS, SUMMANDS = _constants("minhash factor") | np.uint64(1), _constants("minhash summand")
"""h(x) = (factor x + summand mod 2^64) div 2^32, a hash function each; fixed, so that every site finds the same."""


def signatures(sets: Sequence[NDArray[np.uint64]]) -> NDArray[np.uint32]:
    """The least value of each hash function over each set of shingles: uint32 (n_sets, HASHES), NO_SHINGLE for empty sets.

    Source: Broder (1997); multiply-shift hashing of Dietzfelbinger et al. (1997).

    >>> from pooling.core.duplicates.shingles import shingles
    >>> same = signatures([shingles("a b c d e f"), shingles("A b c, d e f!")])
    >>> bool((same[0] == same[1]).all())
    True
    """
    result = np.full((len(sets), HASHES), NO_SHINGLE, dtype=np.uint32)
    for place, members in enumerate(sets):
        for start in range(0, members.size, AT_ONCE // HASHES):
            part = members[start : start + AT_ONCE // HASHES, np.newaxis]
            hashed = ((part * FACTORS + SUMMANDS) >> np.uint64(32)).astype(np.uint32)
            np.minimum(result[place], hashed.min(axis=0), out=result[place])
    return result


def candidate_pairs(signed: NDArray[np.uint32]) -> NDArray[np.int64]:
    """The pairs of sets that agree in all rows of some band: int64 (n_pairs, 2), first < second, ascending, each once.

    Of sets that agree everywhere, each is paired with the first one only, and of very many that agree in a band each with the
    next ones (NEIGHBOURS), so that common passages make no more than a few pairs for each set. Sets without a shingle are in no
    pair.

    >>> import numpy as np
    >>> candidate_pairs(np.array([[1] * HASHES, [2] * HASHES, [1] * HASHES], dtype=np.uint32)).tolist()
    [[0, 2]]
    """
    places = np.flatnonzero((signed != NO_SHINGLE).any(axis=1))
    _, first, group = np.unique(_keys(signed[places]), return_index=True, return_inverse=True)
    copies = np.flatnonzero(first[group] != np.arange(places.size))
    found = [np.column_stack([places[first[group[copies]]], places[copies]])]
    places = places[np.sort(first)]
    for band in range(BANDS):
        keys = _keys(signed[places, band * ROWS : (band + 1) * ROWS])
        order = np.argsort(keys, kind="stable")
        for distance in range(1, NEIGHBOURS + 1):
            same = np.flatnonzero(keys[order[:-distance]] == keys[order[distance:]])
            if not same.size:
                break
            found.append(np.column_stack([places[order[same]], places[order[same + distance]]]))
    return np.unique(np.concatenate(found), axis=0)


def _keys(rows: NDArray[np.uint32]) -> NDArray[np.void]:
    """Each row as one value, which can be compared and sorted."""
    held = np.ascontiguousarray(rows)
    return held.view(np.dtype((np.void, held.dtype.itemsize * held.shape[1]))).ravel()
