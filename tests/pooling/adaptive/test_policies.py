"""Each policy against a slow, obvious second implementation, which computes everything anew before each choice."""

from collections.abc import Callable
from fractions import Fraction
from math import fsum, log
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pooling.core.strategies.adaptive.choosing import choices_by
from pooling.core.strategies.adaptive.hedge import stakes
from tests.pooling.adaptive.makers import (
    POLICIES,
    TOPIC,
    base_of,
    lists_of_runs,
    make_lists,
    make_spec,
    policies,
    seeds,
    tie_number,
    truths,
)

Pulls = list[tuple[int, bool]]
"""The run that was followed and whether its document was relevant, in order; those of the base first."""
Chooser = Callable[[list[list[str]], Pulls, dict[str, bool], dict[str, Any]], list[tuple[str, int]]]
"""All next choices that are as good: the document and the run."""


def left(run: list[str], judged: dict[str, bool]) -> list[str]:
    return [docno for docno in run if docno not in judged]


def best(runs: list[list[str]], judged: dict[str, bool], values: dict[int, Any]) -> list[tuple[str, int]]:
    held = {run: value for run, value in values.items() if left(runs[run], judged)}
    return [(left(runs[run], judged)[0], run) for run in held if held[run] == max(held.values())]


def by_maxmean(runs: list[list[str]], pulls: Pulls, judged: dict[str, bool], own: dict) -> list[tuple[str, int]]:
    values = {}
    for run in range(len(runs)):
        seen = [relevant for pulled, relevant in pulls if pulled == run]
        seen = seen[-1:] if own.get("memory") == "last" else seen
        values[run] = Fraction(1 + sum(seen), 2 + len(seen))
    return best(runs, judged, values)


def by_mtf(runs: list[list[str]], pulls: Pulls, judged: dict[str, bool], own: dict) -> list[tuple[str, int]]:
    chosen = pulls[own["of_base"] :]
    priority = {run: -sum(not relevant for pulled, relevant in pulls if pulled == run) for run in range(len(runs))}
    if chosen:
        run, relevant = chosen[-1]
        if relevant and left(runs[run], judged):
            return [(left(runs[run], judged)[0], run)]
        others = {other: value for other, value in priority.items() if other != run}
        return best(runs, judged, others) or best(runs, judged, priority)
    return best(runs, judged, priority)


def by_hedge(runs: list[list[str]], pulls: Pulls, judged: dict[str, bool], own: dict) -> list[tuple[str, int]]:
    everything = sorted({docno for run in runs for docno in run})
    size = len(everything)

    def stake(run: list[str], docno: str) -> float:
        ranks = [run.index(docno) + 1] if docno in run else range(len(run) + 1, size + 1)
        return fsum(log(size / rank) / 2 for rank in ranks) / len(ranks)

    weights = [
        own["beta"] ** fsum(-stake(run, docno) if relevant else stake(run, docno) for docno, relevant in judged.items())
        for run in runs
    ]
    scores = {
        docno: fsum(weight * stake(run, docno) for weight, run in zip(weights, runs, strict=True)) / fsum(weights)
        for docno in left(everything, judged)
    }
    return [(docno, -1) for docno, score in scores.items() if score > max(scores.values()) - 1e-7]


CHOOSERS: dict[str, Chooser] = {"maxmean": by_maxmean, "mtf": by_mtf, "hedge": by_hedge}


def chosen_slowly(
    runs: list[list[str]], policy: tuple[str, dict], depth: int, seed: int, truth: dict[str, bool], size: int
) -> list[tuple[str, int]]:
    name, own = policy
    judged = {docno: truth[docno] for docno in base_of(runs, depth)}
    pulls = [(index, truth[docno]) for index, run in enumerate(runs) for docno in run[:depth]]
    own = {**own, "of_base": len(pulls)}
    made: list[tuple[str, int]] = []
    while len(judged) < size and (equal := CHOOSERS[name](runs, pulls, judged, own)):
        docno, run = equal[int(tie_number(seed, TOPIC, len(made) + 1) * len(equal))]
        judged[docno] = truth[docno]
        pulls.append((run, truth[docno]))
        made.append((docno, run))
    return made


@given(policies, lists_of_runs, truths, st.integers(1, 3), st.integers(1, 12), seeds)
def test_choices_are_those_of_the_second_implementation(
    policy: tuple[str, dict], runs: list[list[str]], truth: dict[str, bool], depth: int, size: int, seed: int
) -> None:
    spec = make_spec(policy, seed, depth=depth, size=size)
    choices = choices_by(make_lists(runs), spec, base_of(runs, depth), truth)
    assert [(choice.docno, choice.run) for choice in choices] == chosen_slowly(runs, policy, depth, seed, truth, size)
    assert [choice.step for choice in choices] == list(range(1, len(choices) + 1))


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        (("mtf", {}), ["b", "c", "d", "x", "y", "e"]),
        (("maxmean", {}), ["b", "c", "d", "e", "x", "y"]),
    ],
)
def test_a_run_is_followed_while_it_succeeds(policy: tuple[str, dict], expected: list[str]) -> None:
    """Of one run the first three documents are relevant, of the other the first one below the base."""
    truth = dict.fromkeys("abcx", True)
    runs = [list("abcde"), list("zxy")]
    choices = choices_by(make_lists(runs), make_spec(policy), base_of(runs), truth)
    assert [choice.docno for choice in choices] == expected


def test_hedge_asks_the_experts_that_were_right() -> None:
    runs = [list("abcdef"), list("uvwxyz"), list("uwvyxz")]
    right, wrong = [*"abc"], [*"uvw"]
    lists, base = make_lists(runs), base_of(runs)
    trusting = choices_by(lists, make_spec(("hedge", {"beta": 0.1}), size=5), base, dict.fromkeys(right, True))
    others = choices_by(lists, make_spec(("hedge", {"beta": 0.1}), size=5), base, dict.fromkeys(wrong, True))
    assert [choice.docno for choice in trusting] == ["b", "c", "d"]
    assert {choice.docno for choice in others} <= set("vwxy")


@given(lists_of_runs, st.integers(1, 6))
def test_the_stakes_of_hedge_are_those_of_lists_that_hold_nothing_but_the_candidates(
    runs: list[list[str]], depth: int
) -> None:
    whole = make_lists(runs)
    within = stakes(whole.within(depth))[:, whole.within(depth).reachable]
    assert within.tolist() == stakes(make_lists(runs, depth)).tolist()


@pytest.mark.parametrize("policy", POLICIES)
def test_equal_choices_are_made_equally_often(policy: tuple[str, dict]) -> None:
    """Two runs that are alike but for their documents: the seed decides, a half of the seeds each way."""
    lists = make_lists([["a", "b"], ["x", "y"]])
    firsts = [choices_by(lists, make_spec(policy, seed, size=3), ["a", "x"], {})[0].docno for seed in range(200)]
    assert set(firsts) == {"b", "y"}
    assert abs(firsts.count("b") - 100) < 40
