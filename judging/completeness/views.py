"""The completeness of a pool: the page, its picture and its files."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from campaign.drawing import draw_once
from campaign.models import Job, Task
from campaign.permissions import get_organised_task_or_404, signed_in
from campaign.text.natural_order import natural_order
from campaign.web.forms import act_and_tell
from campaign.web.short_lists import ShortList, short_list
from judging.completeness.exports import completeness_csv, completeness_json
from judging.completeness.holders import holders_or_job
from judging.completeness.selectors import judged_key, judged_pool
from pooling.core.completeness.exhaustion import THRESHOLD
from pooling.core.completeness.holders import Holders
from pooling.core.completeness.outside import Outside
from pooling.core.completeness.report import Completeness, component_in_words
from pooling.models import Pool
from pooling.permissions import get_pool_or_404
from pooling.selectors.holders import depth_held
from pooling.selectors.pools import contributing_runs

WORST_TOPICS = 10
Row = tuple[str, str, Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class CountTable:
    """A table of counts: rows of (name, address or "", counts); `unique` heads the columns of what only this one holds.

    `listed`: of a table that may be long, what is shown of it.
    """

    name: str
    caption: str
    of: str
    rows: Sequence[Row]
    unique: str = ""
    listed: ShortList[Row] | None = None


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def pool_completeness(request: HttpRequest, campaign_slug: str, task_slug: str, version: int) -> HttpResponse:
    """To POST is to read the pooled runs again after it failed."""
    pool = _pool(request, campaign_slug, task_slug, version)
    if request.method == "POST":
        actor = signed_in(request.user)
        act_and_tell(request, lambda: holders_or_job(pool, again_for=actor), "The pooled runs are being read again.")
        return redirect(pool.task.url("pool_completeness", version=pool.version))
    holders, job = holders_or_job(pool)
    if request.htmx and request.htmx.target != "listed":  # type: ignore[attr-defined]
        return _reading(request, pool, holders, job)
    judged = judged_pool(pool, holders)
    completeness = judged.completeness
    lists = _lists(request.GET, pool, completeness, holders)
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
        "priorities": _priorities(completeness),
        "lists": lists,
        "longest": max((table.listed for table in lists if table.listed), key=lambda listed: listed.total),
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


def _priorities(completeness: Completeness) -> list[CountTable]:
    """None as long as the runs are being read, as lists of teams and runs."""
    if completeness.priorities is None:
        return []
    classes = [(f"priority {row['priority']}", "", row) for row in completeness.priorities.iter_rows(named=True)]
    return [
        CountTable("priorities", "By priority class of the runs that hold a document", "Runs", classes, "Class only")
    ]


def _lists(query: QueryDict, pool: Pool, completeness: Completeness, holders: Holders | None) -> list[CountTable]:
    """By team, run and topic: the first rows of each, or those that the address asks for."""
    topics: list[Row] = [(row["topic"], "", row) for row in completeness.topics.iter_rows(named=True)]
    topics.sort(key=lambda row: natural_order(row[0]))
    by_topic = short_list(query, topics, lambda row: row[0])
    lists = [CountTable("topics", "By topic", "Topic", by_topic.rows, listed=by_topic)]
    if holders is None or completeness.teams is None or completeness.runs is None:
        return lists
    runs = {row.run.tag: row.run for row in contributing_runs(pool)}
    names = {run.team.slug: run.team.name for run in runs.values()}
    teams: list[Row] = [(names[row["team"]], "", row) for row in completeness.teams.iter_rows(named=True)]
    teams.sort(key=lambda row: natural_order(row[0]))
    by_team = short_list(query, teams, lambda row: row[0], of="team")
    tags = sorted(
        ((holders.runs[row["run"]].tag, row) for row in completeness.runs.iter_rows(named=True)), key=_natural
    )
    of_runs: list[Row] = [(tag, runs[tag].get_absolute_url(), row) for tag, row in tags]
    by_run = short_list(query, of_runs, lambda row: f"{row[0]} {runs[row[0]].team.name}", of="run")
    return [
        CountTable("teams", "By team that holds a document", "Team", by_team.rows, "Team only", by_team),
        CountTable("runs", "By run that holds a document", "Run", by_run.rows, "Run only", by_run),
        *lists,
    ]


def _natural(row: tuple[str, Any]) -> tuple[Any, ...]:
    return natural_order(row[0])


def _component(row: Mapping[str, Any]) -> str:
    return component_in_words(row["source"], row["stratum"], row["low"], row["high"])


def _slice(row: Mapping[str, Any]) -> str:
    if not row["last"]:
        return "held by no pooled run"
    return f"{row['first']} to {row['last']}" if row["first"] < row["last"] else str(row["last"])
