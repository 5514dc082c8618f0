"""Template tags of pages about boards."""

from typing import Any

from django import template

from campaign.text.plurals import number_of
from evaluation.engine.reliability.component_report import coefficient_in_words, error_in_words, interval_in_words
from evaluation.selectors.board_views import BoardView

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
def topics_scored(seen: BoardView) -> str:
    """How many topics of the task the board is over, where not all: then documents of the others need not be judged."""
    scored, of_task = len(seen.board.topics), seen.task.topics.count()
    return f"{scored:,} of {number_of(of_task, 'topic')} scored" if scored < of_task else ""


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
