"""Retrieval functions: an index and a query in, one score a document out, (documents,) float64; 0 or -inf means not retrieved."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from runpool.demo.retrieval.index import Index, Query

Scores = NDArray[np.float64]


def bm25(index: Index, query: Query, k1: float = 0.9, b: float = 0.4) -> Scores:
    """Okapi BM25: sum of q * log(1 + (N - df + 0.5) / (df + 0.5)) * tf / (tf + k1 * (1 - b + b * length / mean length)).

    Source: Robertson et al. (1994), with the idf that cannot fall below 0.
    """
    df = index.document_frequencies
    idf = np.log1p((len(index.docnos) - df + 0.5) / (df + 0.5))
    lengths = index.lengths
    damping = k1 * (1 - b + b * lengths / lengths.mean())
    weights = idf[index.posting_terms] * index.counts / (index.counts + damping[index.documents])
    return index.summed(weights, query)


def tfidf_cosine(index: Index, query: Query) -> Scores:
    """Cosine of (1 + ln tf) * ln(N / df) vectors, divided by the document's length only: the query's does not change the order.

    A document whose terms occur everywhere has no length and scores 0. Source: Salton and Buckley (1988).
    """
    idf = np.log(len(index.docnos) / index.document_frequencies)
    weights = (1 + np.log(index.counts)) * idf[index.posting_terms]
    norms = np.sqrt(np.bincount(index.documents, weights=weights**2, minlength=len(index.docnos)))
    dots = index.summed(weights * idf[index.posting_terms], query)
    return np.divide(dots, norms, out=np.zeros_like(dots), where=norms > 0)


def dirichlet(index: Index, query: Query, mu: float = 120.0) -> Scores:
    """Log query likelihood, sum of q * ln((tf + mu * cf / C) / (length + mu)); -inf where no query term occurs.

    Source: Zhai and Lafferty (2004).
    """
    lengths = index.lengths
    background = index.collection_frequencies / lengths.sum()
    ratios = np.log1p(index.counts / (mu * background[index.posting_terms]))
    known = index.known(query)
    constant = sum(weight * np.log(mu * background[term]) for term, weight in known)
    total = sum(weight for _, weight in known)
    scores = index.summed(ratios, query) + constant - total * np.log(lengths + mu)
    return np.where(index.matching(query), scores, -np.inf)


def jelinek_mercer(index: Index, query: Query, smoothing: float = 0.3) -> Scores:
    """Log query likelihood ratio, sum of q * ln(1 + (1 - s) / s * (tf / length) / (cf / C)); 0 where no query term occurs.

    Source: Jelinek and Mercer (1980), in the form of Zhai and Lafferty (2004) that leaves out what is equal for all documents.
    """
    lengths = index.lengths
    background = index.collection_frequencies / lengths.sum()
    within = index.counts / lengths[index.documents]
    ratios = np.log1p((1 - smoothing) / smoothing * within / background[index.posting_terms])
    return index.summed(ratios, query)


def coordination(index: Index, query: Query) -> Scores:
    """How many different query terms a document holds."""
    return index.summed(np.ones(len(index.documents)), dict.fromkeys(query, 1.0))


def random_among_matching(index: Index, query: Query, seed: Sequence[int]) -> Scores:
    """A score in (0, 1) drawn by lot for every document that holds a query term, 0 for the others."""
    drawn = 1 - np.random.default_rng(seed).random(len(index.docnos))
    return np.where(index.matching(query), drawn, 0.0)


def reciprocal_rank_fusion(score_lists: Sequence[Scores], k: float = 60.0) -> Scores:
    """Sum of 1 / (k + rank) over the lists that retrieve the document. Source: Cormack, Clarke and Buettcher (2009)."""
    fused = np.zeros_like(score_lists[0])
    for scores in score_lists:
        order = best_first(scores)
        fused[order] += 1 / (k + np.arange(1, len(order) + 1))
    return fused


def expanded_query(index: Index, query: Query, scores: Scores, documents: int, terms: int, share: float) -> Query:
    """Mix the query with the terms that stand out in its own best documents.

    A term weighs the sum over the `documents` best of tf / length, times ln(N / df); the `terms` heaviest make a second query.
    Both queries are scaled to sum 1 and mixed, the second with weight `share`. After Rocchio (1971).
    """
    best = best_first(scores)[:documents]
    chosen = np.isin(index.documents, best)
    within = index.counts[chosen] / index.lengths[index.documents[chosen]]
    sums = np.bincount(index.posting_terms[chosen], weights=within, minlength=len(index.vocabulary))
    weights = sums * np.log(len(index.docnos) / index.document_frequencies)
    names = np.array(list(index.vocabulary))
    heaviest = np.lexsort((names, -weights))[:terms]
    total = sum(query.values())
    mixed = {term: (1 - share) * weight / total for term, weight in query.items()}
    for term in heaviest[weights[heaviest] > 0]:
        name = str(names[term])
        mixed[name] = mixed.get(name, 0.0) + share * float(weights[term] / weights[heaviest].sum())
    return mixed


def best_first(scores: Scores) -> NDArray[np.int64]:
    """Positions of the retrieved documents by falling score; ties as they come in the collection."""
    order: NDArray[np.int64] = np.argsort(-scores, kind="stable")
    retrieved: NDArray[np.int64] = order[(scores[order] != 0) & np.isfinite(scores[order])]
    return retrieved
