"""Sampling over thousands of topics in one draw: probabilities, totals, and that nothing drawn hangs on anything else drawn.

Each topic draws numbers of its own, so that equal topics are as many independent draws.
"""

import json
from functools import cache
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl
import pytest
from scipy.stats import chi2

from pooling.core.strategies.declaration import PooledRun
from pooling.core.strategies.drawing import Draw, draw_pool
from pooling.core.strategies.judging_order import seeded_keys
from pooling.core.strategies.randomness import SeededGenerator
from pooling.core.strategies.spec import PoolSpec
from pooling.core.strategies.strata import ELSEWHERE, with_strata

TOPICS = [f"t{number}" for number in range(3000)]
DOCUMENTS = 40
RELEVANT = np.arange(DOCUMENTS) % 3 == 0
SAMPLES: list[tuple[str, dict[str, Any]]] = [
    ("random", {"size": 13, "depth": 40}),
    ("stratified", {"rates": ((3, 1.0), (10, 0.5), (40, 0.2))}),
    ("statap", {"size": 15}),
    ("statap", {"size": 30}),
    ("maxmean", {"depth": 4, "control": 6}),
]
SIGMAS = 4.8
"""Of 40 documents in five samples, or 780 pairs, none is further off by chance in one run of a thousand."""
BoolArray = npt.NDArray[np.bool_]
FloatArray = npt.NDArray[np.float64]


def make_run(tag: str, order: list[int]) -> PooledRun:
    """The same ranking in all topics."""
    ranked = pl.DataFrame({"docno": [f"d{number:02}" for number in order], "position": range(1, len(order) + 1)})
    ranking = pl.DataFrame({"topic": TOPICS}).join(ranked.cast({"position": pl.UInt32}), how="cross")
    return PooledRun(tag, tag, 1, ranking)


EARLY = make_run("early", list(range(30)))
LATE = make_run("late", [39, 0, 38, 2, *range(37, 25, -1), *range(3, 12)])
OTHER = make_run("other", list(range(29, -1, -2)))


RUNS = {run.tag: run for run in (EARLY, LATE, OTHER)}


def drawn(strategy: str, parameters: dict[str, Any], runs: list[PooledRun], seed: int = 5) -> Draw:
    spec = PoolSpec.with_defaults(strategy, parameters, seed=seed, order="docno")
    return drawn_once(json.dumps(spec.to_json()), tuple(run.tag for run in runs))


@cache
def drawn_once(spec: str, tags: tuple[str, ...]) -> Draw:
    """Several tests look at the same draw."""
    return draw_pool([RUNS[tag] for tag in tags], TOPICS, PoolSpec.from_json(json.loads(spec)))


def matrix(table: pl.DataFrame, values: list[float] | pl.Series) -> FloatArray:
    """Values by topic and document; nan where there is none."""
    filled = np.full((len(TOPICS), DOCUMENTS), np.nan)
    topics = table["topic"].cast(pl.String).str.slice(1).cast(pl.Int64).to_numpy()
    filled[topics, table["docno"].str.slice(1).cast(pl.Int64).to_numpy()] = np.asarray(values)
    return filled


def inclusion(draw: Draw) -> tuple[BoolArray, FloatArray]:
    """Whether each document of each topic is drawn, and with which stated probability (nan for one never drawn)."""
    stated = matrix(draw.entries, draw.entries["inclusion_probability"])
    probability = np.nanmax(stated, axis=0, initial=0.0)
    assert (np.isnan(stated) | np.isclose(stated, probability)).all(), "the same in every topic, as topics are equal"
    return ~np.isnan(stated), probability


@pytest.fixture(scope="module", params=SAMPLES, ids=[f"{name}-{number}" for number, (name, _) in enumerate(SAMPLES)])
def sample(request: pytest.FixtureRequest) -> tuple[BoolArray, FloatArray]:
    return inclusion(drawn(*request.param, [EARLY, LATE, OTHER]))


def test_each_document_is_drawn_as_often_as_is_stated(sample: tuple[BoolArray, FloatArray]) -> None:
    is_drawn, p = sample
    assert len(p) == DOCUMENTS
    assert (is_drawn[:, p == 1]).all()
    some = p < 1
    deviations = (is_drawn.mean(axis=0) - p)[some] / np.sqrt(p * (1 - p) / len(TOPICS))[some]
    assert np.abs(deviations).max() < SIGMAS
    assert (deviations**2).sum() < chi2.ppf(1 - 1e-4, some.sum()) * 1.2


def test_totals_are_unbiased(sample: tuple[BoolArray, FloatArray]) -> None:
    is_drawn, p = sample
    for counted in (np.ones(DOCUMENTS), RELEVANT.astype(float), np.arange(DOCUMENTS)):
        totals = (is_drawn * counted / p).sum(axis=1)
        assert abs(totals.mean() - counted.sum()) <= SIGMAS * totals.std() / len(TOPICS) ** 0.5 + 1e-9


@pytest.mark.parametrize(("strategy", "parameters"), SAMPLES[:3])
def test_two_documents_are_drawn_together_as_often_as_the_design_says(
    strategy: str, parameters: dict[str, Any]
) -> None:
    draw = drawn(strategy, parameters, [EARLY, LATE, OTHER])
    is_drawn, p = inclusion(draw)
    strata = np.nanmax(matrix(draw.entries, draw.entries["stratum"]), axis=0)
    for one, other in combinations(np.flatnonzero(p < 1), 2):
        together = p[one] * p[other]
        if strategy != "statap" and strata[one] == strata[other]:
            held = int((strata == strata[one]).sum())
            n = round(p[one] * held)
            together = n * (n - 1) / held / (held - 1)
        seen = float((is_drawn[:, one] & is_drawn[:, other]).mean())
        assert abs(seen - together) <= 5.2 * (together * (1 - together) / len(TOPICS)) ** 0.5, (one, other)


