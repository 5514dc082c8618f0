"""Pools that grow while they are judged: what a topic began with, what was chosen since, and whether it goes on."""

from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property

import polars as pl
from django.db.models import Max

from campaign.models import Run, Topic
from campaign.text.plurals import number_of
from campaign.web.cache import kept
from pooling.core.strategies.adaptive.choosing import PATIENCE, Stopping, stopping, topic_lists
from pooling.core.strategies.adaptive.lists import TopicLists
from pooling.core.strategies.adaptive.policy import NO_RUN, Choice, Step
from pooling.core.strategies.adaptive.start import BASE
from pooling.core.strategies.declaration import PooledRun, candidates
from pooling.core.strategies.spec import PoolSpec
from pooling.models import Pool, PoolChoice, PoolEntry, PoolRun, TopicStop
from pooling.selectors.runs import run_head
from pooling.selectors.sizes import pooled_topics

CHOOSE_DOCUMENTS = "choose documents"
"""Done by judging/jobs.py."""
STOPPED = (TopicStop.RULE, TopicStop.EXHAUSTED, TopicStop.HAND)


class UnusablePoolError(ValueError):
    """Nothing can be chosen for this pool; the message says why and what to do."""


@dataclass(frozen=True)
class Course:
    """A topic of a growing pool from its start to now.

    base, control: docnos drawn at the start. steps: the log. others: docnos of further entries, such as those found by hand.
    stops: what was decided about going on, the latest last.
    """

    base: tuple[str, ...] = ()
    control: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    steps: tuple[Step, ...] = ()
    stops: tuple[TopicStop, ...] = ()

    @cached_property
    def made(self) -> list[Choice]:
        return [step.choice for step in self.steps]

    @cached_property
    def followed(self) -> set[str]:
        """What the policy sees, once it is judged: base and chosen documents."""
        return {*self.base, *(choice.docno for choice in self.made)}

    @cached_property
    def entries(self) -> set[str]:
        return {*self.base, *self.control, *self.others, *(choice.docno for choice in self.made)}

    @cached_property
    def known(self) -> dict[str, bool]:
        """What was known when the last choice was made."""
        known: dict[str, bool] = {}
        for step in self.steps:
            for docno, value in step.learned.items():
                if value is None:
                    known.pop(docno, None)
                else:
                    known[docno] = value
        return known

    @property
    def last_stop(self) -> TopicStop | None:
        return self.stops[-1] if self.stops else None

    @property
    def is_stopped(self) -> bool:
        return self.last_stop is not None and self.last_stop.kind in STOPPED

    @property
    def until(self) -> int | None:
        """Where the topic stops that an organiser let go on past the rule."""
        return next((stop.until for stop in reversed(self.stops) if stop.until is not None), None)

    def stopping(self, spec: PoolSpec, relevant: Mapping[str, bool]) -> Stopping:
        """What the rule says by what is known now."""
        return stopping(spec, self.base, self.made, relevant, control=self.control)

    def pending(self, relevant: Mapping[str, bool]) -> list[str]:
        """Documents that the policy has counted as not relevant for the time being."""
        return [docno for docno in sorted(self.followed) if docno not in relevant]


def topic_courses(pool: Pool, topics: Sequence[int] | None = None) -> dict[int, Course]:
    """The course of each topic with entries, by the topic's key; with `topics`, of these only."""
    here = {"pool": pool} if topics is None else {"pool": pool, "topic__in": topics}
    parts: dict[int, dict[str, list[str]]] = {}
    entries = PoolEntry.objects.filter(**here).order_by("position")
    for key, docno, source, stratum in entries.values_list("topic_id", "docno", "source", "stratum"):
        held = parts.setdefault(key, {"base": [], "control": [], "others": []})
        if source != PoolEntry.CHOSEN:
            drawn = "base" if stratum == BASE else "control"
            held[drawn if source == PoolEntry.DRAWN else "others"].append(docno)
    steps: dict[int, list[Step]] = {}
    numbers = run_numbers(pool)
    choices = PoolChoice.objects.filter(**here).order_by("step")
    for key, step, docno, run, learned in choices.values_list("topic_id", "step", "docno", "run", "learned"):
        made = Choice(step, docno, numbers.get(run, NO_RUN))
        steps.setdefault(key, []).append(Step(made, learned))
    stops: dict[int, list[TopicStop]] = {}
    for stop in TopicStop.objects.filter(**here).select_related("decided_by").order_by("pk"):
        stops.setdefault(stop.topic_id, []).append(stop)
    return {
        key: Course(
            tuple(held["base"]),
            tuple(held["control"]),
            tuple(held["others"]),
            tuple(steps.get(key, ())),
            tuple(stops.get(key, ())),
        )
        for key, held in parts.items()
    }


