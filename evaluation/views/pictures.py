from functools import partial

from django.http import Http404, HttpRequest, HttpResponse

from campaign.drawing import draw_once
from campaign.text.plurals import number_of
from evaluation.analysis.charts import Links, has_links, links_to
from evaluation.boards.snapshot import best_first
from evaluation.selectors.board_views import BoardView

MOST_DRAWN = 100
"""Runs of a picture: more would not fit on a page."""


def board_picture_of(request: HttpRequest, seen: BoardView, measure: str) -> HttpResponse:
    """The picture of one measure; Http404 for one that the board lacks."""
    if measure not in seen.board.measures:
        raise Http404
    return board_picture(request, seen, measure)


def board_picture(request: HttpRequest, seen: BoardView, measure: str) -> HttpResponse:
    """Means with intervals, as SVG in the colours of a light or dark page; drawn once for each content of a board."""
    theme = "dark" if request.GET.get("theme") == "dark" else "light"
    links = links_to(request, seen, "run", measure=measure)
    key = f"board:{seen.key}:{measure}:{theme}:{has_links(request)}"
    return draw_once(request, key, partial(_drawn, seen, measure, theme, links), "image/svg+xml")


def _drawn(seen: BoardView, measure: str, theme: str, links: Links) -> bytes:
    # matplotlib would cost every process half a second of its start
    from evaluation.boards.picture import bar_with_intervals

    board, column = seen.board, seen.board.shown_column(measure)
    order = best_first(board, measure)
    runs = order[:MOST_DRAWN]
    has_ranks = bool((column.rank_best > 0).any())
    of_all = (
        f"{measure} of the best {MOST_DRAWN} of {number_of(len(order), 'run')}" if len(order) > MOST_DRAWN else None
    )
    tags = [board.runs[run].tag for run in runs]
    return bar_with_intervals(
        tags,
        column.mean[runs],
        column.low[runs],
        column.high[runs],
        measure=measure,
        topics=len(board.topics) if (column.topics == len(board.topics)).all() else None,
        title=of_all,
        level=board.choice.level,
        may_be_best=column.may_be_best[runs] if has_ranks else None,
        tests=board.choice.in_words,
        links=links(tags),
        theme="dark" if theme == "dark" else "light",
    )
