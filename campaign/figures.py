"""Figures that later apps show to those who watch the site: each must be told in bounded time, by an index."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.db.models import Max


@dataclass(frozen=True, slots=True)
class Figure:
    """A number that only grows. The page of metrics puts `runpool_` before its name and `_total` behind it."""

    name: str
    text: str
    value: Callable[[], int]


_figures: dict[str, Figure] = {}


def show_figure(figure: Figure) -> None:
    _figures[figure.name] = figure


def newest_number(model: Any) -> int:
    """Of rows that are never deleted one by one: how many there have been, without reading them."""
    return int(model._base_manager.aggregate(newest=Max("pk"))["newest"] or 0)


def shown_figures() -> list[Figure]:
    return list(_figures.values())
