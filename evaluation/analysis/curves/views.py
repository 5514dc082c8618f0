from dataclasses import dataclass
from functools import partial
from typing import Any
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from evaluation.analysis.addresses import Page
from evaluation.analysis.charts import Links, links_to, picture_answer
from evaluation.analysis.curves.exports import curves_csv, curves_json, run_curve, run_curve_csv
from evaluation.analysis.curves.figures import AXES, KINDS, READ_AS, Shown, field_of, kinds_of, shown
from evaluation.boards.curves import RANKS, BoardCurves
from evaluation.boards.snapshot import best_first
from evaluation.engine.analyses.curves import RECALL_LEVELS
from evaluation.permissions import get_board_or_404
from evaluation.selectors.board_views import BoardView

MOST_RUNS, FIRST_SHOWN = 8, 5
UNIT_SQUARES = ("macro", "micro", "roc")


@dataclass(frozen=True, eq=False)
class Drawn:
    """What an address asks for: `places` of at most 8 runs, the best first; `left_out`: how many more were asked for."""

    seen: BoardView
    curves: BoardCurves
    shown: Shown
    places: list[int]
    left_out: int
    order: list[int]


@require_safe
def curves(request: HttpRequest, campaign_slug: str, task_slug: str, number: int | None = None) -> HttpResponse:
    seen = get_board_or_404(request, campaign_slug, task_slug, number)
    context: dict[str, Any] = {"task": seen.task, "seen": seen}
    if seen.board.curves is not None:
        found = _drawn(request, seen, seen.board.curves)
        kind, tags = found.shown.kind, [seen.board.runs[place].tag for place in found.places]
        context |= {
            "found": found,
            "kinds": kinds_of(found.curves),
            "kind": kind,
            "read_as": READ_AS[kind],
            "settings": found.curves.settings,
            "x_name": AXES[kind][0],
            "y_name": AXES[kind][1],
            "tags": tags,
            "all_tags": [seen.board.runs[place].tag for place in found.order],
            "rows": _rows(found),
            "areas": [] if found.shown.area is None else found.shown.area[found.places].tolist(),
            "asked": urlencode([("kind", kind), *(("run", tag) for tag in tags)]),
            "caption": f"{KINDS[kind]}.",
            "alt": f"{KINDS[kind]} of {', '.join(tags)}; the table below has the same numbers",
        }
    return render(request, "evaluation/analysis/curves.html", context)


@require_safe
def curves_file(
    request: HttpRequest, campaign_slug: str, task_slug: str, file_format: str, number: int | None = None
) -> HttpResponse:
    """All curves of all runs as csv or json; the picture of one kind and the chosen runs as svg, pdf or png."""
    seen = get_board_or_404(request, campaign_slug, task_slug, number)
    held = _curves_or_404(seen)
    if file_format == "csv":
        return HttpResponse(curves_csv(seen, held), content_type="text/csv; charset=utf-8")
    if file_format == "json":
        return JsonResponse(curves_json(seen, held))
    found = _drawn(request, seen, held)
    draw = partial(_draw, found, links_to(request, seen, "run"))
    return picture_answer(request, seen, f"curves {found.shown.kind} {found.places}", file_format, draw)


@require_safe
def run_curve_file(
    request: HttpRequest, campaign_slug: str, task_slug: str, tag: str, file_format: str, number: int | None = None
) -> HttpResponse:
    """The recall-precision curve of a run as csv or json, its picture as svg, pdf or png."""
    seen = get_board_or_404(request, campaign_slug, task_slug, number)
    held, place = _curves_or_404(seen), seen.board.index(tag)
    if place is None:
        raise Http404
    if file_format == "csv":
        return HttpResponse(run_curve_csv(held, place, tag), content_type="text/csv; charset=utf-8")
    if file_format == "json":
        return JsonResponse({"board": seen.name, "run": tag, "points": run_curve(held, place)})
    return picture_answer(request, seen, f"curve of run {place}", file_format, partial(_draw_run, held, place, tag))


def _curves_or_404(seen: BoardView) -> BoardCurves:
    if seen.board.curves is None:
        raise Http404
    return seen.board.curves


def _drawn(request: HttpRequest, seen: BoardView, held: BoardCurves) -> Drawn:
    order = best_first(seen.board, seen.board.measures[0]).tolist()
    asked = set(request.GET.getlist("run"))
    chosen = [place for place in order if seen.board.runs[place].tag in asked] or order[:FIRST_SHOWN]
    left_out = max(len(chosen) - MOST_RUNS, 0)
    return Drawn(seen, held, shown(held, request.GET.get("kind", "")), chosen[:MOST_RUNS], left_out, order)


def _rows(found: Drawn) -> list[dict[str, Any]]:
    """One row a point: x, the values of the runs, and that of the ideal or None."""
    ideal = [None] * len(found.shown.x) if found.shown.ideal is None else found.shown.ideal.tolist()
    columns = found.shown.y[found.places].T.tolist()
    each = zip(found.shown.x.tolist(), columns, ideal, strict=True)
    return [{"x": f"{x:g}", "values": values, "ideal": of_ideal} for x, values, of_ideal in each]


def _draw(found: Drawn, links: Links, **how: Any) -> bytes:
    from evaluation.analysis.curves.picture import Line, Plot, curves_picture  # matplotlib is slow to load

    kind, x, area = found.shown.kind, found.shown.x, found.shown.area
    tags = [found.seen.board.runs[place].tag for place in found.places]
    lines = [
        Line(tag, x, found.shown.y[place], "" if area is None else f"area {area[place]:.3f}", link)
        for place, tag, link in zip(found.places, tags, links(tags), strict=True)
    ]
    plot = Plot(
        *AXES[kind],
        lines,
        reference=None if found.shown.ideal is None else Line("ideal", x, found.shown.ideal),
        unit_square=kind in UNIT_SQUARES,
        equal_f=kind in ("macro", "micro"),
        diagonal=kind == "roc",
        ranks=RANKS.tolist() if AXES[kind][0] == "rank" else (),
    )
    said = READ_AS[kind] + (" Dotted: equal F." if plot.equal_f else "")
    return curves_picture([plot], KINDS[kind], said, **how)


def _draw_run(held: BoardCurves, place: int, tag: str, **how: Any) -> bytes:
    from evaluation.analysis.curves.picture import Band, Line, Plot, curves_picture  # matplotlib is slow to load

    field = field_of(held)
    lines = [Line(tag, RECALL_LEVELS, held.macro[place])]
    plot = Plot(
        "recall",
        "precision",
        lines,
        reference=Line("median of all runs", RECALL_LEVELS, field.median),
        band=Band("all runs", RECALL_LEVELS, field.low, field.high),
        unit_square=True,
    )
    said = "Interpolated at 11 recall levels, mean over topics. Band: from the lowest to the highest of all runs."
    return curves_picture([plot], f"Precision against recall of {tag}", said, **how)


PAGES: list[Page] = [
    ("curves/", curves, "curves"),
    ("curves/all.<str:file_format>", curves_file, "curves_file"),
    ("runs/<str:tag>/curve.<str:file_format>", run_curve_file, "run_curve_file"),
]
