from functools import partial
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path
from django.views.decorators.http import require_POST, require_safe

from campaign.permissions import get_organised_task_or_404, signed_in
from campaign.text.natural_order import natural_order
from campaign.web.forms import act_and_tell
from evaluation.analysis.addresses import Page
from evaluation.analysis.charts import Links, links_to, picture_answer
from evaluation.analysis.reliability.selectors import StoredReport, reliability_job, said_of_job, stored_report
from evaluation.analysis.reliability.services import reliability_request
from evaluation.analysis.reliability.verdicts import on_new_systems, verdicts
from evaluation.analysis.reliability.words import findings
from evaluation.permissions import get_board_or_404
from evaluation.selectors.board_views import BoardView

MOST_ROWS = 30
FEW = (("none", "No relevant document"), ("one_or_two", "1 or 2"), ("below_five", "3 or 4"))


@require_safe
def reliability(request: HttpRequest, campaign_slug: str, task_slug: str, number: int | None = None) -> HttpResponse:
    """The report; to htmx of the page that waits for it only how far the job is."""
    seen = get_board_or_404(request, campaign_slug, task_slug, number)
    job = reliability_job(seen)
    context: dict[str, Any] = {"task": seen.task, "seen": seen, "job": job, "said": said_of_job(seen, job)}
    if request.htmx:  # type: ignore[attr-defined]
        return render(request, "evaluation/analysis/reliability/_progress.html", context)
    stored = stored_report(seen)
    context |= {"stored": stored, **(_shown(stored) if stored else {})}
    return render(request, "evaluation/analysis/reliability.html", context)


@require_safe
def reliability_json(
    request: HttpRequest, campaign_slug: str, task_slug: str, number: int | None = None
) -> HttpResponse:
    """The report as it was stored; the name of the file says where it is of the board as it was before."""
    seen = get_board_or_404(request, campaign_slug, task_slug, number)
    stored = _stored_or_404(seen)
    response = HttpResponse(stored.content, content_type="application/json")
    of = seen.name.replace(" ", "-") if stored.is_current else f"earlier-{seen.name.replace(' ', '-')}"
    name = f"{seen.task.campaign.slug}-{seen.task.slug}-{of}-reliability.json"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


@require_safe
def reliability_picture(
    request: HttpRequest, campaign_slug: str, task_slug: str, picture: str, file_format: str, number: int | None = None
) -> HttpResponse:
    seen = get_board_or_404(request, campaign_slug, task_slug, number)
    stored = _stored_or_404(seen)
    data = stored.data
    part = {"saturation": data["saturation"], "topics": data["without_a_topic"]}.get(picture)
    if part is None:
        raise Http404
    topics = list(seen.board.topics)
    draw = partial(_draw, picture, data, topics, links_to(request, seen, "topic", measure=data["measure"]))
    return picture_answer(request, seen, f"reliability {picture} {stored.name}", file_format, draw)


@require_POST
@login_required
def reliability_compute(
    request: HttpRequest, campaign_slug: str, task_slug: str, number: int | None = None
) -> HttpResponse:
    task = get_organised_task_or_404(request.user, campaign_slug, task_slug)
    seen = get_board_or_404(request, campaign_slug, task_slug, number)
    actor, asked = signed_in(request.user), "The report has been asked for. This page shows how far it is."
    act_and_tell(request, lambda: reliability_request(actor=actor, task=task, leaderboard=seen.leaderboard), asked)
    return redirect(seen.url("reliability"))


def _stored_or_404(seen: BoardView) -> StoredReport:
    stored = stored_report(seen)
    if stored is None:
        raise Http404
    return stored


def _shown(stored: StoredReport) -> dict[str, Any]:
    """The parts as the page shows them: of long tables the rows that matter most, all others are in the JSON."""
    data = stored.data
    judged = sorted(data["judged"], key=lambda row: (row["first_10"] is None, row["first_10"] or 0.0, row["run"]))
    topics = sorted(
        data["without_a_topic"] or [],
        key=lambda row: (-row["largest_fall"], row["tau"] or 0.0, natural_order(row["topic"])),
    )
    return {
        "data": data,
        "verdicts": verdicts(data),
        "on_new_systems": on_new_systems(data),
        "found": findings(data),
        "judged": judged[:MOST_ROWS],
        "more_judged": max(len(judged) - MOST_ROWS, 0),
        "topics": topics[:MOST_ROWS],
        "more_topics": max(len(topics) - MOST_ROWS, 0),
        "has_topics_picture": any(row["tau"] is not None for row in topics),
        "few": _few(data),
        "budget": _budget(data.get("error_budget")),
        "curve": _curve(data["saturation"]),
    }


def _few(data: dict[str, Any]) -> dict[str, Any]:
    """The topics that tell little, in natural order."""
    few = data["topics_with_few_relevant"]
    nearly_all = sorted(data["topics_nearly_all_relevant"], key=lambda row: natural_order(row["topic"]))
    by_count = [(words, sorted(few[name], key=natural_order)) for name, words in FEW]
    return {"by_count": by_count, "nearly_all": nearly_all}


def _budget(found: dict[str, Any] | None) -> dict[str, Any] | None:
    """The first rows of both tables. None of a report from before there was this part, or where it is missing."""
    if found is None:
        return None
    means, differences = found["means"], found["differences"]
    rows = {"means": means[:MOST_ROWS], "differences": differences[:MOST_ROWS], "more": max(len(means) - MOST_ROWS, 0)}
    return {**found, **rows}


def _curve(found: dict[str, Any] | None) -> list[dict[str, Any]]:
    """What one, half, all but one, and all of the runs and teams find."""
    rows = []
    for what in ("runs", "teams"):
        if found is not None and found[what] is not None:
            shares = found[what]["shares"]
            count = len(shares)
            half = shares[(count - 1) // 2]
            before = shares[-2] if count > 1 else None
            rows.append({"what": what, "count": count, "one": shares[0], "half": half, "before": before, **found[what]})
    return rows


def _draw(picture: str, data: dict[str, Any], topics: list[str], links: Links, **how: Any) -> bytes:
    from evaluation.analysis.reliability.picture import (  # matplotlib is slow to load
        left_out_picture,
        saturation_picture,
    )

    if picture == "saturation":
        return saturation_picture(data["saturation"], **how)
    leads = dict(zip(topics, links(topics), strict=True))
    return left_out_picture(data["without_a_topic"], data["measure"], links=leads, **how)


PAGES: list[Page] = [
    ("reliability/", reliability, "reliability"),
    ("reliability.json", reliability_json, "reliability_json"),
    ("reliability/<str:picture>.<str:file_format>", reliability_picture, "reliability_picture"),
]
COMPUTE = [
    path("scores/reliability/compute/", reliability_compute, name="scores_reliability_compute"),
    path("leaderboard/<int:number>/reliability/compute/", reliability_compute, name="leaderboard_reliability_compute"),
]
