import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from campaign.formats.spreadsheet import csv_lines
from evaluation.analysis.addresses import Page
from evaluation.analysis.charts import Links, links_to, picture_answer
from evaluation.analysis.measure_correlation.figures import COEFFICIENTS, READ_AS
from evaluation.analysis.selectors import agreement_on
from evaluation.boards.snapshot import best_first
from evaluation.engine.arrays import FloatArray
from evaluation.permissions import get_board_or_404
from evaluation.selectors.board_views import BoardView


@require_safe
def measures(request: HttpRequest, campaign_slug: str, task_slug: str, number: int | None = None) -> HttpResponse:
    seen = get_board_or_404(request, campaign_slug, task_slug, number)
    names = seen.board.measures
    x, y = _chosen(seen, request.GET)
    by = request.GET.get("by", "tau")
    by = by if by in COEFFICIENTS else "tau"
    table = agreement_on(seen)[by].tolist()
    of_pair = _of_pair(seen, x, y)
    one, other = seen.board.column(x).mean.tolist(), seen.board.column(y).mean.tolist()
    context = {
        "task": seen.task,
        "seen": seen,
        "x": x,
        "y": y,
        "by": by,
        "coefficients": COEFFICIENTS,
        "name": COEFFICIENTS[by],
        "read_as": READ_AS[by],
        "asked": urlencode({"x": x, "y": y}),
        "table": [
            (name, list(zip(names, _without_nan(row), strict=True))) for name, row in zip(names, table, strict=True)
        ],
        "of_pair": [(COEFFICIENTS[name], value if value == value else None) for name, value in of_pair.items()],
        "tau_interval": _tau_interval(seen, x, y),
        "caption": f"{y} against {x}, one dot for each run. {_said(of_pair)}",
        "alt": f"{y} against {x}; the table below has the same numbers",
        "runs": [
            (seen.board.runs[run].tag, *_without_nan([one[run], other[run]]))
            for run in best_first(seen.board, x).tolist()
        ],
    }
    return render(request, "evaluation/analysis/measure_correlation.html", context)


@require_safe
def measures_file(
    request: HttpRequest, campaign_slug: str, task_slug: str, file_format: str, number: int | None = None
) -> HttpResponse:
    """All coefficients as csv or json, the picture of two measures as svg, pdf or png."""
    seen = get_board_or_404(request, campaign_slug, task_slug, number)
    if file_format == "csv":
        content = agreement_csv(seen.board.measures, agreement_on(seen))
        return HttpResponse(content, content_type="text/csv; charset=utf-8")
    if file_format == "json":
        rows = agreement_rows(seen.board.measures, agreement_on(seen))
        return JsonResponse({"board": seen.name, "coefficients": COEFFICIENTS, "pairs": rows})
    x, y = _chosen(seen, request.GET)
    return picture_answer(
        request, seen, f"measures {x} {y}", file_format, partial(_draw, seen, x, y, links_to(request, seen, "run"))
    )


def _draw(seen: BoardView, x: str, y: str, links: Links, **how: Any) -> bytes:
    from evaluation.analysis.measure_correlation.picture import scatter_picture  # matplotlib is slow to load

    tags = [run.tag for run in seen.board.runs]
    one, other = (seen.board.column(measure).mean for measure in (x, y))
    return scatter_picture(tags, one, other, (x, y), _said(_of_pair(seen, x, y)), links=links(tags), **how)


def _chosen(seen: BoardView, query: Mapping[str, str]) -> tuple[str, str]:
    x = seen.measure(query.get("x", ""))
    others = [measure for measure in seen.board.measures if measure != x] or [x]
    y = query.get("y", "")
    return x, y if y in seen.board.measures else others[0]


def _of_pair(seen: BoardView, x: str, y: str) -> dict[str, float]:
    names, found = seen.board.measures, agreement_on(seen)
    return {name: float(found[name][names.index(x), names.index(y)]) for name in COEFFICIENTS}


def _tau_interval(seen: BoardView, x: str, y: str) -> list[float] | None:
    names, found = seen.board.measures, agreement_on(seen)
    bounds = [float(found[name][names.index(x), names.index(y)]) for name in ("tau_low", "tau_high")]
    return None if bounds[0] != bounds[0] else bounds


def _said(of_pair: Mapping[str, float]) -> str:
    tau = of_pair["tau"]
    return f"Kendall's tau-b of the two orders: {tau:.3f}." if tau == tau else "No tau: too few runs, or all are equal."


def _without_nan(values: list[float]) -> list[float | None]:
    return [value if value == value else None for value in values]


COLUMNS: Final = (*COEFFICIENTS, "tau_low", "tau_high")


def agreement_rows(measures: Sequence[str], found: Mapping[str, FloatArray]) -> list[dict[str, Any]]:
    """One object for each ordered pair of measures; null where a coefficient is not defined, and where tau has no interval."""
    return [
        {"x": x, "y": y, **{name: _finite(float(found[name][row, column])) for name in COLUMNS}}
        for row, x in enumerate(measures)
        for column, y in enumerate(measures)
        if row != column
    ]


def agreement_csv(measures: Sequence[str], found: Mapping[str, FloatArray]) -> str:
    """One line for each ordered pair of measures; for tau-AP x is the true order."""
    head = ["x", "y", *COLUMNS]
    return "".join(csv_lines(head, ([row[name] for name in head] for row in agreement_rows(measures, found))))


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


PAGES: list[Page] = [
    ("measures/", measures, "measures"),
    ("measures/all.<str:file_format>", measures_file, "measures_file"),
]
