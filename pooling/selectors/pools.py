"""Frozen pools as pages and later apps read them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import polars as pl
from django.db.models import Count, Exists, OuterRef, QuerySet

from campaign.formats.runs.order_setting import Ordering
from campaign.models import Collection, Document, Job, Run, Task
from campaign.models.fields import Bytewise
from campaign.text.collation import by_numbers
from campaign.web.asking_once import once
from campaign.web.cache import kept
from pooling.command.options import command_line
from pooling.core.preview.coverage import TopicSizes
from pooling.core.preview.coverage import topic_sizes as spread
from pooling.core.strategies.drawing import ENTRY_COLUMNS, SAMPLED_AS, pool_file
from pooling.models import Pool, PoolEntry, PoolRun
from pooling.selectors.sizes import entry_count, pool_key
from pooling.selectors.tables import ROWS_AT_ONCE, table_of

FREEZE_POOL = "freeze pool"
"""Done by pooling/jobs.py."""
CHECKSUM_SHOWN = 16


def latest_freeze(task: Task) -> Job | None:
    return Job.objects.filter(name=FREEZE_POOL, task=task).order_by("-pk").first()


def task_pools(task: Task) -> QuerySet[Pool]:
    """Return the task's pools, newest first, each with `run_count`."""
    return (
        Pool.objects.filter(task=task)
        .select_related("frozen_by", "task__campaign")
        .annotate(run_count=Count("pool_runs"))
        .order_by("-version")
    )


def latest_pool(task: Task) -> Pool | None:
    return task_pools(task).first()


def latest_pools(tasks: Sequence[Task]) -> dict[int, Pool]:
    """By task, the latest pool of each that has one."""
    later = Pool.objects.filter(task=OuterRef("task"), version__gt=OuterRef("version"))
    rows = Pool.objects.filter(~Exists(later), task__in=tasks)
    found = once((latest_pools, *(task.pk for task in tasks)), lambda: {pool.task_id: pool for pool in rows})
    by_key = {task.pk: task for task in tasks}
    for key, pool in found.items():
        pool.task = by_key[key]
    return found


def pool_table(pool: Pool) -> pl.DataFrame:
    """The drawn entries in judging order, topics in the task's order: topic, docno and the numbers that a draw has of each."""
    columns = ["topic__number", *ENTRY_COLUMNS[1:]]
    drawn = PoolEntry.objects.filter(pool=pool, source=PoolEntry.DRAWN).order_by("topic__position", "position")
    rows = drawn.values_list(*columns).iterator(ROWS_AT_ONCE)
    counts = {"position": pl.UInt32, "best_position": pl.UInt32, "run_count": pl.UInt32}
    schema = {"topic": pl.String, "docno": pl.String, **counts, **SAMPLED_AS}
    return table_of(rows, schema)


def pool_text(pool: Pool) -> bytes:
    """The pool's file; its SHA-256 is `pool.sha256`."""
    return pool_file(pool_table(pool))


def draw_command(pool: Pool) -> str:
    """The command line that draws the pool again from the task's downloaded runs and topics; "" where none can."""
    spec = pool.drawn_with
    if spec is None or spec.method.reads_judgments:  # what was judged then is not kept with the pool
        return ""
    pooled = list(contributing_runs(pool))
    runs = [held.run for held in pooled]
    priorities = {held.run.tag: held.priority_then for held in pooled}
    named = [run.tag if run.state == Run.VALID else run.sha256[:CHECKSUM_SHOWN] for run in runs]
    limits = [run.depth or pool.task.max_documents_per_topic for run in runs]
    most = max(limits, default=pool.task.max_documents_per_topic)
    return command_line(spec, named, most, priorities, pool.engine)


def pooled_pairs(task: Task) -> pl.DataFrame:
    """Every (topic, docno) that some version of the task's pool holds."""
    pairs = PoolEntry.objects.filter(pool__task=task).order_by().values_list("topic__number", "docno").distinct()
    return table_of(pairs.iterator(ROWS_AT_ONCE), {"topic": pl.String, "docno": pl.String})


