from collections.abc import Mapping
from typing import Any

import numpy as np
from django.http import HttpRequest, HttpResponse

from evaluation.boards.rows import Row, sorted_rows
from evaluation.boards.tests_in_words import TESTS, family_in_words


def board_picture(
    request: HttpRequest, rows: list[Row], measure: str, topics: int, tests: Mapping[str, Any] = TESTS
) -> HttpResponse:
    """Means with 95 % intervals, as SVG in the colours of a light or dark page."""
    from evaluation.boards.picture import (
        bar_with_intervals,  # matplotlib would cost every process half a second of its start
    )

    shown = sorted_rows(rows, measure)
    cells = [row.cells[measure] for row in shown]
    picture = bar_with_intervals(
        [row.tag for row in shown],
        np.array([cell.mean for cell in cells]),
        np.array([-np.inf if cell.low is None else cell.low for cell in cells]),
        np.array([np.inf if cell.high is None else cell.high for cell in cells]),
        measure=measure,
        topics=None if any(cell.topics is not None for cell in cells) else topics,
        not_shown_to_differ=np.array([cell.not_shown_to_differ for cell in cells]),
        family=family_in_words(tests),
        theme="dark" if request.GET.get("theme") == "dark" else "light",
    )
    response = HttpResponse(picture, content_type="image/svg+xml")
    response["Cache-Control"] = "private, no-cache"
    return response
