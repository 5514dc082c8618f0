"""What is judged and what is left of each topic, for the assessors who share it in a pass.

Pages that show hundreds of topics ask for it again and again, and every save asks for its own topic: it is kept, and brought up
to date by the acts that came since.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

from django.core.cache import caches
from django.db import transaction

from campaign.web.asking_once import once
from judging.core.hashed_sampling import Draw, drawn
from judging.judgments.selectors.acts import (
    Heads,
    Judgments,
    Pass,
    documents_since,
    heads_by_topic,
    history,
    judgments_up_to,
    standing,
)
from judging.judgments.selectors.counts import OwnCounts, Tally
from judging.models import Assignment
from judging.progress.selectors.topic_counts import Grouped, grouped_counts
from pooling.models import Pool, PoolEntry
from pooling.selectors.duplicates import search_of, stood_for
from pooling.selectors.sizes import added_sizes, drawn_sizes, pool_key

KEPT_SECONDS = 30 * 24 * 3600
TOPICS_AT_ONCE = 200
ADVANCED_AT_MOST = 5_000
"""Documents judged since topics were counted; of more they are counted anew, which is quicker."""


@dataclass(frozen=True, slots=True)
class Desk:
    """What counts need to know of an assignment; `draws` and `is_repeat` say which documents of the topic are its own."""

    assignment: int
    assessor: int
    goes_on: bool
    topic: str
    draws: tuple[Draw, ...] = ()
    is_repeat: bool = False

    @property
    def is_whole(self) -> bool:
        return not self.draws and not self.is_repeat


@dataclass(frozen=True, slots=True)
class RestsOn:
    """What counts are made of. `acts`: the last act of each assignment of the topic; () without any."""

    entries: int
    acts: Heads
    desks: tuple[Desk, ...]
    duplicates: tuple[str, datetime] | None

    def differs_in_acts_only(self, other: "RestsOn") -> bool:
        return (self.entries, self.desks, self.duplicates) == (other.entries, other.desks, other.duplicates)


@dataclass(frozen=True, slots=True)
class Share:
    """`left`: documents left to at least one of the assignments; `own`: the counts of each, by the assignment's key."""

    rests_on: RestsOn
    left: int
    own: dict[int, OwnCounts]


Shares = dict[tuple[int, int, int], Share]
"""By pool, topic and pass."""


def shares_of(pools: Iterable[Pool], topics: Collection[int] | None = None) -> Shares:
    """Of all assignments of these pools, or of these topics of them."""
    shares = {}
    for pool in pools:
        asked = (_shares, pool.pk, None if topics is None else frozenset(topics))
        for (topic, number), share in once(asked, partial(_shares, pool, topics)).items():
            shares[pool.pk, topic, number] = share
    return shares


def own_counts(assignment: Assignment) -> OwnCounts:
    """What is judged of the assignment by its assessor, and what is left; its cost does not grow with its documents."""
    topic, number = assignment.topic_id, assignment.pass_number
    return shares_of([assignment.pool], {topic})[assignment.pool_id, topic, number].own[assignment.pk]


def _shares(pool: Pool, topics: Collection[int] | None) -> dict[Pass, Share]:
    needed = _rests_on(pool, topics)
    # What one desk asks for is kept by itself, so that a save reads and writes no other topic's counts.
    alone = f":{min(topics)}" if topics is not None and len(topics) == 1 else ""
    key = f"judging:shares:5:{pool_key(pool)}{alone}"
    held: dict[Pass, Share] = caches["bulk"].get(key) or {}
    stale = {one: on for one, on in needed.items() if one not in held or held[one].rests_on != on}
    if stale:
        moved = {one: on for one, on in stale.items() if one in held and held[one].rests_on.differs_in_acts_only(on)}
        advanced = _advanced(pool, held, moved)
        anew = {one: on for one, on in stale.items() if one not in advanced}
        held |= advanced | _counted(pool, anew)
        # Not before it is certain: the number of an act that is rolled back is less than those of the acts after it.
        transaction.on_commit(partial(caches["bulk"].set, key, held, timeout=KEPT_SECONDS))
    return {one: held[one] for one in needed}


