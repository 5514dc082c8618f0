"""An inverted index in numpy arrays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from campaign.collection.search.text import Analyser

Query = Mapping[str, float]
"""Weight of each query term; for a plain query, how often it occurs there."""


@dataclass(frozen=True, slots=True)
class Index:
    """Postings of term t are the slice `offsets[t]:offsets[t + 1]` of `documents` and `counts`; documents rise within it."""

    docnos: NDArray[np.str_]
    vocabulary: Mapping[str, int]
    analyse: Analyser
    offsets: NDArray[np.int64]
    documents: NDArray[np.int64]
    counts: NDArray[np.float64]

    @property
    def lengths(self) -> NDArray[np.float64]:
        """Tokens in each document, (documents,)."""
        return np.bincount(self.documents, weights=self.counts, minlength=len(self.docnos)).astype(np.float64)

    @property
    def document_frequencies(self) -> NDArray[np.float64]:
        """Documents that hold each term, (terms,)."""
        return np.diff(self.offsets).astype(np.float64)

    @property
    def collection_frequencies(self) -> NDArray[np.float64]:
        """Occurrences of each term in the collection, (terms,)."""
        totals = np.bincount(self.posting_terms, weights=self.counts, minlength=len(self.vocabulary))
        return totals.astype(np.float64)

    @property
    def posting_terms(self) -> NDArray[np.int64]:
        """The term of each posting, (postings,)."""
        return np.repeat(np.arange(len(self.vocabulary)), np.diff(self.offsets))

    def query(self, text: str) -> Query:
        return dict(Counter(self.analyse(text)))

    def known(self, query: Query) -> list[tuple[int, float]]:
        """Identifiers and weights of those query terms that the collection holds."""
        return [(self.vocabulary[term], weight) for term, weight in query.items() if term in self.vocabulary]

    def summed(self, weights: NDArray[np.float64], query: Query) -> NDArray[np.float64]:
        """Sum over the query's terms of query weight times posting weight, (documents,); `weights` is (postings,)."""
        scores = np.zeros(len(self.docnos))
        for term, query_weight in self.known(query):
            postings = slice(self.offsets[term], self.offsets[term + 1])
            scores[self.documents[postings]] += query_weight * weights[postings]
        return scores

    def matching(self, query: Query) -> NDArray[np.bool_]:
        """Which documents hold at least one query term, (documents,)."""
        return self.summed(np.ones(len(self.documents)), dict.fromkeys(query, 1.0)) > 0


def build_index(documents: Sequence[Mapping[str, str]], analyse: Analyser) -> Index:
    """Index title and text of documents given as mappings with `docno`, `title` and `text`."""
    vocabulary: dict[str, int] = {}
    postings: list[tuple[int, int, int]] = []
    for position, document in enumerate(documents):
        tokens = analyse(f"{document['title']}\n{document['text']}")
        for token, count in Counter(tokens).items():
            postings.append((vocabulary.setdefault(token, len(vocabulary)), position, count))
    terms, positions, counts = np.array(sorted(postings), dtype=np.int64).reshape(-1, 3).T
    return Index(
        docnos=np.array([document["docno"] for document in documents]),
        vocabulary=vocabulary,
        analyse=analyse,
        offsets=np.searchsorted(terms, np.arange(len(vocabulary) + 1)),
        documents=positions,
        counts=counts.astype(np.float64),
    )
