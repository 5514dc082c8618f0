"""infAP estimates from a uniform sample of each topic's pool, and from no other one."""

import numpy as np
import polars as pl
import pytest

from evaluation.engine.averaging import summarise
from evaluation.engine.judgments import JudgmentError, Judgments
from evaluation.engine.scoring import score_run
from tests.evaluation.engine.random_collections import make_run

RUN = make_run(("1", "a", 3.0), ("1", "b", 2.0), ("1", "c", 1.0))


def make_sample(grades: list[int], **columns: list) -> Judgments:
    table = {"topic": "1", "subtopic": "0", "docno": list("abcdef")[: len(grades)], "grade": grades, **columns}
    return Judgments.from_table(pl.DataFrame(table))


@pytest.mark.parametrize(
    ("judgments", "instead"),
    [
        (make_sample([1, 0, -1, -1], stratum=[1, 1, 2, 2]), "topic 1 was sampled by strata. Use xinfAP"),
        (make_sample([1, 0, -1], probability=[0.5, 0.2, None]), "drawn with probabilities of their own. Use statAP"),
    ],
)
def test_a_sample_of_another_kind_is_refused_with_what_fits_it(judgments, instead):
    with pytest.raises(JudgmentError, match=instead):
        score_run(RUN, judgments, ["AP", "infAP"])
    assert score_run(RUN, judgments, ["AP", "bpref"]).values.shape == (2, 1)


@pytest.mark.parametrize(
    "judgments",
    [
        make_sample([1, 0, -1]),
        make_sample([1, 0, -1], stratum=[3, 3, 3]),
        make_sample([1, 0, 1], stratum=[1, 2, 2]),
        make_sample([1, 0, 0], probability=[1.0, 1.0, 1.0]),
    ],
)
def test_one_stratum_and_whole_ones_are_no_obstacle(judgments):
    assert score_run(RUN, judgments, ["infAP"]).values[0, 0] > 0


def test_the_estimate_is_too_high_after_a_second_pool_and_by_strata_but_not_from_a_uniform_sample():
    """Half of a pool is judged: any half, the half that other runs brought in before, or all of the tops and little else."""
    random, topics, documents = np.random.default_rng(4), 60, 80
    grades = (random.random((topics, documents)) < np.linspace(0.5, 0.02, documents)).astype(int)
    rank = np.argsort(np.argsort(-(np.linspace(1, 0, documents) + random.normal(0, 0.3, (topics, documents))), axis=1))
    lots, earlier = random.random((2, topics, documents))
    chosen = {
        "uniform": lots < 0.5,
        "second pool": earlier + np.linspace(0, 1, documents) < 1,
        "strata": (np.arange(documents) < 20) | (lots < 0.33),
    }
    names, docnos = (axis.ravel().astype(str) for axis in np.indices((topics, documents)))
    run = pl.DataFrame({"topic": names, "docno": docnos, "score": -rank.ravel().astype(float)})

    def estimate(judged: np.ndarray) -> float:
        table = {"topic": names, "subtopic": "0", "docno": docnos, "grade": np.where(judged, grades, -1).ravel()}
        return float(summarise(score_run(run, Judgments.from_table(pl.DataFrame(table)), ["infAP"]))[0])

    truth = estimate(np.ones_like(grades, dtype=bool))
    error = {name: estimate(judged) - truth for name, judged in chosen.items()}
    assert abs(error["uniform"]) < 0.015
    assert error["second pool"] > 0.04
    assert error["strata"] > 0.04
