from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from evaluation.analysis.addresses import Page
from evaluation.analysis.assumptions.unjudged_words import if_unjudged_were_best_in_words
from evaluation.analysis.assumptions.words import Part, in_words
from evaluation.analysis.selectors import diagnostics_of
from evaluation.permissions import get_board_or_404
from evaluation.selectors.board_views import BoardView


@require_safe
def assumptions(request: HttpRequest, campaign_slug: str, task_slug: str, number: int | None = None) -> HttpResponse:
    """As a part of a page where a page asks for it, else as a page."""
    seen = get_board_or_404(request, campaign_slug, task_slug, number)
    measure = seen.measure(request.GET.get("measure", ""))
    context = {"task": seen.task, "seen": seen, "measure": measure, "parts": _parts(seen, measure)}
    page = "evaluation/analysis/_assumptions.html" if request.htmx else "evaluation/analysis/assumptions.html"  # type: ignore[attr-defined]
    return render(request, page, context)


def _parts(seen: BoardView, measure: str) -> list[Part]:
    """Empty where no pairs were tested, or none are kept."""
    found = diagnostics_of(seen, measure)
    if found is None:
        return []
    board = seen.board
    of_unjudged = list(if_unjudged_were_best_in_words(board, measure))
    return [
        *in_words(found, board.column(measure), board.choice, len(board.measures)),
        ("Unjudged documents", of_unjudged),
    ]


PAGES: list[Page] = [("assumptions/", assumptions, "assumptions")]
