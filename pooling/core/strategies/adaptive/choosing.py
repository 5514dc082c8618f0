"""Run a policy: choose the next documents of a topic, say when it stops, replay a log, judge a whole topic.

What is known of a topic is a mapping from docnos to whether they are relevant. Policies see it for the base and for chosen
documents only; a document of the control sample is known to them once it was chosen. What is not known yet counts as not
relevant for the time being, so that documents can be chosen ahead of the judgments. The state is folded anew from the choices in
the order of their steps: in which order judgments arrive has no influence.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from pooling.core.strategies.adaptive.lists import NO_DOCUMENT, Remaining, TopicLists
from pooling.core.strategies.adaptive.policy import Choice, Policy, Step
from pooling.core.strategies.adaptive.start import with_control
from pooling.core.strategies.declaration import Candidates
from pooling.core.strategies.parameters import Parameters
from pooling.core.strategies.randomness import SeededGenerator
from pooling.core.strategies.spec import PoolSpec

Truth = Mapping[str, bool] | Callable[[str], bool]
BUDGET, PATIENCE = "budget", "patience"


@dataclass(frozen=True, slots=True)
class Stopping:
    """Whether the rule stops a topic.

    reason: "" (it goes on), "budget" (as many judgments as `size` allows) or "patience" (no relevant one among the last
        `patience` choices, and `least` judgments reached).
    judged: documents of the topic that are judged or wait to be: base, control sample and choices, each once.
    since_relevant: choices after the last relevant one, all where none was. Those that wait for their judgment count, so a
        topic that stops may go on when a judgment arrives.
    """

    reason: str
    judged: int
    since_relevant: int


def topic_lists(candidates: Candidates, topic: str) -> TopicLists:
    """The lists of one topic of the candidates; documents and runs in an order that does not depend on that of the input.

    >>> from pooling.core.strategies.declaration import PooledRun, candidates
    >>> ranking = pl.DataFrame({"topic": ["1"] * 3, "docno": ["c", "a", "b"], "position": [1, 2, 3]})
    >>> lists = topic_lists(candidates([PooledRun("bm25", "north", 1, ranking)], ["1"], depth=2), "1")
    >>> lists.docnos, lists.rankings.tolist()
    (('a', 'c'), [[1, 0]])
    """
    held = candidates.appearances.filter(pl.col("topic") == topic)
    return _lists(topic, held, candidates.runs.height)


def all_topic_lists(candidates: Candidates) -> Iterator[TopicLists]:
    """The lists of each topic for which a run holds documents, in the order of the topics, in one pass.

    >>> from pooling.core.strategies.declaration import PooledRun, candidates
    >>> ranking = pl.DataFrame({"topic": ["2", "1"], "docno": ["c", "a"], "position": [1, 1]})
    >>> available = candidates([PooledRun("bm25", "north", 1, ranking)], ["1", "2"], depth=2)
    >>> [(lists.topic, lists.docnos) for lists in all_topic_lists(available)]
    [('1', ('a',)), ('2', ('c',))]
    """
    for held in candidates.appearances.sort("topic").partition_by("topic", maintain_order=True):
        yield _lists(str(held["topic"][0]), held, candidates.runs.height)


def control_sample(lists: TopicLists, spec: PoolSpec, base: Sequence[str]) -> list[str]:
    """The documents of the topic's control sample as `select` draws them for this base, ascending.

    >>> lists = TopicLists("1", ("a", "b", "c"), np.array([[0, 1, 2]], dtype=np.int32))
    >>> control_sample(lists, PoolSpec.with_defaults("maxmean", {"depth": 1, "control": 10}), ["a"])
    ['b', 'c']
    """
    held = set(base)
    reachable = [lists.docnos[index] for index in lists.within(spec.parameters["candidates"]).reachable]
    outside = [docno for docno in reachable if docno not in held]
    table = pl.DataFrame(
        {"topic": [lists.topic] * len(outside), "docno": outside}, schema_overrides={"docno": pl.String}
    )
    drawn = with_control(table, spec.parameters["control"], SeededGenerator(spec.seed)).filter("drawn")
    return drawn["docno"].sort().to_list()


def next_choices(
    lists: TopicLists,
    spec: PoolSpec,
    base: Sequence[str],
    made: Sequence[Choice],
    relevant: Mapping[str, bool],
    count: int,
    *,
    control: Collection[str],
    past_rule: bool = False,
) -> list[Choice]:
    """The next choices after those that were made: at most `count`, fewer where the topic stops or no document is left.

    base: docnos of the first stratum. made: all choices of the topic so far. relevant: what is known of base and choices;
    other documents in it are ignored until they are chosen. control: docnos of the control sample, looked at only to count
    judgments for the budget: a document that is chosen out of it is judged once. past_rule: go on where the rule stops.
    Choosing n is the same as choosing n times one with the same `relevant`. Raises ValueError for documents that no run holds.

    >>> lists = TopicLists("1", ("a", "b", "c", "d"), np.array([[0, 1, 2], [3, 2, 1]], dtype=np.int32))
    >>> spec = PoolSpec.with_defaults("maxmean", {"depth": 1, "control": 0})
    >>> next_choices(lists, spec, ["a", "d"], [], {"a": True, "d": False}, 2, control=())
    [Choice(step=1, docno='b', run=0), Choice(step=2, docno='c', run=0)]
    """
    topic = _Topic(lists, spec, base, control, relevant)
    for choice in made:
        topic.follow(choice)
    chosen: list[Choice] = []
    while len(chosen) < count and (past_rule or not topic.stopping.reason):
        following = topic.choose()
        if following is None:
            break
        topic.follow(following)
        chosen.append(following)
    return chosen


def stopping(
    spec: PoolSpec,
    base: Sequence[str],
    made: Sequence[Choice],
    relevant: Mapping[str, bool],
    *,
    control: Collection[str],
) -> Stopping:
    """Whether the rule stops the topic after these choices, by what is known now; without looking at the runs.

    >>> spec = PoolSpec.with_defaults("maxmean", {"patience": 2})
    >>> made = [Choice(1, "b", 0), Choice(2, "c", 0), Choice(3, "d", 1)]
    >>> stopping(spec, ["a"], made, {"a": True, "b": True, "c": False}, control=["c", "x"])
    Stopping(reason='patience', judged=5, since_relevant=2)
    """
    _policy(spec)
    counted = _Count(spec.parameters, base, control)
    for choice in made:
        counted.add(choice.docno, relevant.get(choice.docno, False))
    return counted.stopping


def logged(choices: Sequence[Choice], before: Mapping[str, bool], now: Mapping[str, bool]) -> list[Step]:
    """The steps of choices that were made together when `now` was known; `before`: what was known at the step before them.

    >>> logged([Choice(3, "c", 0), Choice(4, "d", 0)], {"a": True, "b": True}, {"a": True, "b": False})
    [Step(choice=Choice(step=3, docno='c', run=0), learned={'b': False}), \
Step(choice=Choice(step=4, docno='d', run=0), learned={})]
    """
    learned: dict[str, bool | None] = {docno: value for docno, value in now.items() if before.get(docno) is not value}
    learned |= {docno: None for docno in before if docno not in now}
    return [Step(choice, {} if number else learned) for number, choice in enumerate(choices)]


def replayed(lists: TopicLists, spec: PoolSpec, base: Sequence[str], log: Sequence[Step]) -> Step | None:
    """The first step of a topic's log that comes out differently when it is chosen again; None where all come out.

    Stops are not replayed: an organiser may have let the topic go on.

    >>> lists = TopicLists("1", ("a", "b", "c", "d"), np.array([[0, 1, 2], [3, 2, 1]], dtype=np.int32))
    >>> spec = PoolSpec.with_defaults("maxmean", {"depth": 1, "control": 0})
    >>> log = logged([Choice(1, "b", 0), Choice(2, "c", 1)], {}, {"a": True, "d": False})
    >>> replayed(lists, spec, ["a", "d"], log[:1]), replayed(lists, spec, ["a", "d"], log) is log[1]
    (None, True)
    """
    known: dict[str, bool] = {}
    topic = _Topic(lists, spec, base, (), known)
    for number, step in enumerate(log):
        if step.learned:
            known = {**known, **{docno: value for docno, value in step.learned.items() if value is not None}}
            known = {docno: value for docno, value in known.items() if step.learned.get(docno, value) is not None}
            topic = _Topic(lists, spec, base, (), known)
            for earlier in log[:number]:
                topic.follow(earlier.choice)
        if topic.choose() != step.choice:
            return step
        topic.follow(step.choice)
    return None


def choices_by(lists: TopicLists, spec: PoolSpec, base: Sequence[str], truth: Truth) -> list[Choice]:
    """All choices of a topic in which each document is judged by `truth` before the next is chosen, until the rule stops.

    truth: whether a document is relevant, by a function or a mapping; those that a mapping lacks are not.

    >>> lists = TopicLists("1", ("a", "b", "c", "d"), np.array([[0, 1, 2], [3, 2, 1]], dtype=np.int32))
    >>> spec = PoolSpec.with_defaults("maxmean", {"depth": 1, "control": 0, "size": 3})
    >>> choices_by(lists, spec, ["a", "d"], {"d": True})
    [Choice(step=1, docno='c', run=1)]
    """
    judge = truth if callable(truth) else lambda docno: truth.get(docno, False)
    known = {docno: bool(judge(docno)) for docno in lists.docnos}
    return next_choices(lists, spec, base, [], known, len(lists.docnos), control=control_sample(lists, spec, base))


def judged_by(lists: TopicLists, spec: PoolSpec, base: Sequence[str], truth: Truth) -> list[str]:
    """All documents of a topic that are judged with these answers, each once: base, control sample, choices in their order.

    >>> lists = TopicLists("1", ("a", "b", "c", "d"), np.array([[0, 1, 2], [3, 2, 1]], dtype=np.int32))
    >>> spec = PoolSpec.with_defaults("maxmean", {"depth": 1, "control": 0, "size": 4})
    >>> judged_by(lists, spec, ["a", "d"], {"d": True})
    ['a', 'd', 'c', 'b']
    """
    chosen = [choice.docno for choice in choices_by(lists, spec, base, truth)]
    return list(dict.fromkeys([*base, *control_sample(lists, spec, base), *chosen]))


class _Count:
    """What the stopping rule looks at."""

    def __init__(self, parameters: Parameters, base: Sequence[str], control: Collection[str]) -> None:
        self._size, self._least, self._patience = parameters["size"], parameters["least"], parameters["patience"]
        self._judged = {*base, *control}
        self._since_relevant = 0

    def add(self, docno: str, relevant: bool) -> None:
        self._judged.add(docno)
        self._since_relevant = 0 if relevant else self._since_relevant + 1

    @property
    def stopping(self) -> Stopping:
        judged, since = len(self._judged), self._since_relevant
        reason = ""
        if judged >= self._size:
            reason = BUDGET
        elif self._patience and since >= self._patience and judged >= self._least:
            reason = PATIENCE
        return Stopping(reason, judged, since)


class _Topic:
    """The fold: what a policy and the stopping rule hold of one topic after the choices that it has followed."""

    def __init__(
        self,
        lists: TopicLists,
        spec: PoolSpec,
        base: Sequence[str],
        control: Collection[str],
        relevant: Mapping[str, bool],
    ) -> None:
        policy = _policy(spec)
        self._lists = lists.within(spec.parameters["candidates"])
        self._relevant = relevant
        self._remaining = Remaining(self._lists)
        self._count = _Count(spec.parameters, base, control)
        self._numbers = SeededGenerator(spec.seed)
        self._step = 0
        judged = dict(zip(self._lists.indexes(list(base)), (relevant.get(docno, False) for docno in base), strict=True))
        for document in judged:
            self._remaining.take(document)
        self._state = policy.begin(self._remaining, spec.parameters, judged)

    @property
    def stopping(self) -> Stopping:
        return self._count.stopping

    def follow(self, choice: Choice) -> None:
        """Take note of a choice, with what is known of it now."""
        document = self._lists.indexes([choice.docno])[0]
        relevant = self._relevant.get(choice.docno, False)
        self._remaining.take(document)
        self._state.learn(choice.run, document, relevant)
        self._count.add(choice.docno, relevant)
        self._step = choice.step

    def choose(self) -> Choice | None:
        step = self._step + 1
        chosen = self._state.choose(self._numbers.at_step(self._lists.topic, step))
        if chosen is None:
            return None
        document, run = chosen
        return Choice(step, self._lists.docnos[document], run)


def _policy(spec: PoolSpec) -> Policy:
    if spec.method.policy is None:
        raise ValueError(f"The strategy {spec.strategy} chooses nothing after its start. Use an adaptive one.")
    return spec.method.policy


def _lists(topic: str, held: pl.DataFrame, runs: int) -> TopicLists:
    held = held.select("run", "position", "docno").sort("run", "position")
    docnos = held["docno"].unique().sort()
    documents = held["docno"].cast(pl.Enum(docnos)).to_physical().to_numpy()
    run = held["run"].to_numpy()
    lengths = np.bincount(run, minlength=runs)
    starts = np.concatenate([[0], np.cumsum(lengths)[:-1]])
    rankings = np.full((runs, int(lengths.max(initial=0))), NO_DOCUMENT, dtype=np.int32)
    rankings[run, np.arange(held.height) - starts[run]] = documents
    return TopicLists(topic, tuple(docnos.to_list()), rankings)
