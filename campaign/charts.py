"""PURE: pictures as SVG for pages: the same input gives the same bytes, text stays text, nothing needs inline styles.

Importing matplotlib costs half a second: import this where a picture is drawn, not where a process starts.
"""

import io
import json
import threading
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, cast
from xml.etree import ElementTree

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

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
POINTS = 72
"""Units of an SVG document for each inch."""
Terms: TypeAlias = Mapping[str, Sequence[str]]
"""What each mark says: the name of a value, and the value at each mark."""
_render_lock = threading.Lock()


def printable(text: str) -> str:
    """Text with a mark in place of each character that XML or a reader cannot show.

    >>> printable(f"a{chr(7)}b") == f"a{chr(0xFFFD)}b"
    True
    """
    return "".join(character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in text)


@dataclass(frozen=True, eq=False)
class Marks:
    """Places of a picture and what they say, for `static/js/pictures/`; all places in units of the SVG document.

    `box`: left, top, right, bottom of the axes. `x`, `y`: dots have both, columns only x, rows only y, cells those of their
    columns and of their rows. `row_terms`, `cell_terms`: of cells only, and `terms` and `links` are then those of columns.
    `line`: after how many marks the same place of the next line comes; 0: the next dot of the same x. `links`: relative to the
    picture, "" for none.
    """

    kind: Literal["dots", "columns", "rows", "cells"]
    box: Sequence[float]
    x: Sequence[float]
    y: Sequence[float]
    terms: Terms
    row_terms: Terms
    cell_terms: Mapping[str, Sequence[Sequence[str]]]
    links: Sequence[str]
    line: int = 1


def dots(
    axes: Axes, x: Sequence[float], y: Sequence[float], terms: Terms, links: Sequence[str] = (), *, line: int = 1
) -> Marks:
    """Marks at points of the axes, to be called after all is drawn; `x`, `y`: float (n,), finite.

    >>> axes = Figure(figsize=(1, 1)).add_axes((0, 0, 1, 1), xlim=(0, 2), ylim=(0, 2))
    >>> made = dots(axes, [1], [2], {"Run": ["a"]})
    >>> made.x, made.y, made.box
    ([36.0], [0.0], [0.0, 0.0, 72.0, 72.0])
    """
    across, down = _in_svg(axes, x, y)
    return Marks("dots", _box(axes), across, down, terms, {}, {}, links, line)


def columns(axes: Axes, terms: Terms, links: Sequence[str] = ()) -> Marks:
    """Marks as high as the axes at 0, 1, 2 ... of x.

    >>> axes = Figure(figsize=(1, 1)).add_axes((0, 0, 1, 1), xlim=(-0.5, 1.5))
    >>> columns(axes, {"Topic": ["1", "2"]}).x
    [18.0, 54.0]
    """
    places = np.arange(_number(terms))
    return Marks("columns", _box(axes), _in_svg(axes, places, places * 0.0)[0], [], terms, {}, {}, links)


def rows(axes: Axes, terms: Terms, links: Sequence[str] = ()) -> Marks:
    """Marks as wide as the axes at 0, 1, 2 ... of y.

    >>> axes = Figure(figsize=(1, 1)).add_axes((0, 0, 1, 1), ylim=(1.5, -0.5))
    >>> rows(axes, {"Run": ["a", "b"]}).y
    [18.0, 54.0]
    """
    places = np.arange(_number(terms))
    return Marks("rows", _box(axes), [], _in_svg(axes, places * 0.0, places)[1], terms, {}, {}, links)


def cells(
    axes: Axes,
    row_terms: Terms,
    column_terms: Terms,
    cell_terms: Mapping[str, Sequence[Sequence[str]]],
    links: Sequence[str] = (),
) -> Marks:
    """Marks of a grid at 0, 1, 2 ... of x and y; `links`: of the columns.

    >>> axes = Figure(figsize=(1, 1)).add_axes((0, 0, 1, 1), xlim=(-0.5, 1.5), ylim=(0.5, -0.5))
    >>> made = cells(axes, {"Run": ["a"]}, {"Topic": ["1", "2"]}, {"AP": [["0.5", "0.2"]]})
    >>> made.x, made.y, made.line
    ([18.0, 54.0], [36.0], 2)
    """
    across, down = np.arange(_number(column_terms)), np.arange(_number(row_terms))
    x, y = _in_svg(axes, across, across * 0.0)[0], _in_svg(axes, down * 0.0, down)[1]
    return Marks("cells", _box(axes), x, y, column_terms, row_terms, cell_terms, links, max(len(x), 1))


