"""Runs and reckonings for the tests of strategies that sample."""

from collections.abc import Iterator
from typing import Any

import polars as pl

from pooling.core.strategies.declaration import Candidates, PooledRun, Selection, candidates
from pooling.core.strategies.drawing import select_documents
from pooling.core.strategies.randomness import SeededGenerator
from pooling.core.strategies.spec import PoolSpec
from tests.pooling.makers import Scores, make_pooled_run

TOPICS = ["10", "9", "t-ü"]


def make_runs(all_scores: list[Scores]) -> list[PooledRun]:
    return [make_pooled_run(held, f"run{index}", f"team{index % 2}") for index, held in enumerate(all_scores)]


def two_runs(documents: int = 40) -> list[PooledRun]:
    """One topic; the second run holds every other document of the first, in the opposite order."""
    first = {f"d{number:02}": float(-number) for number in range(documents)}
    second = {docno: -score for docno, score in list(first.items())[::2]}
    return make_runs([{"9": first}, {"9": second}])


def selections(runs: list[PooledRun], strategy: str, parameters: dict[str, Any], seeds: int) -> Iterator[Selection]:
    """What the strategy draws by the seeds 0, 1, 2, ..."""
    available: Candidates = candidates(runs, TOPICS, None)
    for seed in range(seeds):
        yield select_documents(available, PoolSpec.with_defaults(strategy, parameters, seed=seed))


def lot(seed: int, topic: str, docno: str) -> float:
    return float(SeededGenerator(seed).uniform(pl.DataFrame({"topic": [topic], "docno": [docno]}))[0])


def probabilities_of(selection: Selection) -> dict[str, float]:
    assert selection.details is not None
    return dict(selection.details.select("docno", "inclusion_probability").iter_rows())