def _rests_on(pool: Pool, topics: Collection[int] | None) -> dict[Pass, RestsOn]:
    """Of each topic and pass with assignments: entries, judgments, assessors, and what is made of near-duplicates."""
    assignments = Assignment.objects.filter(pool=pool)
    if topics is not None:
        assignments = assignments.filter(topic__in=topics)
    desks: dict[Pass, list[Desk]] = defaultdict(list)
    for row in assignments.order_by("pk").select_related("topic"):
        desk = Desk(row.pk, row.assessor_id, not row.is_handed_over, row.topic.number, row.draws, row.is_repeat)
        desks[row.topic_id, row.pass_number].append(desk)
    judged = heads_by_topic(pool.task_id, topics)
    added, drawn, search = added_sizes(pool, topics), drawn_sizes(pool).by_topic, search_of(pool)
    duplicates = (search.handling, search.found_at) if search else None
    return {
        (topic, number): RestsOn(drawn.get(topic, 0) + added[topic], judged.get(topic, ()), tuple(held), duplicates)
        for (topic, number), held in desks.items()
    }


def _advanced(pool: Pool, held: Mapping[Pass, Share], moved: Mapping[Pass, RestsOn]) -> dict[Pass, Share]:
    """Counts up to the acts of today: without the documents judged since, as they stood, and with them as they stand."""
    later = {topic: on.acts for (topic, _), on in moved.items()}
    since = documents_since(_earliest({one: held[one] for one in moved}), later)
    if sum(map(len, since.values())) > ADVANCED_AT_MOST:
        return {}
    acts, entries, led = history(since), _entries(pool, list(since), since), _led(pool, moved, since)
    now = standing(acts, later.values())
    advanced = {}
    for one, on in moved.items():
        topic = one[0]
        if topic in since:
            before = standing((row for row in acts if row.topic == topic), [held[one].rests_on.acts])
            then = _share(on, one, entries[topic], before, led[topic])
            advanced[one] = _exchanged(held[one], then, _share(on, one, entries[topic], now, led[topic]))
    return advanced


def _earliest(held: Mapping[Pass, Share]) -> dict[int, Heads]:
    """By topic, the acts that all its passes have been counted up to."""
    by_topic: dict[int, list[dict[int, int]]] = defaultdict(list)
    for (topic, _), share in held.items():
        by_topic[topic].append(dict(share.rests_on.acts))
    return {
        topic: tuple((key, min(one.get(key, 0) for one in heads)) for key in heads[0])
        for topic, heads in by_topic.items()
    }


def _exchanged(share: Share, before: Share, now: Share) -> Share:
    own = {key: counts.exchanged(before.own[key], now.own[key]) for key, counts in share.own.items()}
    return Share(now.rests_on, share.left - before.left + now.left, own)


def _counted(pool: Pool, wanted: Mapping[Pass, RestsOn]) -> dict[Pass, Share]:
    led = _led(pool, wanted)
    untouched = {one for one, on in wanted.items() if not on.acts and all(desk.is_whole for desk in on.desks)}
    shares = {one: _untouched(wanted[one], len(led[one[0]])) for one in untouched}
    plain = {one: on for one, on in wanted.items() if all(desk.is_whole for desk in on.desks) and not led[one[0]]}
    shares |= _grouped(pool, {one: on for one, on in plain.items() if one not in untouched})
    rest = {one: on for one, on in wanted.items() if one not in shares}
    return shares | _read(pool, rest, led)


def _grouped(pool: Pool, wanted: Mapping[Pass, RestsOn]) -> dict[Pass, Share]:
    """Those that the database can count; not those that were judged meanwhile, whose acts would not be those of `rests_on`."""
    shares = {}
    judged = sorted({topic for topic, _ in wanted})
    for start in range(0, len(judged), TOPICS_AT_ONCE):
        some = judged[start : start + TOPICS_AT_ONCE]
        grouped, now = grouped_counts(pool, some), heads_by_topic(pool.task_id, some)
        for one, on in wanted.items():
            if one[0] in some and now.get(one[0], ()) == on.acts:
                shares[one] = _share_of_group(on, grouped.get(one, Grouped({}, 0, {})))
    return shares


