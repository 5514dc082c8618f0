"""The simulation against the engine's own scoring, against counting by hand, and as a whole."""

import json
import math
from dataclasses import replace
from io import StringIO

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.engine.analyses.rank_correlation import kendall_tau, tau_ap
from evaluation.engine.analyses.tau_interval import tau_interval
from evaluation.engine.judgments import Judgments
from evaluation.engine.scoring import score_run
from evaluation.pool_simulation import judged_pools
from evaluation.pool_simulation.costs import Sizes, contestants, parameters_for, rates_for
from evaluation.pool_simulation.judged_pools import Judging
from evaluation.pool_simulation.known import KnownCollection
from evaluation.pool_simulation.picture import simulation_svg
from evaluation.pool_simulation.simulation import Collection, Plan, Simulation, simulate
from evaluation.pool_simulation.tables import FORMS
from pooling.core.strategies.declaration import PooledRun
from pooling.core.strategies.registry import STRATEGIES
from pooling.core.strategies.spec import PoolSpec
from tests.evaluation.pool_simulation.makers import make_collection

SMALL = Plan(tuple(STRATEGIES), depth=4, costs=(0.5, 1.0), seeds=2, processes=1)
SAMPLED = {"AP": "", "xinfAP": "stratum", "statAP": "probability"}


def known_of(collection: Collection) -> KnownCollection:
    return KnownCollection.of(collection.runs, collection.topics, collection.qrels)


@pytest.fixture(scope="module")
def simulation() -> Simulation:
    return simulate(make_collection(), SMALL)


def means_by_the_engine(runs: list[PooledRun], judgments: Judgments, measure: str) -> np.ndarray:
    tables = [run.ranking.select("topic", "docno", score=-pl.col("position").cast(pl.Float64)) for run in runs]
    return np.array([score_run(table, judgments, [measure]).values[0].mean() for table in tables])


@pytest.mark.parametrize(("measure", "sampling"), SAMPLED.items())
@pytest.mark.parametrize("seed", range(3))
def test_the_order_of_runs_is_that_of_the_engine_on_the_judgments_of_the_pool(
    measure: str, sampling: str, seed: int
) -> None:
    collection = make_collection(seed)
    numbers = np.random.default_rng(seed)
    known = known_of(collection)
    sample = collection.qrels.select(
        "topic", "docno", stratum=pl.Series(numbers.integers(1, 3, collection.qrels.height))
    )
    drawn = [float(p) if p > 0.4 else None for p in numbers.random(sample.height)]
    sample = sample.with_columns(inclusion_probability=pl.Series(drawn)).sample(fraction=0.9, seed=seed)
    table = sample.join(collection.qrels, on=["topic", "docno"], maintain_order="left").with_columns(
        grade=pl.when(pl.col("inclusion_probability").is_null()).then(-1).otherwise("grade"), subtopic=pl.lit("0")
    )
    columns = {"": [], "stratum": ["stratum"], "probability": ["probability"]}[sampling]
    table = table.rename({"inclusion_probability": "probability"}).select(
        "topic", "subtopic", "docno", "grade", *columns
    )
    estimated = means_by_the_engine(list(known.runs), Judgments.from_table(table), measure)
    truth = means_by_the_engine(
        list(known.runs), Judgments.from_table(collection.qrels.with_columns(subtopic=pl.lit("0"))), "AP"
    )
    assert known.true_scores == pytest.approx(truth)
    agreement = known.agreement(sample, sampling)
    assert (agreement.tau, agreement.tau_ap) == pytest.approx((kendall_tau(truth, estimated), tau_ap(truth, estimated)))


def test_tau_has_the_interval_of_the_values_by_topic_of_seed_1() -> None:
    collection = make_collection(topics=[str(number) for number in range(1, 9)])
    plan = Plan(("random",), depth=3, costs=(0.5,), seeds=3, processes=1)
    found = simulate(collection, plan)
    [row] = found.rows
    spec = PoolSpec.with_defaults("random", {"size": int(row.settings["size"]), "depth": 3}, seed=1)
    judging = Judging(known_of(collection), 100, scores=False)
    expected = tau_interval(judging.known.true_values, judging.outcome(spec).values)
    assert expected is not None
    assert row.tau_interval == pytest.approx(expected)
    out = StringIO()
    FORMS["csv"](found, out)
    [line] = [line for line in out.getvalue().splitlines() if ",tau_interval," in line]
    assert [float(bound) for bound in line.split(",")[-2:]] == pytest.approx(expected)
    out = StringIO()
    FORMS["text"](found, out)
    assert "{:.3f} to {:.3f}".format(*expected) in out.getvalue()
    assert "tau: other topics: where the tau of seed 1 would lie with as many other topics" in out.getvalue()


def test_what_a_depth_k_pool_finds_and_costs_is_counted_by_hand() -> None:
    collection = make_collection()
    outcome = Judging(known_of(collection), 10, scores=False).outcome(PoolSpec("depth-k", {"depth": 4}))
    pool = {
        (topic, docno)
        for run in collection.runs
        for topic, docno, position, _ in run.ranking.iter_rows()
        if position <= 4
    }
    relevant = {(topic, docno) for topic, docno, grade in collection.qrels.iter_rows() if grade > 0}
    assert outcome.judged == len(pool)
    assert outcome.found == len(pool & relevant) / len(relevant)


