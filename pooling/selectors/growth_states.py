"""How the topics of a growing pool stand, for its organisers, and whether its log comes out again."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import ClassVar

import polars as pl
from django.db.models import Exists, OuterRef

from campaign.models import Job, Topic, job_key, tones
from campaign.models.tones import Toned
from pooling.models import Pool, TopicStop
from pooling.selectors.growth import CHOOSE_DOCUMENTS, STOPPED, Course, spec_of, topic_courses, topic_lists_of
from pooling.strategies.adaptive.choosing import replayed
from pooling.strategies.spec import PoolSpec


@dataclass(frozen=True, slots=True)
class TopicState(Toned):
    """A topic of a growing pool as its organisers see it.

    entries: documents to judge so far. most: the documents at which it stops at the latest. chosen: steps.
    failure: why the last choosing failed; "" where it did not.
    """

    topic: Topic
    entries: int
    most: int
    chosen: int
    judged: int
    relevant: int
    since_relevant: int
    stop: TopicStop | None
    failure: str = ""

    TONES: ClassVar = {
        TopicStop.ON: tones.WORKING,
        TopicStop.RULE: tones.GOOD,
        TopicStop.EXHAUSTED: tones.GOOD,
        TopicStop.HAND: tones.WAITING,
    }

    @property
    def state(self) -> str:
        return TopicStop.ON if self.stop is None else self.stop.kind

    @property
    def state_in_words(self) -> str:
        return "choosing" if self.state == TopicStop.ON else TopicStop.KINDS[self.state]

    @property
    def is_stopped(self) -> bool:
        return self.stop is not None and self.stop.kind in STOPPED


@dataclass(frozen=True)
class Growth:
    """A growing pool as a whole: documents at its start, chosen since, and most in all; its topics by state."""

    drawn: int
    base: int
    entries: int
    chosen: int
    most: int
    states: list[TopicState] = field(default_factory=list)

    @property
    def control(self) -> int:
        return self.drawn - self.base

    @property
    def open_count(self) -> int:
        return sum(not state.is_stopped for state in self.states)

    @property
    def failed(self) -> list[TopicState]:
        return [state for state in self.states if state.failure]


def growth_of(pool: Pool, judged: pl.DataFrame, topic: Topic | None = None) -> Growth:
    """`judged`: topic, docno, grade of the task's judged documents."""
    spec, courses = spec_of(pool), topic_courses(pool, topic)
    grades: dict[str, dict[str, int]] = {}
    for number, docno, grade in judged.select("topic", "docno", "grade").iter_rows():
        grades.setdefault(number, {})[docno] = grade
    topics = pool.task.topics.filter(pk__in=courses).order_by("position")
    lowest = pool.task.lowest_relevant_grade
    failures = _failures(pool, courses)
    states = [
        _state(spec, one, courses[one.pk], grades.get(one.number, {}), lowest, failures.get(one.pk, ""))
        for one in topics
    ]
    return Growth(
        drawn=sum(len(course.base) + len(course.control) for course in courses.values()),
        base=sum(len(course.base) for course in courses.values()),
        entries=sum(state.entries for state in states),
        chosen=sum(state.chosen for state in states),
        most=sum(state.most for state in states),
        states=states,
    )


def _failures(pool: Pool, topics: Iterable[int]) -> dict[int, str]:
    """By topic, why the last job that chose for it failed."""
    keys = [job_key({"pool_id": pool.pk, "topic_id": topic}) for topic in topics]
    later = Job.objects.filter(name=CHOOSE_DOCUMENTS, key=OuterRef("key"), pk__gt=OuterRef("pk"))
    failed = Job.objects.filter(~Exists(later), name=CHOOSE_DOCUMENTS, key__in=keys, state=Job.FAILED)
    return {job.arguments["topic_id"]: job.message for job in failed}


def _state(
    spec: PoolSpec, topic: Topic, course: Course, grades: Mapping[str, int], lowest: int, failure: str
) -> TopicState:
    held = {docno: grade for docno, grade in grades.items() if docno in course.entries}
    rule = course.stopping(spec, {docno: grade >= lowest for docno, grade in held.items()})
    entries, allowed = len(course.entries), course.until or spec.parameters["size"]
    return TopicState(
        topic=topic,
        entries=entries,
        most=entries if course.is_stopped else max(entries, allowed + len(course.others)),
        chosen=len(course.steps),
        judged=len(held),
        relevant=sum(grade >= lowest for grade in held.values()),
        since_relevant=rule.since_relevant,
        stop=course.last_stop,
        failure=failure,
    )


def replay(pool: Pool) -> list[tuple[str, int, str]]:
    """Make every choice again: topic number, number of steps, and what comes out differently ("" where nothing does)."""
    spec, courses = spec_of(pool), topic_courses(pool)
    topics = pool.task.topics.filter(pk__in=courses).order_by("position")
    return [(one.number, len(courses[one.pk].steps), _replayed(pool, one, courses[one.pk], spec)) for one in topics]


def _replayed(pool: Pool, topic: Topic, course: Course, spec: PoolSpec) -> str:
    step = replayed(topic_lists_of(pool, topic), spec, course.base, course.steps) if course.steps else None
    return "" if step is None else f"step {step.choice.step} logged {step.choice.docno}, another document comes out."
