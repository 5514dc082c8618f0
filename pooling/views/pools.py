"""Frozen pools: the list of versions, one version, its file, and the card on the task's overview."""

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from campaign.models import Job
from campaign.permissions import get_organised_task_or_404, get_task_or_404, is_organiser, signed_in
from pooling.models import Pool
from pooling.permissions import get_pool_or_404
from pooling.selectors.pools import (
    contributing_runs,
    inclusion_probabilities,
    latest_freeze,
    latest_pool,
    pool_delta,
    pool_text,
    pool_topic_sizes,
    task_pools,
)
from pooling.selectors.runs import valid_runs
from pooling.selectors.waiting import pools_to_freeze
from pooling.views.bars import size_bars
from pooling.views.empty import no_pool_yet


@login_required
@require_safe
def pool_list(request: HttpRequest, campaign_slug: str, task_slug: str) -> HttpResponse:
    task = get_organised_task_or_404(request.user, campaign_slug, task_slug)
    job = latest_freeze(task)  # before the pools: a finished job has added its pool before
    pools = list(task_pools(task))
    failed = job is not None and job.state == Job.FAILED and not (pools and pools[0].frozen_at > job.created_at)
    run_count = len(valid_runs(task))
    context = {
        "task": task,
        "pools": [(pool, pool_delta(pool)) for pool in pools],
        "run_count": run_count,
        "nothing": no_pool_yet(task, run_count),
        "working": job if job is not None and job.is_unfinished else None,
        "failed": job if failed else None,
    }
    template = "pooling/_pools.html" if request.htmx else "pooling/pool_list.html"  # type: ignore[attr-defined]
    response = render(request, template, context)
    if request.htmx and job is not None and job.state == Job.DONE:  # type: ignore[attr-defined]
        response["HX-Refresh"] = "true"  # the phase bar and the next step change with it
    return response


@login_required
@require_safe
def pool_detail(request: HttpRequest, campaign_slug: str, task_slug: str, version: int) -> HttpResponse:
    task = get_organised_task_or_404(request.user, campaign_slug, task_slug)
    pool = get_pool_or_404(request.user, task, version)
    sizes, pool_runs = pool_topic_sizes(pool), contributing_runs(pool)
    context = {
        "task": task,
        "pool": pool,
        "delta": pool_delta(pool),
        "runs": _runs_in_words(len(pool_runs), pool.spec),
        "is_ordered_otherwise": pool.ordering not in (None, task.ordering),
        "probabilities": inclusion_probabilities(pool),
        "sizes": sizes,
        "bars": size_bars(sizes),
        "pool_runs": pool_runs,
        **_said_by_the_strategy(pool),
    }
    return render(request, "pooling/pool_detail.html", context)


def _said_by_the_strategy(pool: Pool) -> dict[str, Any]:
    """A stored pool stays readable in a version of the site that no longer has its strategy."""
    spec = pool.drawn_with
    if spec is None:
        return {"order": pool.order, "contributes": "documents of the run", "reads_judgments": False}
    return {
        "order": spec.judging_order.label,
        "contributes": spec.method.contributes(spec.parameters),
        "reads_judgments": spec.method.reads_judgments,
    }


def _runs_in_words(count: int, spec: dict[str, Any]) -> str:
    words = [f"{count:,}"]
    if spec.get("max_priority"):
        words.append(f"of priority up to {spec['max_priority']}")
    if spec.get("runs"):
        words.append("named one by one")
    return ", ".join(words)


@login_required
@require_safe
def pool_download(request: HttpRequest, campaign_slug: str, task_slug: str, version: int) -> HttpResponse:
    task = get_organised_task_or_404(request.user, campaign_slug, task_slug)
    pool = get_pool_or_404(request.user, task, version)
    response = HttpResponse(pool_text(pool), content_type="text/plain; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{campaign_slug}-{task_slug}-pool-{version}.txt"'
    return response


@require_safe
def pool_card(request: HttpRequest, campaign_slug: str, task_slug: str) -> HttpResponse:
    """For everybody who sees the task: the size of the pool is public, the runs that it was drawn from are not."""
    task = get_task_or_404(request.user, campaign_slug, task_slug)
    organises = is_organiser(request.user, task.campaign)
    context = {
        "task": task,
        "organises": organises,
        "pool": latest_pool(task),
        "run_count": len(valid_runs(task)) if organises else None,
        "waits": next(pools_to_freeze(signed_in(request.user), [task]), None) if organises else None,
    }
    return render(request, "pooling/_pool_card.html", context)
