"""What the pages of the working board and of published ones have in common."""

from typing import Any

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse

from evaluation.analysis.reliability.selectors import verdict_of
from evaluation.boards.table import RUNS_ON_A_PAGE, BoardTable
from evaluation.selectors.board_views import BoardView


def board_context(request: HttpRequest, seen: BoardView) -> dict[str, Any]:
    """The table that the address asks for, and what is said of it."""
    page = request.GET.get("page", "")
    table = BoardTable.of(
        seen.board, request.GET.dict(), seen.tests, request.GET.getlist("show"), int(page) if page.isdecimal() else 1
    )
    return {
        "task": seen.task,
        "seen": seen,
        "table": table,
        "linked": seen.linked(row.place for row in table.rows),
        "page": Paginator(table.runs, RUNS_ON_A_PAGE).get_page(page),
        "topics": len(seen.board.topics),
        "verdict": verdict_of(seen),
        "ordering": seen.ordering,
    }


def downloaded(content: str, content_type: str, file_name: str) -> HttpResponse:
    """An answer that browsers save under this name, which is made of slugs and numbers."""
    response = HttpResponse(content, content_type=content_type)
    response["Content-Disposition"] = f'attachment; filename="{file_name}"'
    return response
