"""PURE: pictures as SVG for pages: the same input gives the same bytes, text stays text, nothing needs inline styles.

Importing matplotlib costs half a second: import this where a picture is drawn, not where a process starts.
"""

import io
import threading
import warnings
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias
from xml.etree import ElementTree

from matplotlib import rc_context
from matplotlib.figure import Figure

Theme: TypeAlias = Literal["light", "dark"]
PictureFormat: TypeAlias = Literal["svg", "pdf", "png"]


@dataclass(frozen=True)
class Palette:
    """Colours of `static/css/tokens.css` by their names there, for pages of one theme; the background stays transparent."""

    accent: str
    accent_soft: str
    ink: str
    ink_soft: str
    line: str
    paper: str


PALETTES: dict[Theme, Palette] = {
    "light": Palette(
        "#0a5f78", accent_soft="#e3f0f3", ink="#14191c", ink_soft="#4a545a", line="#e0e5e6", paper="#fdfdfc"
    ),
    "dark": Palette(
        "#6ec1d8", accent_soft="#14313a", ink="#e4e9eb", ink_soft="#aab4b9", line="#2a3135", paper="#111517"
    ),
}
FONT_FAMILY = (
    "-apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', 'Noto Sans', 'Liberation Sans', system-ui, sans-serif"
)
SVG = "http://www.w3.org/2000/svg"
_render_lock = threading.Lock()


def printable(text: str) -> str:
    """Text with a mark in place of each character that XML or a reader cannot show.

    >>> printable(f"a{chr(7)}b") == f"a{chr(0xFFFD)}b"
    True
    """
    return "".join(character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in text)


def as_svg(figure: Figure, title: str, description: str) -> bytes:
    """The figure as an SVG document, with a title and a description for those who do not see it."""
    raw = io.BytesIO()
    settings: dict[Any, Any] = {"svg.hashsalt": "runpool", "svg.fonttype": "none", "font.family": "DejaVu Sans"}
    no_metadata = dict.fromkeys(("Date", "Creator", "Format", "Type"))
    with _render_lock, rc_context(settings), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing")  # the reader's own fonts draw the text
        figure.savefig(raw, format="svg", transparent=True, metadata=no_metadata)
    return _without_inline_styles(raw.getvalue(), title, description)


def drawn(figure: Figure, picture_format: PictureFormat, title: str, description: str) -> bytes:
    """The figure as a document of this format; the same figure gives the same bytes. PDF and PNG have a white background."""
    if picture_format == "svg":
        return as_svg(figure, title, description)
    raw = io.BytesIO()
    undated: dict[str, Any] = {"pdf": {"CreationDate": None, "Title": title}, "png": {"Software": None, "Title": title}}
    settings: dict[Any, Any] = {"font.family": "DejaVu Sans", "pdf.fonttype": 42}
    with _render_lock, rc_context(settings), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing")
        figure.savefig(raw, format=picture_format, dpi=200, facecolor="white", metadata=undated[picture_format])
    return raw.getvalue()


def _without_inline_styles(document: bytes, title: str, description: str) -> bytes:
    """Turn style declarations into attributes, which a strict content security policy admits, and name the picture."""
    ElementTree.register_namespace("", SVG)
    ElementTree.register_namespace("xlink", "http://www.w3.org/1999/xlink")
    root = ElementTree.fromstring(document)  # noqa: S314 - written by matplotlib a moment ago
    for parent in root.iter():
        for child in [child for child in parent if child.tag in (f"{{{SVG}}}style", f"{{{SVG}}}metadata")]:
            parent.remove(child)
    for element in root.iter():
        for declaration in filter(None, element.attrib.pop("style", "").split(";")):
            name, value = declaration.split(":", 1)
            element.set(name.strip(), FONT_FAMILY if name.strip() == "font-family" else value.strip())
    root.attrib.update({"role": "img", "stroke-linejoin": "round", "font-variant-numeric": "tabular-nums"})
    for place, (name, text) in enumerate((("title", title), ("desc", description))):
        element = ElementTree.Element(f"{{{SVG}}}{name}")
        element.text = text
        root.insert(place, element)
    drawn: bytes = ElementTree.tostring(root, encoding="utf-8")
    return drawn
