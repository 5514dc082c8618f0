from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any
from urllib.parse import urlencode

import numpy as np
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from campaign.formats.spreadsheet import csv_lines
from evaluation.analysis.addresses import Page
from evaluation.analysis.charts import Links, links_to, picture_answer
from evaluation.analysis.heatmap.figures import ranks_of, topics_by_median
from evaluation.boards.measures_on_scale import is_of_quality
from evaluation.boards.snapshot import best_first
from evaluation.engine.arrays import FloatArray
from evaluation.permissions import get_board_or_404
from evaluation.selectors.board_views import BoardView

RANKS = "ranks"
PAGE = 50
"""Runs and topics that a table shows at once."""


@dataclass(frozen=True, eq=False)
class Heat:
    """`values`: float64 (n_runs, n_topics) by `tags`, the best mean first, and `topics`, the highest median first."""

    seen: BoardView
    measure: str
    tags: list[str]
    topics: list[str]
    values: FloatArray

    @property
    def ranks(self) -> FloatArray:
        return ranks_of(self.values, lower_is_better=self.seen.board.column(self.measure).lower_is_better)


@require_safe
def heatmap(request: HttpRequest, campaign_slug: str, task_slug: str, number: int | None = None) -> HttpResponse:
    found = _heat_or_404(request, campaign_slug, task_slug, number)
    runs = Paginator(range(len(found.tags)), PAGE).get_page(request.GET.get("runs"))
    topics = Paginator(range(len(found.topics)), PAGE).get_page(request.GET.get("topics"))
    shows_ranks = _shows_ranks(request, found)
    numbers = found.ranks if shows_ranks else found.values
    shown = [(found.tags[run], [numbers[run, topic] for topic in topics]) for run in runs]
    context = {
        "task": found.seen.task,
        "seen": found.seen,
        "measure": found.measure,
        "asked": urlencode({"measure": found.measure, **({"show": RANKS} if shows_ranks else {})}),
        "decimals": 0 if shows_ranks else 3,
        "shows_ranks": shows_ranks if is_of_quality(found.measure) else None,
        "best": found.seen.board.column(found.measure).ends[0],
        "alt": f"{found.measure}: runs by topics; the table below has the same numbers",
        "caption": f"{found.measure}: {'ranks of ' if shows_ranks else ''}runs by topics.",
        "runs": runs,
        "topics": topics,
        "numbers": [found.topics[topic] for topic in topics],
        "rows": [(tag, [value if value == value else None for value in values]) for tag, values in shown],
    }
    return render(request, "evaluation/analysis/heatmap.html", context)


@require_safe
def heatmap_file(
    request: HttpRequest, campaign_slug: str, task_slug: str, file_format: str, number: int | None = None
) -> HttpResponse:
    """All values, or with `show=ranks` all ranks, as csv or json, the heat map as svg, pdf or png."""
    found = _heat_or_404(request, campaign_slug, task_slug, number)
    shows_ranks = _shows_ranks(request, found)
    numbers = (f"rank by {found.measure}", found.ranks) if shows_ranks else (found.measure, found.values)
    if file_format == "csv":
        content = heat_csv(numbers[0], found.tags, found.topics, numbers[1])
        return HttpResponse(content, content_type="text/csv; charset=utf-8")
    if file_format == "json":
        return JsonResponse(heat_json(found.seen.name, numbers[0], found.tags, found.topics, numbers[1]))
    how = {"shows_ranks": shows_ranks}
    links = links_to(request, found.seen, "topic", measure=found.measure)
    draw = partial(_draw, found, links, **how)
    return picture_answer(request, found.seen, f"heat {found.measure} {how}", file_format, draw)


def _shows_ranks(request: HttpRequest, found: Heat) -> bool:
    """Whether the address asks for ranks, and there are some by the measure."""
    return request.GET.get("show") == RANKS and is_of_quality(found.measure)


def _draw(found: Heat, links: Links, **how: Any) -> bytes:
    from evaluation.analysis.heatmap.picture import heat_picture  # matplotlib is slow to load

    less = found.seen.board.column(found.measure).lower_is_better
    how |= {"lower_is_better": less, "links": links(found.topics)}
    return heat_picture(found.tags, found.topics, found.values, found.measure, **how)


def _heat_or_404(request: HttpRequest, campaign_slug: str, task_slug: str, number: int | None) -> Heat:
    seen = get_board_or_404(request, campaign_slug, task_slug, number)
    measure = seen.measure(request.GET.get("measure", ""))
    runs, values = best_first(seen.board, measure), seen.values_by(measure)
    topics = topics_by_median(values)
    return Heat(
        seen=seen,
        measure=measure,
        tags=[seen.board.runs[run].tag for run in runs.tolist()],
        topics=[seen.board.topics[topic] for topic in topics.tolist()],
        values=values[runs][:, topics],
    )


def heat_csv(measure: str, tags: Sequence[str], topics: Sequence[str], values: FloatArray) -> str:
    """One line a run, one column a topic; empty where there is no value."""
    rows = ([measure, tag, *of_run] for tag, of_run in zip(tags, _with_none(values), strict=True))
    return "".join(csv_lines(["measure", "run", *topics], rows))


def heat_json(
    board: str, measure: str, tags: Sequence[str], topics: Sequence[str], values: FloatArray
) -> dict[str, Any]:
    """`values`: a list a run in the order of `runs`, in it one number a topic in the order of `topics`, or null."""
    named = {"board": board, "measure": measure, "runs": list(tags), "topics": list(topics)}
    return {**named, "values": _with_none(values)}


def _with_none(values: FloatArray) -> list[list[float | None]]:
    found: list[list[float | None]] = np.where(np.isfinite(values), values, np.array(None)).tolist()
    return found


PAGES: list[Page] = [
    ("heatmap/", heatmap, "heatmap"),
    ("heatmap/all.<str:file_format>", heatmap_file, "heatmap_file"),
]
