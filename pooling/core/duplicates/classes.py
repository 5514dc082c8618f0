"""Pairs of near-identical documents as classes, each with the document that stands for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pooling.core.duplicates.minhash import candidate_pairs, signatures
from pooling.core.duplicates.shingles import shingles, similarity

THRESHOLD: Final = 0.9
BATCH = 500
Texts = Callable[[Sequence[str]], Sequence[str]]
"""Gives the texts of some documents, in the order of their docnos; "" for one without a text."""


def alike_pairs(
    docnos: Sequence[str], texts: Texts, threshold: float = THRESHOLD, report: Callable[[int], None] = lambda done: None
) -> pl.DataFrame:
    """The pairs of documents whose texts are alike: one, other (String), similarity (Float64 in [threshold, 1]).

    Texts are asked for in batches and not kept: the memory is HASHES * 4 bytes for each document. Of the pairs within a class,
    not all are given, but enough of them to connect it. `report` is told how many documents are read.

    >>> held = {"a": "one two three four five six", "b": "One two three, four five six", "c": "something else"}
    >>> alike_pairs(list(held), lambda docnos: [held[docno] for docno in docnos]).rows()
    [('a', 'b', 1.0)]
    """
    signed = []
    for start in range(0, len(docnos), BATCH):
        signed.append(signatures([shingles(text) for text in texts(docnos[start : start + BATCH])]))
        report(min(start + BATCH, len(docnos)))
    pairs = candidate_pairs(np.concatenate(signed)) if signed else np.empty((0, 2), dtype=np.int64)
    rows = []
    for start in range(0, len(pairs), BATCH):
        part = pairs[start : start + BATCH]
        needed = sorted({docnos[place] for place in part.ravel().tolist()})
        sets = {docno: shingles(text) for docno, text in zip(needed, texts(needed), strict=True)}
        rows += [
            (docnos[one], docnos[other], similarity(sets[docnos[one]], sets[docnos[other]])) for one, other in part
        ]
    table = pl.DataFrame(rows, schema={"one": pl.String, "other": pl.String, "similarity": pl.Float64}, orient="row")
    return table.filter(pl.col("similarity") >= threshold)


def classes_by_topic(pooled: pl.DataFrame, pairs: pl.DataFrame) -> pl.DataFrame:
    """Who stands for whom in each topic: topic, docno, representative, similarity; without documents that stand alone.

    pooled: topic, docno, position (of judging, from 1) of the pool. pairs: as `alike_pairs` gives them. A class is what pairs
    connect within the topic; the document that is judged first stands for it, and has a row too. similarity: the greatest
    that a pair gives the document. Sorted by topic, place of the representative, position.

    >>> pooled = pl.DataFrame({"topic": ["1"] * 3, "docno": ["b", "c", "a"], "position": [1, 2, 3]})
    >>> pairs = pl.DataFrame({"one": ["a"], "other": ["b"], "similarity": [0.95]})
    >>> classes_by_topic(pooled, pairs).rows()
    [('1', 'b', 'b', 0.95), ('1', 'a', 'b', 0.95)]
    """
    nodes = pooled.select("topic", "docno", "position").sort("topic", "position").with_row_index("node")
    one = pairs.join(nodes.select("topic", one="docno", first="node"), on="one")
    edges = one.join(nodes.select("topic", other="docno", second="node"), on=["other", "topic"])
    component = _components(nodes.height, edges["first"].to_numpy(), edges["second"].to_numpy())
    ends = pl.concat([edges.select(node=pl.col(end), similarity=pl.col("similarity")) for end in ("first", "second")])
    alike = ends.group_by("node").agg(pl.col("similarity").max())
    held = nodes.with_columns(component=component).join(alike, on="node").sort("node")
    leader = held.group_by("component").agg(representative=pl.col("docno").first(), leads=pl.col("node").min())
    joined = held.join(leader, on="component").sort("topic", "leads", "node")
    return joined.select("topic", "docno", "representative", "similarity")


def _components(count: int, first: NDArray[np.uint32], second: NDArray[np.uint32]) -> pl.Series:
    from scipy.sparse import coo_array  # here: every process of a site would load it, a fifth of its start
    from scipy.sparse.csgraph import connected_components

    links = coo_array((np.ones(len(first), dtype=np.int8), (first, second)), shape=(count, count))
    return pl.Series(connected_components(links, directed=False)[1], dtype=pl.Int64)
