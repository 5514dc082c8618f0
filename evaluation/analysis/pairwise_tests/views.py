from collections.abc import Iterator
from functools import partial
from typing import Any
from urllib.parse import urlencode

import numpy as np
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from campaign.web.short_lists import short_list
from evaluation.analysis.addresses import Page
from evaluation.analysis.assumptions.unjudged_words import if_unjudged_were_best_in_words
from evaluation.analysis.charts import Links, links_to, picture_answer
from evaluation.analysis.pairwise_tests.exports import pairs_csv, pairs_json
from evaluation.analysis.pairwise_tests.figures import kinds_of_pairs
from evaluation.analysis.pairwise_tests.selectors import Pairs, pairs_of
from evaluation.boards.measures_on_scale import told_by
from evaluation.engine.significance.corners import AS_JUDGED
from evaluation.engine.significance.families import all_pairs
from evaluation.permissions import get_board_or_404

MOST_CHANGED = 50
"""Pairs that the table of unjudged documents names; the files name all."""
MOST_TAGS = 8
"""Runs that a cell of the table names; the files name all."""


@require_safe
def pairs(request: HttpRequest, campaign_slug: str, task_slug: str, number: int | None = None) -> HttpResponse:
    found = _pairs_or_404(request, campaign_slug, task_slug, number)
    listed = short_list(request.GET, range(len(found.tags)), partial(_names, found), of="run")
    context = {
        "task": found.seen.task,
        "seen": found.seen,
        "measure": found.measure,
        "pairs": found,
        "asked": urlencode({"measure": found.measure}),
        "has_groups": any(found.letters),
        "why_no_ranks": found.seen.board.choice.why_no_ranks(found.column.summary, told_by(found.measure)),
        "alt": f"Corrected p of all pairs of runs by {found.measure}; the table above names the runs that differ",
        "groups_alt": f"Means by {found.measure} and groups of runs; the table above has the same letters",
        "unjudged_words": list(if_unjudged_were_best_in_words(found.seen.board, found.measure)),
        "unjudged_pairs": list(_changed_by_unjudged(found)),
        "listed": listed,
        "rows": list(_rows(found, listed.rows)),
    }
    return render(request, "evaluation/analysis/pairwise_tests.html", context)


@require_safe
def pairs_file(
    request: HttpRequest, campaign_slug: str, task_slug: str, file_format: str, number: int | None = None
) -> HttpResponse:
    """All pairs as csv or json, the heat map as svg, pdf or png."""
    found = _kept_pairs_or_404(request, campaign_slug, task_slug, number)
    if file_format == "csv":
        return HttpResponse(pairs_csv(found), content_type="text/csv; charset=utf-8")
    if file_format == "json":
        return JsonResponse(pairs_json(found))
    draw = partial(_draw_pairs, found, links_to(request, found.seen, "run", measure=found.measure))
    return picture_answer(request, found.seen, f"pairs {found.measure}", file_format, draw)


@require_safe
def groups_file(
    request: HttpRequest, campaign_slug: str, task_slug: str, file_format: str, number: int | None = None
) -> HttpResponse:
    """The critical-difference diagram as svg, pdf or png."""
    found = _kept_pairs_or_404(request, campaign_slug, task_slug, number)
    draw = partial(_draw_groups, found, links_to(request, found.seen, "run", measure=found.measure))
    return picture_answer(request, found.seen, f"groups {found.measure}", file_format, draw)


def _draw_pairs(found: Pairs, links: Links, **how: Any) -> bytes:
    from evaluation.analysis.pairwise_tests.picture import pairs_picture  # matplotlib is slow to load

    how |= {"p": found.square, "links": links(found.tags)}
    return pairs_picture(found.tags, kinds_of_pairs(found.square, found.alpha), found.measure, found.alpha, **how)


def _draw_groups(found: Pairs, links: Links, **how: Any) -> bytes:
    from evaluation.analysis.pairwise_tests.picture import groups_picture  # matplotlib is slow to load

    return groups_picture(found.tags, found.means, found.letters, found.measure, links=links(found.tags), **how)


def _names(found: Pairs, run: int) -> str:
    return f"{found.runs[run].tag} {found.runs[run].team}"


def _rows(found: Pairs, shown: list[int]) -> Iterator[dict[str, Any]]:
    """A row for each of these runs, by place: pairs without any of them are not looked at."""
    for run, (better, worse) in zip(shown, found.better_and_worse(shown), strict=True):
        yield {
            "run": found.runs[run],
            "mean": float(found.means[run]),
            "letters": found.letters[run],
            "better": _named(better),
            "worse": _named(worse),
            "equivalent": _named(found.equivalent_to(run)),
        }


def _changed_by_unjudged(found: Pairs) -> Iterator[dict[str, Any]]:
    """The first pairs of which another difference is shown, or none any more, in any case of what unjudged documents are."""
    unjudged = found.unjudged
    if unjudged is None:
        return
    places = np.flatnonzero(unjudged.changed_anywhere)[:MOST_CHANGED]
    today = found.square[np.triu_indices(len(found.tags), 1)]
    p = [today, *unjudged.p[1:]]
    pairs = all_pairs(len(found.tags))[places].tolist()
    for place, pair in zip(places.tolist(), pairs, strict=True):
        tags = [found.tags[run] for run in pair]
        better = unjudged.decisions[:, place] * (-1 if found.column.lower_is_better else 1)
        yield {
            "tags": tags,
            "cases": [
                (float(p[corner][place]), {1: tags[0], -1: tags[1]}.get(int(better[corner]), ""))
                for corner in (AS_JUDGED, *unjudged.corners)
            ],
        }


def _named(tags: list[str]) -> dict[str, Any]:
    return {"count": len(tags), "tags": tags[:MOST_TAGS], "more": max(len(tags) - MOST_TAGS, 0)}


def _kept_pairs_or_404(request: HttpRequest, campaign_slug: str, task_slug: str, number: int | None) -> Pairs:
    found = _pairs_or_404(request, campaign_slug, task_slug, number)
    if not found.square.size:
        raise Http404("This board has too many runs for the p-values of its pairs to be kept.")
    return found


def _pairs_or_404(request: HttpRequest, campaign_slug: str, task_slug: str, number: int | None) -> Pairs:
    return pairs_of(get_board_or_404(request, campaign_slug, task_slug, number), request.GET.get("measure", ""))


PAGES: list[Page] = [
    ("pairs/", pairs, "pairs"),
    ("pairs/all.<str:file_format>", pairs_file, "pairs_file"),
    ("pairs/groups.<str:file_format>", groups_file, "groups_file"),
]
