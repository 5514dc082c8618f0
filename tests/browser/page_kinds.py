"""The kinds of elements in the bytes of a page, and what can be held against the page without a browser."""

import re
from collections import Counter
from collections.abc import Iterator
from html.parser import HTMLParser

VOID = frozenset(["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"])
NAMED = ("class", "role", "type")
STATES = re.compile(r"aria-|data-|hx-|disabled|hidden|open|tabindex")
REFERENCES = ("aria-describedby", "aria-labelledby", "aria-controls")
AROUND = 2
"""How many elements around an element belong to its kind."""


class PageBytes(HTMLParser):
    """`kinds`: tag, class, role and states of each element of the body and of three around it. `faults`: sentences."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.kinds: set[str] = set()
        self.faults: list[str] = []
        self._open: list[tuple[str, str]] = []
        self._ids: Counter[str] = Counter()
        self._references: list[tuple[str, str, str]] = []
        self._tables: list[dict[str, bool]] = []
        self.feed(html)
        self.close()
        self.faults += self._faults_of_ids()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        kind = tag + "".join(sorted(_told(values)))
        if any(name == "body" for name, _ in self._open):
            around = [kind for _, kind in self._open[-AROUND:]]
            self.kinds.add(">".join([*around, kind]))
        if tag not in VOID:
            self._open.append((tag, kind))
        self._note_references(tag, values)
        self._note_tables(tag, values)

    def handle_endtag(self, tag: str) -> None:
        place = next((place for place in reversed(range(len(self._open))) if self._open[place][0] == tag), None)
        if place is not None:
            del self._open[place:]
        if tag == "table" and self._tables:
            table = self._tables.pop()
            self.faults += ["a table without a caption"] if not table["named"] else []
            self.faults += ["a table without heads"] if not table["heads"] else []

    def _note_references(self, tag: str, values: dict[str, str]) -> None:
        if "id" in values:
            self._ids[values["id"]] += 1
        self._references += [(name, one, tag) for name in REFERENCES if name in values for one in values[name].split()]

    def _note_tables(self, tag: str, values: dict[str, str]) -> None:
        if tag == "table":
            in_prose = any("class=prose" in kind or "prose]" in kind for _, kind in self._open)
            named = in_prose or "aria-label" in values or "aria-labelledby" in values
            self._tables.append({"named": named, "heads": False})
        elif self._tables:
            self._tables[-1]["named"] |= tag == "caption"
            self._tables[-1]["heads"] |= tag == "th"
        in_head = tag == "th" or any(name == "th" for name, _ in self._open)
        if "title" in values and in_head and tag not in ("abbr", "time"):
            self.faults.append(f"explained by its title alone: <{tag}>")

    def _faults_of_ids(self) -> Iterator[str]:
        yield from (f"id twice: {one}" for one, count in self._ids.items() if count > 1)
        for name, one, tag in self._references:
            if one not in self._ids:
                yield f"{name} of <{tag}> names what is not there: {one}"


def _told(values: dict[str, str]) -> Iterator[str]:
    for name, value in values.items():
        if name in NAMED:
            yield f"[{name}={value}]"
        elif STATES.match(name):
            yield f"[{name}]"
