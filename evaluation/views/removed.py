"""The working board with and without the topics that were removed from scoring."""

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from campaign.formats.spreadsheet import csv_lines
from campaign.permissions import get_organised_task_or_404
from evaluation.boards.changes import with_and_without
from evaluation.boards.measures_in_words import summary_in_words, written
from evaluation.permissions import asked_set
from evaluation.selectors.boards import scored_runs
from evaluation.views.boards import downloaded


@require_safe
@login_required
def with_removed(request: HttpRequest, campaign_slug: str, task_slug: str) -> HttpResponse:
    """Means and ranks of the runs over the topics that count, and over these and the removed ones together."""
    return render(request, "evaluation/with_removed.html", _compared(request, campaign_slug, task_slug))


@require_safe
@login_required
def with_removed_csv(request: HttpRequest, campaign_slug: str, task_slug: str) -> HttpResponse:
    found = _compared(request, campaign_slug, task_slug)
    if not found["removed"]:
        raise Http404
    head = ["run", "team", "measure", "mean_without", "rank_without", "mean_with", "rank_with"]
    lines = (
        [row["run"].tag, row["run"].team, found["measure"], *(row["numbers"][name] for name in head[3:])]
        for row in found["rows"]
    )
    return downloaded("".join(csv_lines(head, lines)), "text/csv; charset=utf-8", f"{found['task'].slug}-removed.csv")


def _compared(request: HttpRequest, campaign_slug: str, task_slug: str) -> dict[str, Any]:
    task = get_organised_task_or_404(request.user, campaign_slug, task_slug)
    scored = scored_runs(task, asked_set(task, request))
    asked = request.GET.get("measure", "")
    if scored is None or not scored.runs or not scored.counts.removed:
        return {"task": task, "removed": [], "rows": [], "measure": asked, "measures": []}
    measure = asked if asked in scored.measures else scored.measures[0]
    numbers = with_and_without(scored.values_with_removed(measure), len(scored.topics), measure)
    summary = summary_in_words(measure)
    rows = [
        {
            "run": run,
            "numbers": of_run,
            "without": written(of_run["mean_without"], summary),
            "with": written(of_run["mean_with"], summary),
            "moved": of_run["rank_with"] != of_run["rank_without"],
        }
        for run, of_run in zip(scored.runs, numbers, strict=False)
    ]
    rows.sort(key=lambda row: row["numbers"]["rank_without"])
    return {
        "task": task,
        "removed": scored.counts.removed,
        "over": scored.counts.in_words,
        "rows": rows,
        "measure": measure,
        "measures": scored.measures,
    }
