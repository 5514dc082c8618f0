"""Which measures a depth-k pool determines: computed under full judgments and under those of the pool alone."""

import re

import numpy as np
import polars as pl
import pytest

from evaluation.boards.pool_fit import fits_pool
from evaluation.engine.analyses.bounds import meaning_of_bounds
from evaluation.engine.averaging import summarise
from evaluation.engine.judgments import Judgments
from evaluation.engine.measures.names.registry import parse_measure
from evaluation.engine.scoring import score_run
from pooling.core.preview.exactness import exactness, reach_of
from pooling.core.strategies.spec import PoolSpec
from tests.pooling.makers import depth_k

DEPTH, RUNS, TOPICS, DOCUMENTS = 10, 4, 30, 120


def make_world() -> tuple[list[pl.DataFrame], Judgments, Judgments]:
    """Runs, the grades of all documents, and those that a pool of the runs' first documents holds."""
    random = np.random.default_rng(2)
    grades = random.choice([0, 1, 2, 3], size=(TOPICS, DOCUMENTS), p=[0.7, 0.15, 0.1, 0.05])
    seen = grades + random.normal(0, 1.5, (RUNS, TOPICS, DOCUMENTS))
    topics, documents = (axis.ravel() for axis in np.indices((TOPICS, DOCUMENTS)))
    table = pl.DataFrame({"topic": topics, "docno": documents}).cast(pl.String)
    runs = [table.with_columns(score=pl.Series(scores.ravel())) for scores in seen]
    ranked_to_depth = (np.argsort(np.argsort(-seen, axis=-1), axis=-1) < DEPTH).any(axis=0).ravel()
    judged = table.with_columns(subtopic=pl.lit("0"), grade=pl.Series(grades.ravel()))
    return runs, Judgments.from_table(judged), Judgments.from_table(judged.filter(pl.Series(ranked_to_depth)))


def claimed(spec: PoolSpec) -> tuple[list[str], str]:
    exact, others = exactness(reach_of(spec))
    return re.findall(r"\w+@\d+", exact), others


@pytest.fixture(scope="module")
def world() -> tuple[list[pl.DataFrame], Judgments, Judgments]:
    return make_world()


def test_what_the_pool_page_calls_exact_is_the_same_under_full_judgments(world) -> None:
    runs, everything, pooled = world
    exact, _ = claimed(depth_k(DEPTH))
    assert exact == ["P@10", "RR@10", "Success@10", "DCG@10", "ERR@10"]
    names = [*exact, *(name.replace("10", "3") for name in exact)]
    for run in runs:
        full, found = (score_run(run, judgments, names).values for judgments in (everything, pooled))
        np.testing.assert_allclose(found, full, rtol=0, atol=1e-12)
    assert {meaning_of_bounds(parse_measure(name)) for name in names} == {"bounds"}
    assert all(fits_pool(parse_measure(name), reach_of(depth_k(DEPTH))) for name in names)


def test_what_needs_all_relevant_documents_is_not_exact_and_can_be_too_high(world) -> None:
    runs, everything, pooled = world
    names = ["nDCG@10", "nDCG(gain=exponential)@10", "R@10", "AP", "Rprec"]
    full, found = (
        np.array([summarise(score_run(run, judgments, names)) for run in runs]) for judgments in (everything, pooled)
    )
    assert (np.abs(found - full) > 0.005).all()
    assert (found > full)[:, :3].all(), "a lower bound would never lie above the truth"
    assert {meaning_of_bounds(parse_measure(name)) for name in names} == {"scenarios"}
    assert not any(fits_pool(parse_measure(name), reach_of(depth_k(DEPTH))) for name in names)
    assert all(name in claimed(depth_k(DEPTH))[1] for name in ("nDCG@10", "AP", "R"))
