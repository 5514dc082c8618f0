"""The share of the pool that is judged: one number for every page and the API, and who is told it."""

from collections.abc import Collection
from dataclasses import dataclass
from functools import partial

from django.core.cache import caches
from django.db import transaction
from django.db.models import Count, Exists, OuterRef

from campaign.models import Task
from campaign.permissions import Reader
from campaign.web.asking_once import once
from judging.core.set_names import DEFAULT
from judging.judgments.selectors.acts import Heads, heads_by_topic
from judging.models import Judgment, Qrels
from judging.progress.selectors.progress import pool_numbered
from judging.qrels.selectors.releases import latest_qrels
from pooling.models import Pool, PoolEntry
from pooling.selectors.duplicates import handling_of, stood_for
from pooling.selectors.growth import open_topics
from pooling.selectors.sizes import added_since, pool_key, topic_sizes

KEPT_SECONDS = 30 * 24 * 3600


@dataclass(frozen=True, slots=True)
class PoolShare:
    """Documents of the latest pool, counted for each topic: `judged` of `total`. `is_open`: more may be chosen.

    A document is judged that somebody graded or could not judge, here or in the file that the newest release was merged with,
    and one that takes the grade of a judged near-identical one.
    """

    judged: int
    total: int
    version: int
    pool_id: int = 0
    is_open: bool = False

    @property
    def percent(self) -> int:
        """Rounded down, so that 100 % is everything.

        >>> PoolShare(69, 4200, 1).percent, PoolShare(4199, 4200, 1).percent, PoolShare(4200, 4200, 1).percent
        (1, 99, 100)
        """
        return 100 * self.judged // self.total

    @property
    def is_whole(self) -> bool:
        return self.judged == self.total and not self.is_open

    @property
    def in_words(self) -> str:
        """As short as a phase bar needs it.

        >>> PoolShare(69, 4200, 1).in_words, PoolShare(3, 4, 1, is_open=True).in_words
        ('1 % of the pool', '75 % of the pool so far')
        """
        return f"{self.percent} % of the pool{' so far' if self.is_open else ''}"


def pool_share(task: Task) -> PoolShare | None:
    """None without a pool, and where nothing of the pool is judged here and the judgments came in as a file of their own."""
    return once((pool_share, task.pk), partial(_pool_share, task))


def told_share(reader: Reader, task: Task) -> PoolShare | None:
    """The share for organisers, and for everybody once the campaign is closed, so that nobody judges.

    Before, by its standing still it would tell an assessor which documents were judged before: a second opinion, a hidden repeat.
    Told only where there are none of these, it would tell whether there are.
    """
    return pool_share(task) if reader.organises or task.campaign.why_closed else None


def released_share(qrels: Qrels, *, will_be_public: bool = False) -> PoolShare | None:
    """The share of what was pooled to which public qrels give a grade: one number for every reader, which never changes.

    It is counted when they are released, so it tells nobody what was judged again. None where they are of one assessor, hold a
    file that was merged, or give documents a grade that nobody judged: how many of the pool these are is not counted.
    """
    is_of_all = qrels.source == Qrels.JUDGED and qrels.set_name == DEFAULT
    is_public = will_be_public or qrels.published_at is not None
    if qrels.pool is None or not is_public or not is_of_all or "0" in (qrels.unjudged_as, qrels.cannot_judge_as):
        return None
    return PoolShare(
        qrels.judgment_count, qrels.judgment_count + qrels.unjudged_count, qrels.pool.version, qrels.pool.pk
    )


def _pool_share(task: Task) -> PoolShare | None:
    pool = pool_numbered(task)
    sizes = topic_sizes(pool) if pool else {}
    if pool is None or not sizes:
        return None
    heads = heads_by_topic(task.pk)
    release = latest_qrels(task)
    if release is not None and release.source == Qrels.IMPORTED and not heads:
        return None
    total, judged = sum(sizes.values()), sum(_judged_by_topic(pool, sizes, heads).values())
    if release is not None and release.source == Qrels.MERGED and release.pool_id == pool.pk:
        # Documents that came later are not among those without a grade that were counted then.
        judged = max(judged, total - added_since(pool, release.released_at) - release.unjudged_count)
    return PoolShare(judged, total, pool.version, pool.pk, is_open=bool(open_topics([pool])))


def _judged_by_topic(pool: Pool, sizes: dict[int, int], heads: dict[int, Heads]) -> dict[int, int]:
    """Kept until a topic has another act, another document or another way of taking near-duplicates: it alone is counted anew."""
    handling = handling_of(pool)
    rests_on = {topic: (acts, sizes[topic], handling) for topic, acts in heads.items() if topic in sizes}
    key = f"judging:pool-share:1:{pool_key(pool)}"
    held = caches["bulk"].get(key) or {}
    stale = [topic for topic, on in rests_on.items() if topic not in held or held[topic][0] != on]
    if stale:
        counts = _counted(pool, stale)
        held |= {topic: (rests_on[topic], counts.get(topic, 0)) for topic in stale}
        # Not before it is certain: an act that is rolled back leaves its number to another.
        transaction.on_commit(partial(caches["bulk"].set, key, held, timeout=KEPT_SECONDS))
    return {topic: held[topic][1] for topic in rests_on}


def _counted(pool: Pool, topics: Collection[int]) -> dict[int, int]:
    judged = Judgment.objects.filter(topic=OuterRef("topic"), is_current=True, verdict__in=Judgment.JUDGED)
    own = Exists(judged.filter(docno=OuterRef("docno")))
    entries = PoolEntry.objects.filter(own, pool=pool, topic__in=topics).order_by()
    counts: dict[int, int] = dict(entries.values_list("topic").annotate(Count("pk")))
    taken = stood_for([pool]).filter(~own, Exists(judged.filter(docno=OuterRef("representative"))), topic__in=topics)
    for topic, count in taken.values_list("topic").annotate(Count("pk")):
        counts[topic] = counts.get(topic, 0) + count
    return counts
