"""Classic TREC topics: `<top>` with sections whose closing tags are usually left out."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field

from campaign.formats.markup import Piece, decoded, one_line, pieces
from campaign.formats.problems import ProblemLog
from campaign.formats.topics.dialects import (
    AS_USUAL,
    NAMES,
    Dialect,
    TopicChoices,
    is_subtopic,
    number_attribute,
    numbering_attribute,
    plain_name,
)
from campaign.formats.topics.drafts import TopicDraft

CLASSIC = frozenset(("num", "title", "desc", "description", "narr", "narrative", "subtopic"))
EARLY = frozenset(("head", "dom", "smry", "con", "fac", "nat", "time", "def"))
"""Sections of the first years of TREC that a topic here has no place for."""
LABELS = {
    section: re.compile(rf"\s*{label}(?:\s*:|[ \t]*\n)\s*", re.IGNORECASE)
    for section, label in (
        ("num", "number"),
        ("title", "topic"),
        ("desc", "description"),
        ("description", "description"),
        ("narr", "narrative"),
        ("narrative", "narrative"),
    )
}

NOT_BLANK = re.compile(r"\S")


@dataclass(slots=True)
class _Reader:
    markup: str
    starts: list[int]
    problems: ProblemLog
    dialect: Dialect
    drafts: list[TopicDraft] = field(default_factory=list)
    sections: list[tuple[str, str]] = field(default_factory=list)
    attributes: list[tuple[str, str]] = field(default_factory=list)
    """Of the topic's own element, what may be its number or title."""
    section: str = ""
    text: list[str] = field(default_factory=list)
    subtopic: tuple[int, str] | None = None
    inside: bool = False

    def read(self) -> None:
        for piece in pieces(self.markup):
            if piece.name == "top":
                self._top(piece)
            elif self.inside and self._is_section(piece):
                self._end_section()
                if not piece.closing:
                    self._begin_section(piece)
            elif self.inside and self.section:
                # A tag of another kind is text: "List<T>" must stay what it is.
                self.text.append(piece.text)
        if self.inside:
            self._add_unclosed()
            self._end_topic()
        self.dialect.note(self.problems)

    def _is_section(self, piece: Piece) -> bool:
        """Names that are words of every day, such as query or text, open a section only where a section may begin."""
        name = self.dialect.plain(piece.name)
        if name in CLASSIC or name in EARLY or (name and piece.name == self.section):
            return True  # some files close a section by its opening tag
        if is_subtopic(piece.name, piece.attributes if piece.name == "sub" else ()):
            return True
        line = self.starts[self._line(piece) - 1]
        begins = not self.section or NOT_BLANK.search(self.markup, line, piece.start) is None
        return bool(piece.name) and begins and (name in NAMES or not self.section) and not piece.closing

    def _top(self, piece: Piece) -> None:
        if self.inside and not piece.closing:
            self._add_unclosed()
        self._end_topic()
        self.inside = not piece.closing
        if self.inside:
            self.drafts.append(TopicDraft(self._line(piece)))
            self.dialect.see(piece.attributes)
            read = self.dialect.read_attributes(piece.attributes)
            self.attributes = [(name, text) for name, text in piece.attributes.items() if name in read]
            self.dialect.leave_out_attributes(piece.name, piece.attributes, {"", *read})

    def _begin_section(self, piece: Piece) -> None:
        self.section = piece.name
        attributes = piece.attributes
        self.subtopic = None
        if is_subtopic(piece.name, attributes):
            self.subtopic = (self._line(piece), number_attribute(attributes))
        label = f"{piece.name} {self.subtopic[1]}" if self.subtopic else ""
        read = {numbering_attribute(attributes)} if self.subtopic else ()
        self.dialect.leave_out_attributes(piece.name, attributes, read, label)

    def _end_topic(self) -> None:
        self._end_section()
        if self.inside:
            said = {one_line(text) for _, text in self.sections}
            more = {one_line(text): name for name, text in reversed(self.attributes) if one_line(text) not in said}
            chosen = [(name, text) for name, text in self.attributes if self._is_chosen(name)]
            self.dialect.fill(
                self.drafts[-1], (chosen or [(name, text) for text, name in more.items()]) + self.sections
            )
        self.sections.clear()
        self.attributes = []

    def _is_chosen(self, attribute: str) -> bool:
        return any(self.dialect.is_chosen(part, attribute) for part in self.dialect.chosen)

    def _end_section(self) -> None:
        text = decoded("".join(self.text))
        self.text.clear()
        section, self.section = self.section, ""
        if not self.inside or not section:
            return
        if self.subtopic:
            self.drafts[-1].subtopics.append((*self.subtopic, one_line(text)))
        else:
            label = LABELS[plain_name(section)].match(text) if plain_name(section) in LABELS else None
            self.sections.append((section, text[label.end() :] if label else text))

    def _add_unclosed(self) -> None:
        message = "The topic is not closed by </top>."
        line = self.drafts[-1].line
        self.problems.add("topic_unclosed", message, "Add </top> at its end.", line=line, severity="warning")

    def _line(self, piece: Piece) -> int:
        return bisect_right(self.starts, piece.start)


def sgml_drafts(
    lines: Sequence[tuple[int, str]], problems: ProblemLog, choices: TopicChoices = AS_USUAL
) -> list[TopicDraft]:
    starts = [0]
    for _, line in lines:
        starts.append(starts[-1] + len(line) + 1)
    reader = _Reader("\n".join(line for _, line in lines), starts, problems, Dialect(choices=choices))
    reader.read()
    return reader.drafts
