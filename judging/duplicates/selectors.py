"""What the organisers' page says of the near-identical documents of a pool, and of the cost of each handling."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db.models import F

from campaign.models import Document
from campaign.text.plurals import number_of, work_time
from judging.progress.selectors.progress import SECONDS_ASSUMED
from pooling.models import DuplicateSearch, Pool, Twin
from pooling.selectors.judged_documents import judging_pace
from pooling.selectors.pools import docno_count
from pooling.selectors.sizes import added_since, entry_count


@dataclass(frozen=True, slots=True)
class Found:
    """Of a search: near-identical documents, the classes that they are in and their topics, and what was not compared.

    `entries`: documents to judge where each is judged; `seconds`: what one takes. `documents` of the pool, by docno;
    `added`: entries that came into the pool after the search.
    """

    classes: int
    members: int
    topics: int
    entries: int
    documents: int
    added: int
    seconds: float

    @property
    def spared(self) -> int:
        return self.members - self.classes

    def cost(self, handling: str) -> str:
        """What is to be judged, as counts and hours."""
        spared = self.spared if handling == DuplicateSearch.ONE else 0
        count, hour = self.entries - spared, 3600 / self.seconds
        less = f"; {spared:,} fewer, {work_time(spared / hour)}" if spared else ""
        return f"{number_of(count, 'document')}, {work_time(count / hour)}{less}"


@dataclass(frozen=True, slots=True)
class ClassOfTwins:
    """The documents of a class, the one that stands for it first, each with its title."""

    topic: str
    members: Sequence[tuple[Twin, str]]


def found_in(pool: Pool, search: DuplicateSearch) -> Found:
    twins = Twin.objects.filter(pool=pool).order_by()
    pace = judging_pace(pool.task)
    return Found(
        classes=twins.filter(docno=F("representative")).count(),
        members=twins.count(),
        topics=twins.values("topic").distinct().count(),
        entries=entry_count(pool),
        documents=docno_count(pool),
        added=added_since(pool, search.found_at),
        seconds=pace.seconds if pace else SECONDS_ASSUMED,
    )


def with_members(pool: Pool, leaders: Sequence[Twin]) -> list[ClassOfTwins]:
    """The classes that these documents stand for."""
    docnos = {twin.docno for twin in leaders}
    rows = Twin.objects.filter(pool=pool, topic__in={twin.topic_id for twin in leaders}, representative__in=docnos)
    members: dict[tuple[int, str], list[Twin]] = {}
    for twin in rows.order_by("pk"):
        members.setdefault((twin.topic_id, twin.representative), []).append(twin)
    titles = _titles(pool, {twin.docno for twins in members.values() for twin in twins})
    return [
        ClassOfTwins(
            leader.topic.number,
            [(twin, titles.get(twin.docno, "")) for twin in members[leader.topic_id, leader.docno]],
        )
        for leader in leaders
    ]


def _titles(pool: Pool, docnos: set[str]) -> Mapping[str, str]:
    held = Document.objects.filter(collection=pool.task.collection_id, docno__in=docnos)
    return dict(held.values_list("docno", "title"))
