"""How the topics of a growing pool stand, for its organisers, and whether its log comes out again."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from django.db.models import Exists, OuterRef, QuerySet

from campaign.models import Job, Topic, tones
from campaign.models.tones import Toned
from campaign.text.collation import by_numbers
from pooling.core.strategies.adaptive.choosing import replayed
from pooling.core.strategies.spec import PoolSpec
from pooling.models import Pool, PoolChoice, PoolEntry, TopicStop
from pooling.selectors.duplicates import with_grades_taken
from pooling.selectors.growth import CHOOSE_DOCUMENTS, STOPPED, Course, spec_of, topic_courses, topic_lists_of
from pooling.selectors.judged_documents import judgments_of
from pooling.selectors.sizes import added_sizes, drawn_sizes


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


@dataclass(frozen=True, slots=True)
class Growth:
    """A growing pool as a whole: documents at its start, of these in the base, all so far, chosen since, and most in all.

    topics: with documents; open_count: of these, in which documents are still chosen. failed: topic number and message of each
    topic whose last choosing failed.
    """

    drawn: int
    base: int
    entries: int
    chosen: int
    most: int
    topics: int
    open_count: int
    failed: list[tuple[str, str]] = field(default_factory=list)

    @property
    def control(self) -> int:
        return self.drawn - self.base


def growth_of(pool: Pool, sizes: Mapping[int, int]) -> Growth:
    """`sizes`: documents so far, by the topic's key. Counted by the database: no entry is read."""
    spec, drawn = spec_of(pool), drawn_sizes(pool)
    found = added_sizes(pool, only=PoolEntry.FOUND)
    kinds, until = _decisions(pool)
    stopped = {topic for topic, kind in kinds.items() if kind in STOPPED}
    most = {
        topic: size if topic in stopped else max(size, (until.get(topic) or spec.parameters["size"]) + found[topic])
        for topic, size in sizes.items()
    }
    failures = _failures(pool)
    numbers = dict(pool.task.topics.filter(pk__in=failures).values_list("pk", "number"))
    return Growth(
        drawn=sum(drawn.by_topic.values()),
        base=drawn.base,
        entries=sum(sizes.values()),
        chosen=PoolChoice.objects.filter(pool=pool).count(),
        most=sum(most.values()),
        topics=len(sizes),
        open_count=len(sizes.keys() - stopped),
        failed=[(numbers[topic], message) for topic, message in failures.items()],
    )


def _decisions(pool: Pool) -> tuple[dict[int, str], dict[int, int]]:
    """By topic, the last decision about going on, and where a topic stops that went on past the rule."""
    kinds, until = {}, {}
    rows = TopicStop.objects.filter(pool=pool).order_by("pk").values_list("topic_id", "kind", "until")
    for topic, kind, past in rows:
        kinds[topic] = kind
        if past is not None:
            until[topic] = past
    return kinds, until


def grown_topics(pool: Pool) -> "QuerySet[Topic]":
    """The topics with documents, by their numbers."""
    entries = PoolEntry.objects.filter(pool=pool, topic=OuterRef("pk"))
    return pool.task.topics.filter(Exists(entries)).order_by(by_numbers("number"))


def states_of(pool: Pool, topics: Sequence[Topic]) -> list[TopicState]:
    """How these topics stand, by the current judgments of their documents."""
    keys = [topic.pk for topic in topics]
    spec, courses = spec_of(pool), topic_courses(pool, keys)
    grades: dict[str, dict[str, int]] = {}
    judged = with_grades_taken(pool, judgments_of(pool.task, keys), keys)
    for number, docno, grade in judged.select("topic", "docno", "grade").iter_rows():
        grades.setdefault(number, {})[docno] = grade
    failures, lowest = _failures(pool), pool.task.lowest_relevant_grade
    return [
        _state(spec, one, courses[one.pk], grades.get(one.number, {}), lowest, failures.get(one.pk, ""))
        for one in topics
    ]


def _failures(pool: Pool) -> dict[int, str]:
    """By topic, why the last job that chose for it failed."""
    later = Job.objects.filter(name=CHOOSE_DOCUMENTS, key=OuterRef("key"), pk__gt=OuterRef("pk"))
    failed = Job.objects.filter(~Exists(later), name=CHOOSE_DOCUMENTS, arguments__pool_id=pool.pk, state=Job.FAILED)
    return {job.arguments["topic_id"]: job.message for job in failed.order_by("pk")}


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
