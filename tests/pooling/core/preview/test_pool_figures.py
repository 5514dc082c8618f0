"""The figures of pools against a second implementation that goes through dictionaries, one document after another."""

import json
import math
import re
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pooling.core.preview.pool_figures import pool_figures
from pooling.core.preview.values import PoolFigures
from pooling.core.strategies import registry
from pooling.core.strategies.declaration import PooledRun
from pooling.core.strategies.drawing import draw_pool
from pooling.core.strategies.parameters import PoolSpecError
from pooling.core.strategies.spec import PoolSpec
from tests.pooling.makers import depth_k, make_pooled_run
from tests.pooling.test_declared_strategy import TOY
from tests.pooling.test_depth_k import TOPICS, docnos, make_runs, many_runs

pairs = st.sets(st.tuples(st.sampled_from(TOPICS), docnos), max_size=6)
specs = st.one_of(
    st.builds(depth_k, st.integers(1, 3), max_priority=st.sampled_from([None, 1])),
    st.builds(
        PoolSpec.with_defaults, st.just("toy"), st.just({"rates": [[1, 1.0], [3, 0.5]]}), seed=st.integers(0, 99)
    ),
)


@pytest.fixture(autouse=True, scope="module")
def toy() -> Any:
    with pytest.MonkeyPatch.context() as patched:
        patched.setitem(registry.STRATEGIES, "toy", TOY)
        yield


def table(held: set[tuple[str, str]], **more: int) -> pl.DataFrame:
    named = pl.DataFrame(sorted(held), schema={"topic": pl.String, "docno": pl.String}, orient="row")
    return named.with_columns(**{name: pl.lit(value, dtype=pl.Int32) for name, value in more.items()})


def documents_of(run: PooledRun, depth: int) -> set[tuple[str, str]]:
    rows = run.ranking.select("topic", "docno", "position").iter_rows()
    return {(topic, docno) for topic, docno, position in rows if position <= depth and topic in TOPICS}


def slowly(runs: list[PooledRun], spec: PoolSpec, known: set, judged: set, without_text: set) -> dict[str, Any]:
    """What the figures say, from the file that would be frozen and from what each run holds."""
    entries = draw_pool(runs, TOPICS, spec, table(judged, grade=1)).entries
    pool = {(topic, docno) for topic, docno in entries.select("topic", "docno").iter_rows()}
    reach = spec.method.reads(spec.parameters)
    held = {run.tag: pool & documents_of(run, reach) for run in spec.taken(runs)}
    team_of = {run.tag: run.team for run in runs}
    teams = {team: set().union(*(held[tag] for tag in held if team_of[tag] == team)) for team in team_of.values()}
    teams = {team: pairs for team, pairs in teams.items() if any(team_of[tag] == team for tag in held)}
    covered = {}
    for run in runs:
        first = documents_of(run, 10)
        covered[run.tag] = len(first & pool) / len(first) if first else None
    return {
        "total": len(pool),
        "new": len(pool - known),
        "judged": len(pool & judged),
        "unjudged": len(pool - judged),
        "unjudged_before": len((pool & known) - judged),
        "without_text": sum(docno in without_text for _, docno in pool),
        "topics": [
            [topic, sum(t == topic for t, _ in pool), sum(t == topic for t, _ in pool - known)] for topic in TOPICS
        ],
        "runs": {
            tag: (
                len(mine),
                sum(all(pair not in teams[team] for team in teams if team != team_of[tag]) for pair in mine),
                sum(all(pair not in held[other] for other in held if other != tag) for pair in mine),
            )
            for tag, mine in held.items()
        },
        "covered": covered,
        "teams": {
            team: (len(mine), [len(mine & teams[other]) / len(mine) if mine else None for other in sorted(teams)])
            for team, mine in teams.items()
        },
    }


