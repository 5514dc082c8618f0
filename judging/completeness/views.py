"""The completeness of a pool: the page, its picture and its files."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from campaign.drawing import draw_once
from campaign.models import Job, Task
from campaign.permissions import get_organised_task_or_404
from campaign.text.natural_order import natural_order
from judging.completeness.holders import holders_or_job
from judging.completeness.selectors import judged_key, judged_pool
from judging.exports import completeness_csv, completeness_json
from pooling.core.completeness.exhaustion import THRESHOLD
from pooling.core.completeness.holders import Holders
from pooling.core.completeness.outside import Outside
from pooling.core.completeness.report import Completeness, component_in_words
from pooling.models import Pool
from pooling.permissions import get_pool_or_404
from pooling.selectors.holders import depth_held
from pooling.selectors.pools import contributing_runs

WORST_TOPICS = 10
TOPICS_ON_A_PAGE = 100


@dataclass(frozen=True, slots=True)
class CountTable:
    """A table of counts: rows of (name, address or "", counts); `unique` heads the columns of what only this one holds."""

    name: str
    caption: str
    of: str
    rows: Sequence[tuple[str, str, Mapping[str, Any]]]
    unique: str = ""


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def pool_completeness(request: HttpRequest, campaign_slug: str, task_slug: str, version: int) -> HttpResponse:
    """To POST is to read the pooled runs again after it failed."""
    pool = _pool(request, campaign_slug, task_slug, version)
    if request.method == "POST":
        holders_or_job(pool, again=True)
        return redirect(pool.task.url("pool_completeness", version=pool.version))
    holders, job = holders_or_job(pool)
    if request.htmx:  # type: ignore[attr-defined]
        return _reading(request, pool, holders, job)
    judged = judged_pool(pool, holders)
    completeness = judged.completeness
    by_topic = sorted(completeness.topics.iter_rows(named=True), key=lambda row: natural_order(row["topic"]))
    page = Paginator(by_topic, TOPICS_ON_A_PAGE).get_page(request.GET.get("page"))
    context = {
        "task": pool.task,
        "pool": pool,
        "judged": judged,
        "completeness": completeness,
        "threshold": THRESHOLD,
        "worst": completeness.tail.topics[:WORST_TOPICS] if completeness.tail else (),
        "estimates": [(estimate, isinstance(estimate, Outside)) for estimate in completeness.estimates or ()],
        "any_estimate": any(isinstance(estimate, Outside) for estimate in completeness.estimates or ()),
        "curve": _tenths(completeness),
        "parts": _parts(completeness),
        "tables": [*_parts_held(pool, completeness), *_of_runs(pool, completeness, holders)],
        "page": page,
        "by_topic": CountTable("topics", "By topic", "Topic", [(row["topic"], "", row) for row in page.object_list]),
        "depth_held": depth_held(pool),
        "job": job,
    }
    return render(request, "judging/pool_completeness.html", context)


@login_required
@require_safe
def figures_picture(request: HttpRequest, campaign_slug: str, task_slug: str, version: int) -> HttpResponse:
    """The growth of what is found, drawn once until something is judged."""
    pool = _pool(request, campaign_slug, task_slug, version)
    theme: Literal["light", "dark"] = "dark" if request.GET.get("theme") == "dark" else "light"
    return draw_once(request, f"{judged_key(pool, None)}:{theme}", partial(_picture, pool, theme), "image/svg+xml")


def _picture(pool: Pool, theme: Literal["light", "dark"]) -> bytes:
    # matplotlib would cost every process half a second of its start
    from pooling.core.completeness.picture import saturation_picture

    return saturation_picture(judged_pool(pool, None).completeness, theme)


@login_required
@require_safe
def figures_download(
    request: HttpRequest, campaign_slug: str, task_slug: str, version: int, extension: str
) -> HttpResponse:
    """All figures as CSV or JSON; without those of runs and teams as long as the runs are not read, which they say."""
    pool = _pool(request, campaign_slug, task_slug, version)
    holders, reading = holders_or_job(pool)
    judged = judged_pool(pool, holders)
    if extension == "json":
        response = HttpResponse(completeness_json(pool, judged, holders, reading), content_type="application/json")
    else:
        response = HttpResponse(completeness_csv(judged, holders, reading), content_type="text/csv; charset=utf-8")
    name = f"{campaign_slug}-{task_slug}-pool-{version}-completeness.{extension}"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def _pool(request: HttpRequest, campaign_slug: str, task_slug: str, version: int) -> Pool:
    task: Task = get_organised_task_or_404(request.user, campaign_slug, task_slug)
    return get_pool_or_404(request.user, task, version)


def _reading(request: HttpRequest, pool: Pool, holders: Holders | None, job: Job | None) -> HttpResponse:
    response = render(request, "judging/_completeness_reading.html", {"task": pool.task, "pool": pool, "job": job})
    if holders is not None:
        response["HX-Refresh"] = "true"
    return response


def _tenths(completeness: Completeness) -> list[dict[str, Any]]:
    """Ten points of the curve, the last at its end."""
    rows = completeness.curve.height
    places = sorted({max(0, -(-rows * tenth // 10) - 1) for tenth in range(1, 11)}) if rows else []
    return completeness.curve[places].to_dicts()


def _parts(completeness: Completeness) -> list[CountTable]:
    components = [(_component(row), "", row) for row in completeness.components.iter_rows(named=True)]
    slices = [(_slice(row), "", row) for row in completeness.slices.iter_rows(named=True)]
    return [
        CountTable("slices", "By depth: the best position that a pooled run gives a document", "Positions", slices),
        CountTable("components", "By the way into the pool", "Component", components),
    ]


def _parts_held(pool: Pool, completeness: Completeness) -> list[CountTable]:
    """By priority class and by team; none as long as the runs are being read."""
    if completeness.teams is None or completeness.priorities is None:
        return []
    names = {row.run.team.slug: row.run.team.name for row in contributing_runs(pool)}
    classes = [(f"priority {row['priority']}", "", row) for row in completeness.priorities.iter_rows(named=True)]
    teams = [(names[row["team"]], "", row) for row in completeness.teams.iter_rows(named=True)]
    teams.sort(key=lambda row: natural_order(row[0]))
    return [
        CountTable("priorities", "By priority class of the runs that hold a document", "Runs", classes, "Class only"),
        CountTable("teams", "By team that holds a document", "Team", teams, "Team only"),
    ]


def _of_runs(pool: Pool, completeness: Completeness, holders: Holders | None) -> list[CountTable]:
    if holders is None or completeness.runs is None:
        return []
    runs = {row.run.tag: row.run for row in contributing_runs(pool)}
    tags = [run.tag for run in holders.runs]
    by_run = [(tags[row["run"]], row) for row in completeness.runs.iter_rows(named=True)]
    by_run.sort(key=lambda row: natural_order(row[0]))
    rows = [(tag, runs[tag].get_absolute_url(), row) for tag, row in by_run]
    return [CountTable("runs", "By run that holds a document", "Run", rows, "Run only")]


def _component(row: Mapping[str, Any]) -> str:
    return component_in_words(row["source"], row["stratum"], row["low"], row["high"])


def _slice(row: Mapping[str, Any]) -> str:
    if not row["last"]:
        return "held by no pooled run"
    return f"{row['first']} to {row['last']}" if row["first"] < row["last"] else str(row["last"])
