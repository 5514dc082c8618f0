"""An inverted index made document by document: what is held meanwhile is the vocabulary; postings wait in a file."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from campaign.collection.search.text import Analyser

AT_ONCE: int = 1_000_000
"""Postings in memory before they go to the file."""
MOST_COUNTED = np.iinfo(np.uint16).max
POSTING = np.dtype([("term", "<u4"), ("document", "<u4"), ("count", "<u2")])
LONGEST_TERM = 64
"""Characters of a term that count: what is longer is no word that somebody searches."""


@dataclass(frozen=True, slots=True)
class TextIndex:
    """The postings of term t are the slice `offsets[t]:offsets[t + 1]` of `documents` and `counts`; documents rise within it.

    Term t is `terms[term_ends[t - 1]:term_ends[t]]` in UTF-8, and terms rise by their bytes. `keys` (documents,) names each
    document, `lengths` (documents,) holds its number of terms.
    """

    keys: NDArray[np.int64]
    lengths: NDArray[np.uint32]
    terms: NDArray[np.uint8]
    term_ends: NDArray[np.int64]
    offsets: NDArray[np.int64]
    documents: NDArray[np.uint32]
    counts: NDArray[np.uint16]


@dataclass
class _Spool:
    """Postings in the order of the documents, in pieces, on disk."""

    file: BinaryIO
    pieces: list[int] = field(default_factory=list)

    def add(self, terms: list[int], documents: list[int], counts: list[int]) -> None:
        piece = np.empty(len(terms), POSTING)
        piece["term"], piece["document"], piece["count"] = terms, documents, np.minimum(counts, MOST_COUNTED)
        self.pieces.append(len(piece))
        self.file.write(piece.tobytes())

    def __iter__(self) -> Iterator[np.ndarray]:
        self.file.seek(0)
        for size in self.pieces:
            yield np.frombuffer(self.file.read(size * POSTING.itemsize), POSTING)


def build_text_index(documents: Iterable[tuple[int, str]], analyse: Analyser) -> TextIndex:
    """Index documents given as key and text, each once; a term counts at most 65,535 times in a document.

    >>> from campaign.collection.search.text import words
    >>> index = build_text_index([(7, "a cat and a dog"), (9, "dog")], words)
    >>> bytes(index.terms), index.offsets.tolist(), index.documents.tolist(), index.counts.tolist()
    (b'aandcatdog', [0, 1, 2, 3, 5], [0, 0, 0, 0, 1], [2, 1, 1, 1, 1])
    """
    vocabulary: dict[str, int] = {}
    keys: list[int] = []
    lengths: list[int] = []
    with tempfile.TemporaryFile() as file:
        spool = _Spool(file)
        waiting: tuple[list[int], list[int], list[int]] = ([], [], [])
        for position, (key, text) in enumerate(documents):
            counted = Counter(token[:LONGEST_TERM] for token in analyse(text))
            keys.append(key)
            lengths.append(counted.total())
            waiting[0].extend(vocabulary.setdefault(term, len(vocabulary)) for term in counted)
            waiting[1].extend([position] * len(counted))
            waiting[2].extend(counted.values())
            if len(waiting[0]) >= AT_ONCE:
                spool.add(*waiting)
                waiting = ([], [], [])
        spool.add(*waiting)
        return _sorted(spool, vocabulary, keys, lengths)


def _sorted(spool: _Spool, vocabulary: dict[str, int], keys: list[int], lengths: list[int]) -> TextIndex:
    """Put each piece's postings behind those of the pieces before it, term by term."""
    encoded = {term: term.encode("utf-8", "replace") for term in vocabulary}
    names = sorted(vocabulary, key=encoded.__getitem__)
    rank = np.empty(len(names), np.int64)
    rank[[vocabulary[name] for name in names]] = np.arange(len(names))
    frequencies = np.zeros(len(names), np.int64)
    for piece in spool:
        frequencies += np.bincount(rank[piece["term"]], minlength=len(names))
    offsets = np.concatenate([[0], np.cumsum(frequencies)])
    documents, counts = np.empty(offsets[-1], np.uint32), np.empty(offsets[-1], np.uint16)
    following = offsets[:-1].copy()
    for piece in spool:
        terms = rank[piece["term"]]
        order = np.argsort(terms, kind="stable")
        here = np.bincount(terms, minlength=len(names))
        starts = np.cumsum(here) - here
        places = following[terms[order]] + np.arange(len(order)) - starts[terms[order]]
        documents[places], counts[places] = piece["document"][order], piece["count"][order]
        following += here
    term_bytes = [encoded[name] for name in names]
    return TextIndex(
        keys=np.array(keys, np.int64),
        lengths=np.array(lengths, np.uint32),
        terms=np.frombuffer(b"".join(term_bytes), np.uint8),
        term_ends=np.cumsum([len(name) for name in term_bytes], dtype=np.int64),
        offsets=offsets.astype(np.int64),
        documents=documents,
        counts=counts,
    )
