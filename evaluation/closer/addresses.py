"""A page about a board has two addresses: below the working scores, and below every published leaderboard."""

from collections.abc import Callable, Iterable
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpResponseBase
from django.urls import URLPattern, path

Page = tuple[str, Callable[..., HttpResponseBase], str]
"""Address below the board, view, name: `("compare/", compare, "compare")` makes `scores_compare` and `leaderboard_compare`.

The view is called with campaign_slug, task_slug, what the address holds, and number for a published board only.
"""


def below_boards(pages: Iterable[Page]) -> list[URLPattern]:
    """Every page at both addresses."""
    found: list[Any] = []
    for address, view, name in pages:
        found.append(path(f"scores/{address}", login_required(view), name=f"scores_{name}"))
        found.append(path(f"leaderboard/<int:number>/{address}", view, name=f"leaderboard_{name}"))
    return found
