"""How far estimates from pools with the settings that the site offers are from the truth, on a judged collection.

    .venv/bin/python -m benchmarks.collection_bias --qrels FILE --teams FILE --seeds 20 RUN [RUN ...]

Prints the page `docs/reference/collection-bias.md`.
"""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from campaign.formats.runs.order_setting import BY_SCORE, Ordering
from evaluation.engine.arrays import FloatArray
from evaluation.engine.judgments import Judgments
from evaluation.engine.scoring import score_runs
from evaluation.pool_simulation.judged_pools import Judging
from evaluation.pool_simulation.known import KnownCollection
from judging.core.samples import judged_sample
from pooling.command.judged_documents import judged_in
from pooling.command.options import RunOptions
from pooling.command.runs import read_runs
from pooling.core.strategies.declaration import PooledRun
from pooling.core.strategies.spec import PoolSpec

DEPTH = 100
"""Deepest position of a run of which a document can be drawn, in all the settings below."""
OFFERED: tuple[tuple[str, Mapping[str, object]], ...] = (
    ("stratified", {}),
    ("statap", {}),
    ("mtf", {}),
    ("hedge", {}),
    ("maxmean", {}),
    ("mtf", {"size": 60}),
    ("hedge", {"size": 60}),
    ("maxmean", {"size": 60}),
    ("mtf", {"control": 30}),
    ("maxmean", {"control": 30}),
)
"""Strategies with the parameters that are not the ones offered by default."""
MEASURES = {"stratum": "xinfAP", "probability": "statAP"}
GROUPS = (("1 to 5", 1, 5), ("6 or more", 6, 10**9))
"""Relevant documents of a topic."""

ABOUT = """{runs} real runs, {topics} topics with a relevant document among the first {depth} of a run (on average {mean:.1f}),
{seeds} seeds; every drawn document is judged as in the collection. Truth: AP by judgments of all those documents.
Bias: mean over runs, seeds and topics, with its 95 % interval over topics; then over the topics with so many relevant
documents (R). What is not named has the value that the site offers. Pools of `mtf`, `hedge` and `maxmean` grow while
they are judged; their control sample is what xinfAP reads. With [made-up runs](sampling-bias.md), whose relevant
documents are known, the bias of many pooled runs is smaller."""


@dataclass(frozen=True)
class Found:
    """Of one setting: documents judged a topic, and the error of each topic, the mean over runs and seeds."""

    spec: PoolSpec
    changed: Mapping[str, object]
    judged: float
    errors: FloatArray

    def told(self, kept: "np.ndarray[tuple[int], np.dtype[np.bool_]]") -> str:
        """The mean over the topics and half of its 95 % interval: other topics would give another mean."""
        errors = self.errors[kept]
        margin = 1.96 * errors.std(ddof=1) / np.sqrt(errors.size)
        return f"{errors.mean():+.3f} ± {margin:.3f}"


def found_on(runs: Sequence[PooledRun], topics: Sequence[str], qrels: pl.DataFrame, seeds: int) -> Iterator[Found]:
    """`qrels`: grades of 1 and above are relevant; documents without one are not."""
    judging = Judging(KnownCollection.of(runs, topics, qrels), DEPTH, scores=False)
    documents = judging.documents.select(pl.col("topic").cast(pl.String), "docno")
    grades = judging.known.graded(documents).select("topic", "docno", grade=pl.col("relevant").cast(pl.Int32))
    first = pl.col("position") <= DEPTH
    tables = [
        run.ranking.filter(first).select("topic", "docno", score=-pl.col("position").cast(pl.Float64)) for run in runs
    ]
    truth = _values(tables, grades.with_columns(subtopic=pl.lit("0")), "AP", topics)
    for strategy, changed in OFFERED:
        errors, judged = np.zeros(len(topics)), 0
        for seed in range(1, seeds + 1):
            spec = PoolSpec.with_defaults(strategy, dict(changed), seed=seed)
            pool = judging.judged_pool(spec)
            sampling = spec.method.sampling
            released = judged_sample(pool.sample, grades, sampling)
            errors += (_values(tables, released.table, MEASURES[sampling], topics) - truth).mean(axis=0)
            judged += pool.judged.height
        yield Found(spec, changed, judged / seeds / len(topics), errors / seeds)


def relevant_of(runs: Sequence[PooledRun], topics: Sequence[str], qrels: pl.DataFrame) -> FloatArray:
    """Relevant documents of each topic among those that can be drawn."""
    judging = Judging(KnownCollection.of(runs, topics, qrels), DEPTH, scores=False)
    graded = judging.known.graded(judging.documents.select(pl.col("topic").cast(pl.String), "docno"))
    counts = dict(graded.group_by("topic").agg(pl.col("relevant").sum()).iter_rows())
    return np.array([counts.get(topic, 0) for topic in topics], dtype=np.float64)


def _values(tables: Sequence[pl.DataFrame], table: pl.DataFrame, measure: str, topics: Sequence[str]) -> FloatArray:
    """Runs x topics; a topic that the table lacks has 0, as on a board."""
    judgments = Judgments.from_table(table)
    place = {topic: number for number, topic in enumerate(topics)}
    columns = [place[topic] for topic in judgments.topics]
    values = np.zeros((len(tables), len(topics)))
    for number, scores in enumerate(score_runs(tables, judgments, [measure])):
        values[number, columns] = scores.values[0]
    return values


def page(found: Sequence[Found], relevant: FloatArray, runs: int, seeds: int, name: str) -> list[str]:
    has_some = relevant > 0
    lines = [
        f"# The bias of estimates on {name}",
        "",
        "Written by `python -m benchmarks.collection_bias`. Do not edit.",
        "",
        *ABOUT.format(
            runs=runs, topics=int(has_some.sum()), depth=DEPTH, mean=relevant[has_some].mean(), seeds=seeds
        ).splitlines(),
        "",
        f"| strategy | estimator | judged a topic | bias | {' | '.join(f'R: {words}' for words, _, _ in GROUPS)} |",
        f"| --- | --- | ---: | ---: |{' ---: |' * len(GROUPS)}",
    ]
    for one in found:
        method = one.spec.method
        changed = "".join(f", {name} {value}" for name, value in one.changed.items())
        told = [one.told(has_some)] + [one.told((relevant >= low) & (relevant <= high)) for _, low, high in GROUPS]
        lines.append(
            f"| {method.name}{changed} | {MEASURES[method.sampling]} | {one.judged:.1f} | {' | '.join(told)} |"
        )
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--qrels", required=True)
    parser.add_argument("--teams", required=True)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--name", default="Cranfield")
    parser.add_argument("runs", nargs="+")
    given = parser.parse_args()
    options = RunOptions(tuple(given.runs), None, given.teams, Ordering(BY_SCORE), 1000, 20)
    qrels, read = judged_in(given.qrels), read_runs(options, None)
    judged = set(qrels["topic"])
    topics = [topic for topic in read.topics if topic in judged]
    found = list(found_on(read.runs, topics, qrels, given.seeds))
    relevant = relevant_of(read.runs, topics, qrels)
    print("\n".join(page(found, relevant, len(read.runs), given.seeds, given.name)))


if __name__ == "__main__":
    main()