def _number(terms: Terms) -> int:
    return len(next(iter(terms.values())))


def _in_svg(axes: Axes, x: Any, y: Any) -> tuple[list[float], list[float]]:
    axes.get_xbound(), axes.get_ybound()  # the limits follow what was drawn only when somebody asks for them
    root = cast(Figure, axes.get_figure(root=True))
    points = axes.transData.transform(np.column_stack((x, y)).astype(np.float64)) * POINTS / root.dpi
    height = root.get_size_inches()[1] * POINTS
    return points[:, 0].round(2).tolist(), (height - points[:, 1]).round(2).tolist()


def _box(axes: Axes) -> list[float]:
    root = cast(Figure, axes.get_figure(root=True))
    (left, right), (bottom, top) = (axes.bbox.intervalx * POINTS / root.dpi, axes.bbox.intervaly * POINTS / root.dpi)
    height = root.get_size_inches()[1] * POINTS
    return [round(float(place), 2) + 0.0 for place in (left, height - top, right, height - bottom)]


def _as_json(marks: Sequence[Marks]) -> str:
    """ASCII without signs of markup, so that a script finds its ends in the bytes of the picture."""

    def shown(terms: Mapping[str, Any]) -> list[Any]:
        return [[printable(name), _printable_all(texts)] for name, texts in terms.items()]

    found = [
        {**vars(group), "terms": shown(group.terms), "row_terms": shown(group.row_terms)}
        | {"cell_terms": shown(group.cell_terms), "links": list(group.links)}
        for group in marks
    ]
    text = json.dumps(found, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _printable_all(texts: Sequence[Any]) -> list[Any]:
    return [printable(text) if isinstance(text, str) else _printable_all(text) for text in texts]


def draw_sample(figure: Figure, from_top: float, **style: Any) -> float:
    """Draw a line with a marker in its middle before the sentence that says what it means; returns where the sentence begins.

    `from_top`: of the sentence, and the returned place from the left, both in inches. `style`: of lines of matplotlib.

    >>> round(draw_sample(Figure(), 0.33, marker="o"), 2)
    0.36
    """
    across = np.linspace(0.08, 0.3, 3)
    down = np.full(3, figure.get_size_inches()[1] - from_top - 0.065)
    figure.add_artist(Line2D(across, down, transform=figure.dpi_scale_trans, **({"markevery": [1]} | style)))
    return float(across[-1]) + 0.06


def as_svg(figure: Figure, title: str, description: str, marks: Sequence[Marks] = ()) -> bytes:
    """The figure as an SVG document, with a title and a description for those who do not see it, and its marks for scripts."""
    raw = io.BytesIO()
    settings: dict[Any, Any] = {"svg.hashsalt": "runpool", "svg.fonttype": "none", "font.family": "DejaVu Sans"}
    no_metadata = dict.fromkeys(("Date", "Creator", "Format", "Type"))
    with _render_lock, rc_context(settings), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing")  # the reader's own fonts draw the text
        figure.savefig(raw, format="svg", transparent=True, metadata=no_metadata)
    return _without_inline_styles(raw.getvalue(), title, description, marks)


def drawn(
    figure: Figure, picture_format: PictureFormat, title: str, description: str, marks: Sequence[Marks] = ()
) -> bytes:
    """The figure as a document of this format; the same figure gives the same bytes. PDF and PNG have a white background."""
    if picture_format == "svg":
        return as_svg(figure, title, description, marks)
    raw = io.BytesIO()
    undated: dict[str, Any] = {"pdf": {"CreationDate": None, "Title": title}, "png": {"Software": None, "Title": title}}
    settings: dict[Any, Any] = {"font.family": "DejaVu Sans", "pdf.fonttype": 42}
    with _render_lock, rc_context(settings), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing")
        figure.savefig(raw, format=picture_format, dpi=200, facecolor="white", metadata=undated[picture_format])
    return raw.getvalue()


def _without_inline_styles(document: bytes, title: str, description: str, marks: Sequence[Marks]) -> bytes:
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
    named = [("title", title), ("desc", description), *([("metadata", _as_json(marks))] if marks else [])]
    for place, (name, text) in enumerate(named):
        element = ElementTree.Element(f"{{{SVG}}}{name}")
        element.text = text
        root.insert(place, element)
    drawn: bytes = ElementTree.tostring(root, encoding="utf-8")
    return drawn
