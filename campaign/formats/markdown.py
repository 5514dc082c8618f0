"""Markdown as HTML that is safe to show: written anew from what is allowed, within limits of time and of length."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import Any

import nh3
from markdown_it import MarkdownIt
from markdown_it.common.utils import escapeHtml
from markdown_it.token import Token

RENDERER = 1
"""Raised whenever the same text may give other HTML: what was rendered before is then rendered anew."""
SECONDS, LONGEST_HTML = 1.0, 2_000_000
TAGS = {
    *("p", "br", "hr", "em", "strong", "code", "pre", "blockquote", "ul", "ol", "li", "a"),
    *("h3", "h4", "h5", "h6", "table", "thead", "tbody", "tr", "th", "td"),
}
ATTRIBUTES = {"a": {"href", "title"}, "ol": {"start"}, "th": {"scope"}}
SCHEMES = {"http", "https", "mailto"}
LINK_REL = "noopener noreferrer nofollow"
FIRST_HEADING, LAST_HEADING = 3, 6


class TooMuchToRenderError(ValueError):
    """Formatting this text would take too long, or give far too much."""


def html_of(text: str, seconds: float = SECONDS) -> str:
    """Sanitised HTML; its headings start at level 3, below those of the page. `seconds` are of the processor, not of a clock.

    >>> html_of("# Data\\n\\nUse *all* of it.")
    '<h3>Data</h3>\\n<p>Use <em>all</em> of it.</p>\\n'
    """
    parser = _parser(_stop_after(seconds))
    tokens = parser.parse(text)
    _require_length(tokens)
    _lower_headings(tokens)
    for token in tokens:
        if token.type == "th_open":
            token.attrSet("scope", "col")
    html = parser.renderer.render(tokens, parser.options, {})
    return nh3.clean(
        html,
        tags=TAGS,
        clean_content_tags={"script", "style"},
        attributes=ATTRIBUTES,
        url_schemes=SCHEMES,
        link_rel=LINK_REL,
        generic_attribute_prefixes=set(),
    )


def _parser(check: Callable[[], None]) -> MarkdownIt:
    """A parser that calls `check` wherever it tries its rules: every loop that can outgrow the text goes through them."""

    def check_and_pass_on(*_: object) -> bool:
        check()
        return False

    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    parser.add_render_rule("image", _link_instead_of_image)
    inside = {"alt": ["paragraph", "reference", "blockquote", "list"]}
    parser.block.ruler.before("table", "time limit", check_and_pass_on, inside)  # type: ignore[arg-type]
    parser.inline.ruler.before("text", "time limit", check_and_pass_on)
    return parser


def _stop_after(seconds: float) -> Callable[[], None]:
    end = time.thread_time() + seconds

    def check() -> None:
        if time.thread_time() > end:
            raise TooMuchToRenderError(f"Rendering takes longer than {seconds} s.")

    return check


def _link_instead_of_image(renderer: Any, tokens: list[Token], index: int, options: Any, env: Any) -> str:
    """Pages load nothing from elsewhere: whoever wants to see the picture follows the link."""
    address, text = str(tokens[index].attrs.get("src", "")), tokens[index].content
    return f'<a href="{escapeHtml(address)}">{escapeHtml(text or address)}</a>'


def _require_length(tokens: Iterable[Token]) -> None:
    """Refuse what grows as it is rendered: one long address can be referred to from thousands of places."""
    length = 0
    for token in tokens:
        for part in (token, *(token.children or ())):
            length += len(part.content) + sum(len(str(value)) for value in part.attrs.values())
        if length > LONGEST_HTML:
            raise TooMuchToRenderError(f"Rendering gives more than {LONGEST_HTML:,} characters.")


def _lower_headings(tokens: Iterable[Token]) -> None:
    headings = [token for token in tokens if token.type in {"heading_open", "heading_close"}]
    top = min((int(token.tag[1]) for token in headings), default=1)
    for token in headings:
        token.tag = f"h{min(int(token.tag[1]) - top + FIRST_HEADING, LAST_HEADING)}"
