"""Which pooled run holds which entries of a frozen pool: read from the runs' tables, and kept for the next reader."""

import hashlib
from collections.abc import Callable, Iterator

import polars as pl
from django.core.cache import caches
from django.db.models import Sum

from campaign.formats.runs.table import ranked
from campaign.models import Job
from campaign.runs.selectors.reading import run_table
from campaign.version import VERSION
from campaign.web.cache import count_of, count_up
from pooling.core.completeness.holders import Holder, Holders, holders_of
from pooling.models import Pool, PoolEntry
from pooling.selectors.pools import contributing_runs
from pooling.selectors.sizes import entry_count
from pooling.selectors.tables import ROWS_AT_ONCE, table_of

READ_HOLDERS = "read holders of a pool"
"""Done by pooling/jobs.py."""
KEPT_SECONDS = 24 * 3600
KEPT_FORM = 2
"""Raise it when what is kept has another form, or is counted otherwise: a cache outlives an update of the site."""
LINES_READ_AT_ONCE = 2_000_000
"""More lines of runs than that are read by a job, since a page would keep its reader waiting."""

Report = Callable[[int, int, str], None]


def known_holders(pool: Pool) -> Holders | None:
    """What is kept of this pool with the entries that it has now; None if nobody has read it lately."""
    held: Holders | None = caches["bulk"].get(holders_key(pool))
    return held


def read_holders(pool: Pool, report: Report | None = None) -> Holders:
    """Read the pooled runs in the order in which the pool took their documents, one at a time, and keep the result."""
    key = holders_key(pool)
    entries = PoolEntry.objects.filter(pool=pool).order_by().values_list("topic__number", "docno")
    pairs = table_of(entries.iterator(ROWS_AT_ONCE), {"topic": pl.String, "docno": pl.String})
    held = holders_of(pairs, _rankings(pool, report), depth_held(pool))
    caches["bulk"].set(key, held, timeout=KEPT_SECONDS)
    count_up(_mark_of(key), KEPT_SECONDS)
    return held


def were_holders_read(pool: Pool) -> bool:
    """Whether some process of this version has read within a day what the pooled runs hold of the entries that it has now."""
    return count_of(_mark_of(holders_key(pool))) > 0


def lines_of_runs(pool: Pool) -> int:
    lines: int | None = contributing_runs(pool).order_by().aggregate(lines=Sum("run__lines"))["lines"]
    return lines or 0


def latest_reading(pool: Pool) -> Job | None:
    """The last job that read, or reads, the runs of this pool."""
    jobs = Job.objects.filter(name=READ_HOLDERS, task=pool.task_id, arguments__pool_id=pool.pk)
    return jobs.order_by("-pk").first()


def depth_held(pool: Pool) -> int | None:
    """How many first documents of each run its strategy looked at; None for all, or where this version does not know it."""
    spec = pool.drawn_with
    return None if spec is None else spec.method.reads(spec.parameters)


def _rankings(pool: Pool, report: Report | None) -> Iterator[tuple[Holder, pl.DataFrame]]:
    pooled = list(contributing_runs(pool))
    for place, row in enumerate(pooled):
        if report is not None:
            report(place, len(pooled), "reading runs")
        run = row.run
        ranking = ranked(run_table(run), pool.ordering or run.task.ordering)
        yield Holder(run.tag, run.team.slug, row.priority_then), ranking


def _mark_of(key: str) -> str:
    return f"{key}:read:{VERSION}"


def holders_key(pool: Pool) -> str:
    """Names the entries and the runs with all that is kept of them: teams are renamed, and entries are added."""
    runs = (
        contributing_runs(pool).order_by("run").values_list("run", "sha256", "run__tag", "run__team__slug", "priority")
    )
    lines = [pool.sha256, str(entry_count(pool)), *map(str, runs)]
    return f"pooling:holders:{KEPT_FORM}:{pool.pk}:{hashlib.sha256(chr(10).join(lines).encode()).hexdigest()}"
