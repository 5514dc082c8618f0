"""Topics of a few runs, for the tests of policies: plain lists of docnos, and the same as the code under test takes them."""

from collections.abc import Sequence
from hashlib import blake2b
from random import Random
from typing import Any

import polars as pl
from hypothesis import strategies as st

from pooling.core.strategies.adaptive.choosing import topic_lists
from pooling.core.strategies.adaptive.lists import TopicLists
from pooling.core.strategies.declaration import Candidates, PooledRun, candidates
from pooling.core.strategies.spec import PoolSpec

TOPIC = "t 7"
DOCNOS = [*"abcdefghij", "é", "漢"]
POLICIES: list[tuple[str, dict[str, Any]]] = [
    ("mtf", {}),
    ("hedge", {"beta": 0.5}),
    ("maxmean", {}),
    ("maxmean", {"memory": "last"}),
]


def random_runs(random: Random) -> list[list[str]]:
    """Runs that share many documents in different places."""
    return [random.sample(DOCNOS, random.randint(4, len(DOCNOS))) for _ in range(random.randint(2, 5))]


few_documents = st.lists(st.lists(st.sampled_from(DOCNOS), unique=True, max_size=4), min_size=1, max_size=4).filter(any)
lists_of_runs = st.one_of(st.builds(random_runs, st.randoms(use_true_random=False)), few_documents)
truths = st.integers(0, 2 ** len(DOCNOS) - 1).map(
    lambda bits: {docno: bool(bits >> place & 1) for place, docno in enumerate(DOCNOS)}
)
seeds = st.integers(0, 2**63 - 1)
policies = st.sampled_from(POLICIES)


def make_runs(runs: Sequence[Sequence[str]], topic: str = TOPIC) -> list[PooledRun]:
    return [
        PooledRun(
            f"run{index}",
            "team",
            1,
            pl.DataFrame(
                {"topic": [topic] * len(run), "docno": list(run), "position": range(1, len(run) + 1)},
                schema={"topic": pl.String, "docno": pl.String, "position": pl.UInt32},
            ),
        )
        for index, run in enumerate(runs)
    ]


def make_candidates(runs: Sequence[Sequence[str]], depth: int | None = None) -> Candidates:
    return candidates(make_runs(runs), [TOPIC], depth)


def make_lists(runs: Sequence[Sequence[str]], depth: int | None = None) -> TopicLists:
    return topic_lists(make_candidates(runs, depth), TOPIC)


def make_spec(policy: tuple[str, dict[str, Any]], seed: int = 0, **parameters: Any) -> PoolSpec:
    name, own = policy
    return PoolSpec.with_defaults(name, {"depth": 1, "control": 0, **own, **parameters}, seed=seed)


def base_of(runs: Sequence[Sequence[str]], depth: int = 1) -> list[str]:
    return sorted({docno for run in runs for docno in run[:depth]})


def tie_number(seed: int, topic: str, step: int) -> float:
    digest = blake2b(f"{seed} step {topic} {step}".encode(), digest_size=8).digest()
    return (int.from_bytes(digest, "big") >> 11) / 2**53
