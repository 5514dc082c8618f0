"""The runs of a task as pooling sees them."""

import hashlib
from collections.abc import Iterable

import polars as pl
from django.core.cache import caches

from campaign.formats.runs.table import ranked
from campaign.models import Run, Task
from campaign.ordering import Ordering
from campaign.runs.selectors.reading import run_table
from pooling.strategies.declaration import PooledRun
from pooling.strategies.spec import PoolSpec

KEPT_DEPTH = 100
KEPT_SECONDS = 3600


def valid_runs(task: Task) -> list[Run]:
    return list(Run.objects.filter(task=task).valid().select_related("team", "task__campaign").order_by("tag"))


def taken_runs(task: Task, spec: PoolSpec) -> list[Run]:
    """The valid runs that the spec pools."""
    return [run for run in valid_runs(task) if spec.takes(run.tag, run.priority)]


def runs_tagged(tags: Iterable[str], runs: Iterable[Run]) -> list[Run]:
    """Return the runs of these tags, in the order of the tags, by which a draw numbers them."""
    by_tag = {run.tag: run for run in runs}
    return [by_tag[tag] for tag in tags]


def pooled_run(run: Run) -> PooledRun:
    return PooledRun(run.tag, run.team.slug, run.priority, ranked(run_table(run), run.task.ordering))


def run_head(run: Run, depth: int | None) -> PooledRun:
    """Return at least the first `depth` documents of each topic; None for all. Cached, since a run's table never changes."""
    if depth is None or depth > KEPT_DEPTH:
        return pooled_run(run)
    key = f"pooling:head:{KEPT_DEPTH}:{run.task.run_order}:{run.task.reference}:{run.sha256}:{run.table.name}"
    ranking = caches["bulk"].get(key)
    if ranking is None:
        ranking = pooled_run(run).ranking.filter(pl.col("position") <= KEPT_DEPTH).select("topic", "docno", "position")
        caches["bulk"].set(key, ranking, timeout=KEPT_SECONDS)
    return PooledRun(run.tag, run.team.slug, run.priority, ranking)


def fingerprint(runs: list[Run], ordering: Ordering) -> str:
    """Return a digest of the runs' keys and checksums and their order, which differs for any other set or order."""
    lines = [f"{ordering.run_order} {ordering.reference}\n", *sorted(f"{run.pk} {run.sha256}\n" for run in runs)]
    return hashlib.sha256("".join(lines).encode()).hexdigest()
