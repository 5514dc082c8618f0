"""Freezing: the one write of this app. A frozen pool is never changed; what comes later is a new version."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from io import BytesIO
from tempfile import TemporaryFile

import polars as pl
from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Max

from campaign.collection.selectors.topics import topic_numbers
from campaign.log.audit import audit
from campaign.models import Job, Run, Task, User
from campaign.permissions import locked_organised_campaign_or_404, locked_task_or_404
from campaign.queue.jobs import enqueue
from campaign.setup.services.closing import close_for_pool
from campaign.setup.services.tasks import task_advance
from campaign.storage import store
from campaign.web.daily_limits import require_few_changes, require_few_rows
from pooling.core.chunked.drawing import DrawnPool, HeadsInParts, Report, draw_in_parts, parts_of, unreported
from pooling.core.chunked.spool import Spool
from pooling.core.preview.exactness import reach_as_drawn
from pooling.core.preview.pool_figures import depth_looked_at
from pooling.core.strategies.engine import ENGINE
from pooling.core.strategies.frames import frame_file
from pooling.core.strategies.spec import PoolSpec
from pooling.models import Pool, PoolRun
from pooling.selectors.judged_documents import judged_documents
from pooling.selectors.pools import FREEZE_POOL
from pooling.selectors.runs import fingerprint, pooled_run, runs_tagged, taken_runs
from pooling.services.duplicates import search_request
from pooling.services.entries import entries_store

MOST_DOCUMENTS = 1000
"""Of a run for a topic, as runs mostly are, where nothing says how many."""
MOST_WAITING = 10
"""Freezings of a task that are asked for at once."""
MOST_POOLS_A_DAY = 50
"""Of a task: a frozen pool is kept for ever."""
CHANGED = "The valid runs, their order or priorities, or the topics changed"
LOOK_AGAIN = "Look at the preview again, then freeze."


@dataclass(frozen=True, slots=True)
class Confirmed:
    """What somebody saw who asked for the pool: the `fingerprint` of runs and topics, and the `latest` version (0: none)."""

    fingerprint: str
    latest: int


@transaction.atomic
def pool_freeze_request(*, actor: User, task: Task, spec: PoolSpec, confirmed: Confirmed) -> Job:
    """Have the pool drawn and kept by a job; the list of pools shows how it goes."""
    locked_organised_campaign_or_404(actor, task.campaign)  # the task's row is held while a pool is being stored
    waiting = Job.objects.filter(name=FREEZE_POOL, task=task, state__in=[Job.QUEUED, Job.WORKING])
    if waiting.count() >= MOST_WAITING:
        raise ValidationError(f"{MOST_WAITING} pools of this task are being frozen. Wait for them.")
    frozen, what = Pool.objects.filter(task=task), "frozen pools of this task"
    require_few_rows(frozen, "frozen_at", {"frozen_by": actor}, MOST_POOLS_A_DAY, what)
    require_few_changes(actor)  # also for those that fail
    arguments = {"task_id": task.pk, "actor_id": actor.pk, "spec": spec.to_json()}
    return enqueue(FREEZE_POOL, **arguments, confirmed=asdict(confirmed))


def pool_freeze(
    *, actor: User, task: Task, spec: PoolSpec, confirmed: Confirmed | None = None, report: Report = unreported
) -> Pool:
    """Draw the pool from runs in the order of the task, and keep it as the next version.

    Returns the latest version again if that is this very pool. Refuses what differs from what was `confirmed`.
    """
    spec = spec.ordered_by(task.ordering)
    runs = taken_runs(task, spec)
    _require_runs(runs, spec)
    drawn_from = fingerprint(runs, topic_numbers(task), task.ordering)
    if confirmed is not None and confirmed.fingerprint != drawn_from:
        raise ValidationError(f"{CHANGED} since the freezing was asked for. {LOOK_AGAIN}")
    # Without a name: nothing of it is left if this process dies.
    with TemporaryFile(dir=settings.FILE_UPLOAD_TEMP_DIR) as file:
        drawn = draw_from_tables(task, spec, runs, Spool(file), report)
        if not drawn.size:
            raise ValidationError(
                "The pooled runs hold no document for any topic of this task, so there is nothing to judge."
            )
        report(drawn.size, drawn.size, "pairs drawn, being stored")
        with transaction.atomic():
            locked = locked_task_or_404(task)
            if fingerprint(taken_runs(locked, spec), topic_numbers(locked), locked.ordering) != drawn_from:
                raise ValidationError(f"{CHANGED} while the pool was drawn. {LOOK_AGAIN}")
            return _keep(actor, locked, spec, drawn, runs, confirmed)


def draw_from_tables(task: Task, spec: PoolSpec, runs: Sequence[Run], spool: Spool, report: Report) -> DrawnPool:
    """Read the runs one after the other, each cut to what the strategy reads, and draw the pool in parts."""
    topics, method = topic_numbers(task), spec.method
    depth = depth_looked_at(spec)  # deeper than the strategy may read: for the depth to which every run is held
    heads = HeadsInParts(parts_of(topics, _rows_per_topic(runs, depth), spec), spool)
    for done, run in enumerate(runs):
        report(done, len(runs), "runs read")
        heads.add(pooled_run(run, depth, method.reads_scores))
    return draw_in_parts(heads, spec, spool, judged_documents(task, spec), report)


def _rows_per_topic(runs: Sequence[Run], depth: int | None) -> int:
    """The most documents that the runs can give for a topic."""
    return sum(min(filter(None, (depth, run.depth)), default=MOST_DOCUMENTS) for run in runs)


def _keep(
    actor: User, task: Task, spec: PoolSpec, drawn: DrawnPool, runs: list[Run], confirmed: Confirmed | None
) -> Pool:
    latest = Pool.objects.filter(task=task).order_by("-version").first()
    if latest is not None and _is_this(latest, spec, drawn.sha256, runs):
        return latest
    if confirmed is not None and latest is not None and latest.version != confirmed.latest:
        raise ValidationError(f"Pool {latest.version} came since the freezing was asked for. {LOOK_AGAIN}")
    pool = _store(actor, task, spec, drawn, runs)
    task_advance(actor=actor, task=task, phase=Task.JUDGING)
    close_for_pool(actor=actor, task=task)
    return pool


def _require_runs(runs: Sequence[Run], spec: PoolSpec) -> None:
    missing = sorted(set(spec.runs or ()) - {run.tag for run in runs})
    if missing:
        raise ValidationError(
            f"There is no valid run {', '.join(missing)} to pool. Leave it out or have it checked first."
        )
    if not runs:
        raise ValidationError("No valid run fits these settings. A pool needs at least one valid run.")


def _is_this(latest: Pool, spec: PoolSpec, sha256: str, runs: list[Run]) -> bool:
    """Whether the latest pool is this very one, so that a job sent again or a button pressed twice adds no version."""
    if latest.sha256 != sha256 or latest.spec != spec.to_json():
        return False
    pooled = {(pool_run.run_id, pool_run.sha256) for pool_run in PoolRun.objects.filter(pool=latest)}
    return pooled == {(run.pk, run.sha256) for run in runs}


def _store(actor: User, task: Task, spec: PoolSpec, drawn: DrawnPool, runs: Sequence[Run]) -> Pool:
    newest = Pool.objects.filter(task=task).aggregate(newest=Max("version"))["newest"] or 0
    reach = reach_as_drawn(spec, drawn.whole)
    pool = Pool(
        task=task,
        version=newest + 1,
        strategy=spec.strategy,
        spec=spec.to_json(),
        order=spec.order,
        seed=spec.seed,
        size=drawn.size,
        sha256=drawn.sha256,
        engine=ENGINE,
        whole=reach.whole,
        sampled_by=reach.sampling,
        frozen_by=actor,
        **_stored_frame(drawn.frame()),
    )
    pool.full_clean()
    pool.save()
    _store_runs(pool, drawn, runs)
    entries_store(pool, drawn.entries())
    facts = {"version": pool.version, "size": pool.size, "sha256": pool.sha256, "engine": pool.engine}
    facts["runs"] = [run.tag for run in runs]
    audit(actor, "freeze", pool, campaign=task.campaign, settings=spec.to_json(), **facts)
    search_request(pool)
    return pool


def _stored_frame(frame: pl.DataFrame | None) -> dict[str, str]:
    if frame is None:
        return {}
    stored = store(BytesIO(frame_file(frame)), folder="pools", suffix=".parquet")
    return {"frame": stored.name, "frame_sha256": stored.sha256}


def _store_runs(pool: Pool, drawn: DrawnPool, runs: Sequence[Run]) -> None:
    PoolRun.objects.bulk_create(
        PoolRun(pool=pool, run=run, sha256=run.sha256, contributed=contributed, unique=unique, priority=run.priority)
        for run, (contributed, unique, _) in zip(runs_tagged(drawn.tags, runs), drawn.contributed.tolist(), strict=True)
    )
