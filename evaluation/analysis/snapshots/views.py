from collections.abc import Callable, Sequence
from functools import partial
from typing import Any
from urllib.parse import urlencode

from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import URLPattern, path
from django.views.decorators.http import require_safe

from evaluation.analysis.addresses import Page
from evaluation.analysis.charts import picture_answer, relative
from evaluation.analysis.snapshots.exports import changes_csv, changes_json, cited, history_csv, tables_tex
from evaluation.analysis.snapshots.history import RankHistory, rank_history
from evaluation.boards.audiences import ANONYMOUS, PARTICIPANTS, PUBLIC
from evaluation.boards.changes import ChangedRun, board_changes, boards_compare, changed_runs
from evaluation.boards.citation import bibtex, csl
from evaluation.boards.measures_on_scale import is_of_quality, no_ranks_by
from evaluation.models import Leaderboard
from evaluation.permissions import get_board_or_404
from evaluation.selectors.board_views import BoardView, board_of_leaderboard

MOST_VERSIONS = 20


@require_safe
def changes(request: HttpRequest, campaign_slug: str, task_slug: str, number: int) -> HttpResponse:
    after, before = _two_boards(request, campaign_slug, task_slug, number)
    context: dict[str, Any] = {"task": after.task, "seen": after, "before": before}
    if before is not None:
        measure, said, rows = _changes(request, before, after)
        has_ranks = is_of_quality(measure)
        context |= {
            "measure": measure,
            "said": said,
            "runs": [row for row in rows if row.state != "same"],
            "same": sum(row.state == "same" for row in rows),
            "has_history": has_ranks and len(_versions(after, measure)) > 1,
            "has_ranks": has_ranks,
            "no_ranks": no_ranks_by(measure),
            "comparable": boards_compare(
                before.board, after.board, same_qrels=before.qrels.sha256 == after.qrels.sha256
            ),
        }
    return render(request, "evaluation/analysis/changes.html", context)


@require_safe
def changes_file(
    request: HttpRequest, campaign_slug: str, task_slug: str, number: int, file_format: str
) -> HttpResponse:
    after, before = _two_boards(request, campaign_slug, task_slug, number)
    if before is None or file_format not in ("csv", "json"):
        raise Http404
    measure, said, rows = _changes(request, before, after)
    if file_format == "json":
        return JsonResponse(changes_json(before, after, said, measure, rows))
    return HttpResponse(changes_csv(measure, rows), content_type="text/csv; charset=utf-8")


@require_safe
def history(request: HttpRequest, campaign_slug: str, task_slug: str, number: int, file_format: str) -> HttpResponse:
    """The ranks of the runs on this board and those before it."""
    seen = get_board_or_404(request, campaign_slug, task_slug, number)
    measure = seen.measure(request.GET.get("measure", ""))
    if not is_of_quality(measure):
        return HttpResponse(f"{no_ranks_by(measure)}\n", "text/plain; charset=utf-8", 404)
    versions = _versions(seen, measure)
    if file_format == "csv":
        return HttpResponse(history_csv(_history(versions, measure)), content_type="text/csv; charset=utf-8")
    asked = urlencode({"measure": measure})

    def links(number: int, tag: str) -> str:
        return f"{relative(request, seen.task.url('leaderboard_run', number=number, tag=tag))}?{asked}"

    name = f"history {measure} {[(one.number, one.sha256) for one in versions]}"
    return picture_answer(request, seen, name, file_format, partial(_draw, versions, measure, links))


@require_safe
def citation(request: HttpRequest, campaign_slug: str, task_slug: str, number: int, file_format: str) -> HttpResponse:
    """How to cite the board: bib for BibTeX, json for CSL."""
    seen = get_board_or_404(request, campaign_slug, task_slug, number)
    if file_format == "bib":
        return HttpResponse(bibtex(cited(seen)), content_type="application/x-bibtex; charset=utf-8")
    if file_format == "json":
        return JsonResponse(csl(cited(seen)), safe=False)
    raise Http404


@require_safe
def tables(request: HttpRequest, campaign_slug: str, task_slug: str, number: int | None = None) -> HttpResponse:
    seen = get_board_or_404(request, campaign_slug, task_slug, number)
    response = HttpResponse(tables_tex(seen), content_type="application/x-tex; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{seen.task.slug}-{seen.name.replace(" ", "-")}.tex"'
    return response


def _two_boards(
    request: HttpRequest, campaign_slug: str, task_slug: str, number: int
) -> tuple[BoardView, BoardView | None]:
    """The board of the address, and the one before it that is set beside it."""
    after = get_board_or_404(request, campaign_slug, task_slug, number)
    earlier = _beside(after).filter(number__lt=number)
    last = earlier.order_by("-number").values_list("number", flat=True).first()
    return after, None if last is None else get_board_or_404(request, campaign_slug, task_slug, last)


def _beside(seen: BoardView) -> QuerySet[Leaderboard]:
    """The leaderboards by the same set of qrels that the reader may see as a whole, beside this one.

    Pseudonyms are never set beside names: a run that keeps its ranks would be known by them.
    """
    visible = Leaderboard.objects.of_visible_task(seen.task, seen.reader, organises=seen.organises)
    comparable = (
        [ANONYMOUS] if seen.published.audience == ANONYMOUS else [PUBLIC, *([PARTICIPANTS] if seen.organises else [])]
    )
    return visible.filter(qrels__set_name=seen.qrels.set_name, audience__in=comparable)


def _versions(seen: BoardView, measure: str) -> list[Leaderboard]:
    """This leaderboard and those before it that have the measure, the earliest first; no stored board is read."""
    found = _beside(seen).filter(number__lte=seen.published.number).order_by("-number")
    with_measure = [leaderboard for leaderboard in found if measure in leaderboard.measures]
    return with_measure[:MOST_VERSIONS][::-1]


def _history(versions: Sequence[Leaderboard], measure: str) -> RankHistory:
    return rank_history([(one.number, board_of_leaderboard(one)) for one in versions], measure)


def _draw(versions: Sequence[Leaderboard], measure: str, links: Callable[[int, str], str], **how: Any) -> bytes:
    from evaluation.analysis.snapshots.picture import history_picture  # matplotlib is slow to load

    return history_picture(_history(versions, measure), links=links, **how)


def _changes(request: HttpRequest, before: BoardView, after: BoardView) -> tuple[str, list[str], list[ChangedRun]]:
    shared = [measure for measure in after.board.measures if measure in before.board.measures]
    asked = request.GET.get("measure", "")
    measure = asked if asked in shared else next(iter(shared), after.board.measures[0])
    same_qrels = before.qrels.sha256 == after.qrels.sha256
    said = board_changes(before.board, after.board, same_qrels=same_qrels)
    return measure, said, changed_runs(before.board, after.board, measure, same_qrels=same_qrels)


OF_LEADERBOARDS: list[URLPattern] = [
    path("leaderboard/<int:number>/changes/", changes, name="leaderboard_changes"),
    path("leaderboard/<int:number>/changes/history.<str:file_format>", history, name="leaderboard_history_file"),
    path("leaderboard/<int:number>/changes.<str:file_format>", changes_file, name="leaderboard_changes_file"),
    path("leaderboard/<int:number>/citation.<str:file_format>", citation, name="leaderboard_citation"),
]
PAGES: list[Page] = [("tables.tex", tables, "tables")]
