"""How far estimates from sampled pools are from the truth, by the number of relevant documents: docs/reference/sampling-bias.md.

The whole chain in pure code: made-up runs, the drawn pool, the qrels as a release holds them, the measures of the engine.

    .venv/bin/python -m benchmarks.sampling_bias --seeds 200 --out docs/reference/sampling-bias.md
"""

import argparse
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import polars as pl

from evaluation.engine.arrays import BoolArray, FloatArray
from evaluation.engine.judgments import Judgments
from evaluation.engine.scoring import score_runs
from judging.samples import judged_sample
from pooling.strategies.declaration import PooledRun
from pooling.strategies.drawing import Draw, draw_pool
from pooling.strategies.spec import PoolSpec
from pooling.strategies.strata import sampled_by, with_strata

RUNS, TOPICS, DOCUMENTS, DEPTH = 8, 10, 600, 100
RELEVANT = (5, 20, 80)
RATES = ((10, 1.0), (20, 0.5), (100, 0.1))
SEPARATION = 2.5
"""By how many standard deviations the scores of relevant documents are higher."""
ESTIMATES = {"infAP": "AP", "xinfAP": "AP", "infNDCG": "nDCG", "statAP": "AP", "statP@10": "P@10"}
PAIR = ["topic", "docno"]


@dataclass(frozen=True)
class Collection:
    """Made-up runs of one seed, and the grades of all documents in their depth-100 pool: what is estimated is theirs."""

    runs: list[PooledRun]
    tables: list[pl.DataFrame]
    grades: pl.DataFrame
    topics: list[str]


@dataclass
class Row:
    """Of one estimator, one number a seed: judgments a topic; the mean truth, error and squared error over runs and topics.

    `with_relevant`: the mean error over the topics in whose sample a document is relevant.
    """

    relevant: int
    measure: str
    costs: list[float] = field(default_factory=list)
    truths: list[float] = field(default_factory=list)
    errors: list[float] = field(default_factory=list)
    with_relevant: list[float] = field(default_factory=list)
    squares: list[float] = field(default_factory=list)

    def add(self, estimate: "Estimate", truth: FloatArray) -> None:
        error = estimate.values - truth
        self.costs.append(estimate.judged)
        self.truths.append(float(truth.mean()))
        self.errors.append(float(error.mean()))
        self.with_relevant.append(float(error[:, estimate.has_relevant].mean()))
        self.squares.append(float((error**2).mean()))

    @property
    def judged(self) -> float:
        return float(np.mean(self.costs))

    @property
    def truth(self) -> float:
        return float(np.mean(self.truths))

    @property
    def bias(self) -> tuple[float, float]:
        return mean_and_margin(self.errors)

    @property
    def bias_with_relevant(self) -> tuple[float, float]:
        return mean_and_margin(self.with_relevant)

    @property
    def root_mean_square(self) -> float:
        return float(np.sqrt(np.mean(self.squares)))


@dataclass(frozen=True)
class Estimate:
    """`values`: runs x topics. `judged`: documents a topic. `has_relevant`: topics of whose sample a document is relevant."""

    measure: str
    judged: float
    values: FloatArray
    has_relevant: BoolArray


def mean_and_margin(values: list[float]) -> tuple[float, float]:
    """The mean, and half of its 95 % interval: seeds are independent."""
    return float(np.mean(values)), float(1.96 * np.std(values, ddof=1) / np.sqrt(len(values)))


def make_collection(relevant: int, seed: int) -> Collection:
    random = np.random.default_rng([relevant, seed])
    topics = [str(number) for number in range(1, TOPICS + 1)]
    is_relevant = np.arange(DOCUMENTS) < relevant
    # What runs have in common, as different runs do retrieve the same wrong documents, and what is their own.
    common = random.normal(size=(TOPICS, DOCUMENTS)) + SEPARATION * is_relevant
    names = np.repeat(topics, DOCUMENTS), np.tile([f"d{number:03}" for number in range(DOCUMENTS)], TOPICS)
    runs, tables = [], []
    for number in range(RUNS):
        scores = common + random.normal(scale=1 + number / 4, size=common.shape)
        table = pl.DataFrame({"topic": names[0], "docno": names[1], "score": scores.ravel()})
        table = table.sort("topic", "score", descending=[False, True])
        table = table.with_columns(position=pl.int_range(1, pl.len() + 1).over("topic"))
        runs.append(PooledRun(f"run{number}", f"team{number}", 1, table.select(*PAIR, "position")))
        tables.append(table.filter(pl.col("position") <= DEPTH).select(*PAIR, "score"))
    pooled = pl.concat(tables).select(PAIR).unique().sort(PAIR)
    grade = (pl.col("docno").str.slice(1).cast(pl.Int32) < relevant).cast(pl.Int32)
    return Collection(runs, tables, pooled.with_columns(grade=grade), topics)