def topic_course(pool: Pool, topic: Topic) -> Course:
    return topic_courses(pool, [topic.pk]).get(topic.pk, Course())


def run_tags(pool: Pool) -> list[str]:
    """The tags of the pooled runs in the order in which draws and choices number them."""
    return sorted(PoolRun.objects.filter(pool=pool).values_list("run__tag", flat=True))


def run_numbers(pool: Pool) -> dict[str, int]:
    return {tag: number for number, tag in enumerate(run_tags(pool))}


def topic_lists_of(pool: Pool, topic: Topic) -> TopicLists:
    """The pooled runs' lists of one topic as they were ordered when the pool was frozen. Cached: neither ever changes."""
    spec = spec_of(pool)
    key = f"pooling:lists:{pool.pk}:{pool.sha256}:{topic.pk}"

    def read() -> TopicLists:
        depth = spec.method.reads(spec.parameters)
        heads = [_of_topic(run_head(run, depth), topic.number) for run in _runs_as_frozen(pool)]
        return topic_lists(candidates(heads, [topic.number], depth), topic.number)

    return kept(key, read)


def spec_of(pool: Pool) -> PoolSpec:
    """The spec of a growing pool. Raises UnusablePoolError where this version of the site cannot choose by it."""
    spec = pool.drawn_with
    if spec is None or spec.method.policy is None:
        raise UnusablePoolError(
            f"This version of the site cannot choose documents by {pool.strategy}. Start a version that has the strategy."
        )
    return spec


def _of_topic(head: PooledRun, number: str) -> PooledRun:
    ranking = head.ranking.filter(pl.col("topic").cast(pl.String) == number)
    return PooledRun(head.tag, head.team, head.priority, ranking)


def _runs_as_frozen(pool: Pool) -> list[Run]:
    """The pooled runs, of a task that orders them as it did then."""
    task, ordering = copy(pool.task), spec_of(pool).ordering
    task.run_order, task.reference = ordering.run_order, ordering.reference
    runs = []
    for pooled in PoolRun.objects.filter(pool=pool).select_related("run__team").order_by("run__tag"):
        if pooled.run.sha256 != pooled.sha256:
            raise UnusablePoolError(f"Run {pooled.run.tag} is not the one that was pooled. Freeze a new version.")
        pooled.run.task, pooled.run.priority = task, pooled.priority_then
        runs.append(pooled.run)
    return runs


def is_open(pool: Pool, topic: Topic | int) -> bool:
    """Whether further documents may be chosen for the topic; never for pools that do not grow."""
    if not pool.grows:
        return False
    last = TopicStop.objects.filter(pool=pool, topic=topic).order_by("-pk").first()
    return last is None or last.kind not in STOPPED


def open_topics(pools: Iterable[Pool]) -> set[tuple[int, int]]:
    """The (pool, topic) keys with entries for which further documents may be chosen, for any number of pools."""
    growing = [pool for pool in pools if pool.grows]
    if not growing:
        return set()
    latest = TopicStop.objects.filter(pool__in=growing).order_by().values("pool", "topic").annotate(last=Max("pk"))
    stopped = TopicStop.objects.filter(pk__in=[row["last"] for row in latest], kind__in=STOPPED)
    pooled = {(pool.pk, topic) for pool in growing for topic in pooled_topics(pool)}
    return pooled - set(stopped.values_list("pool_id", "topic_id"))


def chosen_documents(pool: Pool) -> pl.DataFrame:
    """Topic and docno of all that was chosen while the pool was judged, also out of the control sample."""
    rows = (
        PoolChoice.objects.filter(pool=pool).order_by("topic__position", "step").values_list("topic__number", "docno")
    )
    return pl.DataFrame(list(rows), schema={"topic": pl.String, "docno": pl.String}, orient="row")


def rule_in_words(rule: Stopping, spec: PoolSpec) -> str:
    """Why the rule stops a topic, for the log and the organisers."""
    if rule.reason == PATIENCE:
        return f"The last {number_of(spec.parameters['patience'], 'chosen document')} brought no relevant one."
    return f"The topic has {number_of(rule.judged, 'document')}, as many as the pool allows."
