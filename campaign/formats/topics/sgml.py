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
    NUMBERS,
    PARTS,
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
LATER = frozenset(("toptype", "docs", "asp"))
"""Those of the novelty and interactive tracks: words of every day, and so sections only where a line begins with them."""
AFTER_TITLE = frozenset(("type", "template"))
"""Sections that end a title which is not closed; a line of a title may begin with any other tag, such as `<i>`."""
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
TITLES = frozenset(PARTS["title"])
NOT_BLANK = re.compile(r"\S")


@dataclass(slots=True)
class _Reader:
    markup: str
    starts: list[int]
    problems: ProblemLog
    dialect: Dialect
    drafts: list[TopicDraft] = field(default_factory=list)
    sections: list[tuple[str, str]] = field(default_factory=list)
    own_text: list[str] = field(default_factory=list)
    """What stands in the topic outside of its sections."""
    languages: dict[int, str] = field(default_factory=dict)
    """Those that they name, by their places."""
    attributes: dict[str, str] = field(default_factory=dict)
    """Of the topic's own element, what may be its number or title."""
    section: str = ""
    text: list[str] = field(default_factory=list)
    section_attributes: dict[str, str] = field(default_factory=dict)
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
            elif not piece.name and piece.text.strip():
                if self.inside:
                    self.own_text.append(piece.text)
                else:
                    self._add_outside(piece)
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
        return bool(piece.name) and begins and not piece.closing and (name in NAMES | LATER or self._is_ended_by(name))

    def _is_ended_by(self, name: str) -> bool:
        """Whether no section is open, or one of a single line that a section of this unknown name ends."""
        section = self.dialect.plain(self.section)
        is_short = section in NUMBERS or (section == "title" and name in AFTER_TITLE)
        return not self.section or (is_short and any(map(str.strip, self.text)))

    def _top(self, piece: Piece) -> None:
        if self.inside and not piece.closing:
            self._add_unclosed()
        self._end_topic()
        self.inside = not piece.closing
        if self.inside:
            self.drafts.append(TopicDraft(self._line(piece), language=self.dialect.language_in(piece.attributes)))
            self.dialect.see(piece.attributes)
            read = self.dialect.read_attributes(piece.attributes)
            self.attributes = {name: text for name, text in piece.attributes.items() if name in read and text.strip()}
            self.dialect.leave_out_attributes(piece.name, piece.attributes, {"", *read})

    def _begin_section(self, piece: Piece) -> None:
        self.section = piece.name
        attributes = self.section_attributes = piece.attributes
        self.subtopic = None
        if is_subtopic(piece.name, attributes):
            self.subtopic = (self._line(piece), number_attribute(attributes))
        label = f"{piece.name} {self.subtopic[1]}" if self.subtopic else ""
        read = {numbering_attribute(attributes)} if self.subtopic else ()
        self.dialect.leave_out_attributes(piece.name, attributes, read, label)

    def _end_topic(self) -> None:
        self._end_section()
        if self.inside:
            self._fill(self.drafts[-1])
        self.sections.clear()
        self.own_text.clear()
        self.languages.clear()
        self.attributes = {}

    def _fill(self, draft: TopicDraft) -> None:
        """An attribute is the number or title only where no section is it; else it is left out, unless it says the same."""
        if text := decoded("".join(self.own_text)).strip():
            self._take_own(text, draft)
        numbers, titles = self._texts_of("number"), self._texts_of("title")
        if not numbers:
            draft.set("number", self.dialect.number_in(self.attributes))
            numbers = {draft.number}
        texts = self.dialect.chosen_first(self.sections, self.languages)
        for name, text in self.attributes.items():
            is_title = self.dialect.is_chosen("title", name)
            if is_title and not titles:
                texts.append((name, text))
            elif one_line(text) not in (titles if is_title else numbers):
                self.dialect.leave_out(f"top {name}", text)
                if not is_title and "number" not in self.dialect.chosen:
                    draft.other_numbers += (one_line(text),)
        self.dialect.fill(draft, texts)

    def _take_own(self, text: str, draft: TopicDraft) -> None:
        """Of the medical records track it is the topic; elsewhere it is left out by name."""
        has_title = any(plain_name(name) in TITLES and text.strip() for name, text in self.sections)
        if has_title or "title" in self.dialect.chosen:
            self.sections.append(("text of top", text))
        else:
            draft.set("title", text)

    def _texts_of(self, part: str) -> set[str]:
        """The texts of the sections that are the number, or the title that the sender chose."""
        is_chosen = part in self.dialect.chosen
        return {
            one_line(text)
            for name, text in self.sections
            if text.strip()
            and (self.dialect.is_chosen(part, name) if is_chosen else part == "number" and plain_name(name) in NUMBERS)
        }

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
            if plain_name(section) in NUMBERS:
                text = self._number_alone(text[label.end() :] if label else text)
                label = None
            self.languages[len(self.sections)] = self.dialect.language_in(self.section_attributes, section)
            self.sections.append((section, text[label.end() :] if label else text))
            if not text.strip():
                self.dialect.leave_out_empty(section, self.section_attributes)

    def _number_alone(self, text: str) -> str:
        """The first line, where it is one word; what follows is the topic's own text, as in the medical records track."""
        number, _, rest = text.strip().partition("\n")
        if not rest.strip() or len(number.split()) > 1:
            return text
        self.own_text.append(rest)
        return number

    def _add_outside(self, piece: Piece) -> None:
        line = bisect_right(self.starts, piece.start + len(piece.text) - len(piece.text.lstrip()))
        message, remedy = (
            "There is text outside of <top> and </top>.",
            "It is left out: check that no topic lost its <top>.",
        )
        self.problems.add("outside_topic", message, remedy, line=line, excerpt=piece.text.strip(), severity="warning")

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
