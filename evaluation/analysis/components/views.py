from collections.abc import Iterator
from typing import Any, cast

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from campaign.formats.spreadsheet import csv_lines
from evaluation.analysis.addresses import Page
from evaluation.engine.averaging import logarithms
from evaluation.engine.measures.declaration import Summary
from evaluation.engine.reliability.component_report import (
    COLUMNS,
    WANTED,
    component_row,
    csv_rows,
    has_intervals,
    in_words,
)
from evaluation.permissions import get_board_or_404
from evaluation.selectors.board_views import BoardView

TONES = (("share_of_runs", 3), ("share_of_topics", 2), ("share_left", 1))


@require_safe
def components(request: HttpRequest, campaign_slug: str, task_slug: str, number: int | None = None) -> HttpResponse:
    seen = get_board_or_404(request, campaign_slug, task_slug, number)
    measure, rows = seen.measure(request.GET.get("measure", "")), _rows(seen)
    [chosen] = [row for row in rows if row["measure"] == measure]
    context: dict[str, Any] = {
        "task": seen.task,
        "seen": seen,
        "measure": measure,
        "sentences": in_words(chosen),
        "rows": [{**row, "bars": [] if row["reason"] else _bars(row)} for row in rows],
        "next": chosen.get("next"),
        "has_intervals": any(map(has_intervals, rows)),
        "wanted": WANTED,
    }
    return render(request, "evaluation/analysis/components.html", context)


@require_safe
def components_file(
    request: HttpRequest, campaign_slug: str, task_slug: str, file_format: str, number: int | None = None
) -> HttpResponse:
    """The numbers of all measures as csv or json."""
    seen = get_board_or_404(request, campaign_slug, task_slug, number)
    if file_format == "csv":
        content = "".join(csv_lines(COLUMNS, csv_rows(_rows(seen))))
        return HttpResponse(content, content_type="text/csv; charset=utf-8")
    if file_format == "json":
        return JsonResponse({"board": seen.name, "measures": _rows(seen)})
    raise Http404


def _rows(seen: BoardView) -> list[dict[str, Any]]:
    return [_row(seen, measure) for measure in seen.board.measures]


def _row(seen: BoardView, measure: str) -> dict[str, Any]:
    summary, values = cast(Summary, seen.board.column(measure).summary), seen.values_by(measure)
    return component_row(measure, logarithms(values) if summary == "geometric mean" else values, summary)


def _bars(row: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The parts of a bar, side by side."""
    x = 0.0
    for name, tone in TONES:
        yield {"tone": tone, "x": f"{100 * x:.2f}%", "width": f"{100 * row[name]:.2f}%"}
        x += row[name]


PAGES: list[Page] = [
    ("components/", components, "components"),
    ("components/all.<str:file_format>", components_file, "components_file"),
]