def _share_of_group(on: RestsOn, group: Grouped) -> Share:
    open_to_all = on.entries - group.graded
    own = {}
    for desk in on.desks:
        unable = sum(desk.assessor in assessors for assessors in group.unable.values())
        left = open_to_all - unable if desk.goes_on else 0
        own[desk.assignment] = replace(group.said.get(desk.assessor, OwnCounts()), left=left)
    going_on = {desk.assessor for desk in on.desks if desk.goes_on}
    done = sum(going_on <= assessors for assessors in group.unable.values())
    return Share(on, open_to_all - done if going_on else 0, own)


def _read(pool: Pool, wanted: Mapping[Pass, RestsOn], led: Mapping[int, Collection[str]]) -> dict[Pass, Share]:
    shares = {}
    heads = {topic: on.acts for (topic, _), on in wanted.items()}
    judged = sorted(heads)
    for start in range(0, len(judged), TOPICS_AT_ONCE):
        some = judged[start : start + TOPICS_AT_ONCE]
        docnos, by_document = _entries(pool, some), judgments_up_to(some, {topic: heads[topic] for topic in some})
        for one, on in wanted.items():
            if one[0] in docnos:
                shares[one] = _share(on, one, docnos[one[0]], by_document, led[one[0]])
    return shares


def _untouched(on: RestsOn, led: int) -> Share:
    """Nothing is judged: the documents need not be looked at."""
    left = on.entries - led
    return Share(on, left, {desk.assignment: OwnCounts(left=left if desk.goes_on else 0) for desk in on.desks})


def _documents(desk: Desk, one: Pass, docnos: Sequence[str], by_document: Judgments) -> Collection[str]:
    """Those of the topic that the assignment is about; `one`: its topic and pass."""
    own = drawn(desk.draws, desk.topic, docnos) if desk.draws else docnos
    if not desk.is_repeat:
        return own
    topic, number = one
    before = {
        docno
        for (of, earlier), judged in by_document.items()
        if of == topic and earlier < number
        for docno, held in judged.items()
        if desk.assessor in held and held[desk.assessor].is_judged
    }
    return before.intersection(own)


def _led(
    pool: Pool, wanted: Mapping[Pass, RestsOn], only: Mapping[int, Collection[str]] | None = None
) -> dict[int, set[str]]:
    """By topic, the documents for which a near-identical one is judged; `only`: of these."""
    led: dict[int, set[str]] = defaultdict(set)
    if all(on.duplicates is None for on in wanted.values()):
        return led
    rows = stood_for([pool]).filter(topic__in={topic for topic, _ in wanted} if only is None else list(only))
    if only is not None:
        rows = rows.filter(docno__in={docno for some in only.values() for docno in some})
    for topic, docno in rows.values_list("topic_id", "docno"):
        if only is None or docno in only[topic]:
            led[topic].add(docno)
    return led


def _entries(
    pool: Pool, topics: Sequence[int], only: Mapping[int, Collection[str]] | None = None
) -> dict[int, list[str]]:
    """By topic, the documents of the pool; `only`: of these."""
    docnos: dict[int, list[str]] = {topic: [] for topic in topics}
    entries = PoolEntry.objects.filter(pool=pool, topic__in=topics).order_by()
    if only is not None:
        entries = entries.filter(docno__in={docno for some in only.values() for docno in some})
    for topic, docno in entries.values_list("topic_id", "docno").iterator(chunk_size=10_000):
        if only is None or docno in only[topic]:
            docnos[topic].append(docno)
    return docnos


def _share(on: RestsOn, one: Pass, docnos: Sequence[str], by_document: Judgments, led: Collection[str]) -> Share:
    """`led`: documents for which a near-identical one is judged. Every document counts by itself, so that counts add up."""
    judged = by_document.get(one, {})
    graded = {docno for docno, held in judged.items() if any(said.grade is not None for said in held.values())}
    own, left = {}, set()
    for desk in on.desks:
        tally = Tally()
        for docno in _documents(desk, one, docnos, by_document):
            said = judged.get(docno, {}).get(desk.assessor)
            if said is not None:
                tally.add(said)
            is_done = said is not None and said.is_judged
            if desk.goes_on and not is_done and docno not in led and docno not in graded:
                tally.left += 1
                left.add(docno)
        own[desk.assignment] = tally.counted()
    return Share(on, len(left), own)
