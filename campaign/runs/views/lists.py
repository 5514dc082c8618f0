"""Many runs on one page, in one table, in one archive, filtered by the address."""

from collections.abc import Iterable
from typing import Any

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, QueryDict, StreamingHttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from campaign.models import Run, Task
from campaign.permissions import get_organised_task_or_404, get_task_or_404, is_organiser
from campaign.runs.exports.archive import RunArchive
from campaign.runs.exports.run_lists import run_keys, runs_csv
from campaign.runs.forms.filter import RunFilterForm
from campaign.runs.selectors.lists import (
    SHOWN_STATES,
    count_by_shown_state,
    listed_runs,
    require_run_reader,
    run_rows,
    with_first_problem,
)
from campaign.setup.selectors.schedule import run_window
from campaign.teams.selectors.quotas import own_quotas
from campaign.web.forms import numbers_in

RUNS_ON_A_PAGE = 100


@login_required
@require_safe
def run_list(request: HttpRequest, campaign_slug: str, task_slug: str) -> HttpResponse:
    task = _listed_task(request, campaign_slug, task_slug)
    form = RunFilterForm(request.GET, task=task, user=request.user)
    page = Paginator(with_first_problem(form.runs()), RUNS_ON_A_PAGE).get_page(request.GET.get("page"))
    context = {
        **_table(request, task, page),
        "page": page,
        "form": form,
        "sort": form.order()[0],
        "states": _state_links(form),
        "superseded": form.superseded().count(),
        "window": run_window(task),
    }
    return render(request, "campaign/runs/run_list.html", context)


@login_required
@require_safe
def run_list_rows(request: HttpRequest, campaign_slug: str, task_slug: str) -> HttpResponse:
    """The current rows of the runs that the address names; the page polls those that are still unfinished."""
    task = _listed_task(request, campaign_slug, task_slug)
    numbers = numbers_in(request.GET.getlist("run")[:RUNS_ON_A_PAGE])
    runs = with_first_problem(listed_runs(request.user, task).filter(pk__in=numbers))
    form = RunFilterForm(request.GET, task=task, user=request.user)
    context = {**_table(request, task, runs), "states": _state_links(form)}
    return render(request, "campaign/runs/_run_rows.html", context)


@login_required
@require_safe
def run_table_csv(request: HttpRequest, campaign_slug: str, task_slug: str) -> StreamingHttpResponse:
    task = _listed_task(request, campaign_slug, task_slug)
    form = RunFilterForm(request.GET, task=task, user=request.user)
    return _download(runs_csv(task, run_keys(form.runs())), "text/csv; charset=utf-8", task, "csv")


@login_required
@require_safe
def run_archive(request: HttpRequest, campaign_slug: str, task_slug: str) -> StreamingHttpResponse:
    task = get_organised_task_or_404(request.user, campaign_slug, task_slug)
    form = RunFilterForm(request.GET, task=task, user=request.user)
    return _download(RunArchive(task, run_keys(form.runs()), form.in_words()), "application/zip", task, "zip")


def _download(content: Any, content_type: str, task: Task, ending: str) -> StreamingHttpResponse:
    answer = StreamingHttpResponse(content, content_type=content_type)
    answer["Content-Disposition"] = f'attachment; filename="{task.campaign.slug}-{task.slug}-runs.{ending}"'
    answer["X-Accel-Buffering"] = "no"  # a proxy that buffers it would need the disk space that streaming saves
    return answer


def _listed_task(request: HttpRequest, campaign_slug: str, task_slug: str) -> Task:
    task = get_task_or_404(request.user, campaign_slug, task_slug)
    require_run_reader(request.user, task)
    return task


def _table(request: HttpRequest, task: Task, runs: Iterable[Run]) -> dict[str, Any]:
    """The context of rows, for the page and for the fragment that polls."""
    organises = is_organiser(request.user, task.campaign)
    quotas = own_quotas(request.user, task)
    rows = run_rows(runs)
    return {
        "task": task,
        "organises": organises,
        "quotas": quotas,
        "has_room": any(quota.has_room for quota in quotas),
        "has_teams": organises or len(quotas) > 1,
        "topic_count": task.topics.count(),
        "rows": rows,
        "unfinished": [row.run.pk for row in rows if row.is_unfinished],
        "valid": [row.run.pk for row in rows if organises and row.state == Run.VALID],
        "filters": _filters(request),
    }


def _state_links(form: RunFilterForm) -> list[dict[str, Any]]:
    counts = count_by_shown_state(form.in_any_state())
    links = [{"state": "", "label": "all", "count": sum(counts.values())}]
    links += [{"state": state, "label": SHOWN_STATES[state], "count": count} for state, count in counts.items()]
    chosen = form.cleaned_data.get("state", "")
    if chosen and chosen not in counts:
        links.append({"state": chosen, "label": SHOWN_STATES[chosen], "count": 0})
    return [{**link, "is_chosen": link["state"] == chosen} for link in links]


def _filters(request: HttpRequest) -> str:
    """The query of the address without the page number and the like."""
    kept: QueryDict = request.GET.copy()
    for name in ("page", "run"):
        kept.pop(name, None)
    return kept.urlencode()