def test_what_one_topic_or_seed_draws_tells_nothing_of_another() -> None:
    for strategy, parameters in SAMPLES:
        one, other = (inclusion(drawn(strategy, parameters, [EARLY, LATE], seed))[0].astype(float) for seed in (5, 6))
        varied = one.std(axis=0) > 0
        one, other = (
            (found[:, varied] - found[:, varied].mean(axis=0)) / found[:, varied].std(axis=0) for found in (one, other)
        )
        for left, right in ((one[:-1], one[1:]), (one, other)):
            assert np.abs((left * right).mean(axis=0)).max() < SIGMAS / len(TOPICS) ** 0.5, strategy


def test_samples_orders_and_ties_of_one_seed_have_numbers_of_their_own() -> None:
    documents = pl.DataFrame({"topic": TOPICS}).join(pl.DataFrame({"docno": ["1", "2", "3"]}), how="cross")
    generator = SeededGenerator(5)
    pairs = documents.select("topic", "docno").rows()
    numbers = [
        generator.uniform(documents).to_numpy(),
        seeded_keys(documents, 5).to_numpy().astype(np.float64),
        np.array([generator.at_step(topic, int(docno)) for topic, docno in pairs]),
    ]
    for one, other in combinations(numbers, 2):
        assert abs(np.corrcoef(one, other)[0, 1]) < SIGMAS / len(pairs) ** 0.5


def counted(draw: Draw, elsewhere: pl.DataFrame) -> FloatArray:
    """The estimated number of relevant documents of each topic, as a release of the pool gives it."""
    assert draw.frame is not None
    composed = with_strata(draw.entries, draw.frame, elsewhere.clear(), {ELSEWHERE: elsewhere})
    number = pl.col("docno").str.slice(1).cast(pl.Int64)
    is_drawn = pl.col("inclusion_probability").is_not_null()
    by_stratum = composed.group_by("topic", "stratum").agg(
        total=pl.len() * (is_drawn & (number % 3 == 0)).sum() / is_drawn.sum()
    )
    return by_stratum.group_by("topic").agg(pl.col("total").sum())["total"].to_numpy()


@pytest.mark.parametrize(("strategy", "parameters"), [SAMPLES[0], SAMPLES[1], SAMPLES[4]])
def test_after_a_late_run_the_second_version_has_the_right_probabilities_and_totals(
    strategy: str, parameters: dict[str, Any]
) -> None:
    before, after = (drawn(strategy, parameters, runs) for runs in ([EARLY], [EARLY, LATE]))
    is_drawn, p = inclusion(after)
    some = p < 1
    assert np.abs((is_drawn.mean(axis=0) - p) / np.sqrt(p * (1 - p) / len(TOPICS) + 1e-12))[some].max() < SIGMAS
    nothing = before.entries.select(pl.col("topic").cast(pl.String), "docno").clear()
    totals = counted(after, nothing)
    assert abs(totals.mean() - RELEVANT.sum()) < SIGMAS * totals.std() / len(TOPICS) ** 0.5
    kept = before.entries.join(after.entries, on=["topic", "docno"], how="semi").height / before.entries.height
    assert kept > 0.4, "the same numbers draw most of the same documents again"


@pytest.mark.parametrize(("strategy", "parameters"), [SAMPLES[0], SAMPLES[1], SAMPLES[4]])
def test_after_a_run_was_withdrawn_what_it_alone_brought_counts_for_itself_alone(
    strategy: str, parameters: dict[str, Any]
) -> None:
    before, after = (drawn(strategy, parameters, runs) for runs in ([EARLY, LATE], [EARLY]))
    judged = before.entries.select(pl.col("topic").cast(pl.String), "docno")
    beside = judged.filter(pl.col("docno") >= "d30")
    totals = counted(after, judged)
    brought = beside.filter(pl.col("docno").str.slice(1).cast(pl.Int64) % 3 == 0).height / len(TOPICS)
    assert brought > 0
    assert abs(totals.mean() - RELEVANT[:30].sum() - brought) < SIGMAS * totals.std() / len(TOPICS) ** 0.5
    assert counted(after, judged.clear()).mean() == pytest.approx(totals.mean() - brought)


def test_after_a_late_run_each_document_of_a_statap_sample_has_its_new_probability() -> None:
    before, after = (inclusion(drawn("statap", {"size": 15}, runs)) for runs in ([EARLY, OTHER], [EARLY, OTHER, LATE]))
    is_drawn, p = after
    assert not np.allclose(p[:30], before[1][:30])
    totals = (is_drawn * RELEVANT / p).sum(axis=1)
    assert abs(totals.mean() - RELEVANT.sum()) < SIGMAS * totals.std() / len(TOPICS) ** 0.5


def test_weights_that_would_go_above_one_leave_their_share_to_the_others() -> None:
    is_drawn, p = inclusion(drawn("statap", {"size": 30}, [EARLY, LATE, OTHER]))
    assert (p == 1).sum() > 3
    assert ((p > 0) & (p <= 1)).all()
    assert p.sum() == pytest.approx(30)
    sizes = is_drawn.sum(axis=1)
    assert abs(sizes.mean() - 30) < SIGMAS * sizes.std() / len(TOPICS) ** 0.5
    assert sizes.var() == pytest.approx((p * (1 - p)).sum(), rel=0.15)
