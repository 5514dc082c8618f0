"""Pictures about boards as answers: drawn once for each content of a board, in three formats."""

from collections.abc import Callable
from functools import partial
from hashlib import sha256

from django.http import Http404, HttpRequest, HttpResponse

from evaluation.drawing import draw_once
from evaluation.selectors.board_views import BoardView

CONTENT_TYPES = {"svg": "image/svg+xml", "pdf": "application/pdf", "png": "image/png"}


def picture_answer(
    request: HttpRequest, seen: BoardView, name: str, picture_format: str, draw: Callable[..., bytes]
) -> HttpResponse:
    """The picture that `draw(theme=, picture_format=)` makes; `name` tells it from all others of the board, and is in file names.

    Only SVG follows the theme of the page: PDF and PNG are for papers.
    """
    if picture_format not in CONTENT_TYPES:
        raise Http404
    theme = "dark" if picture_format == "svg" and request.GET.get("theme") == "dark" else "light"
    key = f"evaluation:picture:{sha256(repr((seen.key, name, picture_format, theme)).encode()).hexdigest()}"
    how = {"theme": theme, "picture_format": picture_format}
    response = draw_once(request, key, partial(draw, **how), CONTENT_TYPES[picture_format])
    response.setdefault("Cache-Control", "private, max-age=3600" if seen.leaderboard else "private, no-cache")
    return response