def latest_pairs(task: Task) -> pl.DataFrame:
    """Every (topic, docno) of the latest version."""
    latest = Pool.objects.filter(task=task).order_by("-version")[:1]
    pairs = PoolEntry.objects.filter(pool__in=latest.values("pk")).order_by().values_list("topic__number", "docno")
    return table_of(pairs.iterator(ROWS_AT_ONCE), {"topic": pl.String, "docno": pl.String})


def newer_pool(pool: Pool) -> Pool | None:
    """Return the newest version, if there is one after this: only its topics are offered for assigning."""
    return Pool.objects.filter(task=pool.task_id, version__gt=pool.version).order_by("-version").first()


def pooled_docnos(pool: Pool, *, without_text: bool = False) -> QuerySet[PoolEntry, str]:
    """Return the docnos of the pool in byte order, each once; `without_text`: those of which the task has no text."""
    entries = PoolEntry.objects.filter(pool=pool)
    if without_text:
        texts = Document.objects.filter(collection=pool.task.collection_id, has_text=True)
        texts = texts.filter(docno=Bytewise(OuterRef("docno")))
        entries = entries.filter(~Exists(texts))
    return entries.order_by("docno").values_list("docno", flat=True).distinct()


def pools_ordered_otherwise(task: Task, ordering: Ordering, before: datetime | None = None) -> list[Pool]:
    """The pools, those frozen before a moment if one is given, that took the documents of runs in another order than this."""
    pools = Pool.objects.filter(task=task).order_by("version")
    if before is not None:
        pools = pools.filter(frozen_at__lt=before)
    return [pool for pool in pools if pool.ordering not in (None, ordering)]


@dataclass(frozen=True, slots=True)
class Delta:
    """added: pairs that no earlier version has. removed: pairs of the version `before` that this one no longer holds."""

    before: Pool
    added: int
    removed: int


def pool_delta(pool: Pool) -> Delta | None:
    before = Pool.objects.filter(task=pool.task_id, version__lt=pool.version).order_by("-version").first()
    if before is None:
        return None
    earlier = Pool.objects.filter(task=pool.task_id, version__lte=pool.version).order_by("version")
    sizes = ":".join(f"{pool_key(one)}-{entry_count(one)}" for one in earlier)
    added, removed = kept(f"pooling:delta:{sizes}", lambda: _added_and_removed(before, pool))
    return Delta(before=before, added=added, removed=removed)


def _added_and_removed(before: Pool, pool: Pool) -> tuple[int, int]:
    same = PoolEntry.objects.filter(topic=OuterRef("topic"), docno=OuterRef("docno"))
    earlier = same.filter(pool__task=pool.task_id, pool__version__lt=pool.version)
    added = PoolEntry.objects.filter(~Exists(earlier), pool=pool).count()
    return added, PoolEntry.objects.filter(~Exists(same.filter(pool=pool)), pool=before).count()


def pool_topic_sizes(pool: Pool, sizes: Mapping[int, int]) -> TopicSizes:
    """How the pool spreads over the topics of the task, by their numbers. `sizes`: documents so far, by the topic's key."""
    topics = pool.task.topics.order_by(by_numbers("number")).values_list("pk", "number")
    numbers = [(number, sizes.get(key, 0)) for key, number in topics]
    return spread(dict(numbers), [number for number, _ in numbers])


def docnos_without_text(pool: Pool, entries: int) -> int:
    """How many documents of the pool have no text in the task's collection. `entries`: of the pool so far."""
    version = Collection.objects.filter(tasks=pool.task_id).values_list("documents_version", flat=True).first()
    key = f"pooling:textless:{pool_key(pool)}:{entries}:{pool.task.collection_id}:{version}"
    return kept(key, lambda: pooled_docnos(pool, without_text=True).count())


def docno_count(pool: Pool) -> int:
    """How many different documents the pool holds."""
    return kept(f"pooling:docnos:{pool_key(pool)}:{entry_count(pool)}", lambda: pooled_docnos(pool).count())


def contributing_runs(pool: Pool) -> QuerySet[PoolRun]:
    return (
        PoolRun.objects.filter(pool=pool)
        .select_related("run__team", "run__task__campaign")
        .order_by(by_numbers("run__tag"))
    )
