"""Template tags of pages about boards."""

from collections.abc import Mapping
from typing import Any

from django import template

from campaign.models import Run
from campaign.models.run import RunLink
from campaign.text.plurals import number_of
from evaluation.engine.reliability.component_report import coefficient_in_words, error_in_words, interval_in_words
from evaluation.selectors.board_views import BoardView
from evaluation.selectors.scoring_scope import topics_known

register = template.Library()


@register.simple_tag
def board_page(seen: BoardView, name: str, **kwargs: Any) -> str:
    """The address of a page about this board: {% board_page seen "compare_topic" topic="412" %}."""
    return seen.url(name, **kwargs)


@register.filter
def about_measure(place: int) -> str:
    """The id of what the column of another measure means, by its place.

    >>> about_measure(1)
    'about-measure-1'
    """
    return f"about-measure-{place}"


@register.filter
def links_of(linked: Mapping[int, Run] | str, place: int) -> list[RunLink]:
    """To paper and code of the run at this place: {{ linked|links_of:line.place }}. A board without names has no `linked`."""
    run = linked.get(place) if isinstance(linked, Mapping) else None
    return [] if run is None else run.links


@register.filter
def topics_that_count(seen: BoardView) -> str:
    """How many topics the board is over, of those that its qrels and their pool have; empty where it is over all.

    Both are stored and never change, so a published board always says the same.
    """
    counting, known = len(seen.board.topics), topics_known(seen.qrels)
    return (
        f"{counting:,} of {number_of(known, 'topic')} {'counts' if counting == 1 else 'count'}"
        if counting < known
        else ""
    )


@register.filter
def topics_needed(topics: int | None) -> str:
    """A number of topics as reports print it; the search for it ends at 100,000."""
    return "over 100,000" if topics is None else f"{topics:,}"


@register.filter
def topics_interval(bounds: list[int | None] | str | None) -> str:
    """The interval of a number of topics, in brackets; nothing where there is none, or "" as in reports of version 1.0.

    >>> topics_interval([20, None]), topics_interval(None)
    (' (20 to over 100,000)', '')
    """
    return f" ({topics_needed(bounds[0])} to {topics_needed(bounds[1])})" if isinstance(bounds, list) else ""


register.filter(coefficient_in_words)
register.filter(error_in_words)
register.filter(interval_in_words)
