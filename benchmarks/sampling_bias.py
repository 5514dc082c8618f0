"""How far estimates from sampled pools are from the truth, by the number of relevant documents: docs/reference/sampling-bias.md.

The whole chain in pure code: made-up runs, the drawn pool, the qrels as a release holds them, the measures of the engine.

    .venv/bin/python -m benchmarks.sampling_bias --seeds 200 --out docs/reference/sampling-bias.md
"""

import argparse
from collections.abc import Callable, Container, Iterator
from pathlib import Path

import numpy as np
import polars as pl

from benchmarks.estimation_errors import ESTIMATES, OF_SINGLE_RUNS, RELEVANT, Estimate, Row
from benchmarks.growing_bias import SETTINGS, measure_growing
from benchmarks.made_up_collections import (
    EIGHT_RUNS,
    FURTHER,
    PAIR,
    SINGLE_RUNS,
    TOPICS,
    Collection,
    Setting,
    make_collection,
)
from benchmarks.sampling_bias_page import page
from evaluation.engine.arrays import FloatArray
from evaluation.engine.judgments import Judgments
from evaluation.engine.scoring import score_runs
from judging.core.samples import judged_sample
from pooling.core.strategies.drawing import Draw, draw_pool
from pooling.core.strategies.spec import PoolSpec
from pooling.core.strategies.strata import sampled_by, with_strata


def released(draw: Draw, grades: pl.DataFrame) -> pl.DataFrame:
    """The table of a release in which every drawn document is judged."""
    assert draw.frame is not None
    drawn, frame = (table.with_columns(pl.col("topic").cast(pl.String)) for table in (draw.entries, draw.frame))
    nothing = drawn.select(PAIR).clear()
    documents = with_strata(drawn, frame, nothing, {})
    return judged_sample(documents, grades, sampled_by(drawn, frame)).table


def estimates(collection: Collection, seed: int, wanted: Container[str]) -> Iterator[Estimate]:
    """What each wanted estimator gives, all at about the same cost."""
    depth = collection.setting.bounds[-1]

    def drawn(strategy: str, **parameters: object) -> pl.DataFrame:
        spec = PoolSpec.with_defaults(strategy, parameters, seed=seed)
        return released(draw_pool(collection.runs, collection.topics, spec), collection.grades)

    strata = drawn("stratified", rates=collection.setting.rates)
    cost = strata.filter(pl.col("grade") >= 0).height
    rate = round(cost / collection.grades.height, 3)
    samples: tuple[tuple[Callable[[], pl.DataFrame], list[str]], ...] = (
        (lambda: drawn("stratified", rates=[(depth, rate)]), ["infAP"]),
        (lambda: strata, ["xinfAP", "infNDCG"]),
        (lambda: drawn("statap", size=round(cost / TOPICS), depth=depth), ["statAP", "statP@10"]),
    )
    relevant = _by_topic(collection.grades, pl.col("grade").sum())
    for sample, names in samples:
        measures = [name for name in names if name in wanted]
        if not measures:
            continue
        table = sample()
        values = _values(collection, table, measures)
        weighed = table.with_columns(weight=_weight(table)).filter(pl.col("weight").is_not_null())
        estimated = _by_topic(weighed, pl.col("weight").filter(pl.col("grade") > 0).sum())
        for place, measure in enumerate(measures):
            yield Estimate(measure, weighed.height / TOPICS, values[:, place], relevant, estimated)


def _weight(table: pl.DataFrame) -> pl.Expr:
    """For how many documents a judged one stands; null where it is not judged."""
    is_judged = pl.col("grade") >= 0
    if "probability" in table.columns:
        return pl.when(is_judged).then(1 / pl.col("probability"))
    return pl.when(is_judged).then((pl.len() / is_judged.sum()).over("topic", "stratum"))


def _by_topic(table: pl.DataFrame, value: pl.Expr) -> FloatArray:
    """Topics in the order of judgments, which is that of their bytes."""
    numbers: FloatArray = table.group_by("topic").agg(value.alias("value")).sort("topic")["value"].to_numpy()
    return numbers


def _values(collection: Collection, table: pl.DataFrame, measures: list[str]) -> FloatArray:
    """Runs x measures x topics."""
    judgments = Judgments.from_table(table)
    assert len(judgments.topics) == TOPICS
    return np.array([scores.values for scores in score_runs(collection.tables, judgments, measures)])


def _wanted(setting: Setting) -> tuple[str, ...]:
    if setting in FURTHER:
        return ("xinfAP",)
    return tuple(ESTIMATES) if setting == EIGHT_RUNS else OF_SINGLE_RUNS


def measure_bias(setting: Setting, relevant: int, seeds: int) -> list[Row]:
    wanted = _wanted(setting)
    rows = {measure: Row(setting, relevant, measure) for measure in wanted}
    known = list(dict.fromkeys(ESTIMATES[measure] for measure in wanted))
    for seed in range(seeds):
        collection = make_collection(setting, relevant, seed)
        whole = _values(collection, collection.grades.with_columns(subtopic=pl.lit("0")), known)
        for estimate in estimates(collection, seed, wanted):
            rows[estimate.measure].add(estimate, whole[:, known.index(ESTIMATES[estimate.measure])])
    return list(rows.values())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seeds", type=int, default=200)
    parser.add_argument("--out", type=Path, help="the page to write; standard output without")
    arguments = parser.parse_args()
    cells = [(setting, relevant) for setting in (EIGHT_RUNS, *SINGLE_RUNS, *FURTHER) for relevant in RELEVANT]
    rows = [row for cell in cells for row in measure_bias(*cell, arguments.seeds)]
    growing = [measure_growing(stops_by, arguments.seeds) for stops_by in SETTINGS]
    text = page(rows, growing, arguments.seeds)
    if arguments.out:
        arguments.out.write_text(text, encoding="utf-8")
    else:
        print(text, end="")


if __name__ == "__main__":
    main()
