"""Template tags of pages about boards."""

from typing import Any

from django import template

from evaluation.selectors.seen import SeenBoard

register = template.Library()


@register.simple_tag
def board_page(seen: SeenBoard, name: str, **kwargs: Any) -> str:
    """The address of a page about this board: {% board_page seen "compare_topic" topic="412" %}."""
    return seen.url(name, **kwargs)
