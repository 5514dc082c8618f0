"""What the pages of the working board and of published ones have in common."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.core.paginator import Paginator
from django.http import HttpRequest

from evaluation.boards.table import RUNS_ON_A_PAGE, BoardTable
from evaluation.selectors.seen import SeenBoard
from judging.set_names import DEFAULT


def board_context(request: HttpRequest, seen: SeenBoard) -> dict[str, Any]:
    """The table that the address asks for, and what is said of it."""
    page = request.GET.get("page", "")
    table = BoardTable.of(
        seen.board, request.GET.dict(), seen.tests, request.GET.getlist("show"), int(page) if page.isdecimal() else 1
    )
    return {
        "task": seen.task,
        "seen": seen,
        "table": table,
        "page": Paginator(table.runs, RUNS_ON_A_PAGE).get_page(page),
        "topics": len(seen.board.topics),
        "ordering": seen.ordering,
    }


def asked_set(sets: Sequence[str], query: Mapping[str, str]) -> str:
    """The set of qrels that an address asks for by `set`; the default one if the task has no such set."""
    asked = query.get("set", DEFAULT)
    return asked if asked in sets else DEFAULT
