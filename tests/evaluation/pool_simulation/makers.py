"""A small collection by a seed: runs that find relevant documents more or less well, and the qrels."""

import numpy as np
import polars as pl

from evaluation.pool_simulation.simulation import Collection
from pooling.core.strategies.declaration import PooledRun

TOPICS = ["7", "10", "9"]


def make_collection(seed: int = 0, runs: int = 5, documents: int = 30, topics: list[str] = TOPICS) -> Collection:
    numbers = np.random.default_rng(seed)
    docnos = [f"d{place:02}" for place in range(documents)]
    relevant = {topic: numbers.random(documents) < 0.25 for topic in topics}
    made = []
    for number in range(runs):
        rows = []
        for topic in topics:
            scores = numbers.normal(size=documents) + relevant[topic] * (0.5 + 0.3 * number)
            best = np.argsort(-scores)[: documents - 5]
            rows += [(topic, docnos[place], rank, float(scores[place])) for rank, place in enumerate(best, start=1)]
        schema = {"topic": pl.String, "docno": pl.String, "position": pl.UInt32, "score": pl.Float64}
        made.append(PooledRun(f"run{number}", f"team{number % 3}", 1, pl.DataFrame(rows, schema=schema, orient="row")))
    judged = [
        (topic, docno, int(is_so)) for topic in topics for docno, is_so in zip(docnos, relevant[topic], strict=True)
    ]
    schema = {"topic": pl.String, "docno": pl.String, "grade": pl.Int32}
    return Collection(made, topics, pl.DataFrame(judged, schema=schema, orient="row"))
