"""Pages in HTML made harmless, in linear time: written anew from what is allowed, or kept for a frame that may do nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape

import nh3

from campaign.formats.markup import Piece, decoded, pieces

LONGEST_PAGE = 2_000_000
"""Characters; what is longer is shown as it was written."""
DEEPEST = 40
"""Elements inside one another; of further ones only the text is kept. Sanitisers take quadratic time in the depth."""

BLOCKS = {"p", "div", "blockquote", "pre", "ul", "ol", "li", "dl", "dt", "dd", "table", "h3", "h4", "h5", "h6", "hr"}
CELLS = {"caption", "thead", "tbody", "tfoot", "tr", "th", "td"}
INLINE = {"em", "strong", "b", "i", "u", "s", "sub", "sup", "small", "code", "br"}
TAGS = BLOCKS | CELLS | INLINE
EMPTY = {"br", "hr"}
RENAMED = {
    **dict.fromkeys(("section", "article", "main", "header", "footer", "nav", "aside", "center", "figure"), "div"),
    "h1": "h3",
    "h2": "h4",
    "h3": "h5",
    "h4": "h6",
    "h5": "h6",
    "h6": "h6",
    "listing": "pre",
    "a": "u",
    "strike": "s",
    "del": "s",
    "ins": "u",
    "tt": "code",
    "kbd": "code",
    "samp": "code",
    "cite": "em",
}
"""Headings begin below that of the document; a link is underlined text, since its address may lead anywhere."""
NOT_SHOWN = {
    *("script", "style", "template", "title", "iframe", "frameset", "noframes", "noembed", "object", "applet", "embed"),
    *("svg", "math", "select", "textarea", "audio", "video", "canvas", "xmp", "plaintext"),
}
"""Elements of which nothing is kept, up to their closing tag."""
SPANS = re.compile("[1-9][0-9]?")
ATTRIBUTES = {"td": {"colspan", "rowspan"}, "th": {"colspan", "rowspan"}}

ENDS: dict[str, tuple[set[str], set[str]]] = {
    "li": ({"li"}, {"ul", "ol"}),
    "dt": ({"dt", "dd"}, {"dl"}),
    "dd": ({"dt", "dd"}, {"dl"}),
    "td": ({"td", "th"}, {"tr", "table"}),
    "th": ({"td", "th"}, {"tr", "table"}),
    "tr": ({"tr"}, {"table"}),
    **{name: ({"thead", "tbody", "tfoot", "caption"}, {"table"}) for name in ("thead", "tbody", "tfoot")},
}
"""What an opening tag closes, whose own closing tag HTML allows to leave out, and what it does not look beyond."""
PARAGRAPH = ({"p"}, {"td", "th", "li", "dd", "blockquote", "div"})

LOADING = re.compile(r"<(/?)(?=(?:link|meta|base)\b)", re.IGNORECASE)


def safe_html(page: str) -> str:
    """The page without scripts, styles, forms, frames, pictures and addresses; "" if it is longer than LONGEST_PAGE.

    What comes out is well nested, so that the second wall, the sanitiser, takes linear time too. Of a picture its
    alternative text is kept.

    >>> safe_html('<h1 onclick=x>Eggs</h1><p>Boil <a href="https://x.example">them</a><script>x</script><img src=y alt=pot>')
    '<h3>Eggs</h3><p>Boil <u>them</u>[pot]</p>'
    """
    if len(page) > LONGEST_PAGE:
        return ""
    html = "".join(_Writer().written(page))
    return nh3.clean(
        html,
        tags=TAGS,
        clean_content_tags=set(),
        attributes=ATTRIBUTES,
        url_schemes=set(),
        link_rel=None,
        generic_attribute_prefixes=set(),
    )


def framed_page(page: str) -> str:
    """The page for a frame without scripts and loads, as it is but for the tags by which browsers connect to other hosts.

    `link` (preconnect), `meta` (refresh) and `base` are not all stopped by a content security policy: they become unknown tags.

    >>> framed_page('<META http-equiv=refresh content="0;url=https://x.example"><p>Eggs')
    '<x-META http-equiv=refresh content="0;url=https://x.example"><p>Eggs'
    """
    return LOADING.sub(r"<\1x-", page)


class _Writer:
    """Writes what is allowed of a page; `open` are the elements that are not closed yet, the outermost first."""

    def __init__(self) -> None:
        self.open: list[str] = []
        self.skipped = ""

    def written(self, page: str) -> Iterator[str]:
        for piece in pieces(page):
            if self.skipped:
                if piece.closing and piece.name == self.skipped:
                    self.skipped = ""
            elif piece.name:
                yield self._tag(piece)
            else:
                yield escape(decoded(piece.text), quote=False)
        yield self._closed_to(0)

    def _tag(self, piece: Piece) -> str:
        if piece.name in NOT_SHOWN:
            if not piece.closing and not piece.text.endswith("/>"):
                self.skipped = piece.name
            return ""
        if piece.name == "img":
            text = piece.attributes.get("alt", "").strip()
            return escape(f"[{text}]", quote=False) if text else ""
        name = RENAMED.get(piece.name, piece.name)
        if name not in TAGS:
            return ""
        return self._close(name) if piece.closing else self._begin(name, piece)

    def _close(self, name: str) -> str:
        return self._closed_to(_last(self.open, {name}, set())) if name in self.open else ""

    def _begin(self, name: str, piece: Piece) -> str:
        before = self._ended(*PARAGRAPH) if name in BLOCKS else ""
        before += self._ended(*ENDS[name]) if name in ENDS else ""
        if name in EMPTY:
            return f"{before}<{name}>"
        if len(self.open) >= DEEPEST:
            return before
        self.open.append(name)
        return f"{before}<{name}{_spans(name, piece)}>"

    def _ended(self, closed: set[str], within: set[str]) -> str:
        place = _last(self.open, closed, within)
        return "" if place is None else self._closed_to(place)

    def _closed_to(self, place: int | None) -> str:
        closed = self.open[place or 0 :]
        del self.open[place or 0 :]
        return "".join(f"</{name}>" for name in reversed(closed))


def _last(names: list[str], wanted: set[str], within: set[str]) -> int | None:
    """The place of the innermost element of these; None if there is none inside of the elements `within`."""
    for place in range(len(names) - 1, -1, -1):
        if names[place] in wanted:
            return place
        if names[place] in within:
            return None
    return None


def _spans(name: str, piece: Piece) -> str:
    """Over how many columns and rows a cell goes."""
    if name not in ATTRIBUTES:
        return ""
    given = piece.attributes
    return "".join(f' {one}="{given[one]}"' for one in sorted(ATTRIBUTES[name]) if SPANS.fullmatch(given.get(one, "")))