def released(draw: Draw, grades: pl.DataFrame) -> pl.DataFrame:
    """The table of a release in which every drawn document is judged."""
    assert draw.frame is not None
    drawn, frame = (table.with_columns(pl.col("topic").cast(pl.String)) for table in (draw.entries, draw.frame))
    nothing = drawn.select(PAIR).clear()
    documents = with_strata(drawn, frame, nothing, {})
    return judged_sample(documents, grades, sampled_by(drawn, frame)).table


def estimates(collection: Collection, seed: int) -> Iterator[Estimate]:
    """What each estimator gives, all at about the same cost."""

    def drawn(strategy: str, **parameters: object) -> pl.DataFrame:
        spec = PoolSpec.with_defaults(strategy, parameters, seed=seed)
        return released(draw_pool(collection.runs, collection.topics, spec), collection.grades)

    strata = drawn("stratified", rates=RATES)
    cost = strata.filter(pl.col("grade") >= 0).height
    uniform = drawn("stratified", rates=[(DEPTH, round(cost / collection.grades.height, 3))])
    independent = drawn("statap", size=round(cost / TOPICS), depth=DEPTH)
    for table, measures in (
        (uniform, ["infAP"]),
        (strata, ["xinfAP", "infNDCG"]),
        (independent, ["statAP", "statP@10"]),
    ):
        is_judged = pl.col("grade") >= 0
        if "probability" in table.columns:
            is_judged &= pl.col("probability").is_not_null()
        judged = table.filter(is_judged)
        relevant = set(judged.filter(pl.col("grade") > 0)["topic"])
        has_relevant = np.array([topic in relevant for topic in sorted(collection.topics)])
        values = _values(collection, table, measures)
        for place, measure in enumerate(measures):
            yield Estimate(measure, judged.height / TOPICS, values[:, place], has_relevant)


def _values(collection: Collection, table: pl.DataFrame, measures: list[str]) -> FloatArray:
    """Runs x measures x topics."""
    judgments = Judgments.from_table(table)
    assert len(judgments.topics) == TOPICS
    return np.array([scores.values for scores in score_runs(collection.tables, judgments, measures)])


def measure_bias(relevant: int, seeds: int) -> list[Row]:
    rows = {measure: Row(relevant, measure) for measure in ESTIMATES}
    known = list(dict.fromkeys(ESTIMATES.values()))
    for seed in range(seeds):
        collection = make_collection(relevant, seed)
        whole = _values(collection, collection.grades.with_columns(subtopic=pl.lit("0")), known)
        for estimate in estimates(collection, seed):
            rows[estimate.measure].add(estimate, whole[:, known.index(ESTIMATES[estimate.measure])])
    return list(rows.values())


ABOUT = """{runs} made-up runs of {topics} topics, {seeds} seeds; every drawn document is judged, without error. R: the number of
relevant documents of each topic. `xinfAP` and `infNDCG` read a stratified sample ({strata}), `infAP` a uniform sample, `statAP`
and `statP@10` a statAP sample of about as many documents. Truth: mean AP (nDCG, P@10) by judgments of the whole
depth-{depth} pool. Bias: mean of estimate - truth over runs, topics and seeds, with its 95 % interval; then the same over the
topics in whose sample a document is relevant, as they remain when topics without one are left out. Error: root of the mean
square, for one run and topic."""


def page(rows: list[Row], seeds: int) -> str:
    strata = " ".join(f"{bound}:{rate:g}" for bound, rate in RATES)
    lines = [
        "# The bias of estimates from sampled pools",
        "",
        "Written by `python -m benchmarks.sampling_bias`. Do not edit.",
        "",
        ABOUT.format(runs=RUNS, topics=TOPICS, seeds=seeds, strata=strata, depth=DEPTH),
        "",
        "| R | estimator | judged a topic | truth | bias | with a relevant one | error |",
        "| ---: | --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for row in rows:
        biases = " | ".join(f"{bias:+.3f} ± {margin:.3f}" for bias, margin in (row.bias, row.bias_with_relevant))
        numbers = f"{row.judged:.1f} | {row.truth:.3f} | {biases} | {row.root_mean_square:.3f}"
        lines.append(f"| {row.relevant} | {row.measure} | {numbers} |")
    return "\n".join([*lines, ""])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seeds", type=int, default=200)
    parser.add_argument("--out", type=Path, help="the page to write; standard output without")
    arguments = parser.parse_args()
    text = page([row for relevant in RELEVANT for row in measure_bias(relevant, arguments.seeds)], arguments.seeds)
    if arguments.out:
        arguments.out.write_text(text, encoding="utf-8")
    else:
        print(text, end="")


if __name__ == "__main__":
    main()
