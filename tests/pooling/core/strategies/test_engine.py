"""The engine version stands for what is drawn: where a pool or a choice changes, the version must be raised."""

import hashlib
from dataclasses import replace
from random import Random

import polars as pl
import pytest

from pooling.core.chunked.run_heads import heads_file, read_heads
from pooling.core.strategies.adaptive.choosing import choices_by, topic_lists
from pooling.core.strategies.declaration import PooledRun, candidates
from pooling.core.strategies.drawing import draw_pool, pool_file
from pooling.core.strategies.engine import ENGINE
from pooling.core.strategies.frames import sample_file
from pooling.core.strategies.judging_order import OWN_ORDER
from pooling.core.strategies.registry import STRATEGIES
from pooling.core.strategies.spec import PoolSpec

TOPICS = ["20", "3", "t 1"]
PARAMETERS = {
    "depth-k": {"depth": 4, "depths": ((2, 9),)},
    "budget": {"total": 40},
    "stratified": {"rates": ((3, 1.0), (9, 0.5), (25, 0.145))},
    **{name: {"depth": 2, "control": 4, "size": 24} for name in ("mtf", "hedge", "maxmean")},
}
"""Of the others the defaults, with `size` = 9."""
CHECKSUMS = {
    "1": {
        "depth-k": "fe37cd51ae9eac89",
        "rbp": "0115477059cefa01",
        "rrf": "b1bb5c5e0107b308",
        "borda": "a1f8ea0939dec4e0",
        "combmnz": "806771110b85b7da",
        "ntcir": "a1f8ea0939dec4e0",
        "budget": "7a9cc60a18d33cd4",
        "random": "c99552e93c68e2cd",
        "stratified": "cd594c997a39581a",
        "statap": "b826889f5758bbdf",
        "mtf": "fc0cf2d69e2624e4",
        "hedge": "01cda1054a465d7a",
        "maxmean": "eb2dadedbbc2dd06",
    },
}
"""Of pools and choices by engine version. Add a version's line for each strategy; never change one."""


def make_runs() -> list[PooledRun]:
    """Runs of unequal length and priority with ties of scores, the same on every machine."""
    runs = []
    for number in range(5):
        rows = [
            (topic, f"d{docno:02}", position, 1 - position // 3 / 20)
            for topic in TOPICS[: 3 - number // 4]
            for position, docno in enumerate(Random(f"{number} {topic}").sample(range(60), 20 + number), start=1)
        ]
        schema = {"topic": pl.String, "docno": pl.String, "position": pl.UInt32, "share": pl.Float64}
        ranking = pl.DataFrame(rows, schema=schema, orient="row")
        runs.append(PooledRun(f"run{number}", f"team{number % 3}", 1 + number % 2, ranking))
    return runs


def checksum(name: str, runs: list[PooledRun]) -> str:
    """Of the pool in random order and in the strategy's own, of what was not drawn, and of what a policy chooses then."""
    method, made = STRATEGIES[name], []
    sized = {"size": 9} if "size" in method.defaults else {}
    for order in ("random", OWN_ORDER) if method.own_order else ("random",):
        spec = PoolSpec.with_defaults(name, PARAMETERS.get(name, sized), order=order, seed=17)
        draw = draw_pool(runs, TOPICS, spec)
        made.append(pool_file(draw.entries))
        if draw.frame is not None:
            made.append(sample_file(draw.entries, draw.frame))
    if method.policy is not None:
        available = candidates(runs, TOPICS, method.reads(spec.parameters))
        truth = {f"d{number:02}": number % 4 == 0 for number in range(60)}
        for topic in TOPICS:
            drawn = draw.entries.filter((pl.col("topic").cast(pl.String) == topic) & (pl.col("stratum") == 1))
            base = sorted(drawn["docno"].to_list())
            chosen = choices_by(topic_lists(available, topic), spec, base, truth)
            made.append("".join(f"{choice.docno} {choice.run}\n" for choice in chosen).encode())
    return hashlib.sha256(b"\0".join(made)).hexdigest()[:16]


@pytest.mark.parametrize("name", STRATEGIES)
def test_pools_and_choices_of_an_engine_version_never_change(name: str) -> None:
    assert checksum(name, make_runs()) == CHECKSUMS[ENGINE].get(name), (
        "Raise ENGINE in pooling/core/strategies/engine.py and add its checksums here; for a new strategy, add its line."
    )


@pytest.mark.parametrize("name", STRATEGIES)
def test_heads_that_number_their_pairs_give_the_same_pools(name: str) -> None:
    runs = make_runs()
    heads = read_heads(heads_file([run.ranking for run in runs]), len(runs))
    assert all("pair" in head.columns for head in heads)
    numbered = [replace(run, ranking=head) for run, head in zip(runs, heads, strict=True)]
    assert checksum(name, numbered) == checksum(name, runs)


@pytest.mark.parametrize("name", STRATEGIES)
def test_priorities_change_the_pools_of_those_strategies_alone_that_say_so(name: str) -> None:
    spec = PoolSpec.with_defaults(name, PARAMETERS.get(name, {}), seed=17)
    runs = make_runs()
    others = [PooledRun(run.tag, run.team, 3 - run.priority, run.ranking) for run in runs]
    first, second = (pool_file(draw_pool(pooled, TOPICS, spec).entries) for pooled in (runs, others))
    assert (first != second) == spec.method.reads_priorities(spec.parameters)
