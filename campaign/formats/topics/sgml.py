"""Classic TREC topics: `<top>` with sections whose closing tags are usually left out."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field

from campaign.formats.markup import Piece, decoded, one_line, paragraphs, pieces
from campaign.formats.problems import ProblemLog
from campaign.formats.topics.drafts import TopicDraft

SECTIONS = {
    "num": "number",
    "title": "title",
    "desc": "description",
    "description": "description",
    "narr": "narrative",
    "narrative": "narrative",
    "subtopic": "subtopic",
    # Sections of the first years of TREC that a topic here has no place for.
    **dict.fromkeys(("head", "dom", "smry", "con", "fac", "nat", "time", "def"), "other"),
}
LABELS = {
    section: re.compile(rf"\s*{label}\s*:\s*", re.IGNORECASE)
    for section, label in (
        ("number", "number"),
        ("title", "topic"),
        ("description", "description"),
        ("narrative", "narrative"),
    )
}


@dataclass(slots=True)
class _Reader:
    starts: list[int]
    problems: ProblemLog
    drafts: list[TopicDraft] = field(default_factory=list)
    section: str = ""
    text: list[str] = field(default_factory=list)
    subtopic: tuple[int, str] = (0, "")
    inside: bool = False

    def read(self, markup: str) -> None:
        for piece in pieces(markup):
            if piece.name == "top":
                self._top(piece)
            elif self.inside and piece.name in SECTIONS:
                self._end_section()
                if not piece.closing:
                    self.section = SECTIONS[piece.name]
                    self.subtopic = (self._line(piece), piece.attributes.get("number", ""))
            elif self.inside and self.section:
                # A tag of another kind is text: "List<T>" must stay what it is.
                self.text.append(piece.text)
        if self.inside:
            self._add_unclosed()
            self._end_section()

    def _top(self, piece: Piece) -> None:
        if self.inside and not piece.closing:
            self._add_unclosed()
        self._end_section()
        self.inside = not piece.closing
        if self.inside:
            self.drafts.append(TopicDraft(self._line(piece)))

    def _end_section(self) -> None:
        text = decoded("".join(self.text))
        self.text.clear()
        section, self.section = self.section, ""
        if not self.inside or not section or section == "other":
            return
        draft = self.drafts[-1]
        if section == "subtopic":
            draft.subtopics.append((*self.subtopic, one_line(text)))
        elif not getattr(draft, section):
            label = LABELS[section].match(text)
            text = text[label.end() :] if label else text
            setattr(draft, section, one_line(text) if section in ("number", "title") else paragraphs(text))

    def _add_unclosed(self) -> None:
        message = "The topic is not closed by </top>."
        line = self.drafts[-1].line
        self.problems.add("topic_unclosed", message, "Add </top> at its end.", line=line, severity="warning")

    def _line(self, piece: Piece) -> int:
        return bisect_right(self.starts, piece.start)


def sgml_drafts(lines: Sequence[tuple[int, str]], problems: ProblemLog) -> list[TopicDraft]:
    starts = [0]
    for _, line in lines:
        starts.append(starts[-1] + len(line) + 1)
    reader = _Reader(starts, problems)
    reader.read("\n".join(line for _, line in lines))
    return reader.drafts
