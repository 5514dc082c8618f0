"""Topics in XML, such as those of the web tracks with their subtopics; documents that declare entities are refused."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from xml.parsers import expat

from campaign.formats.markup import one_line
from campaign.formats.problems import ProblemLog, visible
from campaign.formats.topics.dialects import DESCRIPTIONS, NUMBER_ATTRIBUTES, PARTS, Dialect, plain_name
from campaign.formats.topics.drafts import TopicDraft

TOPIC_TAGS = frozenset({"topic", "top", "query"})
TITLES = frozenset(PARTS["title"]) - DESCRIPTIONS
DECLARATION = re.compile(r"\s*<\?xml\b[^<>]*\?>")
PROLOG = re.compile(
    r"(?:\s++|<!--.*?-->|<\?.*?\?>|<!DOCTYPE\b[^<>\[]*+(?:\[[^\]]*+\]\s*+)?>)*+", re.DOTALL | re.IGNORECASE
)
"""What may stand before the first element."""
ROOT, END_OF_ROOT = "<topics>", "</topics>"


class _EntityDeclarationError(Exception):
    pass


@dataclass(slots=True)
class _Reader:
    parser: expat.XMLParserType
    dialect: Dialect
    drafts: list[TopicDraft] = field(default_factory=list)
    path: list[str] = field(default_factory=list)
    text: list[str] = field(default_factory=list)
    own_text: list[str] = field(default_factory=list)
    elements: list[tuple[str, str]] = field(default_factory=list)
    topic_depth: int = 0
    subtopic: tuple[int, str] = (0, "")

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        name = tag.rpartition(":")[2]
        self.path.append(name)
        if not self.topic_depth:
            if name.lower() in TOPIC_TAGS:
                self.topic_depth = len(self.path)
                self.drafts.append(TopicDraft(self.parser.CurrentLineNumber, number=_number(attributes)))
                self.dialect.leave_out_attributes(name, attributes)
                self.own_text.clear()
                self.elements.clear()
        elif len(self.path) == self.topic_depth + 1:
            self.text.clear()
            if name.lower() == "subtopic":
                self.subtopic = (self.parser.CurrentLineNumber, _number(attributes))
                self.dialect.leave_out_attributes(name, attributes)
        else:
            self.text.append("\n\n")  # elements within an element are paragraphs of its text

    def data(self, text: str) -> None:
        if self.topic_depth == len(self.path):
            self.own_text.append(text)
        elif self.topic_depth:
            self.text.append(text)

    def end(self, _tag: str) -> None:
        name = self.path.pop()
        depth = len(self.path) + 1
        if self.topic_depth and depth == self.topic_depth + 1:
            self._end_element(name)
        elif depth == self.topic_depth:
            self.topic_depth = 0
            draft = self.drafts[-1]
            # Some tracks put the question straight into the topic element.
            own_text = "".join(self.own_text)
            draft.title = "" if self._has_title() else one_line(own_text)
            if own_text.strip() and not draft.title:
                self.elements.append((f"text of {name}", own_text))
            self.dialect.fill(draft, self.elements)

    def _has_title(self) -> bool:
        return any(plain_name(name) in TITLES and text.strip() for name, text in self.elements)

    def _end_element(self, name: str) -> None:
        text = "".join(self.text)
        if name.lower() == "subtopic":
            self.drafts[-1].subtopics.append((*self.subtopic, one_line(text)))
        else:
            self.elements.append((name, text))

    def entity(self, *_declaration: object) -> None:
        raise _EntityDeclarationError


def _number(attributes: dict[str, str]) -> str:
    lowered = {name.lower(): value for name, value in attributes.items()}
    return next((lowered[name].strip() for name in NUMBER_ATTRIBUTES if name in lowered), "")


def xml_drafts(lines: Sequence[tuple[int, str]], problems: ProblemLog) -> list[TopicDraft]:
    parser = expat.ParserCreate()
    reader = _Reader(parser, Dialect())
    parser.buffer_text = True
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.data
    parser.EntityDeclHandler = reader.entity
    try:
        parser.Parse(_with_root("\n".join(line for _, line in lines)), True)
    except _EntityDeclarationError:
        remedy = "Take the DOCTYPE out and write the characters themselves."
        problems.add("xml_entity", "The XML declares entities.", remedy, line=parser.CurrentLineNumber)
        return []
    except expat.ExpatError as error:
        _add_broken(error, lines, problems)
        return []
    reader.dialect.note(problems)
    return reader.drafts


def _with_root(text: str) -> str:
    """NTCIR's files hold one topic after the other, without an element around them."""
    if match := DECLARATION.match(text):  # what it declares is decoded by now, and nothing may stand before it
        text = "\n" * match[0].count("\n") + text[match.end() :]
    prolog = PROLOG.match(text)
    start = prolog.end() if prolog else 0
    if not re.match(r"<(top|topic)\b", text[start:], re.IGNORECASE):
        return text
    return f"{text[:start]}{ROOT}{text[start:]}{END_OF_ROOT}"


def _add_broken(error: expat.ExpatError, lines: Sequence[tuple[int, str]], problems: ProblemLog) -> None:
    excerpt = lines[error.lineno - 1][1] if error.lineno <= len(lines) else ""
    message = f"The XML is broken: {expat.ErrorString(error.code)}."
    remedy = "Close every element and write & as &amp; and < as &lt;."
    problems.add("xml_broken", message, remedy, line=error.lineno, excerpt=visible(excerpt))
