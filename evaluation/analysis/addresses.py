"""A page about a board has three addresses: below the unpublished scores, every leaderboard, and every preview of one."""

from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponseBase
from django.urls import URLPattern, path, register_converter
from django.urls.converters import StringConverter

from evaluation.boards.audiences import AUDIENCES


class AudienceConverter(StringConverter):
    regex = "|".join(AUDIENCES)


register_converter(AudienceConverter, "audience")

Page = tuple[str, Callable[..., HttpResponseBase], str]
"""Address below the board, view, name: `("compare/", compare, "compare")` makes `scores_compare`, `leaderboard_compare` and
`preview_compare`.

The view is called with campaign_slug, task_slug, what the address holds, and number for a published board only: which board is
meant is found out by `get_board_or_404`.
"""


def below_boards(pages: Iterable[Page]) -> list[URLPattern]:
    """Every page at its addresses."""
    found: list[Any] = []
    for address, view, name in pages:
        found.append(path(f"scores/{address}", login_required(view), name=f"scores_{name}"))
        found.append(path(f"leaderboard/<int:number>/{address}", view, name=f"leaderboard_{name}"))
        found.append(preview(address, view, name))
    return found


def preview(address: str, view: Callable[..., HttpResponseBase], name: str) -> URLPattern:
    """The page at its address below previews, which are for organisers."""

    @wraps(view)
    def seen_as(request: HttpRequest, *, audience: str, **kwargs: Any) -> HttpResponseBase:
        return view(request, **kwargs)  # the audience is read from the address

    return path(f"scores/preview/<audience:audience>/{address}", login_required(seen_as), name=f"preview_{name}")
