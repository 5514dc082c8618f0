"""Near-identical documents of a pool: what was found, which of them others stand for, and how far a search is."""

from collections.abc import Collection, Iterable

import polars as pl
from django.db.models import F, QuerySet

from campaign.models import Job
from campaign.text.collation import by_numbers
from campaign.web.asking_once import once
from pooling.core.duplicates.standing import grades_taken
from pooling.core.strategies.declaration import PAIR
from pooling.models import DuplicateSearch, Pool, PoolEntry, Twin
from pooling.selectors.tables import ROWS_AT_ONCE, table_of

FIND_DUPLICATES = "find duplicates"
"""Done by pooling/jobs.py."""
TWINS = {"topic": pl.String, "docno": pl.String, "representative": pl.String}


def search_of(pool: Pool) -> DuplicateSearch | None:
    return _search(pool.pk)


def _search(pool_id: int) -> DuplicateSearch | None:
    return once((search_of, pool_id), DuplicateSearch.objects.filter(pool=pool_id).first)


def latest_search(pool: Pool) -> Job | None:
    """The last job that looked, or looks, for near-duplicates in this pool."""
    jobs = Job.objects.filter(name=FIND_DUPLICATES, task=pool.task_id, arguments__pool_id=pool.pk)
    return jobs.order_by("-pk").first()


def handling_of(pool: Pool | int) -> str:
    found = _search(pool if isinstance(pool, int) else pool.pk)
    return found.handling if found else DuplicateSearch.OFF


def stood_for(pools: Iterable[Pool | int]) -> "QuerySet[Twin]":
    """The documents of these pools for which another one is judged."""
    of_pools = Twin.objects.filter(pool__in=pools, pool__duplicate_search__handling=DuplicateSearch.ONE)
    return of_pools.exclude(docno=F("representative")).order_by()


def stood_for_table(pool: Pool, topics: Collection[int] | None = None) -> pl.DataFrame:
    """topic, docno, representative of each document for which another one is judged; with `topics`, of these only."""
    led = stood_for([pool]) if topics is None else stood_for([pool]).filter(topic__in=topics)
    rows = list(led.values_list("topic__number", "docno", "representative"))
    return pl.DataFrame(rows, schema=TWINS, orient="row").sort(PAIR)


def with_grades_taken(pool: Pool, graded: pl.DataFrame, topics: Collection[int] | None = None) -> pl.DataFrame:
    """Grades (topic, docno, ...), of these topics or of all, and those that documents take from the one that stands for them."""
    taken = grades_taken(graded, stood_for_table(pool, topics))
    return pl.concat([graded, taken]) if taken.height else graded


def classes_of(pool: Pool) -> "QuerySet[Twin]":
    """All documents of classes, class by class, the one that stands for it first."""
    rows = Twin.objects.filter(pool=pool).select_related("topic")
    return rows.order_by(by_numbers("topic__number"), "place", "pk")


def near_identical(pool: Pool | int, topic: int, docnos: Collection[str]) -> dict[str, list[str]]:
    """The other documents of the class of each of these, if they have one, in judging order."""
    asked = Twin.objects.filter(pool=pool, topic=topic, docno__in=docnos)
    of = dict(asked.values_list("docno", "representative"))
    members: dict[str, list[str]] = {}
    rows = Twin.objects.filter(pool=pool, topic=topic, representative__in=set(of.values())).order_by("pk")
    for docno, representative in rows.values_list("docno", "representative"):
        members.setdefault(representative, []).append(docno)
    return {docno: [other for other in members[leader] if other != docno] for docno, leader in of.items()}


def pooled_positions(pool: Pool) -> pl.DataFrame:
    """topic, docno, position of every entry."""
    rows = PoolEntry.objects.filter(pool=pool).order_by().values_list("topic__number", "docno", "position")
    return table_of(rows.iterator(ROWS_AT_ONCE), {"topic": pl.String, "docno": pl.String, "position": pl.Int64})
