"""Frozen pools as pages and later apps read them."""

from dataclasses import dataclass
from datetime import datetime

import polars as pl
from django.db.models import Count, Exists, Max, Min, OuterRef, QuerySet

from campaign.collection.selectors.topics import topic_numbers
from campaign.models import Document, Job, Run, Task
from campaign.ordering import Ordering
from campaign.sorting import by_numbers
from pooling.command.reproduction import command_line
from pooling.figures.coverage import TopicSizes, topic_sizes
from pooling.models import Pool, PoolEntry, PoolRun
from pooling.strategies.drawing import ENTRY_COLUMNS, SAMPLED_AS, pool_file

FREEZE_POOL = "freeze pool"
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


def pool_table(pool: Pool) -> pl.DataFrame:
    """The drawn entries in judging order, topics in the task's order: topic, docno and the numbers that a draw has of each."""
    columns = ["topic__number", *ENTRY_COLUMNS[1:]]
    drawn = PoolEntry.objects.filter(pool=pool, source=PoolEntry.DRAWN).order_by("topic__position", "position")
    rows = list(drawn.values_list(*columns))
    counts = {"position": pl.UInt32, "best_position": pl.UInt32, "run_count": pl.UInt32}
    schema = {"topic": pl.String, "docno": pl.String, **counts, **SAMPLED_AS}
    return pl.DataFrame(rows, schema=schema, orient="row")


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
    return pl.DataFrame(list(pairs), schema={"topic": pl.String, "docno": pl.String}, orient="row")


def pooled_docnos(pool: Pool, *, without_text: bool = False) -> QuerySet[PoolEntry, str]:
    """Return the docnos of the pool in byte order, each once; `without_text`: those of which the task has no text."""
    entries = PoolEntry.objects.filter(pool=pool)
    if without_text:
        texts = Document.objects.filter(collection=pool.task.collection_id, docno=OuterRef("docno"), has_text=True)
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


def entry_count(pool: Pool) -> int:
    """The documents to judge so far: what was drawn, and what was added since."""
    return PoolEntry.objects.filter(pool=pool).count()


def found_count(pool: Pool) -> int:
    """Of these, the documents that somebody found by hand."""
    return PoolEntry.objects.filter(pool=pool, source=PoolEntry.FOUND).count()


def pool_delta(pool: Pool) -> Delta | None:
    before = Pool.objects.filter(task=pool.task_id, version__lt=pool.version).order_by("-version").first()
    if before is None:
        return None
    same = PoolEntry.objects.filter(topic=OuterRef("topic"), docno=OuterRef("docno"))
    earlier = same.filter(pool__task=pool.task_id, pool__version__lt=pool.version)
    added = PoolEntry.objects.filter(~Exists(earlier), pool=pool).count()
    removed = PoolEntry.objects.filter(~Exists(same.filter(pool=pool)), pool=before).count()
    return Delta(before=before, added=added, removed=removed)


def pool_topic_sizes(pool: Pool) -> TopicSizes:
    counts = PoolEntry.objects.filter(pool=pool).order_by().values_list("topic__number").annotate(Count("pk"))
    return topic_sizes(dict(counts), topic_numbers(pool.task))


def inclusion_probabilities(pool: Pool) -> tuple[float, float] | None:
    """Return the smallest and the largest inclusion probability of a sampled pool; None if the pool is no sample."""
    limits = PoolEntry.objects.filter(pool=pool, source=PoolEntry.DRAWN).aggregate(
        low=Min("inclusion_probability"), high=Max("inclusion_probability")
    )
    return None if limits["low"] is None else (limits["low"], limits["high"])


def contributing_runs(pool: Pool) -> QuerySet[PoolRun]:
    return (
        PoolRun.objects.filter(pool=pool)
        .select_related("run__team", "run__task__campaign")
        .order_by(by_numbers("run__tag"))
    )
