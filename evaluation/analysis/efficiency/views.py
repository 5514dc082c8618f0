from functools import partial
from typing import Any
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from campaign.formats.spreadsheet import csv_lines
from evaluation.analysis.addresses import Page
from evaluation.analysis.charts import Links, links_to, picture_answer
from evaluation.analysis.efficiency.selectors import Efficiency, efficiency_of
from evaluation.permissions import get_board_or_404

COLUMNS = ("measure", "quantity", "run", "cost", "mean", "on_frontier")


@require_safe
def efficiency(request: HttpRequest, campaign_slug: str, task_slug: str, number: int | None = None) -> HttpResponse:
    seen = get_board_or_404(request, campaign_slug, task_slug, number)
    found = efficiency_of(seen, request.GET.dict())
    context: dict[str, Any] = {"task": seen.task, "seen": seen, "found": found}
    if found is not None:
        context |= {
            "measure": found.measure,
            "asked": urlencode({"measure": found.measure, "quantity": found.quantity}),
            "rows": rows(found),
            "side": found.side,
            "caption": f"{found.measure} against {found.quantity}.",
            "alt": f"{found.measure} against {found.quantity}; the table below has the same numbers",
        }
    return render(request, "evaluation/analysis/efficiency.html", context)


@require_safe
def efficiency_file(
    request: HttpRequest, campaign_slug: str, task_slug: str, file_format: str, number: int | None = None
) -> HttpResponse:
    """Costs and means as csv or json, the picture as svg, pdf or png."""
    seen = get_board_or_404(request, campaign_slug, task_slug, number)
    found = efficiency_of(seen, request.GET.dict())
    if found is None:
        raise Http404
    if file_format == "csv":
        content = "".join(csv_lines(COLUMNS, ([row[name] for name in COLUMNS] for row in rows(found))))
        return HttpResponse(content, content_type="text/csv; charset=utf-8")
    if file_format == "json":
        return JsonResponse({"board": seen.name, "quantities": found.quantities, "runs": rows(found)})
    # Which runs are open differs by reader, so what is drawn is part of the name that the picture is kept under.
    drawn = f"efficiency {found.measure} {found.quantity} {found.tags} {found.cost.tolist()}"
    return picture_answer(
        request, seen, drawn, file_format, partial(_draw, found, links_to(request, seen, "run", measure=found.measure))
    )


def rows(found: Efficiency) -> list[dict[str, Any]]:
    """One object a run, the cheapest first."""
    each = zip(found.tags, found.cost.tolist(), found.means.tolist(), found.frontier.tolist(), strict=True)
    fixed = {"measure": found.measure, "quantity": found.quantity}
    return [{**fixed, "run": tag, "cost": cost, "mean": mean, "on_frontier": best} for tag, cost, mean, best in each]


def _draw(found: Efficiency, links: Links, **how: Any) -> bytes:
    from evaluation.analysis.efficiency.picture import efficiency_picture  # matplotlib is slow to load

    names = (found.quantity, found.measure)
    return efficiency_picture(
        found.tags, found.cost, found.means, found.frontier, names, side=found.side, links=links(found.tags), **how
    )


PAGES: list[Page] = [
    ("efficiency/", efficiency, "efficiency"),
    ("efficiency/all.<str:file_format>", efficiency_file, "efficiency_file"),
]