def told(figures: PoolFigures) -> dict[str, Any]:
    values = figures.to_json()
    runs = values["runs"]
    return {
        **{name: values[name] for name in ("total", "new", "judged", "unjudged", "unjudged_before", "without_text")},
        "topics": [[topic["topic"], topic["documents"], topic["new"]] for topic in values["topics"]],
        "runs": {run["tag"]: (run["contributed"], run["unique"], run["alone"]) for run in runs},
        "covered": {run["tag"]: run["covered"] for run in runs + values["left_out"]},
        "teams": {team["team"]: (team["contributed"], team["overlap"]) for team in values["teams"]},
    }


@given(many_runs, specs, pairs, pairs, st.sets(docnos, max_size=3), st.randoms(use_true_random=False))
def test_all_figures_are_those_of_the_slow_count_whatever_the_order_of_the_runs(
    all_scores: list[dict], spec: PoolSpec, known: set, judged: set, without_text: set, random: Any
) -> None:
    runs = [
        PooledRun(run.tag, run.team, 1 + place // 2, run.ranking) for place, run in enumerate(make_runs(all_scores))
    ]
    docnos = pl.Series(sorted(without_text), dtype=pl.String)
    more = {"seconds": 30, "known": table(known), "judged": table(judged, grade=1), "without_text": docnos}
    figures = pool_figures(random.sample(runs, len(runs)), TOPICS, spec, **more)
    assert told(figures) == slowly(runs, spec, known, judged, without_text)
    assert json.loads(json.dumps(figures.to_json(), allow_nan=False))["hours"] == figures.unjudged * 30 / 3600


def test_strata_are_counted_with_what_was_not_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    figures = pool_figures(make_runs([{"9": {"a": 3.0, "b": 2.0}}]), TOPICS, PoolSpec.with_defaults("toy"), seconds=30)
    [stratum] = figures.strata
    assert (stratum.stratum, stratum.drawn) == (1, figures.total)
    assert figures.is_sampled
    assert not pool_figures(make_runs([{"9": {"a": 3.0}}]), TOPICS, depth_k(), seconds=30).is_sampled


def test_without_any_run_all_is_none_and_nothing_fails() -> None:
    figures = pool_figures(
        [make_pooled_run({"9": {"a": 1.0}}, priority=3)], TOPICS, depth_k(max_priority=1), seconds=30
    )
    assert (figures.total, figures.runs, figures.teams, figures.hours) == (0, (), (), 0)
    assert [(run.tag, run.covered) for run in figures.left_out] == [("run", 0.0)]
    assert math.isnan(figures.covered)


def test_settings_that_do_not_fit_are_told_as_the_draw_tells_them(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: object) -> Any:
        raise PoolSpecError("The topic 9 is too small.")

    values = {name: getattr(TOY, name) for name in TOY.__dataclass_fields__}
    monkeypatch.setitem(registry.STRATEGIES, "toy", type(TOY)(**{**values, "select": refuse}))
    with pytest.raises(PoolSpecError, match="The topic 9 is too small"):
        pool_figures(make_runs([{"9": {"a": 1.0}}]), TOPICS, PoolSpec.with_defaults("toy"), seconds=30)


def test_to_the_depth_that_a_pool_holds_as_drawn_precision_is_that_of_all_judgments() -> None:
    rankings = ["abcdefghij", "bacdjihgfe", "cabefghidj"]
    runs = [
        make_pooled_run({"1": {docno: -float(place) for place, docno in enumerate(ranking)}}, f"run {ranking}")
        for ranking in rankings
    ]
    for strategy, settings in {"budget": {"total": 6}, "rrf": {"size": 5}, "random": {"size": 10}}.items():
        spec = PoolSpec.with_defaults(strategy, settings)
        [told] = [line for line in pool_figures(runs, ["1"], spec, seconds=1).covers if line.startswith("As drawn")]
        depth = int(re.findall(r"P@(\d+) is exact", told)[0])
        pooled = set(draw_pool(runs, ["1"], spec).entries["docno"])
        relevant = set("acegi")
        by_pool = [len(relevant & pooled & set(ranking[:depth])) / depth for ranking in rankings]
        assert by_pool == [len(relevant & set(ranking[:depth])) / depth for ranking in rankings]
        assert f"to depth {depth}." in told
