"""Frozen pools: the list of versions, one version, its file, and the card on the task's overview."""

from typing import Any, Final

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from campaign.collection.services.repairs import topic_repairs
from campaign.collection.views.import_pages import pages_of
from campaign.models import Import, Job, Task
from campaign.permissions import get_organised_task_or_404, get_task_or_404, is_organiser, signed_in
from campaign.setup.selectors.phases import moves_on
from campaign.setup.selectors.schedule import uploads_end
from campaign.web.short_lists import short_list
from pooling.core.preview.exactness import exactness
from pooling.core.strategies.strata import ESTIMATORS
from pooling.forms import PoolImportForm
from pooling.models import Pool
from pooling.permissions import get_pool_or_404
from pooling.selectors.growth_states import growth_of
from pooling.selectors.pools import (
    contributing_runs,
    docnos_without_text,
    draw_command,
    latest_freeze,
    latest_pool,
    newer_pool,
    pool_delta,
    pool_text,
    pool_topic_sizes,
    pooled_docnos,
    task_pools,
)
from pooling.selectors.runs import valid_runs
from pooling.selectors.samples import is_sample, sample_text
from pooling.selectors.sizes import entry_count, found_count, inclusion_probabilities, topic_sizes
from pooling.selectors.todo import pools_to_freeze
from pooling.services.imports import POOL_JOBS
from pooling.views.bars import size_bars
from pooling.views.empty import no_pool_yet

TOPICS_ON_A_PAGE = 100


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
        "pools": [(pool, pool_delta(pool), entry_count(pool), found_count(pool)) for pool in pools],
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
    by_topic = topic_sizes(pool)
    sizes, pool_runs = pool_topic_sizes(pool, by_topic), contributing_runs(pool)
    topics = Paginator(list(sizes.per_topic.items()), TOPICS_ON_A_PAGE).get_page(request.GET.get("page"))
    context = {
        "task": task,
        "pool": pool,
        "growth": growth_of(pool, by_topic) if pool.grows else None,
        "delta": pool_delta(pool),
        "newer": newer_pool(pool),
        "runs": ", ".join(filter(None, [f"{len(pool_runs):,}", pool.runs_taken])),
        "is_ordered_otherwise": pool.ordering not in (None, task.ordering),
        "probabilities": inclusion_probabilities(pool),
        "found": found_count(pool),
        "sizes": sizes,
        "bars": size_bars(sizes),
        "page": topics,
        "listed": short_list(request.GET, pool_runs, lambda row: f"{row.run.tag} {row.run.team.name}", of="run"),
        "without_text": docnos_without_text(pool, sum(by_topic.values())),
        "draw_command": draw_command(pool),
        "exactness": exactness(pool.reach) if pool.reach is not None else (),
        **_said_by_the_strategy(pool),
    }
    return render(request, "pooling/pool_detail.html", context)


def _said_by_the_strategy(pool: Pool) -> dict[str, Any]:
    """A stored pool stays readable in a version of the site that no longer has its strategy."""
    spec = pool.drawn_with
    if spec is None:
        return {"order": pool.order, "contributes": "documents of the run", "reads_judgments": False, "estimators": ""}
    return {
        "order": spec.judging_order.label,
        "contributes": spec.method.contributes(spec.parameters),
        "reads_judgments": spec.method.reads_judgments,
        "estimators": ESTIMATORS.get(spec.method.sampling, ""),
    }


@login_required
@require_safe
def pool_download(request: HttpRequest, campaign_slug: str, task_slug: str, version: int) -> HttpResponse:
    task = get_organised_task_or_404(request.user, campaign_slug, task_slug)
    pool = get_pool_or_404(request.user, task, version)
    response = HttpResponse(pool_text(pool), content_type="text/plain; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{campaign_slug}-{task_slug}-pool-{version}.txt"'
    return response


@login_required
@require_safe
def pool_sample_download(request: HttpRequest, campaign_slug: str, task_slug: str, version: int) -> HttpResponse:
    """A file of all documents that could be drawn into a sampled pool, drawn or not; 404 for a pool that is no sample."""
    task = get_organised_task_or_404(request.user, campaign_slug, task_slug)
    pool = get_pool_or_404(request.user, task, version)
    if not is_sample(pool):
        raise Http404
    response = HttpResponse(sample_text(pool), content_type="text/plain; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{campaign_slug}-{task_slug}-pool-{version}-sample.txt"'
    return response


@login_required
@require_safe
def pool_docnos(
    request: HttpRequest, campaign_slug: str, task_slug: str, version: int, without_text: bool = False
) -> StreamingHttpResponse:
    """The pool's documents, one docno a line, each once: to fetch the texts of these only."""
    task = get_organised_task_or_404(request.user, campaign_slug, task_slug)
    pool = get_pool_or_404(request.user, task, version)
    lines = (f"{docno}\n" for docno in pooled_docnos(pool, without_text=without_text).iterator())
    response = StreamingHttpResponse(lines, content_type="text/plain; charset=utf-8")
    name = "docnos-without-text" if without_text else "docnos"
    response["Content-Disposition"] = f'attachment; filename="{campaign_slug}-{task_slug}-pool-{version}-{name}.txt"'
    return response


@require_safe
def pool_card(request: HttpRequest, campaign_slug: str, task_slug: str) -> HttpResponse:
    """For everybody who sees the task: the size of the pool is public, the runs that it was drawn from are not."""
    task = get_task_or_404(request.user, campaign_slug, task_slug)
    organises, pool = is_organiser(request.user, task.campaign), latest_pool(task)
    context = {
        "task": task,
        "organises": organises,
        "pool": pool,
        "entries": entry_count(pool) if pool else 0,
        "found": found_count(pool) if pool and organises else 0,
        "run_count": len(valid_runs(task)) if organises else None,
        "waits": next(pools_to_freeze(signed_in(request.user), [task]), None) if organises else None,
    }
    return render(request, "pooling/_pool_card.html", context)


def _beside_import(task: Task) -> dict[str, Any]:
    return {"pool": latest_pool(task), "moves_on": [*moves_on(task, Task.JUDGING), *uploads_end(task)]}


POOL_PAGES: Final = {
    Import.POOL: pages_of(
        PoolImportForm,
        POOL_JOBS,
        url_names="pool_import",
        list_name="pool_list",
        noun="line",
        verb="Freeze",
        working="Freezing the pool",
        nothing="No pool was frozen.",
        context=_beside_import,
        repairs=topic_repairs,
    )
}
