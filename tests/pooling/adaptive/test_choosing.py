"""What holds for every policy: what is chosen, when a topic stops, and that a log is replayed to the same choices."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pooling.core.strategies.adaptive.choosing import (
    all_topic_lists,
    choices_by,
    control_sample,
    judged_by,
    logged,
    next_choices,
    replayed,
    stopping,
    topic_lists,
)
from pooling.core.strategies.adaptive.policy import Choice, Step
from pooling.core.strategies.declaration import PooledRun, candidates
from pooling.core.strategies.spec import PoolSpec
from tests.draws import examples
from tests.pooling.adaptive.makers import (
    DOCNOS,
    POLICIES,
    TOPIC,
    base_of,
    lists_of_runs,
    make_lists,
    make_runs,
    make_spec,
    policies,
    seeds,
    truths,
)

Policy = tuple[str, dict[str, Any]]
randoms = st.randoms(use_true_random=False)
sizes, depths, controls = st.integers(1, 14), st.integers(1, 3), st.integers(0, 4)


@given(policies, lists_of_runs, truths, depths, st.integers(0, 4), sizes, controls, seeds)
def test_candidates_are_chosen_once_each_until_the_size_is_reached_or_none_is_left(
    policy: Policy,
    runs: list[list[str]],
    truth: dict[str, bool],
    depth: int,
    below: int,
    size: int,
    control: int,
    seed: int,
) -> None:
    spec = make_spec(policy, seed, depth=depth, candidates=depth + below, size=size, control=control)
    lists, base = make_lists(runs), base_of(runs, depth)
    sample = control_sample(lists, spec, base)
    choices = choices_by(lists, spec, base, truth)
    chosen = [choice.docno for choice in choices]
    can_be_chosen = {docno for run in runs for docno in run[: depth + below]} - set(base)
    assert len(set(chosen)) == len(chosen)
    assert set(chosen) <= can_be_chosen
    judged = judged_by(lists, spec, base, truth)
    assert set(judged) == {*base, *sample, *chosen}
    assert len(judged) == len(set(judged)) <= max(size, len({*base, *sample}))
    assert len(judged) >= size or set(chosen) == can_be_chosen
    for choice in choices:
        assert choice.run == -1 if policy[0] == "hedge" else choice.docno in runs[choice.run]


@examples(25)
@given(policies, lists_of_runs, truths, seeds, randoms)
def test_choices_do_not_depend_on_the_order_of_the_runs(
    policy: Policy, runs: list[list[str]], truth: dict[str, bool], seed: int, random: Random
) -> None:
    spec, pooled = make_spec(policy, seed), make_runs(runs)
    shuffled = [
        PooledRun(run.tag, run.team, run.priority, run.ranking.sample(fraction=1, shuffle=True, seed=7))
        for run in pooled
    ]
    random.shuffle(shuffled)
    one, other = (topic_lists(candidates(held, [TOPIC], None), TOPIC) for held in (pooled, shuffled))
    assert choices_by(one, spec, base_of(runs), truth) == choices_by(other, spec, base_of(runs)[::-1], truth)


@given(policies, lists_of_runs, truths, depths, st.integers(0, 4), seeds)
def test_lists_may_hold_more_than_the_candidates(
    policy: Policy, runs: list[list[str]], truth: dict[str, bool], depth: int, below: int, seed: int
) -> None:
    spec, base = make_spec(policy, seed, depth=depth, candidates=depth + below), base_of(runs, depth)
    cut, whole = make_lists(runs, depth + below), make_lists(runs)
    assert choices_by(whole, spec, base, truth) == choices_by(cut, spec, base, truth)


@given(policies, lists_of_runs, truths, st.integers(1, 5), sizes, st.integers(0, 3), seeds)
def test_several_choices_at_once_are_those_that_would_be_made_one_by_one(
    policy: Policy, runs: list[list[str]], truth: dict[str, bool], count: int, size: int, patience: int, seed: int
) -> None:
    spec, lists, base = make_spec(policy, seed, size=size, patience=patience), make_lists(runs), base_of(runs)
    known = {docno: truth[docno] for docno in DOCNOS[::2]}
    made: list[Choice] = []
    for _ in range(count):
        made += next_choices(lists, spec, base, made, known, 1, control=())
    assert next_choices(lists, spec, base, [], known, count, control=()) == made


@given(policies, lists_of_runs, truths, truths, controls, seeds)
def test_judgments_of_the_control_sample_have_no_influence_before_their_documents_are_chosen(
    policy: Policy, runs: list[list[str]], truth: dict[str, bool], other: dict[str, bool], control: int, seed: int
) -> None:
    spec, lists, base = make_spec(policy, seed, control=control), make_lists(runs), base_of(runs)
    sample = control_sample(lists, spec, base)
    made: list[Choice] = []
    while True:
        seen = {*base, *(choice.docno for choice in made)}
        known = {docno: truth[docno] for docno in seen}
        hidden = {docno: other[docno] for docno in DOCNOS if docno not in seen}
        nexts = next_choices(lists, spec, base, made, known, 1, control=sample)
        assert next_choices(lists, spec, base, made, known | hidden, 1, control=sample) == nexts
        assert next_choices(lists, spec, base, made, known, 1, control=()) == nexts
        if not nexts:
            break
        made += nexts
    assert {choice.docno for choice in made} == set(lists.docnos) - set(base)


def judged_with_delays(
    runs: Sequence[list[str]], spec: PoolSpec, truth: dict[str, bool], random: Random
) -> tuple[list[Step], dict[str, bool]]:
    """Choose ahead while the judgments arrive late, in any order, some of them corrected or withdrawn."""
    lists, base = make_lists(runs), base_of(runs)
    control = control_sample(lists, spec, base)
    waiting, known, before = list(base), {}, {}
    log: list[Step] = []
    for _ in range(25):
        for _ in range(random.randint(0, 3)):
            if waiting:
                docno = waiting.pop(random.randrange(len(waiting)))
                known[docno] = truth[docno]
        if known and random.random() < 0.2:
            docno = random.choice(sorted(known))
            known.pop(docno)
            waiting.append(docno)
        if known and random.random() < 0.2:
            docno = random.choice(sorted(known))
            known[docno] = not known[docno]
        made = [step.choice for step in log]
        chosen = next_choices(lists, spec, base, made, known, random.randint(1, 3), control=control)
        log += logged(chosen, before, known)
        if chosen:
            before = dict(known)
            waiting += [choice.docno for choice in chosen]
    return log, known


@examples(25)
@given(policies, lists_of_runs, truths, sizes, seeds, randoms)
def test_a_log_is_replayed_to_the_same_choices_whatever_the_order_of_the_judgments(
    policy: Policy, runs: list[list[str]], truth: dict[str, bool], size: int, seed: int, random: Random
) -> None:
    spec = make_spec(policy, seed, size=size)
    log, _ = judged_with_delays(runs, spec, truth, random)
    lists, base = make_lists(runs), base_of(runs)
    assert replayed(lists, spec, base, log) is None
    for number, step in enumerate(log):
        others = set(lists.docnos) - set(base) - {step.choice.docno}
        for docno in sorted(others)[:1]:
            changed = replace(step, choice=replace(step.choice, docno=docno))
            assert replayed(lists, spec, base, [*log[:number], changed]) is changed


def test_a_replay_with_other_judgments_is_another() -> None:
    truth = dict.fromkeys("abcdef", True)
    lists, base = make_lists([[*"abcdef"], [*"ghijcb"]]), ["a", "g"]
    for policy in POLICIES:
        log: list[Step] = []
        for _ in range(4):
            made = [step.choice for step in log]
            log += logged(
                next_choices(lists, make_spec(policy), base, made, truth, 1, control=()), truth if log else {}, truth
            )
        assert replayed(lists, make_spec(policy), base, log) is None
        other = [replace(log[0], learned={"g": True}), *log[1:]]
        assert replayed(lists, make_spec(policy), base, other) is not None


def test_a_judgment_that_was_withdrawn_is_no_longer_known_in_the_replay() -> None:
    lists, spec = make_lists([[*"abcd"], [*"xyz"]]), make_spec(("maxmean", {}))
    states = [{}, {"a": True}, {"a": True, "b": True}, {}]
    log: list[Step] = []
    for before, now in pairwise(states):
        made = [step.choice for step in log]
        log += logged(next_choices(lists, spec, ["a", "x"], made, now, 1, control=()), before, now)
    assert [(step.choice.docno, step.learned) for step in log] == [
        ("b", {"a": True}),
        ("c", {"b": True}),
        ("y", {"a": None, "b": None}),
    ]
    assert replayed(lists, spec, ["a", "x"], log) is None


@examples(20)
@given(policies, lists_of_runs, truths, seeds, randoms)
def test_the_state_depends_on_what_is_known_and_not_on_when_it_became_known(
    policy: Policy, runs: list[list[str]], truth: dict[str, bool], seed: int, random: Random
) -> None:
    """After all judgments have arrived, the next choice follows from the choices and the judgments alone."""
    spec, lists, base = make_spec(policy, seed, size=7), make_lists(runs), base_of(runs)
    log, _ = judged_with_delays(runs, spec, truth, random)
    made = [step.choice for step in log]
    judgments = [(docno, truth[docno]) for docno in {*base, *(choice.docno for choice in made)}]
    outcomes = []
    for _ in range(2):
        random.shuffle(judgments)
        outcomes.append(next_choices(lists, spec, base, made, dict(judgments), 3, control=(), past_rule=True))
    assert outcomes[0] == outcomes[1]


def made_of(docnos: str) -> list[Choice]:
    return [Choice(step, docno, 0) for step, docno in enumerate(docnos, start=1)]


@pytest.mark.parametrize(
    ("parameters", "made", "relevant", "expected"),
    [
        ({}, "", "", ("", 3, 0)),
        ({"patience": 2}, "bc", "b", ("", 5, 1)),
        ({"patience": 2}, "bcd", "b", ("patience", 6, 2)),
        ({"patience": 2}, "bcd", "bd", ("", 6, 0)),
        ({"patience": 2, "least": 7}, "bcd", "b", ("", 6, 2)),
        ({"patience": 2, "least": 6}, "bcd", "b", ("patience", 6, 2)),
        ({"size": 6}, "bcd", "d", ("budget", 6, 0)),
        ({"size": 6}, "bcx", "b", ("", 5, 2)),
        ({"size": 6, "patience": 2}, "bcd", "b", ("budget", 6, 2)),
        ({"patience": 0}, "bcdefghij", "", ("", 12, 9)),
    ],
)
def test_the_rule_stops_by_budget_or_by_patience(
    parameters: dict[str, int], made: str, relevant: str, expected: tuple[str, int, int]
) -> None:
    """The base is a; the control sample is x and y, of which x may be chosen without being judged again."""
    spec = make_spec(("maxmean", {}), **parameters)
    held = stopping(spec, ["a"], made_of(made), dict.fromkeys(relevant, True), control=["x", "y"])
    assert (held.reason, held.judged, held.since_relevant) == expected


def test_documents_that_wait_for_their_judgment_count_as_not_relevant_for_the_rule_until_they_are_judged() -> None:
    spec = make_spec(("mtf", {}), patience=3)
    assert stopping(spec, ["a"], made_of("bcd"), {"b": False}, control=()).reason == "patience"
    assert stopping(spec, ["a"], made_of("bcd"), {"b": False, "d": True}, control=()).reason == ""


@pytest.mark.parametrize("policy", POLICIES)
def test_a_topic_goes_on_past_its_rule_where_it_is_told_to_and_ends_with_its_last_candidate(policy: Policy) -> None:
    runs = [[*"abcdefgh"]]
    lists, spec = make_lists(runs), make_spec(policy, patience=2, size=6)
    stopped = next_choices(lists, spec, ["a"], [], {}, 20, control=())
    assert len(stopped) == 2
    beyond = next_choices(lists, spec, ["a"], stopped, {}, 20, control=(), past_rule=True)
    assert [choice.docno for choice in stopped + beyond] == [*"bcdefgh"]
    assert next_choices(lists, spec, ["a"], stopped + beyond, {}, 1, control=(), past_rule=True) == []


def test_a_document_that_no_run_holds_is_named() -> None:
    lists, spec = make_lists([["a", "b"]]), make_spec(("mtf", {}))
    with pytest.raises(ValueError, match=f"Topic {TOPIC}: no run holds the document nowhere"):
        next_choices(lists, spec, ["a"], [Choice(1, "nowhere", 0)], {}, 1, control=())


def test_a_strategy_that_is_not_adaptive_chooses_nothing() -> None:
    spec = PoolSpec.with_defaults("depth-k")
    with pytest.raises(ValueError, match="depth-k chooses nothing after its start"):
        stopping(spec, [], [], {}, control=())
    with pytest.raises(ValueError, match="depth-k chooses nothing after its start"):
        next_choices(make_lists([["a"]]), spec, [], [], {}, 1, control=())


def test_the_lists_of_all_topics_are_those_of_each() -> None:
    runs = [
        PooledRun(f"{tag}{index}", "team", 1, run.ranking)
        for tag, topic in (("x", "10"), ("y", "9"))
        for index, run in enumerate(make_runs([["a", "b"], ["c"], []], topic))
    ]
    available = candidates(runs, ["9", "none", "10"], None)
    at_once = {lists.topic: lists for lists in all_topic_lists(available)}
    assert list(at_once) == ["9", "10"]
    for topic, lists in at_once.items():
        alone = topic_lists(available, topic)
        assert alone.docnos == lists.docnos
        assert alone.rankings.tolist() == lists.rankings.tolist()
    assert topic_lists(available, "none").docnos == ()
    assert next_choices(topic_lists(available, "none"), make_spec(("hedge", {})), [], [], {}, 3, control=()) == []
