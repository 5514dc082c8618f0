"""The runs of a task as pooling sees them."""

import hashlib
from collections.abc import Iterable, Iterator, Sequence

from django.core.cache import caches

from campaign.formats.runs.order_setting import Ordering
from campaign.formats.runs.table import ordered_columns
from campaign.models import Run, Task
from campaign.runs.selectors.reading import run_table
from pooling.core.chunked.run_heads import head_file, head_of, read_head
from pooling.core.strategies.declaration import PooledRun
from pooling.core.strategies.spec import PoolSpec

KEPT_DEPTH = 100
FORMAT = 1
"""Of kept heads. Raise it when their form changes: a cache outlives an update of the site."""
KEPT_SECONDS = 3600
ASKED_AT_ONCE = 25


def valid_runs(task: Task) -> list[Run]:
    return list(Run.objects.filter(task=task).valid().select_related("team", "task__campaign").order_by("tag"))


def taken_runs(task: Task, spec: PoolSpec) -> list[Run]:
    """The valid runs that the spec pools."""
    return spec.taken(valid_runs(task))


def runs_tagged(tags: Iterable[str], runs: Iterable[Run]) -> list[Run]:
    """Return the runs of these tags, in the order of the tags, by which a draw numbers them."""
    by_tag = {run.tag: run for run in runs}
    return [by_tag[tag] for tag in tags]


def pooled_run(run: Run, depth: int | None = None, reads_scores: bool = True) -> PooledRun:
    """Read the first `depth` documents of each topic from the run's table; None for all."""
    ordering = run.task.ordering
    head = head_of(run_table(run, ordered_columns(ordering)), ordering, depth, reads_scores)
    return PooledRun(run.tag, run.team.slug, run.priority, head)


def run_head(run: Run, depth: int | None) -> PooledRun:
    """Return at least the first `depth` documents of each topic; None for all. Cached, since a run's table never changes."""
    return next(run_heads([run], depth))


def run_heads(runs: Sequence[Run], depth: int | None) -> Iterator[PooledRun]:
    """The head of each of these runs, as `run_head` gives it; what is kept of them is asked for at once."""
    if depth is None or depth > KEPT_DEPTH:
        yield from (pooled_run(run, depth) for run in runs)
        return
    for start in range(0, len(runs), ASKED_AT_ONCE):
        some = runs[start : start + ASKED_AT_ONCE]
        kept = caches["bulk"].get_many([head_key(run) for run in some])
        for run in some:
            content = kept.pop(head_key(run), None)
            if content is not None:
                yield PooledRun(run.tag, run.team.slug, run.priority, read_head(content))
            else:
                head = pooled_run(run, KEPT_DEPTH)
                caches["bulk"].set(head_key(run), head_file(head.ranking), timeout=KEPT_SECONDS)
                yield head


def head_key(run: Run) -> str:
    """The cache is one for all machines where there is Redis, else one for each process; the key names the content."""
    return f"pooling:head:{FORMAT}:{KEPT_DEPTH}:{run.task.run_order}:{run.task.reference}:{run.sha256}:{run.table.name}"


def fingerprint(runs: Iterable[Run], topics: Iterable[str], ordering: Ordering) -> str:
    """Return a digest of all that a pool is drawn from besides its settings and judgments; it differs for any other of it."""
    of_runs = sorted(f"{run.pk} {run.sha256} {run.tag} {run.team_id} {run.priority}" for run in runs)
    lines = [f"{ordering.run_order} {ordering.reference}", *of_runs, *topics]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()
