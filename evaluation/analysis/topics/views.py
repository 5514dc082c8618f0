from dataclasses import replace
from functools import partial
from typing import Any
from urllib.parse import quote

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from campaign.drawing import refuse_too_many
from campaign.models import Topic
from campaign.permissions import get_or_404
from campaign.text.natural_order import natural_order
from campaign.web.cache import SCORES_KEPT, kept
from campaign.web.short_lists import short_list
from evaluation.analysis.addresses import Page
from evaluation.analysis.charts import Links, links_to, picture_answer
from evaluation.analysis.topics.exports import places_in_natural_order, topic_csv, topic_row, topic_rows, topics_csv
from evaluation.analysis.topics.figures import TopicFigures, topic_agreement, topic_figures
from evaluation.analysis.topics.selectors import counts_are_kept, judged_documents
from evaluation.permissions import get_board_or_404
from evaluation.selectors.board_views import BoardView

MOST_DOCUMENTS = 200
SORTS = ("topic", "median", "spread", "agreement")


@require_safe
def topics(request: HttpRequest, campaign_slug: str, task_slug: str, number: int | None = None) -> HttpResponse:
    seen = get_board_or_404(request, campaign_slug, task_slug, number)
    measure = seen.measure(request.GET.get("measure", ""))
    titles = dict(seen.task.topics.values_list("number", "title"))
    sort = request.GET.get("sort", "")
    sort = sort if sort.removeprefix("-") in SORTS else "topic"
    rows = [{**row, "title": titles.get(row["topic"], "")} for row in topic_rows(seen, _figures(seen, measure))]
    context = {
        "task": seen.task,
        "seen": seen,
        "measure": measure,
        "sort": sort,
        "ends": seen.board.column(measure).ends,
        "asked": quote(measure),
        "caption": f"{measure} of all runs by topic, topics by their median.",
        "alt": f"{measure} of all runs by topic; the table below has the same numbers",
        "listed": short_list(request.GET, _sorted(rows, sort), lambda row: f"{row['topic']} {row['title']}"),
    }
    return render(request, "evaluation/analysis/topics.html", context)


@require_safe
def topic(
    request: HttpRequest, campaign_slug: str, task_slug: str, topic: str, number: int | None = None
) -> HttpResponse:
    """A topic on the board; the part that counts in how many runs its documents are takes a moment, and is asked for by htmx."""
    seen = get_board_or_404(request, campaign_slug, task_slug, number)
    place, measure = _place_or_404(seen, topic), seen.measure(request.GET.get("measure", ""))
    waits = bool(request.htmx) and request.htmx.target != "listed"  # type: ignore[attr-defined]
    counts = waits or (not request.htmx and "counts" in request.GET)  # type: ignore[attr-defined]
    if counts and not counts_are_kept(seen, topic) and (refused := refuse_too_many(request)):
        return refused
    if waits:
        return render(request, "evaluation/analysis/_judged_documents.html", _judged(seen, topic))
    values, figures = seen.values_by(measure)[:, place], _figures(seen, measure)
    sign = 1 if seen.board.column(measure).lower_is_better else -1
    order = sorted(range(len(values)), key=lambda run: (sign * values[run] if values[run] == values[run] else 2.0, run))
    is_counted = counts or counts_are_kept(seen, topic)
    places = places_in_natural_order(seen)
    at = places.index(place)
    context = {
        "task": seen.task,
        "seen": seen,
        "measure": measure,
        "asked": quote(measure),
        "asked_topic": quote(topic),
        "topic": get_or_404(Topic.objects.filter(task=seen.task), number=topic),
        "listed": short_list(
            request.GET,
            [(seen.board.runs[run], values[run]) for run in order],
            lambda row: f"{row[0].tag} {row[0].team}",
            of="run",
        ),
        "ends": seen.board.column(measure).ends,
        "figures": topic_row(seen, figures, place),
        "is_counted": is_counted,
        **(_judged(seen, topic) if is_counted else {}),
        "before": seen.board.topics[places[at - 1]] if at else None,
        "after": seen.board.topics[places[at + 1]] if at + 1 < len(places) else None,
    }
    return render(request, "evaluation/analysis/topic.html", context)


def _judged(seen: BoardView, topic: str) -> dict[str, Any]:
    """The judged documents, and how many runs retrieve them."""
    documents = judged_documents(seen, topic)
    found = [] if documents is None else documents.rows()
    relevant = [document for document in found if document[1] >= seen.task.lowest_relevant_grade]
    return {
        "task": seen.task,
        "seen": seen,
        "documents": found[:MOST_DOCUMENTS],
        "judged": len(found),
        "relevant": len(relevant),
        "found_by_none": sum(in_100 == 0 for *_, in_100 in relevant),
        "found_by_one": sum(in_100 == 1 for *_, in_100 in relevant),
    }


@require_safe
def topics_file(
    request: HttpRequest, campaign_slug: str, task_slug: str, file_format: str, number: int | None = None
) -> HttpResponse:
    """All topics as csv or json, their picture as svg, pdf or png; `topic` in the query asks for the runs of one."""
    seen = get_board_or_404(request, campaign_slug, task_slug, number)
    measure, asked = seen.measure(request.GET.get("measure", "")), request.GET.get("topic", "")
    figures = _figures(seen, measure)
    if file_format == "csv":
        content = topic_csv(seen, measure, asked) if asked in seen.board.topics else topics_csv(seen, measure, figures)
        return HttpResponse(content, content_type="text/csv; charset=utf-8")
    if file_format == "json":
        return JsonResponse({"board": seen.name, "measure": measure, "topics": topic_rows(seen, figures)})
    draw = partial(_draw, seen, figures, measure, links_to(request, seen, "topic", measure=measure))
    return picture_answer(request, seen, f"topics {measure}", file_format, draw)


def _draw(seen: BoardView, figures: TopicFigures, measure: str, links: Links, **how: Any) -> bytes:
    from evaluation.analysis.topics.picture import topics_picture  # matplotlib is slow to load

    topics = list(seen.board.topics)
    return topics_picture(topics, figures, measure, links=links(topics), **how)


def _figures(seen: BoardView, measure: str) -> TopicFigures:
    """Computed once for each content of a board."""

    def computed() -> TopicFigures:
        values = seen.values_by(measure)
        figures = topic_figures(values, lower_is_better=seen.board.column(measure).lower_is_better)
        return replace(figures, agreement=topic_agreement(values))

    return kept(f"evaluation:topics:{seen.key}:{measure.encode().hex()}", computed, SCORES_KEPT)


def _sorted(rows: list[dict[str, Any]], sort: str) -> list[dict[str, Any]]:
    key, descending = sort.removeprefix("-"), sort.startswith("-")
    if key == "topic":
        return sorted(rows, key=lambda row: natural_order(row["topic"]), reverse=descending)
    known = [row for row in rows if row.get(key) is not None]
    return [
        *sorted(known, key=lambda row: row[key], reverse=descending),
        *(row for row in rows if row.get(key) is None),
    ]


def _place_or_404(seen: BoardView, topic: str) -> int:
    if topic not in seen.board.topics:
        raise Http404
    return seen.board.topics.index(topic)


PAGES: list[Page] = [
    ("topics/", topics, "topics"),
    ("topics/all.<str:file_format>", topics_file, "topics_file"),
    ("topics/<topic:topic>/", topic, "topic"),
]