def test_a_pool_of_everything_finds_all_orders_runs_truly_and_has_nothing_outside() -> None:
    collection = make_collection()
    whole = max(run.ranking.height for run in collection.runs)
    outcome = Judging(known_of(collection), whole, scores=False).outcome(PoolSpec("depth-k", {"depth": whole}))
    assert (outcome.found, outcome.tau, outcome.tau_ap) == pytest.approx((1.0, 1.0, 1.0))
    assert abs(outcome.errors["extrapolation of depth slices"]) < 0.05


@given(st.lists(st.lists(st.integers(1, 6), max_size=8), min_size=1, max_size=4), st.integers(1, 40), st.integers(1, 6))
@settings(max_examples=40)
def test_depth_and_size_are_the_largest_that_do_not_cost_more(best: list[list[int]], cost: int, depth: int) -> None:
    topics = [str(number) for number in range(len(best))]
    rows = [(topic, place) for topic, places in zip(topics, best, strict=True) for place in places]
    table = pl.DataFrame(rows, schema={"topic": pl.Enum(topics), "best_position": pl.UInt32}, orient="row")
    sizes = Sizes.of(table, len(topics), 6)

    def pool(depth: int) -> list[int]:
        return [sum(place <= depth for place in places) for places in best]

    assert sizes.depth_for(cost) == max([1, *(d for d in range(1, 7) if sum(pool(d)) <= cost)])
    most = max([1, *pool(depth)])
    fits = [n for n in range(1, most + 1) if sum(min(n, held) for held in pool(depth)) <= cost]
    assert sizes.size_for(cost, depth) == max([1, *fits])


def test_strata_cost_what_is_asked_for() -> None:
    judging = Judging(known_of(make_collection(runs=9, documents=60)), 55, scores=False)
    sizes = Sizes.of(judging.documents, 3, 100)
    for cost in (40, 80, 120):
        rates = rates_for(sizes, cost, 100)
        assert sum(
            rate * (sizes.total(bound) - (sizes.total(before) if before else 0))
            for (bound, rate), before in zip(rates, [0, *(bound for bound, _ in rates)], strict=False)
        ) == pytest.approx(cost, rel=0.05)


def test_every_strategy_is_simulated_near_the_cost_that_is_asked_for(simulation: Simulation) -> None:
    names = [contestant.label for contestant in SMALL.contestants]
    assert [row.strategy for row in simulation.rows] == names * 2
    for row in simulation.rows:
        assert row.problem == "", row
        assert row.judged is not None
        assert row.judged.mean <= 1.35 * row.cost * simulation.pairs, row
        assert row.found is not None
        assert 0 < row.found.low <= row.found.mean <= row.found.high <= 1
    assert {label for label in names if "=" in label} >= {"maxmean memory=all", "maxmean memory=last"}
    assert simulation.reachable == 1.0


def test_the_result_is_the_same_in_several_processes(simulation: Simulation) -> None:
    chosen = ("depth-k", "statap")
    some = [row for row in simulation.rows if row.strategy in chosen]
    again = simulate(make_collection(), replace(SMALL, strategies=chosen, processes=2))
    assert list(again.rows) == some


def test_a_strategy_without_a_parameter_of_cost_is_told_and_not_drawn() -> None:
    toy = replace(STRATEGIES["depth-k"], name="toy", parameters=())
    [contestant] = contestants([toy])
    sizes = Sizes(np.array([[1, 2]]))
    assert parameters_for(contestant, sizes, 10, 2) is None


def test_every_form_tells_the_same_rows(simulation: Simulation) -> None:
    printed = {}
    for form, write in FORMS.items():
        out = StringIO()
        write(simulation, out)
        printed[form] = out.getvalue()
    rows = json.loads(printed["json"])["rows"]
    assert [row["strategy"] for row in rows] == [row.strategy for row in simulation.rows]
    assert printed["csv"].count("\n") > len(rows) * 4
    for row in simulation.rows:
        assert row.strategy in printed["text"]
        assert f"| `{row.strategy}` |" in printed["markdown"]


def test_the_picture_is_the_same_bytes_each_time(simulation: Simulation) -> None:
    picture = simulation_svg(simulation)
    assert picture == simulation_svg(simulation)
    assert b"<svg" in picture
    assert b"date" not in picture.lower()


def test_runs_that_all_score_the_same_have_no_order() -> None:
    collection = make_collection(runs=1)
    [run] = collection.runs
    twins = Collection([run, replace(run, tag="twin")], collection.topics, collection.qrels)
    [row] = simulate(twins, replace(SMALL, strategies=("depth-k",), costs=(1.0,))).rows
    assert row.tau is None
    assert math.isclose(row.tau_ap.mean, 0.0) if row.tau_ap else True


@pytest.mark.parametrize(
    ("strategy", "settings", "depth"),
    [("statap", {"size": 3}, 0), ("random", {"size": 50, "depth": 6}, 6), ("maxmean", {"depth": 1, "control": 4}, 100)],
)
def test_slices_are_extrapolated_from_the_depth_from_which_the_site_does_it(
    strategy: str, settings: dict[str, int], depth: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    collection, depths = make_collection(), []
    known = KnownCollection.of(collection.runs, collection.topics, collection.qrels)
    real = judged_pools.estimates
    monkeypatch.setattr(
        judged_pools, "estimates", lambda *a, **named: depths.append(named["depth"]) or real(*a, **named)
    )
    Judging(known, 100, scores=False).outcome(PoolSpec.with_defaults(strategy, settings, seed=1))
    assert set(depths) == {depth}
