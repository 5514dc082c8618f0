"""How far estimates from the control sample of growing pools are from the truth."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import polars as pl

from benchmarks.made_up_collections import EIGHT_RUNS, Collection, make_collection
from evaluation.engine.arrays import FloatArray
from evaluation.engine.judgments import Judgments
from evaluation.engine.scoring import score_runs
from evaluation.pool_simulation.judged_pools import Judging
from evaluation.pool_simulation.known import KnownCollection
from judging.core.samples import judged_sample
from pooling.core.strategies.spec import PoolSpec

RELEVANT, CONTROL = 20, 30
START = {"depth": 2, "candidates": 100, "control": CONTROL}
SETTINGS = {"budget": {**START, "size": 120}, "patience": {**START, "size": 400, "patience": 15}}


@dataclass(frozen=True)
class GrowingRow:
    """Of pools that stop by one rule, each with its 95 % margin: mean errors of the estimated number of relevant candidates, of
    xinfAP, and of xinfAP divided by the true number. truth: mean AP. topics: how many."""

    stops_by: str
    topics: int
    truth: float
    total: tuple[float, float]
    bias: tuple[float, float]
    undivided: tuple[float, float]


def measure_growing(stops_by: str, seeds: int) -> GrowingRow:
    """Errors by seed: topics of a seed share nothing, runs of a topic do, so margins are by seed."""
    totals, biases, undivided, truths = (np.array(part) for part in zip(*_errors(stops_by, seeds), strict=True))

    def told(errors: FloatArray) -> tuple[float, float]:
        by_seed = errors.reshape(seeds, -1).mean(axis=1)
        return float(by_seed.mean()), float(1.96 * by_seed.std(ddof=1) / seeds**0.5)

    return GrowingRow(stops_by, totals.size, float(truths.mean()), told(totals), told(biases), told(undivided))


def _errors(stops_by: str, seeds: int) -> Iterator[tuple[FloatArray, FloatArray, FloatArray, FloatArray]]:
    for seed in range(seeds):
        made = make_collection(EIGHT_RUNS, RELEVANT, 7000 + seed)
        known = KnownCollection.of(made.runs, made.topics, made.grades)
        spec = PoolSpec.with_defaults("maxmean", SETTINGS[stops_by], seed=seed)
        released = judged_sample(Judging(known, 100, scores=False).judged_pool(spec).sample, made.grades, "stratum")
        assert not released.unusable
        weight = pl.len() * (pl.col("grade") > 0).sum() / (pl.col("grade") >= 0).sum()
        strata = released.table.group_by("topic", "stratum").agg(number=weight)
        estimated = strata.group_by("topic").agg(pl.col("number").sum()).sort("topic")["number"].to_numpy()
        true = made.grades.group_by("topic").agg(pl.col("grade").sum()).sort("topic")["grade"].to_numpy()
        truth = _values(made, made.grades.with_columns(subtopic=pl.lit("0")), "AP")
        values = _values(made, released.table, "xinfAP")
        yield estimated - true, values - truth, values * estimated / true - truth, truth


def _values(made: Collection, table: pl.DataFrame, measure: str) -> FloatArray:
    judgments = Judgments.from_table(table)
    return np.array([scores.values[0] for scores in score_runs(made.tables, judgments, [measure])])


def growing_section(rows: list[GrowingRow]) -> list[str]:
    """Markdown of the page docs/reference/sampling-bias.md."""
    lines = [
        "",
        "## Growing pools",
        "",
        f"`maxmean` with a base of depth 2, a control sample of {CONTROL} of each topic, {RELEVANT} relevant ones, eight runs by",
        "noise. What the policy chose leaves the stratum of the sample, whether it was drawn or not.",
        "*total*: the estimated number of relevant candidates less the true one, which is unbiased however the topic stops.",
        "With the true number in the division about half of the bias of xinfAP is gone. The rest comes from the third of the",
        "sample's stratum that is taken for relevant above its first judged document, of which far fewer are.",
        "",
        "| stops by | topics | total | truth | bias of xinfAP | with R known |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for row in rows:
        total, bias, undivided = (
            f"{value:+.3f} ± {margin:.3f}" for value, margin in (row.total, row.bias, row.undivided)
        )
        lines.append(f"| {row.stops_by} | {row.topics:,} | {total} | {row.truth:.3f} | {bias} | {undivided} |")
    return lines
