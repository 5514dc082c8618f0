"""Freezing: the one write of this app. A frozen pool is never changed; what comes later is a new version."""

import hashlib
from collections.abc import Sequence

import polars as pl
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Max

from campaign import tasking
from campaign.audit import audit
from campaign.collection.selectors.topics import topic_numbers
from campaign.models import Run, Task, Topic, User
from campaign.setup.services.tasks import task_advance
from pooling.models import Pool, PoolEntry, PoolRun
from pooling.selectors.judged import judged_documents
from pooling.selectors.pools import FREEZE_POOL
from pooling.selectors.runs import fingerprint, pooled_run, runs_tagged, taken_runs
from pooling.strategies.coverage import contributions
from pooling.strategies.drawing import Draw, draw_pool, pool_file
from pooling.strategies.spec import PoolSpec


def pool_freeze_request(*, actor: User, task: Task, spec: PoolSpec) -> None:
    """Have the pool drawn and kept by a job; the list of pools shows how it goes."""
    tasking.enqueue(FREEZE_POOL, task_id=task.pk, actor_id=actor.pk, spec=spec.to_json())


def pool_freeze(*, actor: User, task: Task, spec: PoolSpec) -> Pool:
    """Draw the pool from runs in the order of the task, and keep it as the next version.

    Returns the latest version again if that is this very pool.
    """
    spec = spec.ordered_by(task.ordering)
    runs = taken_runs(task, spec)
    _require_runs(runs, spec)
    draw = draw_pool([pooled_run(run) for run in runs], topic_numbers(task), spec, judged_documents(task, spec))
    if not draw.entries.height:
        raise ValidationError(
            "The pooled runs hold no document for any topic of this task, so there is nothing to judge."
        )
    sha256 = hashlib.sha256(pool_file(draw.entries)).hexdigest()
    with transaction.atomic():
        locked = Task.objects.select_for_update().select_related("campaign").get(pk=task.pk)
        if fingerprint(taken_runs(locked, spec), locked.ordering) != fingerprint(runs, task.ordering):
            raise ValidationError(
                "The valid runs or their order changed while the pool was drawn. Look at the preview again, then freeze."
            )
        pool = _same_as_latest(locked, spec, sha256, runs)
        if pool is None:
            pool = _store(actor, locked, spec, draw, sha256, runs)
            task_advance(actor=actor, task=task, phase=Task.JUDGING)
    return pool


def _require_runs(runs: Sequence[Run], spec: PoolSpec) -> None:
    missing = sorted(set(spec.runs or ()) - {run.tag for run in runs})
    if missing:
        raise ValidationError(
            f"There is no valid run {', '.join(missing)} to pool. Leave it out or have it checked first."
        )
    if not runs:
        raise ValidationError("No valid run fits these settings. A pool needs at least one valid run.")


def _same_as_latest(task: Task, spec: PoolSpec, sha256: str, runs: list[Run]) -> Pool | None:
    """Return the latest pool if it is this very one, so that a job sent again or a button pressed twice adds no version."""
    latest = Pool.objects.filter(task=task).order_by("-version").first()
    if latest is None or latest.sha256 != sha256 or latest.spec != spec.to_json():
        return None
    pooled = {(pool_run.run_id, pool_run.sha256) for pool_run in PoolRun.objects.filter(pool=latest)}
    return latest if pooled == {(run.pk, run.sha256) for run in runs} else None


def _store(actor: User, task: Task, spec: PoolSpec, draw: Draw, sha256: str, runs: Sequence[Run]) -> Pool:
    newest = Pool.objects.filter(task=task).aggregate(newest=Max("version"))["newest"] or 0
    pool = Pool(
        task=task,
        version=newest + 1,
        strategy=spec.strategy,
        spec=spec.to_json(),
        order=spec.order,
        seed=spec.seed,
        size=draw.entries.height,
        sha256=sha256,
        frozen_by=actor,
    )
    pool.full_clean()
    pool.save()
    _store_runs(pool, draw, runs)
    _store_entries(pool, draw.entries)
    facts = {"version": pool.version, "size": pool.size, "sha256": sha256, "runs": [run.tag for run in runs]}
    audit(actor, "freeze", pool, campaign=task.campaign, settings=spec.to_json(), **facts)
    return pool


def _store_runs(pool: Pool, draw: Draw, runs: Sequence[Run]) -> None:
    pooled = runs_tagged(draw.tags, runs)
    teams = sorted({run.team_id for run in pooled})
    counted = contributions(draw.selected, [teams.index(run.team_id) for run in pooled])
    rows = counted.runs.select("contributed", "unique").iter_rows()
    PoolRun.objects.bulk_create(
        PoolRun(pool=pool, run=run, sha256=run.sha256, contributed=contributed, unique=unique)
        for run, (contributed, unique) in zip(pooled, rows, strict=True)
    )


def _store_entries(pool: Pool, entries: pl.DataFrame) -> None:
    topics = dict(Topic.objects.filter(task=pool.task_id).values_list("number", "pk"))
    PoolEntry.objects.bulk_create(
        (
            PoolEntry(
                pool=pool,
                topic_id=topics[topic],
                docno=docno,
                position=position,
                best_position=best_position,
                run_count=run_count,
                inclusion_probability=inclusion_probability,
            )
            for topic, docno, position, best_position, run_count, inclusion_probability in entries.iter_rows()
        ),
        batch_size=2000,
    )
