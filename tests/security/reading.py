"""What an attack has made of an answer: elements, attributes, addresses, formulas. Nothing, if all is well."""

import csv
import io
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any
from xml.etree import ElementTree

from django.http import HttpResponse

from tests.security.payloads import MARK

ASKING = ("src", "href", "action", "formaction", "style", "srcset", "poster", "data", "background", "ping")
OURS = ("/c/", "/account/", "/teams/", "/api/", "?", "#", "mailto:", "http://testserver/")
JSON = re.compile(r"application/(problem\+)?json(; charset=utf-8)?")
ESCAPED = re.compile(r"&(lt|gt|quot|amp|#\w+);")
FORMULA_STARTS = ("=", "+", "-", "@", "＝", "＋", "－", "＠", "\t", "\r")


@dataclass
class Entry:
    """One entry of a form, as a browser would send it if nobody touched it."""

    name: str
    value: str
    is_text: bool = False
    length: int | None = None


@dataclass
class Form:
    method: str
    action: str
    entries: list[Entry] = field(default_factory=list)


class Page(HTMLParser):
    """A page: what in it stems from an attack, and its forms."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.offences: list[str] = []
        self.forms: list[Form] = []
        self._entry: Entry | None = None
        self._select: Entry | None = None
        self._script = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        self.offences += _offences(tag, values)
        self._script = values.get("type", "text/javascript") if tag == "script" else ""
        if tag == "form":
            self.forms.append(Form(values.get("method", "get").lower(), values.get("action", "")))
        elif self.forms:
            self._read_entry(tag, values)

    def handle_endtag(self, tag: str) -> None:
        if tag == "script":
            self._script = ""
        if tag == "textarea":
            self._entry = None
        if tag == "select":
            self._select = None

    def handle_data(self, data: str) -> None:
        if self._script and self._script != "application/json" and MARK in data:
            self.offences.append(f"a script holds {data[:80]}")
        if self._script == "application/json":
            json.loads(data)
        if self._entry is not None:
            self._entry.value += data

    def _read_entry(self, tag: str, values: dict[str, str]) -> None:
        name, kind = values.get("name", ""), values.get("type", "text")
        entry = Entry(name, values.get("value", ""), length=int(values["maxlength"]) if "maxlength" in values else None)
        entries = self.forms[-1].entries
        if tag == "option" and self._select is not None and ("selected" in values or not self._select.value):
            self._select.value = entry.value
        if not name or "disabled" in values:
            return
        if tag == "textarea":
            self._entry, entry.is_text, entry.value = entry, True, ""
            entries.append(entry)
        elif tag == "select":
            self._select, entry.value = entry, ""
            entries.append(entry)
        elif tag == "input" and (kind not in ("checkbox", "radio", "file", "submit") or "checked" in values):
            entry.is_text = kind in ("text", "search", "email", "url", "password")
            entries.append(entry)


def _offences(tag: str, values: dict[str, str]) -> Iterator[str]:
    if MARK in tag:
        yield f"element {tag}"
    for name, value in values.items():
        is_asking = name in ASKING or name.startswith(("hx-", "data-hx-"))
        if MARK in name:
            yield f"attribute {name} of {tag}"
        elif name.startswith("on"):
            yield f"attribute {name}={value[:80]} of {tag}"
        elif is_asking and MARK in value and not _is_harmless(name, value):
            yield f"address {name}={value[:80]} of {tag}"


def _is_harmless(name: str, address: str) -> bool:
    """Whether it is an address of ours, or a mail address, with the attack inside of a step or of its query."""
    if name.startswith(("hx-", "data-hx-")) and name.split("hx-")[1] not in ("get",):
        return False
    return address.startswith(OURS)


def offences(response: HttpResponse, content: bytes) -> list[str]:
    """What stems from an attack in an answer of any kind."""
    kind = response.get("Content-Type", "").split(";")[0]
    text = content.decode(errors="replace") if not kind.endswith(("zip", "octet-stream")) else ""
    if kind == "text/html":
        return Page(text).offences
    if kind.endswith("json") and text:
        json.loads(text)
    if kind == "text/csv":
        rows = (row for separator in ",;\t" for row in csv.reader(io.StringIO(text), delimiter=separator))
        return [f"formula {cell[:40]}" for row in rows for cell in row if _is_formula(cell)]
    if kind == "image/svg+xml":
        return [f"element {element.tag}" for element in ElementTree.fromstring(text).iter() if _is_foreign(element)]
    if response.get("X-Content-Type-Options") != "nosniff":
        return [f"{kind} may be taken for a page"]
    return []


def require_json(answer: HttpResponse) -> Any:
    """What an answer of the API tells: JSON that is taken for nothing else, its texts as they are stored."""
    assert JSON.fullmatch(answer["Content-Type"]), answer["Content-Type"]
    assert answer["X-Content-Type-Options"] == "nosniff"
    told = json.loads(answer.content)
    assert not [text for text in texts_in(told) if ESCAPED.search(text)]
    return told


def texts_in(told: Any) -> Iterator[str]:
    """All texts of a JSON value, names of members too."""
    if isinstance(told, dict):
        told = [*told, *told.values()]
    if isinstance(told, list):
        for part in told:
            yield from texts_in(part)
    elif isinstance(told, str):
        yield told


def _is_formula(cell: str) -> bool:
    return MARK in cell and cell.lstrip(" \xa0\u3000\u200b\ufeff").startswith(FORMULA_STARTS)


def _is_foreign(element: ElementTree.Element) -> bool:
    named = MARK in element.tag or element.tag.endswith(("script", "foreignObject", "}a"))
    return named or any(MARK in name or name.startswith("on") for name in element.attrib)
