"""Text out of SGML and HTML-like markup, in time linear in its length for any input."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import unescape
from html.entities import html5
from itertools import pairwise

ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{0,31});")
CDATA, END_OF_CDATA = "<![CDATA[", "]]>"
IN_CDATA = re.compile(r"&(?=[#A-Za-z]|\Z)")
"""What might begin a character reference, perhaps with the text behind the section."""
TAG = re.compile(r"<!--|<!\[CDATA\[|<[!?][^<>]*+>|<(/?)([A-Za-z][\w:.-]*+)([^<>]*+)>")
ATTRIBUTE = re.compile(r"""(?<![\w:.-])([A-Za-z][\w:.-]*+)\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s"'>]++))""")
LIKE_MARKUP = re.compile(f"<(?=[!?/A-Za-z])|{ENTITY.pattern}")
PARAGRAPH_END = re.compile(r"\n\s*\n")
ITEM = re.compile(r"\s*(?:[-*\u2022\u2023\u2013\u25aa\u25cf\u00b7]|\(?(?:[0-9]{1,3}|[a-zA-Z]|[ivxIVX]{2,4})[.)])\s+\S")
"""The beginning of an item of a list."""
WRAPPED_AT, NEAR_THE_MARGIN = range(40, 121), 2 / 3
"""The widths at which programs and people wrap lines, and the part of the width that a line has before it is wrapped."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One stretch of text, or one tag with its `name` in lower case; `start` is the place of `text` in the whole."""

    start: int
    text: str
    name: str = ""
    closing: bool = False

    @property
    def attributes(self) -> dict[str, str]:
        return dict(attributes_of(self.text))


def pieces(markup: str) -> Iterator[Piece]:
    """Tags and the text between them, in order; comments, declarations and processing instructions are left out."""
    start = position = 0
    comments_end = sections_end = True
    while match := TAG.search(markup, position):
        position = match.end()
        if match.group() == CDATA:
            end = markup.find(END_OF_CDATA, position) if sections_end else -1
            sections_end = end >= 0
            if not sections_end:
                continue
            if match.start() > start:
                yield Piece(start, markup[start : match.start()])
            yield Piece(position, IN_CDATA.sub("&amp;", markup[position:end]))
            start = position = end + len(END_OF_CDATA)
            continue
        if match.group() == "<!--":
            end = markup.find("-->", position) if comments_end else -1
            comments_end = end >= 0
            if not comments_end:
                continue
            position = end + len("-->")
        if match.start() > start:
            yield Piece(start, markup[start : match.start()])
        if match.group(2):
            yield Piece(match.start(), match.group(), match.group(2).lower(), bool(match.group(1)))
        start = position
    if start < len(markup):
        yield Piece(start, markup[start:])


def attributes_of(tag: str) -> Iterator[tuple[str, str]]:
    """Each name, in lower case, and its value; a tag may hold millions.

    >>> list(attributes_of("<DOC ID=a1 lang='en'>"))
    [('id', 'a1'), ('lang', 'en')]
    """
    for found in ATTRIBUTE.finditer(tag):
        name, double, single, bare = found.groups()
        yield name.lower(), decoded(double or single or bare or "")


def decoded(text: str) -> str:
    """The text with its character references resolved; a bare ampersand stays one.

    >>> decoded("salt &amp; pepper & egg&#39;s")
    "salt & pepper & egg's"
    """
    return ENTITY.sub(lambda match: character(match.group()), text) if "&" in text else text


def character(reference: str) -> str:
    """What a whole reference stands for: itself where HTML knows no such name, of which `unescape` takes a beginning.

    >>> character("&eacute;"), character("&#38;"), character("&notit;")
    ('é', '&', '&notit;')
    """
    return unescape(reference) if reference.startswith("&#") else html5.get(reference[1:], reference)


def as_sgml(text: str) -> str:
    """Most readers of SGML decode nothing: only what would be read as markup is written as a character reference.

    >>> as_sgml("AT&T <b> 1 < 2 &amp;")
    'AT&T &lt;b> 1 < 2 &amp;amp;'
    """
    return LIKE_MARKUP.sub(lambda match: match.group().replace("&", "&amp;").replace("<", "&lt;"), text)


def one_line(text: str) -> str:
    """A text on one line, with one blank between its words.

    >>> one_line("  How is an egg\\n  boiled? ")
    'How is an egg boiled?'
    """
    return " ".join(text.split())


def paragraphs(text: str) -> str:
    """Hard-wrapped text as paragraphs of one line each, with an empty line between them; lines of lists stay lines.

    >>> paragraphs("How is an egg\\n  boiled?\\n\\n\\nIn water.")
    'How is an egg boiled?\\n\\nIn water.'
    >>> paragraphs("Take:\\n- an egg that\\n  is fresh\\n- water")
    'Take:\\n- an egg that is fresh\\n- water'
    """
    return "\n\n".join(filter(None, map(_unwrapped, PARAGRAPH_END.split(text))))


def _unwrapped(paragraph: str) -> str:
    lines = [line for line in paragraph.split("\n") if line.strip()]
    begin = next((place for place, line in enumerate(lines) if ITEM.match(line)), len(lines))
    text = _prose(list(map(one_line, lines[:begin])))
    depth = 0
    for line in lines[begin:]:
        if _depth(line) > depth and not ITEM.match(line):
            text[-1].append(one_line(line))  # an item goes on
        else:
            text.append([one_line(line)])
            depth = _depth(line)
    return "\n".join(map(" ".join, text))


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())


def _prose(lines: Sequence[str]) -> list[list[str]]:
    if not _is_wrapped(lines):
        return [[line] for line in lines]
    text = [[lines[0]]]
    for before, line in pairwise(lines):
        if before.endswith(":"):
            text.append([line])
        else:
            text[-1].append(line)
    return text


def _is_wrapped(lines: Sequence[str]) -> bool:
    """Whether most lines go near the margin; of two lines the second may always be the rest of the first."""
    width = max(map(len, lines), default=0)
    if len(lines) < 3:
        return len(lines) == 2 and width <= WRAPPED_AT[-1]
    near = sum(len(line) >= NEAR_THE_MARGIN * width for line in lines[:-1])
    return width in WRAPPED_AT and 2 * near >= len(lines) - 1


def tidy_lines(text: str) -> str:
    """The text with its line breaks kept, without blanks at line ends and with at most one empty line in a row."""
    lines: list[str] = []
    for line in text.split("\n"):
        line = line.rstrip()
        if line or (lines and lines[-1]):
            lines.append(line)
    return "\n".join(lines).strip("\n")
