"""How often the intervals of what a pool left outside hold, and from which data on: docs/reference/pool-completeness.md.

Pools of random topics of a judged collection, whose qrels are taken for the whole truth, and of made-up runs.

    .venv/bin/python -m benchmarks.completeness_of_pools --collection FOLDER --out docs/reference/pool-completeness.md
"""

import argparse
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from benchmarks.completeness_of_pools_page import page
from benchmarks.made_up_collections import EIGHT_RUNS, make_collection
from evaluation.pool_simulation.judged_pools import JudgedPool, Judging
from evaluation.pool_simulation.known import KnownCollection
from pooling.command.judged_documents import judged_in
from pooling.command.options import add_run_options, new_parser, run_options
from pooling.command.runs import read_runs
from pooling.core.completeness.limits import relevant_drawn
from pooling.core.completeness.outside import Outside, share_of
from pooling.core.strategies.declaration import PAIR, PooledRun
from pooling.core.strategies.parameters import PoolSpecError
from pooling.core.strategies.spec import PoolSpec

TOPICS = (10, 50)
REACH = 100
RELEVANT = 20
"""Relevant documents of each topic of the made-up collection."""
POOLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("depth-k", {"depth": 5}),
    ("depth-k", {"depth": 10}),
    ("depth-k", {"depth": 20}),
    ("rrf", {"size": 33}),
    ("random", {"size": 16, "depth": 20}),
    ("stratified", {"rates": ((10, 1.0), (20, 0.5), (100, 0.1))}),
    ("stratified", {"rates": ((5, 1.0), (20, 0.2), (100, 0.05))}),
    ("statap", {"size": 16}),
    *(("maxmean", {"depth": 2, "size": 60, "control": control}) for control in (2, 5, 10, 20)),
)


@dataclass(frozen=True)
class Told:
    """One estimate of one pool. given: whether the site tells it. error: of the share outside. drawn: relevant ones at random."""

    collection: str
    topics: int
    place: int
    pool: str
    method: str
    given: bool
    truth: int
    low: float
    high: float
    width: float
    error: float
    drawn: int | None


@dataclass(frozen=True)
class Judged:
    """Runs, topics and qrels (topic, docno, grade) of a collection."""

    name: str
    runs: list[PooledRun]
    topics: list[str]
    qrels: pl.DataFrame


def read_collection(folder: Path) -> Judged:
    """A folder with qrels.graded.txt, runs.csv and runs/*.txt.gz."""
    parser = new_parser("worth", "")
    add_run_options(parser)
    words = ["--teams", str(folder / "runs.csv"), *map(str, sorted((folder / "runs").glob("*.txt.gz")))]
    read = read_runs(run_options(parser, parser.parse_intermixed_args(words)), None)
    qrels = judged_in(str(folder / "qrels.graded.txt"))
    judged = set(qrels["topic"])
    runs = [replace(run, ranking=run.ranking.with_columns(pl.col("topic").cast(pl.String))) for run in read.runs]
    return Judged(folder.name.capitalize(), runs, [topic for topic in read.topics if topic in judged], qrels)


def of_random_topics(collection: Judged, topics: int, seed: int) -> KnownCollection:
    some = sorted(np.random.default_rng([seed, topics]).choice(collection.topics, topics, replace=False).tolist())
    cut = [replace(run, ranking=run.ranking.filter(pl.col("topic").is_in(some))) for run in collection.runs]
    return KnownCollection.of(cut, some, collection.qrels)


def made_up(topics: int, seed: int) -> KnownCollection:
    parts = [make_collection(EIGHT_RUNS, RELEVANT, 1000 * seed + part) for part in range(topics // 10)]
    runs = [
        replace(run, ranking=pl.concat([_renamed(part.runs[number].ranking, i) for i, part in enumerate(parts)]))
        for number, run in enumerate(parts[0].runs)
    ]
    names = [f"{part}-{topic}" for part in range(len(parts)) for topic in parts[0].topics]
    docnos = [f"d{number:04}" for number in range(RELEVANT)]
    qrels = pl.DataFrame({"topic": names}).join(pl.DataFrame({"docno": docnos, "grade": 1}), how="cross")
    return KnownCollection.of(runs, names, qrels)


def _renamed(ranking: pl.DataFrame, part: int) -> pl.DataFrame:
    return ranking.with_columns(topic=pl.format("{}-{}", pl.lit(part), pl.col("topic")))


def measure(name: str, known: KnownCollection, seed: int) -> Iterator[Told]:
    """All estimates of all pools of one collection."""
    judging = Judging(known, REACH, scores=False)
    held = known.found(pl.concat([run.ranking.select(PAIR) for run in known.runs]).unique())
    for place, (strategy, parameters) in enumerate(POOLS):
        spec = PoolSpec.with_defaults(strategy, parameters, seed=seed)
        try:
            pool = judging.judged_pool(spec)
        except PoolSpecError:  # a topic whose base is larger than its size
            continue
        found = known.found(pool.judged)
        truths = (_undrawn(known, pool), known.relevant - found, held - found)
        drawn = relevant_drawn(pool.entries, REACH)
        texts = (
            f"{one.name}={one.to_text(parameters[one.name])}"
            for one in spec.method.parameters
            if one.name in parameters
        )
        label = f"`{strategy}` {' '.join(texts)}"
        for estimate, told, truth in zip(pool.unlimited, pool.estimates, truths, strict=True):
            if isinstance(estimate, Outside):
                yield Told(
                    name,
                    len(known.topics),
                    place,
                    label,
                    estimate.method,
                    isinstance(told, Outside),
                    truth,
                    estimate.low,
                    estimate.high,
                    estimate.share_high - estimate.share_low,
                    estimate.share - share_of(found, truth),
                    drawn,
                )


def _undrawn(known: KnownCollection, pool: JudgedPool) -> int:
    """Relevant documents that could have been drawn, in the topics of which every stratum is heard."""
    undrawn = pool.sample.filter(pl.col("inclusion_probability").is_null())
    silent = undrawn.join(pool.judged, on=["topic", "stratum"], how="anti")
    return known.found(undrawn.join(silent, on="topic", how="anti"))


def simulate(collection: Judged, seeds: int) -> list[Told]:
    told: list[Told] = []
    for seed in range(seeds):
        for topics in TOPICS:
            told += measure(collection.name, of_random_topics(collection, topics, seed), seed)
            told += measure("made-up", made_up(topics, seed), seed)
    return told


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--collection", type=Path, required=True, help="qrels.graded.txt, runs.csv, runs/*.txt.gz")
    parser.add_argument("--seeds", type=int, default=50)
    parser.add_argument("--out", type=Path, help="the page to write; standard output without")
    arguments = parser.parse_args()
    collection = read_collection(arguments.collection)
    text = page(pl.DataFrame(simulate(collection, arguments.seeds)), collection.name, arguments.seeds)
    if arguments.out:
        arguments.out.write_text(text, encoding="utf-8")
    else:
        print(text, end="")


if __name__ == "__main__":
    main()
