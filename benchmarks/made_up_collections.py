"""Made-up runs whose relevant documents are known: what estimates from samples are measured on."""

from dataclasses import dataclass

import numpy as np
import polars as pl

from campaign.text.plurals import number_of
from evaluation.engine.arrays import FloatArray
from pooling.core.strategies.declaration import PooledRun

TOPICS, PAIR = 10, ["topic", "docno"]
SEPARATION = 2.5
"""By how many standard deviations the scores of relevant documents are higher."""
RATES = (1.0, 0.5, 0.1)


@dataclass(frozen=True)
class Setting:
    """Which runs are pooled, and the last positions of the three strata.

    exponent: 0 for runs that score documents by noise; else relevant documents stand at position r of a run with a
    probability in proportion to 1 / r ** exponent.
    """

    runs: int
    documents: int
    bounds: tuple[int, int, int] = (10, 20, 100)
    exponent: float = 0.0

    @property
    def rates(self) -> tuple[tuple[int, float], ...]:
        return tuple(zip(self.bounds, RATES, strict=True))

    @property
    def strata(self) -> str:
        return " ".join(f"{bound}:{rate:g}" for bound, rate in self.rates)

    @property
    def words(self) -> str:
        if not self.exponent:
            return f"{number_of(self.runs, 'run')} by noise"
        law = "1/r" if self.exponent == 1 else f"1/r^{self.exponent:g}"
        return f"{number_of(self.runs, 'run')} of {self.documents:,} documents, by {law}"


EIGHT_RUNS = Setting(8, 600)
SINGLE_RUNS = tuple(Setting(1, depth, (10, 20, depth), 1.0) for depth in (100, 200, 1000))
FURTHER = (
    *(Setting(runs, 600) for runs in (1, 2, 4, 30)),
    *(Setting(1, depth, (10, 20, depth), exponent) for depth in (200, 1000) for exponent in (0.5, 1.5)),
    *(Setting(1, bounds[-1], bounds, 1.0) for bounds in ((5, 10, 100), (10, 50, 200), (50, 100, 1000))),
    *(Setting(runs, 200, (10, 20, 200), 1.0) for runs in (2, 8)),
)


@dataclass(frozen=True)
class Collection:
    """Made-up runs of one seed, and the grades of all documents that could be pooled: what is estimated is theirs."""

    setting: Setting
    runs: list[PooledRun]
    tables: list[pl.DataFrame]
    grades: pl.DataFrame
    topics: list[str]


def make_collection(setting: Setting, relevant: int, seed: int) -> Collection:
    random = np.random.default_rng([relevant, seed])
    topics = [str(number) for number in range(1, TOPICS + 1)]
    names = np.repeat(topics, setting.documents), np.tile([f"d{n:04}" for n in range(setting.documents)], TOPICS)
    scored = _runs_by_position if setting.exponent else _runs_by_noise
    runs, tables = [], []
    for number, scores in enumerate(scored(random, setting, relevant)):
        table = pl.DataFrame({"topic": names[0], "docno": names[1], "score": scores.ravel()})
        table = table.sort("topic", "score", descending=[False, True])
        table = table.with_columns(position=pl.int_range(1, pl.len() + 1).over("topic"))
        runs.append(PooledRun(f"run{number}", f"team{number}", 1, table.select(*PAIR, "position")))
        tables.append(table.filter(pl.col("position") <= setting.bounds[-1]).select(*PAIR, "score"))
    pooled = pl.concat(tables).select(PAIR).unique().sort(PAIR)
    grade = (pl.col("docno").str.slice(1).cast(pl.Int32) < relevant).cast(pl.Int32)
    return Collection(setting, runs, tables, pooled.with_columns(grade=grade), topics)


def _runs_by_noise(random: np.random.Generator, setting: Setting, relevant: int) -> list[FloatArray]:
    """Scores of topics x documents, one array a run; the first documents are the relevant ones."""
    is_relevant = np.arange(setting.documents) < relevant
    # What runs have in common, as different runs do retrieve the same wrong documents, and what is their own.
    common = random.normal(size=(TOPICS, setting.documents)) + SEPARATION * is_relevant
    return [common + random.normal(scale=1 + number / 4, size=common.shape) for number in range(setting.runs)]


def _runs_by_position(random: np.random.Generator, setting: Setting, relevant: int) -> list[FloatArray]:
    positions = np.arange(1, setting.documents + 1)
    weights = positions**-setting.exponent
    weights = weights / weights.sum()
    scored = []
    for _ in range(setting.runs):
        scores = np.empty((TOPICS, setting.documents))
        for topic in range(TOPICS):
            held = random.choice(positions, relevant, replace=False, p=weights)
            others = random.permutation(np.setdiff1d(positions, held))
            scores[topic] = -np.concatenate((held, others)).astype(np.float64)
        scored.append(scores)
    return scored
