"""Published boards. What of one a reader sees follows from its audience, for pages and files alike."""

from typing import Any

from django.db.models import QuerySet
from django.http import FileResponse, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from campaign.permissions import get_task_or_404, is_organiser
from campaign.storage.reading import open_verified
from campaign.text.natural_order import natural_order
from evaluation.boards.audiences import ANONYMOUS, PARTICIPANTS
from evaluation.boards.measures_in_words import written
from evaluation.exports import asked_of_json, own_csv, own_json, part_of_json
from evaluation.models import Leaderboard
from evaluation.permissions import get_board_or_404
from evaluation.selectors.board_views import BoardView
from evaluation.selectors.boards import newest_leaderboard
from evaluation.selectors.snapshots import READER, published_file
from evaluation.selectors.task_measures import board_cautions
from evaluation.views.boards import board_context, downloaded
from evaluation.views.pictures import board_picture_of
from pooling.selectors.pools import pools_ordered_otherwise


@require_safe
def leaderboard_latest(request: HttpRequest, campaign_slug: str, task_slug: str) -> HttpResponse:
    task = get_task_or_404(request.user, campaign_slug, task_slug)
    newest = newest_leaderboard(task, request.user)
    if newest is not None:
        return redirect(newest)
    context = {"task": task, "organises": is_organiser(request.user, task.campaign)}
    return render(request, "evaluation/leaderboard_none.html", context)


@require_safe
def leaderboard_detail(request: HttpRequest, campaign_slug: str, task_slug: str, number: int) -> HttpResponse:
    seen = get_board_or_404(request, campaign_slug, task_slug, number, shows_own=True)
    leaderboard = seen.published
    of_task = Leaderboard.objects.of_visible_task(seen.task, request.user, organises=seen.organises).order_by("-number")
    context = {
        "leaderboard": leaderboard,
        "cautions": board_cautions(seen.qrels, seen.board.measures, remedies=False),
        "numbers": list(of_task.filter(qrels__set_name=seen.qrels.set_name).values_list("number", flat=True)),
        "others": newest_of_other_sets(of_task, seen.qrels.set_name),
        "organises": seen.organises,
    }
    if seen.only_own:
        whole = of_task.filter(qrels__set_name=seen.qrels.set_name).exclude(audience=PARTICIPANTS).first()
        context |= own_context(request, seen) | {"whole": whole}
        return render(request, "evaluation/leaderboard_own.html", context)
    context |= {
        **board_context(request, seen),
        "pools_ordered_otherwise": pools_ordered_otherwise(seen.task, seen.ordering, before=leaderboard.published_at),
        "named": _runs_behind_pseudonyms(seen),
    }
    return render(request, "evaluation/leaderboard_detail.html", context)


@require_safe
def leaderboard_csv(request: HttpRequest, campaign_slug: str, task_slug: str, number: int) -> HttpResponseBase:
    seen = get_board_or_404(request, campaign_slug, task_slug, number, shows_own=True)
    if seen.only_own:
        return downloaded(own_csv(seen), "text/csv; charset=utf-8", _file_name(seen.published, "csv"))
    return _whole(seen.published, "csv", "text/csv; charset=utf-8")


@require_safe
def leaderboard_as_json(request: HttpRequest, campaign_slug: str, task_slug: str, number: int) -> HttpResponseBase:
    """The whole snapshot as it is stored, and where it came from if an archive brought it.

    By one measure, or without the values by topic, if the address asks for it.
    """
    seen = get_board_or_404(request, campaign_slug, task_slug, number, shows_own=True)
    if seen.only_own:
        return downloaded(own_json(seen), "application/json", _file_name(seen.published, "json"))
    asked = asked_of_json(seen.board.measures, request.GET)
    if asked is None and seen.restored is None:
        return _whole(seen.published, "json", "application/json")
    text = published_file(seen.published, "json") if asked is None else part_of_json(seen, *asked)
    return downloaded(text, "application/json", _file_name(seen.published, "json"))


@require_safe
def leaderboard_picture(
    request: HttpRequest, campaign_slug: str, task_slug: str, number: int, measure: str
) -> HttpResponse:
    return board_picture_of(request, get_board_or_404(request, campaign_slug, task_slug, number), measure)


def own_context(request: HttpRequest, seen: BoardView) -> dict[str, Any]:
    """The runs of a team by all measures, on a board that it does not see as a whole."""
    columns = seen.board.columns
    rows = [
        {"run": run, "means": [written(float(column.mean[place]), column.summary) for column in columns]}
        for place, run in enumerate(seen.board.runs)
    ]
    return {
        "task": seen.task,
        "seen": seen,
        "measures": seen.board.measures,
        "rows": sorted(rows, key=lambda row: natural_order(row["run"].tag)),
    }


def newest_of_other_sets(boards: "QuerySet[Leaderboard]", set_name: str) -> list[Leaderboard]:
    """The newest board by each other set of qrels, by number: they stand beside this one."""
    found: dict[str, Leaderboard] = {}
    for board in boards.exclude(qrels__set_name=set_name).select_related("task__campaign", "qrels"):
        found.setdefault(board.qrels.set_name, board)
    return sorted(found.values(), key=lambda board: board.number)


def _runs_behind_pseudonyms(seen: BoardView) -> list[tuple[str, Any]]:
    """On a board without names, the runs that the reader may open: of a team its own, all for organisers."""
    if seen.published.audience != ANONYMOUS:
        return []
    return [(seen.board.runs[place].tag, run) for place, run in seen.runs_open(seen.places_open).items()]


def _whole(leaderboard: Leaderboard, file_format: str, content_type: str) -> HttpResponseBase:
    """The snapshot's file as it was stored."""
    name = _file_name(leaderboard, file_format)
    stored = leaderboard.as_csv if file_format == "csv" else leaderboard.as_json
    content = open_verified(str(stored.name), found_by=READER)
    return FileResponse(content, as_attachment=True, filename=name, content_type=content_type)


def _file_name(leaderboard: Leaderboard, extension: str) -> str:
    return f"{leaderboard.task.campaign.slug}-{leaderboard.task.slug}-leaderboard-{leaderboard.number}.{extension}"
