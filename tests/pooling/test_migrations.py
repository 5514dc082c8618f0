"""Pools and waiting jobs of earlier versions must mean the same afterwards."""

from dataclasses import replace
from typing import Any

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from campaign.models import Job, job_key
from pooling.figures.exactness import reach_of
from pooling.models import Pool
from pooling.selectors.pools import FREEZE_POOL, draw_command
from pooling.strategies.spec import PoolSpec
from tests.old_versions import as_it_was
from tests.pooling.makers import depth_k

pytestmark = pytest.mark.django_db(transaction=True)

BEFORE = {"campaign": "0008_job_names", "pooling": "0001_initial"}
FLAT = {"strategy": "depth-k", "depth": 20, "order": "docno", "seed": 2**63 - 1, "max_priority": 2, "runs": ["a", "b"]}
SAME = depth_k(20, order="docno", seed=2**63 - 1, max_priority=2, runs=("a", "b"))
FLAT_BY_DEFAULT = {"strategy": "depth-k", "depth": 10, "order": "random", "seed": 0}


def make_old_pool(old: Any, spec: dict[str, Any], version: int) -> Any:
    user, _ = old.get_model("campaign", "User").objects.get_or_create(username="olga")
    campaign, _ = old.get_model("campaign", "Campaign").objects.get_or_create(slug="c", defaults={"title": "C"})
    task, _ = old.get_model("campaign", "Task").objects.get_or_create(campaign=campaign, slug="t", title="T")
    return old.get_model("pooling", "Pool").objects.create(
        task=task, version=version, strategy="depth-k", parameters=spec, size=1, sha256="0" * 64, frozen_by=user
    )


def make_old_run(old: Any, pool: Any) -> Any:
    team = old.get_model("campaign", "Team").objects.create(slug="t", name="T")
    run = old.get_model("campaign", "Run").objects.create(
        task=pool.task, team=team, tag="a", size=1, sha256="1" * 64, submitted_by_id=pool.frozen_by_id
    )
    return old.get_model("pooling", "PoolRun").objects.create(
        pool=pool, run=run, sha256=run.sha256, depth=20, contributed=1, unique=1
    )


def make_old_job(old: Any, spec: dict[str, Any], state: str) -> Any:
    arguments = {"task_id": 7, "actor_id": 8, "spec": spec}
    return old.get_model("campaign", "Job").objects.create(
        name=FREEZE_POOL, key=job_key(arguments), arguments=arguments, state=state
    )


def test_stored_pools_and_waiting_jobs_keep_their_meaning_and_going_back_gives_what_was_there() -> None:
    """One test, since each way through all migrations takes seconds."""
    states = (Job.QUEUED, Job.WORKING, Job.DONE, Job.FAILED)
    with as_it_was(**BEFORE) as old:
        pools = [make_old_pool(old, spec, version) for version, spec in enumerate([FLAT, FLAT_BY_DEFAULT, {}], start=1)]
        pool_run = make_old_run(old, pools[0])
        jobs = [make_old_job(old, {**FLAT, "seed": SAME.seed - less}, state) for less, state in enumerate(states)]
        other = old.get_model("campaign", "Job").objects.create(name="score task", key="{}", arguments={"task_id": 7})
        executor = MigrationExecutor(connection)
        executor.migrate(executor.loader.graph.leaf_nodes())
        require_pools_drawn_alike(pools)
        require_jobs_that_mean_the_same(jobs)
        assert Job.objects.get(pk=other.pk).arguments == {"task_id": 7}
        MigrationExecutor(connection).migrate(list(BEFORE.items()))
        assert old.get_model("pooling", "Pool").objects.get(pk=pools[0].pk).parameters == FLAT
        assert old.get_model("pooling", "PoolRun").objects.get(pk=pool_run.pk).depth == 20
        unchanged = old.get_model("campaign", "Job").objects.get(pk=jobs[0].pk)
        assert (unchanged.arguments, unchanged.key) == (jobs[0].arguments, jobs[0].key)


def require_pools_drawn_alike(pools: list[Any]) -> None:
    specs = [Pool.objects.get(pk=pool.pk).spec for pool in pools]
    assert [specs[0], specs[1]] == [SAME.to_json(), depth_k(10).to_json()]
    assert PoolSpec.from_json(specs[0]) == SAME
    assert specs[2] == {}
    assert Pool.objects.get(version=1).pool_runs.get().contributed == 1
    require_what_was_not_recorded_stays_unknown(Pool.objects.get(version=1))


def require_what_was_not_recorded_stays_unknown(pool: Pool) -> None:
    assert (pool.engine, pool.whole, pool.pool_runs.get().priority) == ("", None, None)
    assert pool.reach == reach_of(SAME)
    assert "--engine" not in draw_command(pool)


def require_jobs_that_mean_the_same(jobs: list[Any]) -> None:
    """Their keys are made anew, so that none of them is asked for twice."""
    for less, job in enumerate(jobs):
        arguments = {"task_id": 7, "actor_id": 8, "spec": replace(SAME, seed=SAME.seed - less).to_json()}
        converted = Job.objects.get(pk=job.pk)
        assert (converted.arguments, converted.key, converted.state) == (arguments, job_key(arguments), job.state)
