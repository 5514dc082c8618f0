"""How far assessors agree: the page and its files."""

import json
from collections.abc import Sequence
from functools import partial
from math import isnan
from typing import Any

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from campaign.drawing import CONTENT_TYPES, draw_once
from campaign.formats.spreadsheet import csv_lines
from campaign.models import Task
from campaign.permissions import get_organised_task_or_404
from campaign.text.natural_order import natural_order
from judging.agreement.exports import COLUMNS, as_json, figures_as_rows
from judging.agreement.report import Pair
from judging.agreement.selectors import agreement_key, shown_names, task_agreement
from judging.agreement.words import RELIABLE, TENTATIVE, in_words

TOPICS_ON_A_PAGE = 100
SHADES = 5
FEWEST_DAYS = 2
"""One day is a dot, which the sentences above it say already."""


@login_required
@require_safe
def judging_agreement(request: HttpRequest, campaign_slug: str, task_slug: str) -> HttpResponse:
    task = get_organised_task_or_404(request.user, campaign_slug, task_slug)
    found = task_agreement(task)
    report = found.report
    names = shown_names([person.name for person in report.people])
    topics = sorted(report.topics, key=lambda row: natural_order(row[0]))
    context = {
        "task": task,
        "report": report,
        "cannot_judge": found.cannot_judge,
        "over_time": len(report.days) >= FEWEST_DAYS,
        "sentences": in_words(report.whole) if report.whole.documents else [],
        "page": Paginator(topics, TOPICS_ON_A_PAGE).get_page(request.GET.get("page")),
        "limits": [{"value": limit, "x": f"{100 * limit:g}%"} for limit in (TENTATIVE, RELIABLE)],
        "tables": [
            {"pair": pair, "rows": _shaded(pair, report.scale), "names": (names[pair.first], names[pair.second])}
            for pair in report.pairs
        ],
        "repeats": any(person.repeats for person in report.people),
        "bars": [
            {"person": person, "name": names[person.name], **_bar(person.strictness, report.scale)}
            for person in report.people
        ],
    }
    return render(request, "judging/agreement.html", context)


@login_required
@require_safe
def agreement_download(request: HttpRequest, campaign_slug: str, task_slug: str, extension: str) -> HttpResponse:
    task = get_organised_task_or_404(request.user, campaign_slug, task_slug)
    report = task_agreement(task).report
    if extension == "json":
        data = {"campaign": campaign_slug, "task": task_slug, **as_json(report)}
        text = json.dumps(data, indent=1, ensure_ascii=False) + "\n"
        response = HttpResponse(text, content_type="application/json")
    else:
        response = HttpResponse("".join(csv_lines(COLUMNS, figures_as_rows(report))), "text/csv; charset=utf-8")
    name = f"{campaign_slug}-{task_slug}-agreement.{extension}"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


@login_required
@require_safe
def agreement_over_time(request: HttpRequest, campaign_slug: str, task_slug: str, file_format: str) -> HttpResponse:
    """The share of equal grades up to each day as a picture, drawn once until something is judged; 404 before the second day."""
    task = get_organised_task_or_404(request.user, campaign_slug, task_slug)
    if file_format not in CONTENT_TYPES or len(task_agreement(task).report.days) < FEWEST_DAYS:
        raise Http404
    theme = "dark" if file_format == "svg" and request.GET.get("theme") == "dark" else "light"
    key = f"{agreement_key(task)}:{file_format}:{theme}"
    return draw_once(request, key, partial(_draw, task, theme, file_format), CONTENT_TYPES[file_format])


def _draw(task: Task, theme: Any, file_format: Any) -> bytes:
    from judging.agreement.days_picture import agreement_picture  # matplotlib is slow to load

    return agreement_picture(task_agreement(task).report.days, theme, file_format)


def _shaded(pair: Pair, scale: Sequence[int]) -> list[dict[str, Any]]:
    """Rows of a table of two assessors; the shade of a cell grows with its share of the row, 0 to SHADES."""
    rows = []
    for grade, counts in zip(scale, pair.table.tolist(), strict=True):
        total = sum(counts)
        cells = [
            {"count": count, "shade": -(-SHADES * count // total) if total else 0, "is_equal": other == grade}
            for other, count in zip(scale, counts, strict=True)
        ]
        rows.append({"grade": grade, "cells": cells, "total": total})
    return rows


def _bar(strictness: float, scale: Sequence[int]) -> dict[str, str]:
    """A bar from the middle of 100: to the right for the stricter, its half the whole scale."""
    if isnan(strictness) or len(scale) < 2:
        return {"x": "50%", "width": "0%"}
    length = 50 * min(abs(strictness) / (scale[-1] - scale[0]), 1.0)
    return {"x": f"{50 - (length if strictness < 0 else 0):.2f}%", "width": f"{length:.2f}%"}
