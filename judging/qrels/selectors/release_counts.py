"""What a release would hold, counted by topic: all that its page says of it. Kept until something of the topic changes."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import polars as pl
from django.core.cache import caches
from django.db.models import Count, Max

from campaign.models import Topic
from campaign.text.natural_order import natural_order
from campaign.web.cache import KEPT_SECONDS
from judging.core.resolution import CANNOT_JUDGE, VOTES_FOR_MAJORITY
from judging.judgments.selectors.acts import heads_by_topic
from judging.models import Adjudication, Assignment
from judging.qrels.selectors.releases import Draft, release_draft, why_telling_nothing
from pooling.models import Pool
from pooling.selectors.duplicates import search_of
from pooling.selectors.sizes import added_sizes, drawn_sizes, pool_key

TOPICS_AT_ONCE = 200


@dataclass(frozen=True, slots=True)
class TopicCounts:
    """Documents of one topic by grade, -1 and -2 as in `Draft`; `votes`: number of grades to number of documents."""

    grades: Mapping[int, int]
    undecided: int = 0
    taken: int = 0
    votes: Mapping[int, int] = field(default_factory=dict)

    @property
    def judged(self) -> int:
        return sum(count for grade, count in self.grades.items() if grade >= 0)


@dataclass(frozen=True, slots=True)
class DraftCounts:
    """By the topic's number, in natural order. `unfinished`: assignments. Documents are relevant from `lowest_relevant`."""

    topics: Mapping[str, TopicCounts]
    lowest_relevant: int
    unfinished: int

    @property
    def graded(self) -> dict[str, TopicCounts]:
        """The topics that the file of the release holds."""
        return {number: topic for number, topic in self.topics.items() if topic.judged}

    @property
    def topics_left_out(self) -> list[str]:
        return [number for number, topic in self.topics.items() if not topic.judged]

    @property
    def pairs(self) -> int:
        return sum(sum(topic.grades.values()) for topic in self.topics.values())

    @property
    def pairs_released(self) -> int:
        return sum(sum(topic.grades.values()) for topic in self.graded.values())

    @property
    def judged(self) -> int:
        return sum(topic.judged for topic in self.topics.values())

    @property
    def relevant(self) -> int:
        held = (item for topic in self.topics.values() for item in topic.grades.items())
        return sum(count for grade, count in held if grade >= self.lowest_relevant)

    @property
    def cannot_judge(self) -> int:
        return sum(topic.grades.get(CANNOT_JUDGE, 0) for topic in self.graded.values())

    @property
    def unjudged(self) -> int:
        return self.pairs_released - self.judged - self.cannot_judge

    @property
    def undecided(self) -> int:
        return sum(topic.undecided for topic in self.topics.values())

    @property
    def taken(self) -> int:
        return sum(topic.taken for topic in self.topics.values())

    @property
    def votes(self) -> Counter[int]:
        return sum((Counter(topic.votes) for topic in self.topics.values()), Counter())

    @property
    def pairs_of_few_votes(self) -> int:
        return sum(pairs for votes, pairs in self.votes.items() if votes < VOTES_FOR_MAJORITY)

    @property
    def topics_that_tell_nothing(self) -> dict[str, str]:
        reasons = {
            number: why_telling_nothing(topic.grades, self.lowest_relevant) for number, topic in self.graded.items()
        }
        return {number: why for number, why in reasons.items() if why}

    @property
    def table(self) -> pl.DataFrame:
        """topic, grade, pairs of the file of the release."""
        rows = [(number, *item) for number, topic in self.graded.items() for item in topic.grades.items()]
        return pl.DataFrame(rows, schema={"topic": pl.String, "grade": pl.Int32, "pairs": pl.Int64}, orient="row")


def drafted_counts(pool: Pool, policy: str) -> DraftCounts:
    """The counts of `release_draft(pool, policy)`; only the topics of which something has changed are read."""
    needed = _rests_on(pool)
    key = f"judging:drafted:1:{pool_key(pool)}:{policy.replace(' ', '-')}"
    held: dict[int, tuple[Any, TopicCounts]] = caches["bulk"].get(key) or {}
    stale = [topic for topic, on in needed.items() if topic not in held or held[topic][0] != on]
    if stale:
        held |= {topic: (needed[topic], counts) for topic, counts in _counted(pool, policy, stale)}
        caches["bulk"].set(key, held, timeout=KEPT_SECONDS)
    numbers = dict(Topic.objects.filter(pk__in=needed).values_list("pk", "number"))
    counts = {numbers[topic]: held[topic][1] for topic in sorted(needed, key=lambda one: natural_order(numbers[one]))}
    return DraftCounts(
        {number: topic for number, topic in counts.items() if topic.grades},
        pool.task.lowest_relevant_grade,
        Assignment.objects.filter(pool=pool, finished_at=None, is_repeat=False).count(),
    )


def _rests_on(pool: Pool) -> dict[int, Any]:
    """Of each topic of this pool and of earlier ones: entries of each pool, last acts, decisions, and near-duplicates."""
    pools = pool.task.pools.filter(version__lte=pool.version).order_by("version")
    sizes = [Counter(drawn_sizes(one).by_topic) + added_sizes(one) for one in pools]
    heads, search = heads_by_topic(pool.task_id), search_of(pool)
    duplicates = (search.handling, search.found_at) if search else None
    rows = Adjudication.objects.filter(topic__task=pool.task_id).order_by().values_list("topic")
    decisions = {topic: found for topic, *found in rows.annotate(Count("pk"), Max("pk"))}
    return {
        topic: ([one[topic] for one in sizes], heads.get(topic), decisions.get(topic), duplicates)
        for topic in set().union(*sizes)
    }


def _counted(pool: Pool, policy: str, topics: Collection[int]) -> Iterator[tuple[int, TopicCounts]]:
    ordered = sorted(topics)
    for start in range(0, len(ordered), TOPICS_AT_ONCE):
        some = ordered[start : start + TOPICS_AT_ONCE]
        by_number = counts_of(release_draft(pool, policy, topics=some))
        for topic, number in Topic.objects.filter(pk__in=some).values_list("pk", "number"):
            yield topic, by_number.get(number, TopicCounts({}))


def counts_of(draft: Draft) -> dict[str, TopicCounts]:
    """By the topic's number."""
    grades: dict[str, dict[int, int]] = {}
    for topic, grade, count in draft.table.group_by("topic", "grade").len().sort("topic", "grade").iter_rows():
        grades.setdefault(topic, {})[grade] = count
    undecided = Counter(topic for topic, _ in draft.undecided)
    return {
        topic: TopicCounts(
            held, undecided[topic], draft.taken_by_topic.get(topic, 0), draft.votes_by_topic.get(topic, {})
        )
        for topic, held in grades.items()
    }
