"""The best documents for a query, by BM25."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from campaign.collection.search.indexing import LONGEST_TERM, TextIndex

K1, B = 0.9, 0.4


class _Terms:
    """The terms of an index in their order, each read when it is asked for."""

    def __init__(self, index: TextIndex) -> None:
        self._bytes, self._ends = index.terms, index.term_ends

    def __len__(self) -> int:
        return len(self._ends)

    def __getitem__(self, place: int) -> bytes:
        start = self._ends[place - 1] if place else 0
        return self._bytes[start : self._ends[place]].tobytes()


def best_keys(index: TextIndex, query: Iterable[str], most: int) -> tuple[list[int], int]:
    """Return the keys of the `most` best documents, best first, and how many hold a term of the query at all.

    A document scores the sum, over the query's terms, of q * log(1 + (N - df + 0.5) / (df + 0.5)) * tf / (tf + k1 * (1 - b +
    b * length / mean length)), k1 = 0.9, b = 0.4; equal scores keep the order of the documents.
    Source: Robertson et al. (1994), with the idf that cannot fall below 0.

    >>> from campaign.collection.search.indexing import build_text_index
    >>> index = build_text_index([(7, "a cat and a dog"), (8, "a bird"), (9, "dog")], str.split)
    >>> best_keys(index, ["dog", "fish"], most=5)
    ([9, 7], 2)
    """
    scores = np.zeros(len(index.keys))
    if not len(scores):
        return [], 0
    mean = max(float(index.lengths.mean()), 1.0)
    terms = _Terms(index)
    for term, weight in Counter(token[:LONGEST_TERM] for token in query).items():
        _add(scores, index, _place(terms, term), weight, mean)
    matching = np.flatnonzero(scores)
    best = _first(matching, scores[matching], most)
    return index.keys[best].tolist(), len(matching)


def _place(terms: _Terms, term: str) -> int | None:
    wanted = term.encode("utf-8", "replace")
    place = bisect_left(terms, wanted)
    return place if place < len(terms) and terms[place] == wanted else None


def _add(scores: NDArray[np.float64], index: TextIndex, term: int | None, weight: int, mean: float) -> None:
    if term is None:
        return
    postings = slice(index.offsets[term], index.offsets[term + 1])
    documents, counts = index.documents[postings], index.counts[postings].astype(np.float64)
    frequency = len(documents)
    idf = np.log1p((len(scores) - frequency + 0.5) / (frequency + 0.5))
    damping = K1 * (1 - B + B * index.lengths[documents] / mean)
    scores[documents] += weight * idf * counts / (counts + damping)


def _first(matching: NDArray[np.int64], scores: NDArray[np.float64], most: int) -> NDArray[np.int64]:
    """The places of the best, without sorting the others; ties by place, at the cut as well."""
    if len(matching) > most:
        least = np.partition(scores, len(scores) - most)[len(scores) - most]
        kept = scores >= least
        matching, scores = matching[kept], scores[kept]
    return matching[np.argsort(-scores, kind="stable")][:most]
