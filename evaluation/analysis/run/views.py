from functools import partial
from typing import Any
from urllib.parse import quote

import numpy as np
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from campaign.text.natural_order import natural_order
from campaign.web.short_lists import short_list
from evaluation.analysis.addresses import Page
from evaluation.analysis.charts import Links, links_to, picture_answer
from evaluation.analysis.compare.views import MOVED_MOST
from evaluation.analysis.curves.exports import run_curve
from evaluation.analysis.run.exports import run_json, run_topics, run_topics_csv
from evaluation.analysis.topics.figures import TopicFigures, topic_figures
from evaluation.boards.board import Column
from evaluation.boards.measures_in_words import in_percent, ranks_in_words, written
from evaluation.boards.measures_on_scale import is_of_quality
from evaluation.boards.snapshot import best_first
from evaluation.permissions import get_board_or_404
from evaluation.selectors.board_views import BoardView


@require_safe
def run(request: HttpRequest, campaign_slug: str, task_slug: str, tag: str, number: int | None = None) -> HttpResponse:
    seen, place = _seen_run_or_404(request, campaign_slug, task_slug, tag, number)
    measure = seen.measure(request.GET.get("measure", ""))
    facts = seen.board.runs[place]
    titles = dict(seen.task.topics.values_list("number", "title"))
    topics = run_topics(seen, place, measure, _figures(seen, measure))
    best = place if seen.only_own else int(best_first(seen.board, measure)[0])
    runs_open = seen.runs_open({place, best})
    context = {
        "task": seen.task,
        "seen": seen,
        "run": facts,
        "has_ranks": any(seen.board.shown_column(column.measure).rank_best.any() for column in seen.board.columns),
        "why_no_ranks": seen.board.choice.why_no_ranks(),
        "submitted": runs_open.get(place),
        "linked": seen.linked([place]).get(place),
        "measure": measure,
        "asked": quote(measure),
        "columns": [_in_words(seen.board.shown_column(name), place) for name in seen.board.measures],
        "listed": short_list(
            request.GET,
            [
                {**row, "title": titles.get(row["topic"], "")}
                for row in sorted(topics, key=lambda row: natural_order(row["topic"]))
            ],
            lambda row: f"{row['topic']} {row['title']}",
            partial(moved_most, lower_is_better=seen.board.column(measure).lower_is_better),
        ),
        "ends": seen.board.column(measure).ends,
        "after": MOVED_MOST,
        "judged": "" if facts.unjudged is None else in_percent(1 - facts.unjudged),
        "other": seen.board.runs[best].tag if best != place else "",
        "shows_lists": best != place and bool(runs_open),
        "caption": f"{measure} of {facts.tag} among all runs, topics by the median of all runs.",
        "alt": f"{measure} of {facts.tag} by topic among all runs; the table below has the same numbers",
        "curve": [] if seen.board.curves is None else run_curve(seen.board.curves, place),
        "curve_caption": f"Precision of {facts.tag} by recall, among all runs.",
        "curve_alt": f"Precision of {facts.tag} at 11 recall levels among all runs; the table below has the same numbers",
    }
    return render(request, "evaluation/analysis/run.html", context)


@require_safe
def run_file(
    request: HttpRequest, campaign_slug: str, task_slug: str, tag: str, file_format: str, number: int | None = None
) -> HttpResponse:
    """The run as csv or json, its picture as svg, pdf or png."""
    seen, place = _seen_run_or_404(request, campaign_slug, task_slug, tag, number)
    measure = seen.measure(request.GET.get("measure", ""))
    figures = _figures(seen, measure)
    if file_format == "csv":
        return HttpResponse(run_topics_csv(seen, place, measure, figures), content_type="text/csv; charset=utf-8")
    if file_format == "json":
        return JsonResponse(run_json(seen, place, measure, figures))
    draw = partial(_draw, seen, place, measure, figures, links_to(request, seen, "topic", measure=measure))
    what = "own run" if seen.only_own else "run"
    return picture_answer(request, seen, f"{what} {place} {measure}", file_format, draw)


def moved_most(rows: list[dict[str, Any]], *, lower_is_better: bool) -> list[dict[str, Any]]:
    """Choose the topics on which the run is best against the median of all runs, then those on which it is worst.

    Where one of the two values is missing the difference counts as 0; topics of the same difference stay in their order.

    >>> rows = [{"value": value, "median": 50} for value in range(101)]
    >>> [row["value"] for row in moved_most(rows, lower_is_better=False)][::9]
    [100, 91, 1]
    >>> [row["value"] for row in moved_most(rows, lower_is_better=True)][::9]
    [0, 9, 99]
    """

    def behind(row: dict[str, Any]) -> float:
        if row["value"] is None or row["median"] is None:
            return 0.0
        return float(row["value"] - row["median"] if lower_is_better else row["median"] - row["value"])

    ordered = sorted(rows, key=behind)
    return ordered[:MOVED_MOST] + ordered[-MOVED_MOST:]


def _in_words(column: Column, place: int) -> dict[str, Any]:
    has_interval = bool(np.isfinite(column.low[place]))
    return {
        "measure": column.measure,
        "mean": written(float(column.mean[place]), column.summary),
        "interval": f"{column.low[place]:.4f} to {column.high[place]:.4f}" if has_interval else "",
        "rank": ranks_in_words(int(column.rank_first[place]), int(column.rank_last[place])),
        "true_rank": ranks_in_words(int(column.rank_best[place]), int(column.rank_worst[place])),
        "letters": column.letters[place],
        "median": written(float(np.median(column.mean)), column.summary),
        "best": written(float(column.mean.min() if column.lower_is_better else column.mean.max()), column.summary)
        if is_of_quality(column.measure)
        else "",
    }


def _draw(seen: BoardView, place: int, measure: str, figures: TopicFigures, links: Links, **how: Any) -> bytes:
    from evaluation.analysis.topics.picture import topics_picture  # matplotlib is slow to load

    values, tag = seen.values_by(measure)[place], seen.board.runs[place].tag
    topics = list(seen.board.topics)
    how |= {"has_box": not seen.only_own, "links": links(topics)}
    return topics_picture(topics, figures, measure, values, tag, **how)


def _figures(seen: BoardView, measure: str) -> TopicFigures:
    return topic_figures(seen.values_of_all_by(measure), lower_is_better=seen.board.column(measure).lower_is_better)


def _seen_run_or_404(
    request: HttpRequest, campaign_slug: str, task_slug: str, tag: str, number: int | None
) -> tuple[BoardView, int]:
    seen = get_board_or_404(request, campaign_slug, task_slug, number, shows_own=True)
    place = seen.board.index(tag)
    if place is None:
        raise Http404
    return seen, place


PAGES: list[Page] = [
    ("runs/<str:tag>/", run, "run"),
    ("runs/<str:tag>/run.<str:file_format>", run_file, "run_file"),
]
