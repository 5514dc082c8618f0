from functools import partial
from typing import Any
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from campaign.models import Topic
from campaign.permissions import get_or_404
from campaign.text.natural_order import natural_order
from campaign.web.short_lists import SHOWN, short_list
from evaluation.analysis.addresses import Page
from evaluation.analysis.charts import Links, links_to, picture_answer
from evaluation.analysis.compare.exports import by_topic, compared_csv, compared_json
from evaluation.analysis.compare.selectors import LISTED, MOST_LISTED, Compared, compared_runs, topic_lists
from evaluation.engine.significance.declarations import TESTS
from evaluation.permissions import get_board_or_404

MOVED_MOST = SHOWN // 2
"""Topics for each of the two runs, those with the largest differences: the others are shown when the reader asks for them."""


@require_safe
def compare(request: HttpRequest, campaign_slug: str, task_slug: str, number: int | None = None) -> HttpResponse:
    seen = get_board_or_404(request, campaign_slug, task_slug, number)
    compared = compared_runs(seen, _runs_asked(request))
    context: dict[str, Any] = {"task": seen.task, "seen": seen, "compared": compared}
    context["tags"] = sorted((run.tag for run in seen.board.runs), key=natural_order)
    if compared is not None:
        titles = dict(seen.task.topics.values_list("number", "title"))
        column = seen.board.column(compared.measure)
        context |= {
            "a": seen.board.runs[compared.a],
            "b": seen.board.runs[compared.b],
            "measure": compared.measure,
            "side": column.sides[0],
            "first": column.ends[0],
            "ticked": 0 if "a" in request.GET else len(request.GET.getlist("run")),
            "mean_a": column.mean[compared.a],
            "mean_b": column.mean[compared.b],
            "tests": [(TESTS[name].label, p) for name, p in compared.tests.p.items()],
            "listed": short_list(
                request.GET,
                [{**row, "title": titles.get(row["topic"], "")} for row in by_topic(compared)],
                lambda row: f"{row['topic']} {row['title']}",
                lambda rows: rows[:MOVED_MOST] + rows[-MOVED_MOST:],
            ),
            "after": MOVED_MOST,
            "shows_lists": bool(seen.runs_open({compared.a, compared.b})),
            "deciding": int(compared.runs.decides.sum()),
        }
        a, b = compared.tags
        context |= {
            "asked": asked(compared),
            "caption": f"{compared.measure} of {a} minus {b}, topics by their difference.",
            "alt": f"Difference of {a} and {b} by topic; the table below has the same numbers",
        }
    return render(request, "evaluation/analysis/compare.html", context)


@require_safe
def compare_topic(
    request: HttpRequest, campaign_slug: str, task_slug: str, topic: str, number: int | None = None
) -> HttpResponse:
    compared = _compared_or_404(request, campaign_slug, task_slug, number)
    seen = compared.seen
    if topic not in seen.board.topics:
        raise Http404
    depth = MOST_LISTED if request.GET.get("depth") == str(MOST_LISTED) else LISTED
    place = seen.board.topics.index(topic)
    context = {
        "task": seen.task,
        "seen": seen,
        "compared": compared,
        "asked": asked(compared),
        "a": seen.board.runs[compared.a],
        "b": seen.board.runs[compared.b],
        "measure": compared.measure,
        "value_a": compared.runs.a[place],
        "value_b": compared.runs.b[place],
        "topic": get_or_404(Topic.objects.filter(task=seen.task), number=topic),
        "lists": topic_lists(compared, topic, depth),
        "most": MOST_LISTED,
    }
    return render(request, "evaluation/analysis/compare_topic.html", context)


@require_safe
def compare_file(
    request: HttpRequest, campaign_slug: str, task_slug: str, file_format: str, number: int | None = None
) -> HttpResponse:
    """The comparison as csv or json, its picture as svg, pdf or png."""
    compared = _compared_or_404(request, campaign_slug, task_slug, number)
    if file_format == "csv":
        return HttpResponse(compared_csv(compared), content_type="text/csv; charset=utf-8")
    if file_format == "json":
        return JsonResponse(compared_json(compared))
    name = f"compare {compared.measure} {compared.a} {compared.b}"
    links = links_to(request, compared.seen, "topic", measure=compared.measure)
    return picture_answer(request, compared.seen, name, file_format, partial(_draw, compared, links))


def _runs_asked(request: HttpRequest) -> dict[str, str]:
    """What the address names; the runs may be a and b, or the first two that were ticked on the board."""
    return dict(zip("ab", request.GET.getlist("run"), strict=False)) | request.GET.dict()


def asked(compared: Compared) -> str:
    """The query that asks for the same comparison again."""
    a, b = compared.tags
    return urlencode({"a": a, "b": b, "measure": compared.measure})


def _draw(compared: Compared, links: Links, **how: Any) -> bytes:
    from evaluation.analysis.compare.picture import difference_picture  # matplotlib is slow to load

    runs, topics = compared.runs, compared.seen.board.topics
    names = [topics[topic] for topic in runs.order.tolist()]
    how |= {"values": (runs.a[runs.order], runs.b[runs.order]), "links": links(names)}
    return difference_picture(names, runs.difference[runs.order], *compared.tags, compared.measure, **how)


def _compared_or_404(request: HttpRequest, campaign_slug: str, task_slug: str, number: int | None) -> Compared:
    compared = compared_runs(get_board_or_404(request, campaign_slug, task_slug, number), request.GET.dict())
    if compared is None:
        raise Http404
    return compared


PAGES: list[Page] = [
    ("compare/", compare, "compare"),
    ("compare/runs.<str:file_format>", compare_file, "compare_file"),
    ("compare/<topic:topic>/", compare_topic, "compare_topic"),
]
