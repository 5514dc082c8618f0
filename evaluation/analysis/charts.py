"""Pictures about boards as answers: drawn once for each content of a board, in three formats."""

from collections.abc import Callable, Iterable
from functools import partial
from posixpath import dirname, relpath
from typing import Literal, TypeAlias
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse
from django.utils.encoding import escape_uri_path

from campaign.drawing import CONTENT_TYPES, draw_once
from evaluation.selectors.board_views import BoardView

Links: TypeAlias = Callable[[Iterable[str]], list[str]]


def picture_answer(
    request: HttpRequest, seen: BoardView, name: str, picture_format: str, draw: Callable[..., bytes]
) -> HttpResponse:
    """The picture that `draw(theme=, picture_format=)` makes; `name` tells it from all others of the board, and is in file names.

    Only SVG follows the theme of the page: PDF and PNG are for papers.
    """
    if picture_format not in CONTENT_TYPES:
        raise Http404
    theme = "dark" if picture_format == "svg" and request.GET.get("theme") == "dark" else "light"
    key = repr((seen.key, name, picture_format, theme, has_links(request)))
    how = {"theme": theme, "picture_format": picture_format}
    return draw_once(request, key, partial(draw, **how), CONTENT_TYPES[picture_format])


def has_links(request: HttpRequest) -> bool:
    """Whether pages about the board show what the picture shows: they know the default set of qrels only."""
    return "set" not in request.GET


def links_to(request: HttpRequest, seen: BoardView, page: Literal["run", "topic"], **query: str) -> Links:
    """A function that gives the addresses of the pages of runs by tag, or of topics by number, relative to the picture.

    They are the same below every address of a board, as the picture is. "" where the reader may not open the page, and where
    the address asks for a set of qrels, which no page about a board keeps.
    """
    is_open = has_links(request) and not (seen.is_live or (seen.only_own and page == "topic"))
    argument = {"run": "tag", "topic": "topic"}[page]
    asked = f"?{urlencode(query)}" if query else ""

    def addresses(names: Iterable[str]) -> list[str]:
        if not is_open:
            return ["" for _ in names]
        return [f"{relative(request, seen.url(page, **{argument: name}))}{asked}" for name in names]

    return addresses


def relative(request: HttpRequest, address: str) -> str:
    """The address of a page relative to the picture that is asked for."""
    # "./": a name before a colon would be read as a protocol
    return f"./{relpath(address, dirname(escape_uri_path(request.path)))}/"
