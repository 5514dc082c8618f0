"""What holds of the pools of every strategy, whoever gives the runs and in whatever order."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pooling.core.strategies.drawing import Draw, draw_pool, pool_file
from pooling.core.strategies.frames import frame_file
from pooling.core.strategies.judging_order import orders_of
from pooling.core.strategies.registry import STRATEGIES
from pooling.core.strategies.spec import PoolSpec
from tests.draws import examples
from tests.factories import run_lines
from tests.places import REPOSITORY
from tests.pooling.command.makers import PYTHON, run_alone
from tests.pooling.makers import Scores, pooled
from tests.pooling.test_depth_k import TOPICS, first, make_runs, many_runs, seeds

SMALL: dict[str, dict[str, Any]] = {
    "depth-k": {"depth": 3},
    "budget": {"total": 6},
    "random": {"size": 3, "depth": 5},
    "stratified": {"rates": ((2, 1.0), (8, 0.4))},
    "statap": {"size": 3},
    **{name: {"size": 4} for name in ("rrf", "borda", "combmnz", "rbp", "ntcir")},
    **{name: {"depth": 2, "control": 2} for name in ("mtf", "hedge", "maxmean")},
}
HELD_WHOLE = {"depth-k": 3, "stratified": 2, "mtf": 2, "hedge": 2, "maxmean": 2}
"""To which depth the pools of SMALL hold every run."""


def spec_of(name: str, **common: Any) -> PoolSpec:
    return PoolSpec.with_defaults(name, SMALL[name], **common)


def all_bytes(draw: Draw) -> bytes:
    return pool_file(draw.entries) + (b"" if draw.frame is None else frame_file(draw.frame))


def test_no_strategy_is_left_out() -> None:
    assert set(SMALL) == set(STRATEGIES)


@pytest.mark.parametrize("name", STRATEGIES)
@examples(15)
@given(many_runs, seeds)
def test_each_order_puts_the_same_documents_of_the_runs_at_the_positions_from_one_on(
    name: str, all_scores: list[Scores], seed: int
) -> None:
    held = {(topic, docno) for scores in all_scores for topic, docs in scores.items() for docno in docs}
    sets = []
    for order in orders_of(STRATEGIES[name]):
        entries = draw_pool(make_runs(all_scores), TOPICS, spec_of(name, seed=seed, order=order)).entries
        pairs = pooled(entries)
        assert entries.height == len(pairs)
        for _, of_topic in entries.group_by("topic"):
            assert of_topic["position"].to_list() == list(range(1, of_topic.height + 1))
        sets.append(pairs)
    assert sets[0] <= held
    assert all(pairs == sets[0] for pairs in sets)


@pytest.mark.parametrize("name", HELD_WHOLE)
@examples(15)
@given(many_runs, seeds)
def test_the_first_documents_of_every_run_are_in_a_pool_that_says_so(
    name: str, all_scores: list[Scores], seed: int
) -> None:
    spec, depth = spec_of(name, seed=seed), HELD_WHOLE[name]
    assert spec.method.judged_whole(spec.parameters) == depth
    pairs = pooled(draw_pool(make_runs(all_scores), TOPICS, spec).entries)
    for scores in all_scores:
        for topic, docs in scores.items():
            assert {(topic, docno) for docno in first(docs, depth)} <= pairs


@pytest.mark.parametrize("name", STRATEGIES)
@examples(15)
@given(many_runs, seeds, st.randoms(use_true_random=False))
def test_neither_the_order_of_runs_nor_of_their_lines_nor_their_names_change_a_byte(
    name: str, all_scores: list[Scores], seed: int, random: Any
) -> None:
    runs = make_runs(all_scores)
    tags = random.sample([f"other{place}" for place in range(len(runs))], len(runs))
    given_otherwise = [
        replace(run, tag=tag, ranking=run.ranking.sample(fraction=1, shuffle=True, seed=random.randint(0, 99)))
        for run, tag in zip(runs, tags, strict=True)
    ]
    spec = spec_of(name, seed=seed)
    one, other = (
        draw_pool(some, TOPICS, spec) for some in (runs, random.sample(given_otherwise, len(given_otherwise)))
    )
    assert all_bytes(one) == all_bytes(other)


DRAW_ALL = """
import sys
from importlib import import_module
from pooling.command.main import SUBCOMMANDS
from pooling.core.strategies.registry import STRATEGIES
draw = import_module(SUBCOMMANDS["draw"])
for name in STRATEGIES:
    print(name, flush=True)
    size = ["--set", "total=40"] if name == "budget" else []
    assert draw.run(["--strategy", name, *size, "--seed", "3", *sys.argv[1:]]) == 0
"""
ADAPTIVE = """
from pooling.core.strategies.adaptive.choosing import judged_by, topic_lists
from pooling.core.strategies.declaration import candidates
from pooling.core.strategies.spec import PoolSpec
from tests.pooling.adaptive.makers import POLICIES, TOPIC, base_of, make_candidates, make_lists, make_spec
runs = [[f"d{(place * step) % 31:02}" for place in range(30)] for step in (1, 2, 3, 5, 7)]
for policy in POLICIES:
    spec = make_spec(policy, seed=3, depth=2, control=4, size=25)
    print(judged_by(make_lists(runs), spec, base_of(runs, 2), lambda docno: int(docno[1:]) % 3 == 0))
"""


def printed(code: str, words: list[str], folder: Path, hash_seed: str) -> bytes:
    done = run_alone("/usr/bin/env", f"PYTHONHASHSEED={hash_seed}", PYTHON, "-c", code, *words, cwd=folder)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout


def test_files_of_other_names_in_another_order_under_another_hash_seed_give_the_same_bytes(tmp_path: Path) -> None:
    rankings = {
        tag: {topic: [f"d{(place * step + int(topic)) % 37:02}" for place in range(30)] for topic in ("1", "2")}
        for tag, step in (("alpha", 1), ("beta", 2), ("gamma", 5))
    }
    outputs = []
    for hash_seed, names in (("0", "xyz"), ("1", "zyx"), ("4242", "yzx")):
        folder = tmp_path / hash_seed
        folder.mkdir()
        for name, (tag, ranking) in zip(names, rankings.items(), strict=True):
            (folder / f"{name}.txt").write_bytes(run_lines(ranking, tag))
        outputs.append(printed(DRAW_ALL, sorted(f"{name}.txt" for name in names), folder, hash_seed))
    assert outputs[0].count(b"\n") > 300
    assert outputs[0] == outputs[1] == outputs[2]


def test_policies_choose_the_same_under_another_hash_seed() -> None:
    one, other = (printed(ADAPTIVE, [], REPOSITORY, hash_seed) for hash_seed in ("0", "4242"))
    assert one.count(b"d") > 50
    assert one == other
